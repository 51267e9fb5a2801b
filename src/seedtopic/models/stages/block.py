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
    """Some documents of a fit."""

    documents: DocumentView
    confirmed: Confirmed  # those whose label is confirmed, by their rows in the block
    example_weights: Array  # (n_confirmed,), how much each of these counts as an example
    similarity: sp.csr_array = NOT_YET  # (n_documents, n_documents), the neighbours
    averaging: sp.csr_array = NOT_YET  # (n_documents, n_documents), gives the average over them
    labels: Array = NOT_YET  # (n_documents, n_categories), the label distributions reached so far
    learned: Array = NOT_YET  # (n_documents, n_categories), by the regression alone
    several: NDArray[np.bool_] = NOT_YET  # (n_documents, n_categories), further labels
    none_probability: Array = NOT_YET  # (n_documents,)
    instead: NDArray[np.intp] = NOT_YET  # (n_documents,), contradicts a confirmed label; -1: none
    log_odds_against: Array = NOT_YET  # (n_documents,), of that category

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
