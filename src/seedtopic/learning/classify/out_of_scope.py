"""Documents that belong to no category: those around which no category's seeds are found, and their like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

from seedtopic.learning.classify import logistic

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

N_STEPS = 4  # of the walk along the graph over which seeds are looked for
MISTAKEN = 0.05  # share of the documents with a seed of their own that may be called outsiders
LEAST_REACH = 1 / 3  # share of documents that must have a seed of their category
LEAST_UNLIKE = 1 / 3  # share of the documents without seeds that must be unlike those with
LEAST_EXAMPLES = 10


@dataclass(frozen=True)
class Outsiders:
    """A regression with one class more than there are categories, the last, and the level of its log-odds."""

    regression: logistic.Regression
    level: float

    def probability(self, vectors: sp.csr_array) -> Array:
        """Return how likely documents are to belong nowhere, from their words alone; 0.5 at the level."""
        return np.asarray(expit(margin(self.regression.log_odds(vectors)) - self.level))


def seeds_near(seed_shares: Array, averaging: sp.csr_array, n_steps: int = N_STEPS) -> Array:
    """Return the shares of the categories in the seeds around each document."""
    near = seed_shares
    for _ in range(n_steps):
        near = averaging @ near
    return near


def find_outsiders(
    vectors: sp.csr_array,
    seed_shares: Array,
    label: NDArray[np.intp],
    averaging: sp.csr_array,
    rng: np.random.RandomState,
    near: Array | None = None,
) -> tuple[Outsiders | None, Array]:
    """Learn, without labels, to tell outsiders from documents of the categories.

    Documents with a seed of their own category are taken to belong. Documents without one, around which seeds
    are rarer than around all but a few of those, are taken to be outsiders. A regression that is not shown
    the seeds learns from both and judges all documents, each by the half of them that it was not in, averaged
    with the neighbours. Outsiders are the documents that it finds less like the categories than all but a few
    of those with seeds. Seeds must reach enough documents for their absence to tell something; and where
    every document belongs, those without seeds resemble those with, so unless many of them do not, none is an
    outsider. The shares were chosen on the train parts of several corpora, with and without outsiders.
    """
    n_documents, n_categories = seed_shares.shape
    nobody = None, np.zeros(n_documents)
    seeded = seed_shares[np.arange(n_documents), label] > 0
    if seeded.mean() < LEAST_REACH:
        return nobody
    near = seeds_near(seed_shares, averaging) if near is None else near
    everywhere = seed_shares.mean(axis=0)
    occurs = everywhere > 0
    lift = (near[:, occurs] / everywhere[occurs]).max(axis=1, initial=0.0)
    rare, usual = np.quantile(lift[seeded], [MISTAKEN, 0.5])
    outside = ~seeded & (lift < rare)
    examples = outside | seeded | (lift > usual)
    if outside.sum() < LEAST_EXAMPLES or seeded.sum() < LEAST_EXAMPLES:
        return nobody

    targets = np.eye(n_categories + 1)[np.where(outside, n_categories, label)]
    alone = np.empty(n_documents)  # each half of the documents as the other half judges it
    half = np.zeros(n_documents, dtype=bool)
    half[rng.permutation(n_documents)[::2]] = True
    for judged in (half, ~half):
        alone[judged] = margin(_fitted(vectors, targets, examples & ~judged).log_odds(vectors[judged]))
    together = (alone + averaging @ alone) / 2
    above = together - np.quantile(together[seeded], 1 - MISTAKEN)
    if (above[~seeded] > 0).mean() < LEAST_UNLIKE:
        return nobody
    level = float(np.quantile(alone[seeded], 1 - MISTAKEN))
    return Outsiders(_fitted(vectors, targets, examples), level), expit(above)


def margin(log_odds: Array) -> Array:
    """Return the log-odds of the last class against all others together."""
    return np.asarray(log_odds[:, -1] - logsumexp(log_odds[:, :-1], axis=1))


def _fitted(vectors: sp.csr_array, targets: Array, examples: Mask) -> logistic.Regression:
    start = logistic.Regression.zero(vectors.shape[1], targets.shape[1])
    # More than `logistic.penalty`: what tells outsiders apart in a few documents is not learned by heart.
    l2 = 1.0 / max(int(examples.sum()), 100)
    return logistic.fit(vectors[examples], targets[examples], l2, start, max_iter=30)
