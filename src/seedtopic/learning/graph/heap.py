"""The best documents met so far, as a heap whose first is the worst of them; for compiled searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from seedtopic.parallel.compiled import jit

NOBODY = np.iinfo(np.int32).max  # a place not taken yet


def room(n_documents: int, n_neighbors: int) -> tuple[Any, Any]:
    """Make an empty heap for each document: the numbers of its neighbours, and their cosines."""
    width = min(n_neighbors, n_documents)
    return np.full((n_documents, width), NOBODY, np.int32), np.zeros((n_documents, width), np.float32)


def graph_of(neighbor: Any, cosine: Any) -> sp.csr_array:
    """Turn the heaps of all documents into a graph, row d holding the neighbours of d."""
    n_documents = len(neighbor)
    found = neighbor != NOBODY
    ends = np.concatenate(([0], np.cumsum(found.sum(axis=1))))
    graph = sp.csr_array((cosine[found], neighbor[found], ends), shape=(n_documents, n_documents))
    graph.sort_indices()
    return graph


def plain(matrix: sp.csr_array) -> tuple[Any, Any, Any]:
    """Give the arrays of a matrix in the types that searches are compiled for."""
    return (
        matrix.data.astype(np.float32, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.indptr.astype(np.int64, copy=False),
    )


@jit()
def is_better(score: Any, document: Any, than: Any, its: Any) -> Any:  # pragma: no cover - compiled
    """Compare two documents; of equals the first is better, so that none is chosen by chance."""
    return score > than or (score == than and document < its)


@jit()
def replace_worst(scores: Any, documents: Any, score: Any, document: Any) -> None:  # pragma: no cover
    """Put a document into a heap in the place of the worst."""
    place, child = 0, 1
    while child < len(scores):
        other = child + 1
        if other < len(scores) and is_better(
            scores[child], documents[child], scores[other], documents[other]
        ):
            child = other
        if not is_better(score, document, scores[child], documents[child]):
            break
        scores[place], documents[place] = scores[child], documents[child]
        place, child = child, 2 * child + 1
    scores[place], documents[place] = score, document
