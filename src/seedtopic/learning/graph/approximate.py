"""Nearest documents by champion lists: approximate, in time that grows with the number of documents.

All cosines of a collection take a product for every pair of documents that share a word, and most pairs share
none but frequent words, which weigh little. So each word leads to its champions alone, the documents in which
it weighs most; those that the heavier words of a document lead to most strongly are its candidates, and
candidates are compared by their true cosine. A document then meets at most `N_CHAMPIONS` others for each of
its words, whatever the size of the collection.

Every document is searched for by one thread, in a fixed order: the result does not depend on the threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from seedtopic.base.threads import thread_limit, walk_in_threads
from seedtopic.learning.graph.heap import NOBODY, graph_of, is_better, plain, replace_worst, room
from seedtopic.parallel.compiled import jit

N_CHAMPIONS = 1000  # measured, as the next: see benchmarks/README.md
CANDIDATES_PER_NEIGHBOR = 5
LEADING_SHARE = 0.9


def approximate_neighbors(
    vectors: sp.csr_array,
    n_neighbors: int,
    n_threads: int = 1,
    n_champions: int = N_CHAMPIONS,
    leading_share: float = LEADING_SHARE,
) -> sp.csr_array:
    """Find most of the nearest others of each document; see `similarity_graph` of `neighbours`.

    Parameters
    ----------
    vectors : csr_array, shape (n_documents, n_words)
        Rows of length 1, without negative entries.
    n_neighbors : int
    n_threads : int
    n_champions : int
        Documents a word leads to; more find more of the nearest and take longer.
    leading_share : float
        Share of the squared length of a document that the words make up which lead anywhere.

    Examples
    --------
    >>> vectors = sp.csr_array([[1.0, 0.0], [0.5, 0.75], [0.0, 1.0]])
    >>> approximate_neighbors(vectors, 1).toarray().tolist()
    [[0.0, 0.5, 0.0], [0.0, 0.0, 0.75], [0.0, 0.75, 0.0]]
    """
    n_documents = vectors.shape[0]
    documents, lists = plain(vectors), plain(champions(vectors, n_champions))
    neighbor, cosine = room(n_documents, n_neighbors)
    n_candidates = min(CANDIDATES_PER_NEIGHBOR * n_neighbors, n_documents)

    def search(first: int, last: int) -> None:
        _search(*documents, *lists, n_candidates, leading_share, first, last, neighbor, cosine)

    with thread_limit(n_threads):
        walk_in_threads(search, documents[2])
    return graph_of(neighbor, cosine)


def champions(vectors: sp.csr_array, n_champions: int) -> sp.csr_array:
    """Give, for each word, the documents in which it weighs most, the first of equals.

    Examples
    --------
    >>> champions(sp.csr_array([[0.5, 0.0], [0.9, 0.1], [0.9, 0.0]]), 1).toarray().tolist()
    [[0.0, 0.9, 0.0], [0.0, 0.1, 0.0]]
    """
    by_word = sp.csr_array(vectors.T)
    is_champion = np.ones(by_word.nnz, dtype=bool)
    for word in np.flatnonzero(np.diff(by_word.indptr) > n_champions):
        start, end = by_word.indptr[word : word + 2]
        heaviest_first = np.argsort(-by_word.data[start:end], kind="stable")
        is_champion[start + heaviest_first[n_champions:]] = False
    ends = np.concatenate(([0], np.cumsum(is_champion)))[by_word.indptr]
    return sp.csr_array((by_word.data[is_champion], by_word.indices[is_champion], ends), shape=by_word.shape)


@jit()
def _search(  # pragma: no cover - compiled
    weights: Any, words: Any, starts: Any, list_weights: Any, list_documents: Any, list_starts: Any,
    n_candidates: int, leading_share: float, first: int, last: int, neighbor: Any, cosine: Any,
) -> None:  # fmt: skip
    score = np.zeros(len(starts) - 1, np.float32)
    weight_here = np.zeros(len(list_starts) - 1, np.float32)
    candidate, its_score = np.empty(n_candidates, np.int32), np.empty(n_candidates, np.float32)
    for here in range(first, last):
        own_weights, own_words = (
            weights[starts[here] : starts[here + 1]],
            words[starts[here] : starts[here + 1]],
        )
        leading = _leading(own_weights, leading_share)
        for p in leading:
            for q in range(list_starts[own_words[p]], list_starts[own_words[p] + 1]):
                score[list_documents[q]] += own_weights[p] * list_weights[q]

        candidate[:], its_score[:] = NOBODY, 0.0
        score[here], worst = 0.0, np.float32(0.0)
        for p in leading:
            for q in range(list_starts[own_words[p]], list_starts[own_words[p] + 1]):
                there = list_documents[q]
                reached = score[there]
                score[there] = 0.0  # so that it is met once, and ready for the next document
                if reached > worst:
                    replace_worst(its_score, candidate, reached, there)
                    worst = its_score[0]

        weight_here[own_words] = own_weights
        for there in candidate:
            if there == NOBODY:
                continue
            product = np.float32(0.0)
            for p in range(starts[there], starts[there + 1]):
                product += weight_here[words[p]] * weights[p]
            if is_better(product, there, cosine[here, 0], neighbor[here, 0]):
                replace_worst(cosine[here], neighbor[here], product, there)
        weight_here[own_words] = 0.0


@jit()
def _leading(weights: Any, share: float) -> Any:  # pragma: no cover - compiled
    """Give the positions of the heaviest words that make up the leading share."""
    heaviest_first = np.argsort(-weights, kind="mergesort")
    wanted, length = share * np.sum(weights * weights), 0.0
    for n_leading, position in enumerate(heaviest_first):
        if length >= wanted:
            return heaviest_first[:n_leading]
        length += weights[position] * weights[position]
    return heaviest_first
