"""Nearest documents by champion lists: approximate, in time that grows with the number of documents.

All cosines of a collection take a product for every pair of documents that share a word, and most pairs share
none but frequent words, which weigh little. So each word leads to its champions alone, the documents in which
it weighs most; those that the heavier words of a document lead to most strongly are its candidates, and
candidates are compared by their true cosine. A document then meets at most `N_CHAMPIONS` others for each of
its words, whatever the size of the collection. The C code, where it was built, gives the same neighbours as
numpy.

Every document is searched for by one thread, in a fixed order: the result does not depend on the threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from seedtopic.base.threads import thread_limit, walk_in_threads

try:
    from seedtopic.learning.graph import _nearest
except ImportError:  # installed without a compiler
    _nearest = None  # type: ignore[assignment]

NOBODY = np.iinfo(np.int32).max  # a place not taken yet
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
    """Find most of the nearest others of each document; see `similarity_graph` of `neighbours`."""
    n_documents = vectors.shape[0]
    documents, lists = plain(vectors), plain(champions(vectors, n_champions))
    neighbor, cosine = room(n_documents, n_neighbors)
    n_candidates = min(CANDIDATES_PER_NEIGHBOR * n_neighbors, n_documents)

    find = _find_in_numpy if _nearest is None else _nearest.nearest_of_candidates

    def search(first: int, last: int) -> None:
        find(first, last, n_candidates, leading_share, *documents, *lists, neighbor, cosine)

    with thread_limit(n_threads):
        walk_in_threads(search, documents[2])
    return graph_of(neighbor, cosine)


def champions(vectors: sp.csr_array, n_champions: int) -> sp.csr_array:
    """Return, for each word, the documents in which it weighs most, the first of equals."""
    by_word = sp.csr_array(vectors.T)
    is_champion = np.ones(by_word.nnz, dtype=bool)
    for word in np.flatnonzero(np.diff(by_word.indptr) > n_champions):
        start, end = by_word.indptr[word : word + 2]
        heaviest_first = np.argsort(-by_word.data[start:end], kind="stable")
        is_champion[start + heaviest_first[n_champions:]] = False
    ends = np.concatenate(([0], np.cumsum(is_champion)))[by_word.indptr]
    return sp.csr_array((by_word.data[is_champion], by_word.indices[is_champion], ends), shape=by_word.shape)


def room(n_documents: int, n_neighbors: int) -> tuple[Any, Any]:
    """Return space for the neighbours of each document and for their cosines."""
    width = min(n_neighbors, n_documents)
    return np.full((n_documents, width), NOBODY, np.int32), np.zeros((n_documents, width), np.float32)


def graph_of(neighbor: Any, cosine: Any) -> sp.csr_array:
    """Return the graph in which row d holds the neighbours of d."""
    n_documents = len(neighbor)
    is_there = neighbor != NOBODY
    ends = np.concatenate(([0], np.cumsum(is_there.sum(axis=1))))
    graph = sp.csr_array((cosine[is_there], neighbor[is_there], ends), shape=(n_documents, n_documents))
    graph.sort_indices()
    return graph


def plain(matrix: sp.csr_array) -> tuple[Any, Any, Any]:
    """Return the arrays of a matrix in the types that the C code reads."""
    return (
        matrix.data.astype(np.float32, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.indptr.astype(np.int64, copy=False),
    )


def entries(starts: Any, rows: Any) -> tuple[Any, Any]:
    """Return where the entries of some rows of a matrix are, row after row, and how many each row has."""
    lengths = starts[rows + 1] - starts[rows]
    before = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) + np.repeat(starts[rows] - before, lengths), lengths


def put_best(document: Any, score: Any, neighbor: Any, cosine: Any) -> None:
    """Write the documents with the highest scores, of equals the first, as neighbours of one document."""
    if len(score) > len(cosine):
        is_high = score >= np.partition(score, -len(cosine))[-len(cosine)]
        document, score = document[is_high], score[is_high]
    best = np.lexsort((document, -score))[: len(cosine)]
    neighbor[: len(best)], cosine[: len(best)] = document[best], score[best]


def _find_in_numpy(
    first: int, last: int, n_candidates: int, leading_share: float,
    weights: Any, words: Any, starts: Any, list_weights: Any, list_documents: Any, list_starts: Any,
    neighbor: Any, cosine: Any,
) -> None:  # fmt: skip
    """Find the neighbours of some documents, adding up in the order of the C code."""
    weight_here = np.zeros(len(list_starts) - 1, np.float32)
    for here in range(first, last):
        own = slice(starts[here], starts[here + 1])
        # The positions of the heaviest words that make up a share of the squared length.
        heaviest_first = np.argsort(-weights[own], kind="stable")
        squares = np.concatenate(([np.float32(0.0)], weights[own][heaviest_first] ** 2))
        # One after another, as in C; sum() is not.
        whole = np.cumsum(np.append(np.float32(0.0), weights[own] ** 2))[-1]
        n_leading = np.searchsorted(np.cumsum(squares, dtype=np.float64), leading_share * float(whole))
        leading = heaviest_first[:n_leading]
        place, lengths = entries(list_starts, words[own][leading])
        met, score = list_documents[place], np.zeros(len(starts) - 1, np.float32)
        np.add.at(score, met, np.repeat(weights[own][leading], lengths) * list_weights[place])
        score[here] = 0.0
        candidate = _candidates(score, met, n_candidates)
        place, lengths = entries(starts, candidate)
        product = np.zeros(len(candidate), np.float32)
        weight_here[words[own]] = weights[own]
        row = np.repeat(np.arange(len(candidate)), lengths)
        np.add.at(product, row, weight_here[words[place]] * weights[place])
        weight_here[words[own]] = 0.0
        put_best(candidate, product, neighbor[here], cosine[here])


def _candidates(score: Any, met: Any, n_candidates: int) -> Any:
    """Return the documents with the highest scores, of equals the first of those that were met early.

    The heap of the C code takes what it meets until it is full, and then only what is better than its worst.
    """
    documents = np.flatnonzero(score > 0)
    if len(documents) <= n_candidates:
        return documents
    least = np.partition(score[documents], -n_candidates)[-n_candidates]
    high = np.array(list(dict.fromkeys(met[score[met] >= least].tolist())))
    above, early = high[score[high] > least], high[:n_candidates]
    return np.concatenate((above, np.sort(early[score[early] == least])[: n_candidates - len(above)]))
