"""The document neighbour graph W along which labels are smoothed."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from seedtopic.base.errors import InputError
from seedtopic.learning.graph.approximate import approximate_neighbors
from seedtopic.learning.graph.exact import exact_neighbors
from seedtopic.learning.signals.vectors import unit_rows, word_rarity

EXACT_UP_TO = 100_000  # documents; from about here on the approximate search is the faster one
LEAST_COSINE = 1e-6  # below it, what float32 makes of a right angle


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
    unit = normalize(embeddings).astype(np.float32)
    nearest = NearestNeighbors(n_neighbors=min(n_neighbors, n_documents - 1), algorithm="brute").fit(unit)
    distance, neighbor = nearest.kneighbors()
    cosine = 1.0 - distance**2 / 2.0  # between vectors of length 1
    here = np.repeat(np.arange(n_documents), neighbor.shape[1])
    there = neighbor.ravel()
    is_there = unit.any(axis=1)
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
    """Check a graph that a user brought; what joins a document with itself is left out.

    Examples
    --------
    >>> given_graph(sp.coo_array([[1.0, 0.5], [0.0, 1.0]]), 2).toarray().tolist()
    [[0.0, 0.5], [0.0, 0.0]]
    """
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
