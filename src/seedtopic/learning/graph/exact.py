"""Nearest documents by comparing all pairs: exact, in time that grows with the square of their number.

The cosines of one document with all others are added up word by word in one array, which stays in the cache,
and the largest are picked from it. A general product of sparse matrices takes three times as long, because
it must find out which cosines are not zero; here most are not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from seedtopic.learning.graph.heap import graph_of, plain, replace_worst, room
from seedtopic.parallel.compiled import jit
from seedtopic.parallel.threads import thread_limit, walk_in_threads


def exact_neighbors(vectors: sp.csr_array, n_neighbors: int, n_threads: int = 1) -> sp.csr_array:
    """Find the nearest others of each document; see `seedtopic.learning.graph.neighbours.similarity_graph`.

    Examples
    --------
    >>> vectors = sp.csr_array([[1.0, 0.0], [0.5, 0.75], [0.0, 1.0]])
    >>> exact_neighbors(vectors, 1).toarray().tolist()
    [[0.0, 0.5, 0.0], [0.0, 0.0, 0.75], [0.0, 0.75, 0.0]]
    """
    documents, by_word = plain(vectors), plain(sp.csr_array(vectors.T))
    neighbor, cosine = room(vectors.shape[0], n_neighbors)
    with thread_limit(n_threads):
        walk_in_threads(
            lambda first, last: _compare(*documents, *by_word, first, last, neighbor, cosine), documents[2]
        )
    return graph_of(neighbor, cosine)


@jit()
def _compare(  # pragma: no cover - compiled
    weights: Any, words: Any, starts: Any, word_weights: Any, word_documents: Any, word_starts: Any,
    first: int, last: int, neighbor: Any, cosine: Any,
) -> None:  # fmt: skip
    score = np.zeros(len(starts) - 1, np.float32)
    for here in range(first, last):
        for p in range(starts[here], starts[here + 1]):
            for q in range(word_starts[words[p]], word_starts[words[p] + 1]):
                score[word_documents[q]] += weights[p] * word_weights[q]
        score[here] = 0.0
        worst = np.float32(0.0)
        for there in range(len(score)):
            if score[there] > worst:
                replace_worst(cosine[here], neighbor[here], score[there], there)
                worst = cosine[here, 0]
            score[there] = 0.0
