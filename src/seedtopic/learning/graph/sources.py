"""Where the neighbour graph of a fit comes from: words, an encoder, a matrix, or a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checkpoint import Checkpoint
from seedtopic.learning.graph.neighbours import embedding_graph, similarity_graph

MOST_COMPARED = 30_000  # documents: half a minute of two cores


class GraphSource(Protocol):
    """Anything that gives the similarities between near documents."""

    def similarity(
        self, vectors: sp.csr_array, n_threads: int, encoded: NDArray[np.float32] | None = None
    ) -> sp.csr_array:
        """Give a matrix in which row d holds how similar its neighbours are to document d."""
        ...

    def data(self) -> Iterator[NDArray[Any]]:
        """Give the arrays the graph depends on, apart from the words."""
        ...


@dataclass(frozen=True)
class WordGraph:
    """Documents are near by the cosine of their TF-IDF vectors, and of what an encoder gave them."""

    n_neighbors: int

    def similarity(
        self, vectors: sp.csr_array, n_threads: int, encoded: NDArray[np.float32] | None = None
    ) -> sp.csr_array:
        """Find the nearest documents by their words, and by what they mean where an encoder has said so."""
        by_words = similarity_graph(vectors, self.n_neighbors, n_threads)
        if encoded is None or len(encoded) > MOST_COMPARED:
            return by_words
        return sp.csr_array((by_words + embedding_graph(encoded, self.n_neighbors)) / 2)

    def data(self) -> Iterator[NDArray[Any]]:
        """Give nothing: the words are known."""
        yield from ()


@dataclass(frozen=True)
class GivenGraph:
    """Documents are near as a matrix says."""

    matrix: sp.csr_array

    def similarity(
        self, vectors: sp.csr_array, n_threads: int, encoded: NDArray[np.float32] | None = None
    ) -> sp.csr_array:
        """Give the matrix."""
        return self.matrix

    def data(self) -> Iterator[NDArray[Any]]:
        """Give the parts of the matrix."""
        yield from (self.matrix.data, self.matrix.indices, self.matrix.indptr)


def kept_graph(checkpoint: Checkpoint, find: Callable[[], sp.csr_array]) -> sp.csr_array:
    """Give the graph that a checkpoint has kept, or find it and keep it.

    Examples
    --------
    >>> kept_graph(Checkpoint(), lambda: sp.csr_array([[0.0, 0.5], [0.5, 0.0]])).nnz
    2
    """
    kept = checkpoint.recall("neighbours")
    if kept is not None:
        square = 2 * (len(kept["indptr"]) - 1,)
        return sp.csr_array((kept["data"], kept["indices"], kept["indptr"]), shape=square)
    found = find()
    parts = {"data": found.data, "indices": found.indices, "indptr": found.indptr}
    checkpoint.keep("neighbours", parts, last=True)
    return found
