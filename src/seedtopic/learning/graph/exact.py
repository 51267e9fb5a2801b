"""Nearest documents by comparing all pairs: exact, in time that grows with the square of their number.

The cosines of one document with all others are added up word by word in one array, which stays in the cache,
and the largest are picked from it. A general product of sparse matrices takes three times as long, because
it must find out which cosines are not zero; here most are not. The C code, where it was built, gives the same
neighbours as numpy and leaves most of the work for frequent words out: see _nearest.c.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from seedtopic.base.threads import thread_limit, walk_in_threads
from seedtopic.learning.graph.approximate import entries, graph_of, plain, put_best, room

try:
    from seedtopic.learning.graph import _nearest
except ImportError:  # installed without a compiler
    _nearest = None  # type: ignore[assignment]

N_FREQUENT = 64  # words that come last in C: about half of the work, and little of most cosines
TOGETHER = 32  # documents that the C code passes over at a time


def exact_neighbors(vectors: sp.csr_array, n_neighbors: int, n_threads: int = 1) -> sp.csr_array:
    """Return the nearest others of each document; see `neighbours.similarity_graph`."""
    documents, by_word = plain(vectors), plain(sp.csr_array(vectors.T))
    neighbor, cosine = room(vectors.shape[0], n_neighbors)
    if _nearest is None:

        def compare(first: int, last: int) -> None:
            _compare(first, last, *documents, *by_word, neighbor, cosine)
    else:
        frequent = _frequent_words(documents, by_word)

        def compare(first: int, last: int) -> None:
            _nearest.nearest(first, last, N_FREQUENT, *documents, *by_word, *frequent, neighbor, cosine)

    with thread_limit(n_threads):
        walk_in_threads(compare, documents[2])
    return graph_of(neighbor, cosine)


def _frequent_words(documents: tuple[Any, Any, Any], by_word: tuple[Any, Any, Any]) -> tuple[Any, ...]:
    """Give the frequent words of each document as a matrix, its length in them, and which words they are."""
    weights, words, starts = documents
    n_documents, frequency = len(starts) - 1, np.diff(by_word[2])
    place = np.full(len(frequency), -1, np.int32)
    most_frequent = np.argsort(-frequency, kind="stable")[:N_FREQUENT]
    place[most_frequent] = np.arange(len(most_frequent))
    is_frequent = place >= 0
    is_chosen = is_frequent[words]
    ends = np.concatenate(([0], np.cumsum(is_chosen)))[starts]
    chosen = weights[is_chosen]
    row = np.repeat(np.arange(n_documents), np.diff(ends))
    lengths = np.zeros(-(-n_documents // TOGETHER) * TOGETHER, np.float32)
    lengths[:n_documents] = np.sqrt(np.bincount(row, chosen.astype(np.float64) ** 2, n_documents))
    return chosen, place[words[is_chosen]], ends, lengths, is_frequent


def _compare(
    first: int, last: int, weights: Any, words: Any, starts: Any,
    word_weights: Any, word_documents: Any, word_starts: Any, neighbor: Any, cosine: Any,
) -> None:  # fmt: skip
    """Find the neighbours of some documents in numpy, adding up in the order of the C code."""
    for here in range(first, last):
        own = slice(starts[here], starts[here + 1])
        place, lengths = entries(word_starts, words[own])
        score = np.zeros(len(starts) - 1, np.float32)
        np.add.at(score, word_documents[place], np.repeat(weights[own], lengths) * word_weights[place])
        score[here] = 0.0
        others = np.flatnonzero(score > 0)
        put_best(others, score[others], neighbor[here], cosine[here])
