r"""Shares with 95 % intervals, from a stratified sample of few documents; see docs/howto/audit.md.

An interval holds every share :math:`\theta` that the sample does not contradict: those for which the estimate
is within 1.96 standard deviations of :math:`\theta`, where the standard deviation is that of the estimate if
:math:`\theta` is true. For a simple random sample this is Wilson's interval (1927).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import hypot, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Z = 1.959964  # 95 % of a normal distribution is within this many standard deviations
SHARED_CHECKS = 2.0  # the say of all strata in the assumed share of one, in checks; by simulated audits
_FAR = 80.0  # in log-odds
_STEPS = 60

Counts = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Estimate:
    """A share, and the interval in which it lies with 95 % confidence.

    Attributes
    ----------
    value : float or None
        The estimate; None if no document was checked that could tell.
    low, high : float
        The interval, within 0 and 1.

    Examples
    --------
    >>> print(Estimate(0.9, 0.78, 0.96))
    90.0% (78.0% to 96.0%)
    """

    value: float | None
    low: float
    high: float

    def __str__(self) -> str:
        if self.value is None:
            return "not known"
        return f"{self.value:.1%} ({self.low:.1%} to {self.high:.1%})"


NOT_KNOWN = Estimate(None, 0.0, 1.0)


def stratified(right: Counts, checked: Counts, sizes: Counts) -> Estimate:
    """Return the share of right documents, estimated from a simple random sample of each stratum."""
    total = sizes.sum()
    known = checked == sizes  # nothing is left to estimate in these
    if known.any():
        certain = int(right[known].sum())
        if known.all():
            return Estimate(certain / total, certain / total, certain / total)
        rest = stratified(right[~known], checked[~known], sizes[~known])
        part = sizes[~known].sum() / total
        value, low, high = (certain / total + part * float(share) for share in _values(rest))
        return Estimate(value, low, high)
    weight = sizes / total
    seen = float(weight @ (right / checked))
    overall = (right.sum() + 0.5) / (checked.sum() + 1)
    assumed = (right + SHARED_CHECKS * overall) / (checked + SHARED_CHECKS)
    log_odds = np.log(assumed / (1 - assumed))
    spread = weight**2 * (sizes - checked) / (sizes - 1) / checked

    def shares(shift: float) -> NDArray[np.float64]:
        return np.asarray(1 / (1 + np.exp(-(log_odds + shift))))

    def contradicted(shift: float) -> bool:
        share = shares(shift)
        return bool((seen - weight @ share) ** 2 > Z**2 * (spread @ (share * (1 - share))))

    middle = _turning_point(-_FAR, _FAR, lambda shift: bool(weight @ shares(shift) >= seen))
    low, high = (
        float(weight @ shares(_turning_point(middle, middle + way * 2 * _FAR, contradicted)))
        for way in (-1, 1)
    )
    return Estimate(seen, 0.0 if seen <= 0 else low, 1.0 if seen >= 1 else high)


def weighted(right: Counts, checked: Counts, drawn: Counts, sizes: Counts) -> Estimate:
    """Return the share of right documents among some of the documents, such as those of one category."""
    if not checked.any():
        return NOT_KNOWN
    # Strata are not compared, because a category may have few checks in each.
    weight = sizes / drawn
    total = float(weight @ checked)
    per_check = float((weight**2 * (1 - drawn / sizes)) @ checked) / total**2  # 1 / the effective number
    return wilson(min(float(weight @ right) / total, 1.0), per_check)


def wilson(share: float, per_check: float) -> Estimate:
    """Return Wilson's interval for a share, from 1 / the number of checks."""
    centre = share + Z**2 * per_check / 2
    half = Z * sqrt(max(share * (1 - share) * per_check, 0.0) + (Z * per_check / 2) ** 2)
    scale = 1 + Z**2 * per_check
    return Estimate(share, max((centre - half) / scale, 0.0), min((centre + half) / scale, 1.0))


def added(first: Estimate, second: Estimate) -> Estimate:
    """Return the sum of two shares that were estimated from different documents (Zou and Donner 2008)."""
    (one, low, high), (other, other_low, other_high) = _values(first), _values(second)
    value = one + other
    return Estimate(
        value,
        max(value - hypot(one - low, other - other_low), 0.0),
        min(value + hypot(high - one, other_high - other), 1.0),
    )


def _values(of: Estimate) -> tuple[float, float, float]:
    assert of.value is not None
    return of.value, of.low, of.high


def _turning_point(inside: float, outside: float, is_outside: Callable[[float], bool]) -> float:
    """Return, by bisection, where a condition begins to hold, on the way from one point to another."""
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if is_outside(middle) else (middle, outside)
    return inside
