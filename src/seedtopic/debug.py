"""Checks of the package's own mathematics, made if the environment variable SEEDTOPIC_DEBUG is set."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

ROUNDING = 1e-5  # relative decrease of an objective that is allowed: sums are in float32


class BrokenPromiseError(RuntimeError):
    """A mathematical guarantee does not hold: a bug in the package, not the user's mistake."""


def debugging() -> bool:
    """Return whether the user wants slow checks: SEEDTOPIC_DEBUG=1.

    Examples
    --------
    >>> debugging()
    False
    """
    return os.environ.get("SEEDTOPIC_DEBUG", "0") not in ("", "0")


def check_objective(objective: Sequence[float], *, rises: bool) -> None:
    """Raise an error unless the last value of an objective is a number and, with `rises`, did not decrease.

    Examples
    --------
    >>> check_objective([-3.0, -2.0], rises=True)
    >>> check_objective([-2.0, -3.0], rises=True)
    Traceback (most recent call last):
    ...
    seedtopic.debug.BrokenPromiseError: the objective fell from -2 to -3 in iteration 1, which EM rules out: \
please report this with the seeds and the settings.
    """
    iteration, value = len(objective) - 1, objective[-1]
    if not math.isfinite(value):
        raise BrokenPromiseError(
            f"the objective is {value} in iteration {iteration}: please report this with the seeds and the "
            "settings."
        )
    if rises and iteration and value < objective[-2] - ROUNDING * abs(objective[-2]):
        raise BrokenPromiseError(
            f"the objective fell from {objective[-2]:.10g} to {value:.10g} in iteration {iteration}, which "
            "EM rules out: please report this with the seeds and the settings."
        )
