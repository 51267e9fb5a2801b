"""A space in which documents of one theme are near: their words, what these mean, and their neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize

from seedtopic.learning.graph.neighbours import similarity_graph
from seedtopic.learning.signals.vectors import sublinear, unit_rows, word_rarity
from seedtopic.meaning import WordVectors
from seedtopic.text.counts import Counts

Points = NDArray[np.float64]

N_NEIGHBORS = 10
N_DIMS = 100  # of the space of words
SAY_OF_MEANING = 0.7  # beside words, which weigh 1
N_STEPS = 2  # in which a document moves half the way to its neighbours


@dataclass(frozen=True)
class DocumentSpace:
    """Documents as points of length 1, and the averages over their neighbours."""

    points: Points  # (n_documents, n_dims)
    averaging: sp.csr_array  # (n_documents, n_documents), a document without neighbours has a row of zeros


def document_space(
    counts: Counts, table: WordVectors | None, n_threads: int = 1, random_state: int = 0
) -> DocumentSpace:
    """Place documents by latent semantic analysis and by word vectors, and move them to their neighbours.

    Examples
    --------
    >>> from seedtopic.text.counts import checked_counts
    >>> counts = checked_counts(np.array([[1, 1, 0], [2, 1, 0], [0, 0, 3], [0, 0, 1]]), ["a", "b", "c"])
    >>> points = document_space(counts, None).points
    >>> (points @ points.T).round(1).tolist()[0]
    [1.0, 1.0, 0.0, 0.0]
    """
    vectors = unit_rows(sublinear(counts.matrix, word_rarity(counts.matrix)))
    similarity = similarity_graph(vectors, N_NEIGHBORS, n_threads)
    together = sp.csr_array((similarity + similarity.T) / 2)
    degree = np.asarray(together.sum(axis=1), np.float64)
    averaging = sp.csr_array(sp.diags_array(1.0 / np.where(degree > 0, degree, 1.0)) @ together)
    n_dims = min(N_DIMS, min(vectors.shape) - 1)
    points = normalize(TruncatedSVD(n_dims, n_iter=3, random_state=random_state).fit_transform(vectors))
    if table is not None:
        meanings, _ = table.vectors(counts.vocabulary)
        directions = normalize(vectors @ meanings)
        directions = normalize(directions - directions.mean(axis=0))
        points = normalize(np.hstack([points, SAY_OF_MEANING * directions]))
    for _ in range(N_STEPS):
        points = normalize(points + averaging @ points)
    return DocumentSpace(points, averaging)
