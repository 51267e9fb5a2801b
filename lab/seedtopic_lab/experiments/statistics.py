"""Significance tests as in the paper: Friedman, Nemenyi, paired t (Demsar, JMLR 2006)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Array = NDArray[np.float64]


def average_ranks(scores: ArrayLike) -> Array:
    """Rank methods in every result, 1 for the best, ties averaged; return each method's mean rank.

    Parameters
    ----------
    scores : array of shape (n_results, n_methods)
        Higher is better.

    Examples
    --------
    >>> average_ranks([[0.9, 0.8, 0.7], [0.9, 0.9, 0.1]]).tolist()
    [1.25, 1.75, 3.0]
    """
    return np.asarray(stats.rankdata(-np.asarray(scores, dtype=np.float64), axis=1).mean(axis=0))


def friedman_statistic(ranks: ArrayLike, n_results: int) -> float:
    """Compute F_F, Iman and Davenport's version of Friedman's statistic, from mean ranks.

    It is infinite if all results rank the methods the same.

    Examples
    --------
    >>> friedman_statistic([2.0, 2.0, 2.0], 10)
    0.0
    """
    ranks = np.asarray(ranks, dtype=np.float64)
    n_methods = len(ranks)
    spread = float(np.sum(ranks**2)) - n_methods * (n_methods + 1) ** 2 / 4
    chi2 = 12 * n_results / (n_methods * (n_methods + 1)) * spread
    most = n_results * (n_methods - 1)
    return float("inf") if np.isclose(chi2, most) else (n_results - 1) * chi2 / (most - chi2)


def friedman_critical_value(n_methods: int, n_results: int, level: float = 0.05) -> float:
    """Return the value that F_F exceeds with probability `level` if all methods are equally good.

    Examples
    --------
    >>> round(friedman_critical_value(5, 40), 4)
    2.4296
    """
    freedom = n_methods - 1, (n_methods - 1) * (n_results - 1)
    return float(stats.f.ppf(1 - level, *freedom))


def critical_difference(n_methods: int, n_results: int, level: float = 0.05) -> float:
    """Return Nemenyi's critical difference of mean ranks.

    Examples
    --------
    >>> round(critical_difference(5, 40), 4)
    0.9644
    """
    q = float(stats.studentized_range.ppf(1 - level, n_methods, np.inf)) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_results)))


def alike(ranks: ArrayLike, difference: float) -> list[tuple[int, int]]:
    """Find the largest groups of methods whose mean ranks differ by less than the critical difference.

    Returns
    -------
    list of (int, int)
        First and last position of each group among the methods sorted by rank.

    Examples
    --------
    >>> alike([1.0, 1.5, 2.2, 4.0], 1.0)
    [(0, 1), (1, 2)]
    """
    ordered = np.sort(np.asarray(ranks, dtype=np.float64))
    ends = [int(np.flatnonzero(ordered - rank < difference)[-1]) for rank in ordered]
    return [
        (first, last)
        for first, last in enumerate(ends)
        if last > first and (first == 0 or ends[first - 1] < last)
    ]


def paired_t(first: ArrayLike, second: ArrayLike) -> float:
    """Return the two-sided p-value of the paired t-test; 0 if the differences have no variance.

    Examples
    --------
    >>> round(paired_t([0.8, 0.82, 0.81], [0.7, 0.71, 0.73]), 4), paired_t([1.0, 1.0], [0.5, 0.5])
    (0.0082, 0.0)
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    differences = first - second
    if np.allclose(differences, differences[0], rtol=0, atol=1e-12):
        return 1.0 if abs(differences[0]) < 1e-12 else 0.0
    return float(stats.ttest_rel(first, second).pvalue)
