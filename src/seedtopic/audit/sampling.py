"""Which documents to check: a random sample in each of a few strata of similar probability.

Errors are more frequent among labels of low probability, so more of these are checked. If a label of
probability p is right with probability p, its correctness has the standard deviation s = sqrt(p (1 - p)). The
strata are cut so that the sum of s is the same in each (Dalenius and Hodges 1959), and get the same number of
checks, which would be Neyman's optimal allocation if s had no floor (Cochran 1977, sections 5.5 and 5A.7).
The probabilities only decide where to look: an estimate is valid whatever they are worth.

References
----------
- W. G. Cochran: Sampling Techniques, 3rd edition. Wiley, 1977.
- T. Dalenius, J. L. Hodges: Minimum variance stratification. Journal of the American Statistical
  Association 54, 1959.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seedtopic.base.errors import InputError

# Chosen by simulated audits of five corpora. More strata are narrower, but with fifty checks the numbers of
# errors found in each are so small that intervals hold too often in one collection and too seldom in another.
N_STRATA = 2
# No label counts as more certain than one of probability .8, for the same reason.
LEAST_DEVIATION = 0.4
LEAST_CHECKS = 10  # with fewer, a stratum could be left without any
DECIMALS = 6  # of the probabilities, as they are written to files


@dataclass(frozen=True)
class Sample:
    """Documents to check.

    Attributes
    ----------
    documents : ndarray of int
        Their positions, in random order, so that the first of them are a random part of each stratum.
    strata : ndarray of int
        The stratum of each of them, from 1 (the least probable labels).
    """

    documents: NDArray[np.intp]
    strata: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.documents)


def draw(probabilities: ArrayLike, n: int = 50, *, random_state: int = 0) -> Sample:
    """Draw the documents to check.

    Parameters
    ----------
    probabilities : array-like of float
        The probability of each document's label.
    n : int
        How many documents to check; all of them if there are not more.
    random_state : int
        Source of the random numbers.

    Returns
    -------
    Sample

    Examples
    --------
    >>> sample = draw([0.99] * 600 + [0.6] * 400, 20)
    >>> len(sample), int((sample.documents < 600).sum())
    (20, 11)
    """
    if n < LEAST_CHECKS:
        raise InputError(f"n is {n}: check at least {LEAST_CHECKS} documents.")
    strata = strata_of(probabilities)
    weights: NDArray[np.float64] = np.bincount(strata, _deviations(probabilities)).astype(np.float64)
    random = np.random.default_rng(random_state)
    members = [np.flatnonzero(strata == stratum) for stratum in range(1, len(weights))]
    counts = allocated(n, weights[1:], np.array([len(found) for found in members]))
    chosen = [random.permutation(found)[:count] for found, count in zip(members, counts, strict=True)]
    documents = random.permutation(np.concatenate(chosen))
    return Sample(documents, strata[documents])


def strata_of(probabilities: ArrayLike) -> NDArray[np.intp]:
    """Give the stratum of each document, from 1 for the least probable labels; equal ones share a stratum."""
    values, value_of, counts = np.unique(
        checked_probabilities(probabilities), return_inverse=True, return_counts=True
    )
    reached = np.cumsum(_deviations(values) * counts)
    part = reached[-1] / N_STRATA
    nearest = np.abs(reached[:, None] - part * np.arange(1, N_STRATA)).argmin(axis=0)
    cuts, begin = [], 0.0
    for cut in np.unique(nearest):
        # Many equal probabilities can make a stratum so small that it would get no check.
        if min(reached[cut] - begin, reached[-1] - reached[cut]) >= part / 2:
            cuts.append(cut)
            begin = reached[cut]
    return np.searchsorted(np.array(cuts), value_of.reshape(-1)) + 1


def allocated(
    n: int, weights: NDArray[np.floating[Any]], sizes: NDArray[np.integer[Any]]
) -> NDArray[np.intp]:
    """Share out n checks in proportion to weights, to no stratum more than it has documents."""
    if n >= sizes.sum():
        return sizes.astype(np.intp)
    full = np.zeros(len(sizes), dtype=bool)
    quota = weights * n / weights.sum()
    while (quota > sizes)[~full].any():  # what a full stratum leaves goes to the others
        full |= quota > sizes
        left = np.where(full, 0.0, weights)
        quota = np.where(full, sizes, left * (n - sizes[full].sum()) / left.sum())
    given: NDArray[np.intp] = np.floor(quota).astype(np.intp)
    given[np.argsort(given - quota, kind="stable")[: n - given.sum()]] += 1  # the largest remainders
    return given


def checked_probabilities(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Give probabilities as an array, rounded as in files, and refuse other numbers."""
    sure = np.asarray(probabilities, dtype=np.float64)
    if sure.ndim != 1 or not len(sure):
        raise InputError(
            f"the probabilities have the shape {sure.shape}: give the probability of each document's label."
        )
    wrong = np.flatnonzero(~((sure >= 0) & (sure <= 1)))
    if len(wrong):
        raise InputError(
            f"the probability of document {wrong[0]} is {sure[wrong[0]]:g}: give numbers from 0 to 1."
        )
    return sure.round(DECIMALS)


def _deviations(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Give the standard deviation of the correctness of labels, as far as their probabilities are right."""
    sure = np.asarray(probabilities, dtype=np.float64)
    return np.maximum(np.sqrt(sure * (1 - sure)), LEAST_DEVIATION)
