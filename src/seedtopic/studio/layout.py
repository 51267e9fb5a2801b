"""Where documents stand on the map: near to their neighbours, at the same place whatever the labels are."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD

from seedtopic.studio.collection import Collection
from seedtopic.vectors import sublinear, unit_rows, word_rarity

MOST_POINTS = 20_000


def document_map(collection: Collection) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Choose the documents to draw, all or 20,000 evenly, and find their places across and upwards."""
    counts = collection.usual.matrix
    n_documents = counts.shape[0]
    chosen = np.unique(np.linspace(0, n_documents - 1, min(n_documents, MOST_POINTS)).round().astype(np.intp))
    found = places(unit_rows(sublinear(counts, word_rarity(counts)))[chosen]).round(4)
    return chosen, found[:, 0], found[:, 1]


def places(vectors: sp.csr_array) -> NDArray[np.float64]:
    """Give every document a place from -1 to 1 across and upwards."""
    n_dimensions = min(3, *(size - 1 for size in vectors.shape))
    if n_dimensions < 2:
        return np.zeros((vectors.shape[0], 2))
    found = TruncatedSVD(n_dimensions, random_state=0).fit_transform(vectors)[:, -2:]
    return np.asarray(found / np.maximum(np.abs(found).max(axis=0), 1e-12))
