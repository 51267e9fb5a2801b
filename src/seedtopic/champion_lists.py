"""Nearest documents by champion lists: approximate, in time that grows with the number of documents.

All cosines of a collection take a product for every pair of documents that share a word, and most pairs share
none but frequent words, which weigh little. So each word leads to its champions alone, the documents in which
it weighs most; those that the words of a document lead to most strongly are its candidates, and candidates
are compared by their true cosine. A document is then compared with at most `N_CHAMPIONS` others for each of
its words, whatever the size of the collection.

Every document is searched for by one thread, in a fixed order: the result does not depend on the threads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scipy.sparse as sp
from numba import njit

N_CHAMPIONS = 1000  # measured, as the next: see benchmarks/README.md
CANDIDATES_PER_NEIGHBOR = 10
SHARES_PER_THREAD = 4  # more than one, so that a thread held up by others' work is not waited for
NOBODY = np.iinfo(np.int32).max  # a place not taken yet

_jit = njit(cache=True, nogil=True)


def approximate_neighbors(
    vectors: sp.csr_array, n_neighbors: int, n_threads: int = 1, n_champions: int = N_CHAMPIONS
) -> sp.csr_array:
    """Find most of the nearest others of each document; see `seedtopic.graph.similarity_graph`.

    Parameters
    ----------
    vectors : csr_array, shape (n_documents, n_words)
        Rows of length 1, without negative entries.
    n_neighbors : int
    n_threads : int
    n_champions : int
        Documents a word leads to; more find more of the nearest and take longer.

    Examples
    --------
    >>> vectors = sp.csr_array([[1.0, 0.0], [0.5, 0.75], [0.0, 1.0]])
    >>> approximate_neighbors(vectors, 1).toarray().tolist()
    [[0.0, 0.5, 0.0], [0.0, 0.0, 0.75], [0.0, 0.75, 0.0]]
    """
    n_documents = vectors.shape[0]
    weights, words, starts = _plain(vectors)
    n_neighbors = min(n_neighbors, n_documents)
    neighbor = np.full((n_documents, n_neighbors), NOBODY, np.int32)
    cosine = np.zeros((n_documents, n_neighbors), np.float32)
    n_candidates = min(CANDIDATES_PER_NEIGHBOR * n_neighbors, n_documents)
    lists = _plain(champions(vectors, n_champions))
    n_shares = SHARES_PER_THREAD * n_threads

    def search(share: int) -> None:
        _search(weights, words, starts, *lists, n_candidates, share, n_shares, neighbor, cosine)

    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(search, range(n_shares)))
    found = neighbor != NOBODY
    ends = np.concatenate(([0], np.cumsum(found.sum(axis=1))))
    graph = sp.csr_array((cosine[found], neighbor[found], ends), shape=(n_documents, n_documents))
    graph.sort_indices()
    return graph


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


def _plain(matrix: sp.csr_array) -> tuple[Any, Any, Any]:
    """Give the arrays of a matrix in the types that the search is compiled for."""
    return (
        matrix.data.astype(np.float32, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.indptr.astype(np.int64, copy=False),
    )


@_jit
def _is_better(score: Any, document: Any, than: Any, its: Any) -> Any:  # pragma: no cover - compiled
    return score > than or (score == than and document < its)  # of equals the first, so that none is chance


@_jit
def _replace_worst(scores: Any, documents: Any, score: Any, document: Any) -> None:  # pragma: no cover
    """Put a document into a heap, whose first is its worst, in the place of that."""
    place, child = 0, 1
    while child < len(scores):
        other = child + 1
        if other < len(scores) and _is_better(
            scores[child], documents[child], scores[other], documents[other]
        ):
            child = other
        if not _is_better(score, document, scores[child], documents[child]):
            break
        scores[place], documents[place] = scores[child], documents[child]
        place, child = child, 2 * child + 1
    scores[place], documents[place] = score, document


@_jit
def _search(  # pragma: no cover - compiled
    weights: Any, words: Any, starts: Any, list_weights: Any, list_documents: Any, list_starts: Any,
    n_candidates: int, share: int, n_shares: int, neighbor: Any, cosine: Any,
) -> None:  # fmt: skip
    n_documents = len(starts) - 1
    score = np.zeros(n_documents, np.float32)
    weight_here = np.zeros(len(list_starts) - 1, np.float32)
    candidate, its_score = np.empty(n_candidates, np.int32), np.empty(n_candidates, np.float32)
    for here in range(share, n_documents, n_shares):
        for p in range(starts[here], starts[here + 1]):
            weight_here[words[p]] = weights[p]
            for q in range(list_starts[words[p]], list_starts[words[p] + 1]):
                score[list_documents[q]] += weights[p] * list_weights[q]

        candidate[:], its_score[:] = NOBODY, 0.0
        score[here] = 0.0
        for p in range(starts[here], starts[here + 1]):
            for q in range(list_starts[words[p]], list_starts[words[p] + 1]):
                there = list_documents[q]
                reached = score[there]
                score[there] = 0.0  # so that it is met once, and ready for the next document
                if reached > 0.0 and _is_better(reached, there, its_score[0], candidate[0]):
                    _replace_worst(its_score, candidate, reached, there)

        for there in candidate:
            if there == NOBODY:
                continue
            product = np.float32(0.0)
            for p in range(starts[there], starts[there + 1]):
                product += weight_here[words[p]] * weights[p]
            if _is_better(product, there, cosine[here, 0], neighbor[here, 0]):
                _replace_worst(cosine[here], neighbor[here], product, there)
        for p in range(starts[here], starts[here + 1]):
            weight_here[words[p]] = 0.0
