"""Documents that belong to no category: how these look is learned from the categories, each left out once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]
Labels = NDArray[np.intp]
Mask = NDArray[np.bool_]

# All were chosen on train parts of seven collections together, names and words, with every second, every
# third and no category left out, amid a range of values that do as well.
N_STEPS = 2  # along the graph of neighbours, over which scores are averaged
LEAST_SHARE = 0.17  # of the documents that must seem to be strangers
LEAST_LOW = 0.11  # the lowest value of that share
LEAST_FOUND = 0.08  # of the documents that must be likelier strangers than not
WIDEST = 0.3  # interval of the share
UNTOLD = 0.25  # of the documents may be strangers where it cannot be told
FEWEST = 20  # documents to learn from how others look
LOWEST, STEP, N_BINS = -5.0, 0.02, 1000  # of scores, which are counted
N_GROUPS = 60  # of equally many documents, for each of which the odds are estimated
N_DRAWS = 20  # of categories, for the interval of the share
N_ROUNDS, SETTLED = 200, 1e-5  # of EM at most, and the change of the share at which it ends


class Tally(NamedTuple):
    """How many documents have which score, in bins."""

    insiders: NDArray[np.int64]  # (n_categories, n_bins), trusted documents of each category
    strangers: NDArray[np.int64]  # (n_categories, n_bins), the same were their category not given
    everyone: NDArray[np.int64]  # (n_bins,), all documents with words


@dataclass(frozen=True, eq=False)
class Witnesses:
    """What evidence says of documents: the score of each in bins, the higher, the more it belongs."""

    label: Labels
    score: Labels
    played: Labels  # the score if the category of the label were not given
    trusted: tuple[Mask, ...]  # trusted by the fit alone, and by the evidence too
    has_words: Mask

    @classmethod
    def of(cls, evidence: Array, posterior: Array, averaging: sp.csr_array, has_words: Mask) -> Self:
        """Judge each document and its neighbours by evidence, (n_pieces, n_documents, n_categories)."""
        label, sure = posterior.argmax(axis=1), posterior.max(axis=1)
        pieces = [best_with_and_without(scores, label) for scores in evidence]
        score = np.sum([best for best, _ in pieces], axis=0)[:, None]
        played = np.sum([without for _, without in pieces], axis=0)
        for _ in range(N_STEPS):
            score, played = ((values + averaging @ values) / 2 for values in (score, played))
        rows = np.arange(len(label))
        near = evidence[:, rows, label].sum(axis=0) > 0  # nearer than most documents are
        agree = has_words & ((evidence[0].argmax(axis=1) == label) | (len(evidence) == 1))
        trusted = tuple(upper_half(sure, label, among) & near for among in (has_words, agree))
        return cls(label, binned(score[:, 0]), binned(played[rows, label]), trusted, has_words)

    def tally(self, n_categories: int, which: int, outside: Mask) -> Tally:
        """Count scores; documents in the bins of those found are not trusted."""
        rows = self.trusted[which] & ~outside[self.score]
        place, shape = self.label[rows] * N_BINS, (n_categories, N_BINS)
        insiders, strangers = (
            np.bincount(place + values[rows], minlength=n_categories * N_BINS).reshape(shape)
            for values in (self.score, self.played)
        )
        return Tally(insiders, strangers, np.bincount(self.score[self.has_words], minlength=N_BINS))


class Strangers(NamedTuple):
    """How many documents belong to no category, and how likely each does by the bin of its score."""

    share: tuple[float, float]  # its lowest and highest value; from 0 where it cannot be told
    probability: Array  # (n_bins,); then at most 0.5


def find_strangers(tally: Callable[[int, Mask], Tally]) -> Strangers:
    """Estimate the share of strangers from tallies: by which trust, and without documents of which bins.

    How insiders look is seen in trusted documents, how strangers look in the same ones without their own
    category. The share of strangers is that by which the scores of all documents are likeliest, by EM.
    Where it is large enough, the strangers found are no longer trusted, and all is estimated once more.
    """
    counts = tally(0, np.zeros(N_BINS, bool))
    if counts.insiders.sum() < FEWEST:
        return Strangers((0.0, 1.0), np.zeros(N_BINS))
    share, probability = estimated(counts)
    likely = counts.everyone[probability > 0.5].sum() / max(counts.everyone.sum(), 1)
    low, high = 0.0, max(share, UNTOLD)
    if share >= LEAST_SHARE and likely >= LEAST_FOUND and interval(counts)[0] >= LEAST_LOW:
        again = tally(1, probability > 0.5)
        counts = again if again.insiders.sum() >= FEWEST else counts
        _, probability = estimated(counts)
        low, high = interval(counts)
    if low == 0 or high - low > WIDEST:
        return Strangers((0.0, high), np.minimum(probability, 0.5))
    return Strangers((low, high), probability)


def estimated(counts: Tally) -> tuple[float, Array]:
    """Return the share of strangers by EM, and the probability of being one by the bin of a score."""
    odds = stranger_odds(counts.insiders.sum(axis=0), counts.strangers.sum(axis=0))
    weights, share, before = counts.everyone / max(counts.everyone.sum(), 1), 0.3, 0.0
    for _ in range(N_ROUNDS):
        probability = share * odds / (share * odds + 1.0 - share)
        before, share = share, float((weights * probability).sum())
        if abs(share - before) < SETTLED:
            break
    return share, probability


def interval(counts: Tally) -> tuple[float, float]:
    """Return the lowest and highest share of strangers, as it depends on which categories are given."""
    rng, n_categories = np.random.RandomState(0), len(counts.insiders)
    shares = [estimated(counts)[0]]
    for _ in range(N_DRAWS):
        drawn = rng.randint(n_categories, size=n_categories)
        if counts.insiders[drawn].any():
            shares.append(
                estimated(Tally(counts.insiders[drawn], counts.strangers[drawn], counts.everyone))[0]
            )
    low, high = np.quantile(shares, [0.1, 0.9]).tolist()
    return min(low, shares[0]), max(high, shares[0])


def best_with_and_without(scores: Array, label: Labels) -> tuple[Array, Array]:
    """Return the best score of each document, and the best if one category or another were not given.

    In its place comes a category that is as near as this one is to documents with another label, by chance:
    the best of fewer would be lower, and strangers are compared with all categories.
    """
    n_categories = scores.shape[1]
    second, best = np.partition(scores, n_categories - 2, axis=1)[:, -2:].T
    is_best = np.arange(n_categories) == scores.argmax(axis=1)[:, None]
    without = np.where(is_best, second[:, None], best[:, None])
    for k in range(n_categories):
        others = np.sort(scores[label != k, k])
        if len(others):
            without[:, k] = mean_of_larger(without[:, k], others)
    return best, without


def mean_of_larger(values: Array, draws: Array) -> Array:
    """Return the mean of the larger of each value and a draw, over all draws, which are sorted."""
    below = np.searchsorted(draws, values)
    sums = np.concatenate(([0.0], np.cumsum(draws)))
    return np.asarray((values * below + sums[-1] - sums[below]) / len(draws))


def upper_half(sure: Array, label: Labels, among: Mask) -> Mask:
    """Return the surer half of the documents of each label, among some."""
    upper = among.copy()
    for k in np.unique(label[among]):
        own = among & (label == k)
        upper[own] = sure[own] >= np.median(sure[own])
    return upper


def binned(score: Array) -> Labels:
    """Return the bin of each score, in float32 so that it does not depend on the last digits."""
    place = np.floor((score.astype(np.float32) - np.float32(LOWEST)) / np.float32(STEP))
    return np.asarray(np.clip(place, 0, N_BINS - 1), np.intp)


def stranger_odds(insiders: NDArray[np.int64], strangers: NDArray[np.int64]) -> Array:
    """Return how much likelier a score is among strangers than among insiders; it falls with the score."""
    both = insiders + strangers
    group = (np.cumsum(both) - both) * N_GROUPS // max(int(both.sum()), 1)
    sizes = np.bincount(group, both, N_GROUPS + 1) + 1.0
    outside = np.bincount(group, strangers, N_GROUPS + 1) + 0.5
    share = falling(np.asarray(outside / sizes), np.asarray(sizes))
    return np.asarray((share / (1.0 - share))[group])


def falling(values: Array, weights: Array) -> Array:
    """Return the values nearest to these, by weighted squares, that never rise: isotonic regression."""
    pools: list[list[float]] = []  # sum of weighted values, of weights, and how many values
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        pools.append([value * weight, weight, 1])
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] <= pools[-1][0] * pools[-2][1]:
            last = pools.pop()
            pools[-1] = [one + other for one, other in zip(pools[-1], last, strict=True)]
    return np.repeat([total / weight for total, weight, _ in pools], [int(n) for *_, n in pools])
