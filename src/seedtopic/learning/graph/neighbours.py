"""The graph of the nearest documents: by their words, by embeddings, or as a user gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checkpoint import Checkpoint
from seedtopic.base.errors import InputError
from seedtopic.base.threads import thread_limit, walk_in_threads
from seedtopic.learning.graph.approximate import (
    approximate_neighbors,
    entries,
    graph_of,
    plain,
    put_best,
    room,
)
from seedtopic.learning.signals.words import unit_rows, unit_vectors, word_rarity

try:
    from seedtopic.learning.graph import _nearest
except ImportError:  # installed without a compiler
    _nearest = None  # type: ignore[assignment]

N_FREQUENT = 64  # words that come last in C: about half of the work, and little of most cosines
TOGETHER = 32  # documents that the C code passes over at a time
EXACT_UP_TO = 100_000  # documents; from about here on the approximate search is the faster one
LEAST_COSINE = 1e-6  # below it, what float32 makes of a right angle
MOST_COMPARED = 30_000  # documents by embeddings: half a minute of two cores


def exact_neighbors(vectors: sp.csr_array, n_neighbors: int, n_threads: int = 1) -> sp.csr_array:
    """Return the nearest others of each document; see `similarity_graph`."""
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
    """Return the frequent words of each document as a matrix, its length in them, and which they are."""
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


def tf_idf(counts: sp.csr_array) -> sp.csr_array:
    """Weigh counts by ln(1 + tf) * ln(D / df) and scale every row to length 1.

    The damped term frequency joins more documents of one category than the plain one does: a word that is
    repeated says little more than a word that is there.
    """
    rarity = word_rarity(counts).astype(np.float32)
    weighted = sp.csr_array(
        (np.log1p(counts.data).astype(np.float32) * rarity[counts.indices], counts.indices, counts.indptr),
        shape=counts.shape,
    )
    return unit_rows(weighted)


def similarity_graph(
    vectors: sp.csr_array,
    n_neighbors: int = 10,
    n_threads: int = 1,
    method: Literal["auto", "exact", "approximate"] = "auto",
) -> sp.csr_array:
    """Find the nearest others of each document, with their cosine as weight."""
    if method not in ("auto", "exact", "approximate"):
        raise InputError(f"method is {method!r}: use one of 'auto', 'exact', 'approximate'.")
    n_documents = vectors.shape[0]
    if n_neighbors == 0:
        return sp.csr_array(sp.coo_array((n_documents, n_documents), dtype=np.float32))
    if method == "approximate" or (method == "auto" and n_documents > EXACT_UP_TO):
        return approximate_neighbors(vectors, n_neighbors, n_threads)
    return exact_neighbors(vectors, n_neighbors, n_threads)


def embedding_graph(embeddings: NDArray[np.floating[Any]], n_neighbors: int = 10) -> sp.csr_array:
    """Find the nearest others of each document by the cosine of embeddings; see `similarity_graph`."""
    n_documents = len(embeddings)
    if n_neighbors == 0 or n_documents < 2:
        return sp.csr_array(sp.coo_array((n_documents, n_documents), dtype=np.float32))
    from sklearn.neighbors import NearestNeighbors  # here: it takes a second to import, and few need it

    unit = unit_vectors(embeddings).astype(np.float32)
    nearest = NearestNeighbors(n_neighbors=min(n_neighbors, n_documents - 1), algorithm="brute").fit(unit)
    distance, neighbor = nearest.kneighbors()
    cosine = 1.0 - distance**2 / 2.0  # between vectors of length 1
    here = np.repeat(np.arange(n_documents), neighbor.shape[1])
    there = neighbor.ravel()
    is_there = np.asarray(unit.any(axis=1))
    joined = (cosine.ravel() > LEAST_COSINE) & is_there[here] & is_there[there]
    return sp.csr_array(
        (cosine.ravel()[joined].astype(np.float32), (here[joined], there[joined])),
        shape=(n_documents, n_documents),
    )


def neighbor_graph(counts: sp.csr_array, n_neighbors: int = 5, n_threads: int = 1) -> sp.csr_array:
    """Join each document with its nearest neighbours by cosine of TF-IDF."""
    directed = similarity_graph(tf_idf(counts), n_neighbors, n_threads)
    directed.data[:] = 1.0
    return sp.csr_array(directed.maximum(directed.T))


def given_graph(graph: Any, n_documents: int) -> sp.csr_array:
    """Check a graph that a user brought; what joins a document with itself is left out."""
    if graph.shape != (n_documents, n_documents):
        raise InputError(
            f"the graph has the shape {graph.shape}: "
            f"give a row and a column for each of the {n_documents} documents."
        )
    if graph.dtype.kind not in "biuf":
        raise InputError(f"the graph holds entries of type {graph.dtype}: give similarities as numbers.")
    edges = sp.coo_array(graph)
    usable = (edges.data >= 0) & (edges.data <= np.finfo(np.float32).max)
    if not usable.all():
        wrong = edges.data[~usable][0]
        raise InputError(f"the graph holds {wrong:g}: give similarities that are finite, 0 or more.")
    others = (edges.row != edges.col) & (edges.data > 0)
    return sp.csr_array(
        (edges.data[others].astype(np.float32), (edges.row[others], edges.col[others])), shape=edges.shape
    )


class GraphSource(Protocol):
    """Anything that gives the similarities between near documents."""

    def similarity(
        self, vectors: sp.csr_array, n_threads: int, encoded: NDArray[np.float32] | None = None
    ) -> sp.csr_array:
        """Return a matrix in which row d holds how similar its neighbours are to document d."""
        ...

    def data(self) -> Iterator[NDArray[Any]]:
        """Return the arrays the graph depends on, apart from the words."""
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
        """Yield nothing: the words are known."""
        yield from ()


@dataclass(frozen=True)
class GivenGraph:
    """Documents are near as a matrix says."""

    matrix: sp.csr_array

    def similarity(
        self, vectors: sp.csr_array, n_threads: int, encoded: NDArray[np.float32] | None = None
    ) -> sp.csr_array:
        """Return the matrix."""
        return self.matrix

    def data(self) -> Iterator[NDArray[Any]]:
        """Yield the parts of the matrix."""
        yield from (self.matrix.data, self.matrix.indices, self.matrix.indptr)


def kept_graph(checkpoint: Checkpoint, find: Callable[[], sp.csr_array]) -> sp.csr_array:
    """Return the graph that a checkpoint has stored, or find and store it."""
    stored = checkpoint.recall("neighbours")
    if stored is not None:
        square = 2 * (len(stored["indptr"]) - 1,)
        return sp.csr_array((stored["data"], stored["indices"], stored["indptr"]), shape=square)
    graph = find()
    parts = {"data": graph.data, "indices": graph.indices, "indptr": graph.indptr}
    checkpoint.keep("neighbours", parts, last=True)
    return graph
