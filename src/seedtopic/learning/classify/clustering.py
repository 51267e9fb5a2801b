"""Clusters of documents around the directions of categories: soft spherical k-means, held to its start.

A category is one direction, of its name or its seeds; its documents are a cloud. The mean direction of those
that are nearest tells the category better than any name, so long as the categories are of like sizes: k-means
would cut a large one into pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.products import rounded_product
from seedtopic.learning.classify.logistic import softmax
from seedtopic.learning.classify.naive_bayes import balance
from seedtopic.learning.signals.words import unit_vectors

Array = NDArray[np.float64]
Vectors = NDArray[np.float32]

# Chosen on the train parts of seven collections, from names and from words, amid values that do as well.
SHARPNESS = 40.0  # of a cosine, in log-odds
HELD = 0.3  # the share of the start in the log-odds of every round
ROUNDS = 3  # more wander off, such as to the topics within a category
PRIOR = 5.0  # documents that the start of a cluster counts for: of few, clusters stay near their names
LEAST_BALANCE = 0.9  # of the sizes of clusters: six collections have .97 and more, Reuters has .8 and less
# Of the agreement of neighbours, times the root of the number of documents: less may be chance.
LEAST_GAIN = 0.5


class Round(NamedTuple):
    """What documents say in one round; that of blocks is added up."""

    totals: Array  # (n_categories, n_dims), the sum of the documents of each cluster
    sizes: Array  # (n_categories,)
    unmoved: int  # documents that are in the cluster whose start is nearest


def share_out(
    documents: Vectors, start: Vectors, centroids: Vectors, hold: Callable[[Array], Array]
) -> Round:
    """Share documents out among clusters; `hold` gives those whose category is known to it alone.

    A document that points nowhere belongs to none, and nothing belongs to a category of unknown direction.
    """
    known = np.any(start, axis=1)
    held, near = (
        np.where(known, rounded_product(documents, to.T).astype(np.float64), -np.inf)
        for to in (start, centroids)
    )
    log_odds = SHARPNESS * (HELD * held + (1 - HELD) * near)
    belongs = hold(softmax(log_odds) * np.any(documents, axis=1, keepdims=True))
    unmoved = int((log_odds.argmax(axis=1) == held.argmax(axis=1)).sum())
    return Round(belongs.T @ documents.astype(np.float64), belongs.sum(axis=0), unmoved)


def clusters_around(starts: Sequence[Vectors], share: Callable[[Vectors, Vectors], Round]) -> Vectors | None:
    """Return the centroids of the clusters that leave most documents where they start, of several starts.

    `share` gives a round from a start and from centroids. None where sizes are too different for clusters.
    """
    most, best = -1, None
    for start in starts:
        if np.count_nonzero(np.any(start, axis=1)) < 2:
            continue
        centroids = start
        for _ in range(ROUNDS):
            made = share(start, centroids)
            centroids = unit_vectors(made.totals + PRIOR * start).astype(np.float32)
        if made.unmoved > most:
            sizes = made.sizes[np.any(start, axis=1)]
            most, best = made.unmoved, centroids if balance(sizes / sizes.sum()) > LEAST_BALANCE else None
    return best


class Agreement(NamedTuple):
    """How far near documents have one label; that of blocks is added up."""

    same: float  # the weight of the edges that join documents of one label
    total: float  # the weight of all edges
    sizes: NDArray[np.int64]  # (n_categories,), of the labels

    @classmethod
    def of(cls, similarity: sp.csr_array, labels: NDArray[np.intp], n_categories: int) -> Agreement:
        """Compare the labels of documents that edges join."""
        rows = np.repeat(np.arange(similarity.shape[0]), np.diff(similarity.indptr))
        agree = labels[rows] == labels[similarity.indices]
        weights = similarity.data.astype(np.float64)
        sizes = np.bincount(labels, minlength=n_categories)
        return cls(float(weights[agree].sum()), float(weights.sum()), sizes)

    @property
    def beyond_chance(self) -> np.float32:
        """The agreement that chance does not give, as a share of what it can at most be; 0 without edges."""
        chance = float(np.square(self.sizes / self.sizes.sum()).sum())
        agreed = self.same / self.total if self.total else chance
        return np.float32((agreed - chance) / max(1.0 - chance, 1e-9))


def loudest(says: Sequence[float], agreement: Callable[[float], Agreement]) -> float:
    """Return the weight of further evidence with which neighbours agree most; the first, if hardly more."""
    agreed = [agreement(say) for say in says]
    gains = [one.beyond_chance - agreed[0].beyond_chance for one in agreed]
    best = int(np.argmax(gains))
    return says[best if gains[best] > LEAST_GAIN / np.sqrt(agreed[0].sizes.sum()) else 0]
