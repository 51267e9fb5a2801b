"""The map: positions of documents, near their neighbours, and the same whatever the labels are.

Neighbours in the graph attract each other, and randomly drawn documents repel each other, less and less:
the sampled gradient of LargeVis and UMAP with the kernel of t-SNE. Clusters of documents become visible
before they have a name.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.stats import rankdata

from seedtopic.base.threads import resolve_threads
from seedtopic.learning.graph.neighbours import similarity_graph
from seedtopic.learning.signals.words import sublinear, unit_rows, word_rarity
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.draft import Draft
from seedtopic.web.studio.labels import Labels

try:
    from seedtopic.learning.graph import _nearest
except ImportError:  # installed without a compiler
    _nearest = None  # type: ignore[assignment]

Array = NDArray[np.float64]

MOST_POINTS = 20_000
N_NEIGHBORS = 10
EPOCHS, PUSHES = 150, 4  # passes over all edges, and repelling documents per end of an edge
WIDTH = 10.0  # of the area that documents start in
SOFTNESS, FARTHEST = 0.5, 1.5  # how outliers move inwards, and where the edge is, see `framed`


class DocumentMap:
    """The map of a collection: positions, computed when they are first needed, with the labels on screen."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._places: tuple[NDArray[np.intp], Array, Array] | None = None
        self._lock = Lock()

    def labelled(self, draft: Draft, labels: Labels | None) -> dict[str, Any]:
        """Return the positions, and the place of each document's category in the draft."""
        with self._lock:
            if self._places is None:
                self._places = document_map(self._collection)
            rows, x, y = self._places
        order = {category.key: place for place, category in enumerate(draft.categories)}
        keys = [] if labels is None else labels.key[rows].tolist()
        return {
            "revision": -1 if labels is None else labels.revision,
            "ids": rows.tolist(),
            "x": x.tolist(),
            "y": y.tolist(),
            "labels": [order.get(key, -1) for key in keys] or [-1] * len(rows),
            "probability": [0.0] * len(rows)
            if labels is None
            else labels.probability[rows].round(3).tolist(),
        }


def document_map(collection: Collection) -> tuple[NDArray[np.intp], Array, Array]:
    """Choose the documents to draw, all or an even 20,000, and compute their x and y positions."""
    counts = collection.usual.matrix
    n_documents = counts.shape[0]
    chosen = np.unique(np.linspace(0, n_documents - 1, min(n_documents, MOST_POINTS)).round().astype(np.intp))
    vectors = unit_rows(sublinear(counts, word_rarity(counts)))[chosen]
    positions = places(vectors, similarity_graph(vectors, N_NEIGHBORS, resolve_threads(collection.n_threads)))
    return chosen, positions[:, 0].round(4), positions[:, 1].round(4)


def places(vectors: sp.csr_array, similarity: sp.csr_array) -> Array:
    """Return an x and a y from -1 to 1 for every document."""
    points = _beginning(vectors)
    edges = sp.coo_array(similarity.maximum(similarity.T))
    strength = edges.data / max(float(edges.data.max(initial=0.0)), 1e-12)
    heads, tails = edges.row.astype(np.int32, copy=False), edges.col.astype(np.int32, copy=False)
    settle = _settle if _nearest is None else _nearest.settle
    settle(EPOCHS, PUSHES, points, heads, tails, strength.astype(np.float64))
    return framed(points)


def framed(points: Array) -> Array:
    """Scale positions to -1 to 1, so that neither outliers nor empty space squash the crowd.

    Positions are scaled by the nine tenths in the middle, those beyond move inwards, up to the edge, and then
    every position is averaged with its rank, which widens what is crowded. The order never changes.
    """
    low, high = np.quantile(points, [0.05, 0.95], axis=0)
    apart = (points - (low + high) / 2.0) / np.maximum((high - low) / 2.0, 1e-12)
    beyond = np.maximum(np.abs(apart) - 1.0, 0.0)
    inwards = np.clip(apart, -1.0, 1.0) + np.sign(apart) * SOFTNESS * np.log1p(beyond / SOFTNESS)
    inwards = np.clip(inwards, -FARTHEST, FARTHEST)
    inwards /= np.maximum(np.abs(inwards).max(axis=0), 1e-12)
    ranks = (2.0 * rankdata(points, axis=0) - 1.0) / len(points) - 1.0  # equal ones share a rank
    spread = (inwards + ranks) / 2.0
    return np.asarray(spread / np.maximum(np.abs(spread).max(axis=0), 1e-12))


def _beginning(vectors: sp.csr_array) -> Array:
    """Return starting positions: singular vectors after the first, which all documents share, plus noise."""
    n_documents = vectors.shape[0]
    points = np.random.default_rng(0).normal(scale=WIDTH / 20, size=(n_documents, 2))
    n_dimensions = min(3, *(size - 1 for size in vectors.shape))
    if n_dimensions >= 1:
        from sklearn.decomposition import TruncatedSVD  # here: it takes a second to import

        directions = TruncatedSVD(n_dimensions, random_state=0).fit_transform(vectors)[:, -2:]
        directions = directions - directions.mean(axis=0)
        # A document without neighbours stays where it starts: not far away.
        away = np.clip(directions / np.maximum(directions.std(axis=0), 1e-12), -1.5, 1.5)
        points[:, : directions.shape[1]] += WIDTH / 3 * away
    return np.asarray(points)


def _settle(
    n_epochs: int, n_pushes: int, points: Array, heads: NDArray[Any], tails: NDArray[Any], strength: Array
) -> None:
    """Move points along edges and away from others, one after another, as the C code does."""
    x, y = points.T.tolist()
    edges = list(zip(heads.tolist(), tails.tolist(), strength.tolist(), strict=True))
    state = 88172645463325252

    def drawn() -> int:
        nonlocal state
        state ^= (state << 13) & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 7
        state ^= (state << 17) & 0xFFFFFFFFFFFFFFFF
        return state

    def move(point: int, rate: float, across: float, upwards: float) -> None:
        x[point] += rate * min(max(across, -4.0), 4.0)
        y[point] += rate * min(max(upwards, -4.0), 4.0)

    for epoch in range(n_epochs):
        rate = 1.0 - epoch / n_epochs
        for here, there, strong in edges:
            if (drawn() >> 11) / 9007199254740992.0 > strong:
                continue  # weak edges are used less often
            across, upwards = x[here] - x[there], y[here] - y[there]
            pull = -2.0 / (1.0 + across * across + upwards * upwards)
            move(here, rate, pull * across, pull * upwards)
            move(there, -rate, pull * across, pull * upwards)
            for _ in range(n_pushes):
                other = drawn() % len(x)
                if other == here:
                    continue
                across, upwards = x[here] - x[other], y[here] - y[other]
                squared = across * across + upwards * upwards
                push = 2.0 / ((0.001 + squared) * (1.0 + squared))
                move(here, rate, push * across, push * upwards)
    points[:] = np.column_stack((x, y))
