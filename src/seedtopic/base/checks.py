"""Checks of what a user may set on a model, and of the package's own mathematics."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from seedtopic.base.errors import InputError
from seedtopic.base.wording import number_of

MOST = 1e300  # what is larger may be a whole number that is no float
ROUNDING = 1e-5  # relative decrease of an objective that is allowed: sums are in float32


def check_number(
    name: str,
    value: Any,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    whole: bool = False,
) -> None:
    """Refuse what is not a finite number (not a whole one, where required) in its range."""
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    holds = isinstance(value, kinds) and not isinstance(value, bool) and -MOST <= value <= MOST
    holds = holds and (least is None or value >= least) and (most is None or value <= most)
    if holds and (above is None or value > above):
        return
    valid = "a whole number" if whole else "a number"
    if above is not None:
        valid += f" above {above:g}"
    else:
        valid += ("" if least is None else f" from {least:g}") + (" on" if most is None else f" to {most:g}")
    raise InputError(f"{name} is {value!r:.60}: use {valid}.")


def check_as_many(n: int, one: str, n_others: int, other: str) -> None:
    """Refuse two things of which there should be as many."""
    if n != n_others:
        raise InputError(
            f"there are {number_of(n, one)}, but {number_of(n_others, other)}: give one for each."
        )


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Refuse what is none of the choices."""
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        raise InputError(f"{name} is {value!r:.60}: use one of {', '.join(map(repr, choices))}.")


class BrokenPromiseError(RuntimeError):
    """A mathematical guarantee does not hold: a bug in the package, not the user's mistake."""


def debugging() -> bool:
    """Return whether the user wants slow checks: SEEDTOPIC_DEBUG=1."""
    return os.environ.get("SEEDTOPIC_DEBUG", "0") not in ("", "0")


def check_objective(objective: Sequence[float], *, rises: bool) -> None:
    """Raise an error unless the last value of an objective is a number and, with `rises`, no decrease."""
    iteration, value = len(objective) - 1, objective[-1]
    if not math.isfinite(value):
        problem = f"is {value} in iteration {iteration}"
    elif rises and iteration and value < objective[-2] - ROUNDING * abs(objective[-2]):
        problem = (
            f"fell from {objective[-2]:.10g} to {value:.10g} in iteration {iteration}, which EM rules out"
        )
    else:
        return
    raise BrokenPromiseError(f"the objective {problem}: please report this with the seeds and the settings.")


def random_generator(random_state: int | np.random.RandomState | None) -> np.random.RandomState:
    """Return the generator that a `random_state` stands for, as in scikit-learn."""
    if random_state is None:
        behind: Any = np.random.rand  # a method of the generator that numpy.random.seed sets
        return behind.__self__  # type: ignore[no-any-return]
    if isinstance(random_state, np.random.RandomState):
        return random_state
    check_number("random_state", random_state, least=0, most=2**32 - 1, whole=True)
    return np.random.RandomState(random_state)
