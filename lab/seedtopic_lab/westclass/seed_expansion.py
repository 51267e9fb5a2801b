"""Which words stand for each category: its seeds without the shared ones, and the words near to them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Words = NDArray[np.intp]


def own_seeds(membership: sp.csr_array) -> list[Words]:
    """Give the seeds of each category without those that another category shares.

    A category that shares all its seeds keeps them, since it would be left with nothing. A shared seed
    says little about which of its categories is meant, and while two categories share a word neither
    can be expanded.

    Examples
    --------
    >>> own_seeds(sp.csr_array([[1, 1, 0], [0, 1, 1], [0, 1, 0]])) # word 1 is shared by all
    [array([0]), array([2]), array([1])]
    """
    n_owners = np.asarray((membership > 0).sum(axis=0)).ravel()
    seeds = []
    for category in range(membership.shape[0]):
        all_seeds = np.sort(membership.indices[membership.indptr[category] : membership.indptr[category + 1]])
        own = all_seeds[n_owners[all_seeds] == 1]
        seeds.append((own if len(own) else all_seeds).astype(np.intp))
    return seeds


def expand(seeds: list[Words], embedding: NDArray[np.float32]) -> list[Words]:
    """Grow the categories to the most words each, t, at which no two of them share a word.

    The t words of a category are those with the largest inner product with the mean vector of its seeds;
    a category that has t seeds or more keeps its seeds. t starts at the smallest number of seeds.
    """
    closeness = np.stack([embedding @ embedding[words].mean(axis=0) for words in seeds])
    ranked = np.argsort(-closeness, axis=1, kind="stable").astype(np.intp)

    def grown(t: int) -> list[Words]:
        return [own if len(own) >= t else near[:t] for own, near in zip(seeds, ranked, strict=True)]

    t = min(len(words) for words in seeds)
    # No more than a fair part of the vocabulary can be had without sharing.
    while t < embedding.shape[0] // len(seeds) and _disjoint(grown(t + 1)):
        t += 1
    return grown(t)


def _disjoint(groups: list[Words]) -> bool:
    joined = np.concatenate(groups)
    return len(np.unique(joined)) == len(joined)
