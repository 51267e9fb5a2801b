"""Checks of what a user may set on a model, each with one sentence for an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from seedtopic.errors import InputError

MOST = 1e300  # what is larger may be a whole number that is no float


def check_number(
    name: str,
    value: Any,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    whole: bool = False,
) -> None:
    """Refuse what is no finite number (no whole one, where asked for) in its range.

    Examples
    --------
    >>> check_number("rho", 0.9, least=0, most=1)
    >>> check_number("rho", "abc", least=0, most=1)
    Traceback (most recent call last):
    ...
    seedtopic.errors.InputError: rho is 'abc': use a number from 0 to 1.
    """
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    number = isinstance(value, kinds) and not isinstance(value, bool)
    holds = number and -MOST <= value <= MOST
    holds = holds and (least is None or value >= least) and (most is None or value <= most)
    if not (holds and (above is None or value > above)):
        raise InputError(f"{name} is {value!r:.60}: use {_wanted(least, above, most, whole)}.")


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Refuse what is none of the choices.

    Examples
    --------
    >>> check_choice("estep", "bayes", ("paper", "bayes"))
    """
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        listed = ", ".join(repr(choice) for choice in choices)
        raise InputError(f"{name} is {value!r:.60}: use one of {listed}.")


def _wanted(least: float | None, above: float | None, most: float | None, whole: bool) -> str:
    kind = "a whole number" if whole else "a number"
    if above is not None:
        return f"{kind} above {above:g}"
    upwards = "" if least is None else f" from {least:g}"
    return f"{kind}{upwards}" + (" on" if most is None else f" to {most:g}")
