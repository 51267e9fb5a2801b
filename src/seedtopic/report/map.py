"""The map of documents: categories on a circle, similar ones next to each other, documents between them.

A document is at the mean of its categories, weighted by their probabilities: a certain document is at its
category, an uncertain one is between two. Around that point the documents of a category are spread by their
words (the first two singular vectors), so that similar documents are close together. This is fast, and gives
the same map at each call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import pdist

from seedtopic.learning.signals.words import sublinear, unit_rows, word_rarity
from seedtopic.report.examples import shortened

Array = NDArray[np.float64]

MOST_POINTS = 3000
TEXT_LENGTH = 120  # characters shown of the text of a point
_N_VECTORS = 2
_WIDEST = 2.0  # standard deviations of the spread that are shown


@dataclass(frozen=True)
class Map:
    """Positions of categories and documents, from -1 to 1 in both directions.

    Attributes
    ----------
    categories : list of [x, y]
    radius : float
        Radius of the area in which the documents of a category are spread.
    documents : list of int
        The rows that are shown: all that have a label, or 3,000 of them evenly chosen.
    points : list of [x, y]
    labels : list of int
        The category of each shown document; the number of categories for a document of no category.
    probabilities : list of float
        Of these labels.
    ids, texts : list of str
        Of the shown documents; the texts are their beginnings.
    """

    categories: list[list[float]]
    radius: float
    documents: list[int]
    points: list[list[float]]
    labels: list[int]
    probabilities: list[float] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def described(
        self, predicted: NDArray[np.intp], confidence: Array, ids: Sequence[str], texts: Mapping[int, str]
    ) -> Map:
        """Return the map with the label, the id and the beginning of the text of each shown document."""
        return replace(
            self,
            labels=predicted[self.documents].tolist(),
            probabilities=confidence[self.documents].round(4).tolist(),
            ids=[ids[row] for row in self.documents],
            texts=[shortened(texts[row], TEXT_LENGTH) for row in self.documents],
        )


def draw_map(counts: sp.csr_array, probabilities: Array, labelled: NDArray[np.bool_]) -> Map:
    """Return the positions of all categories and of up to 3,000 labelled documents."""
    rows, n_categories = np.flatnonzero(labelled), probabilities.shape[1]
    chosen = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_POINTS)).round().astype(int))]
    vectors = unit_rows(sublinear(counts, word_rarity(counts)))[chosen]
    share, label = probabilities[chosen], probabilities[chosen].argmax(axis=1)
    radius = float(min(0.42, 0.85 * np.sin(np.pi / n_categories) / (1 + np.sin(np.pi / n_categories))))
    anchors = (1 - radius) * _on_a_circle(vectors, share)
    points = share @ anchors + radius * _spread(vectors, label, n_categories)
    return Map(
        categories=anchors.round(4).tolist(),
        radius=round(radius, 4),
        documents=chosen.tolist(),
        points=points.round(4).tolist(),
        labels=label.tolist(),
    )


def _on_a_circle(vectors: sp.csr_array, share: Array) -> Array:
    """Place categories evenly on a circle of radius 1, categories with similar words next to each other."""
    n_categories = share.shape[1]
    rank = np.arange(n_categories)
    if n_categories > 3:
        centres = np.asarray(vectors.T @ share).T
        centres = centres / np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
        distances = pdist(centres)
        rank = np.argsort(leaves_list(optimal_leaf_ordering(linkage(distances, "average"), distances)))
    # Half a step off the top, so that labels at the top are to the left and right of it.
    angle = np.pi / 2 - 2 * np.pi * (rank + 0.5) / n_categories
    return np.column_stack((np.cos(angle), np.sin(angle)))


def _spread(vectors: sp.csr_array, label: NDArray[np.intp], n_categories: int) -> Array:
    """Return a position in a disc of radius 1 for each document, by its words within its category."""
    from sklearn.decomposition import TruncatedSVD  # here: it takes a second to import

    offsets = np.zeros((len(label), _N_VECTORS))
    for category in range(n_categories):
        own = np.flatnonzero(label == category)
        if len(own) > _N_VECTORS and vectors.shape[1] > _N_VECTORS + 1:
            # The first vector is common to all documents of the category; the next two are their differences.
            # The unused share of the variance is 0/0 if all documents are the same.
            with np.errstate(divide="ignore", invalid="ignore"):
                found = TruncatedSVD(_N_VECTORS + 1, random_state=0).fit_transform(vectors[own])
            offsets[own] = _in_a_disc(found[:, 1:])
    return offsets


def _in_a_disc(places: Array) -> Array:
    centred = places - places.mean(axis=0)
    scaled = centred / np.maximum(centred.std(axis=0), 1e-12) / _WIDEST
    distance = np.linalg.norm(scaled, axis=1, keepdims=True)
    # Outliers are moved inwards, to the edge of the disc.
    return np.asarray(scaled / np.maximum(distance, 1e-12) * np.tanh(distance))
