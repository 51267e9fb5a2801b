"""A block of the documents of a fit: what the stages have learned of each stays where its documents are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.graph.smoothing import Manifold
from seedtopic.learning.signals.confirmed import Confirmed
from seedtopic.models.stages.word_space import DocumentView, WordSpace

Array = NDArray[np.float64]

NOT_YET: Any = None  # what a later stage will learn


@dataclass(frozen=True, eq=False)
class Block:
    """Some documents of a fit.

    Attributes
    ----------
    documents : DocumentView
    confirmed : Confirmed
        Those whose label is confirmed, by their rows in the block.
    example_weights : ndarray, shape (n_confirmed,)
        How much each of these counts as an example.
    similarity, averaging : csr_array, shape (n_documents, n_documents)
        The neighbours in the block, and what gives the average over them.
    labels : ndarray, shape (n_documents, n_categories)
        The label distributions reached so far.
    learned : ndarray, shape (n_documents, n_categories)
        Those of the regression, in which the mixture has no say.
    several : ndarray of bool, shape (n_documents, n_categories)
        The labels that reach the level of several, apart from the first.
    none_probability : ndarray, shape (n_documents,)
    instead, log_odds_against : ndarray, shape (n_documents,)
        The category that contradicts a confirmed label, -1 where none does; and its log-odds.
    """

    documents: DocumentView
    confirmed: Confirmed
    example_weights: Array
    similarity: sp.csr_array = NOT_YET
    averaging: sp.csr_array = NOT_YET
    labels: Array = NOT_YET
    learned: Array = NOT_YET
    several: NDArray[np.bool_] = NOT_YET
    none_probability: Array = NOT_YET
    instead: NDArray[np.intp] = NOT_YET
    log_odds_against: Array = NOT_YET

    @classmethod
    def of(cls, counts: sp.csr_array, said: tuple[Confirmed, Array], space: WordSpace) -> Block:
        """Take counted documents, and the confirmed ones among them with their weights."""
        confirmed, weights = said
        return cls(DocumentView(counts, space), confirmed, weights)

    def __len__(self) -> int:
        return self.documents.all_counts.shape[0]

    def with_graph(self, similarity: sp.csr_array) -> Block:
        """Join documents that are near."""
        averaging = Manifold.of(sp.csr_array((similarity + similarity.T) / 2)).averaging
        return replace(self, similarity=similarity, averaging=averaging)
