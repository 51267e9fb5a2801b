"""A block of the documents of a fit: what the stages have learned of each stays where its documents are."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.graph.smoothing import Manifold
from seedtopic.learning.signals.answers import Confirmed
from seedtopic.learning.topics.kernels import KernelName
from seedtopic.model.stages.documents import DocumentView, WordSpace

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


@dataclass(frozen=True)
class Options:
    """The parameters of `SeedTopicClassifier` that decide how it learns; see there for each."""

    weigh_seeds: bool = True
    weigh_examples: bool = True
    naive_bayes_start: bool = True
    rho: float = 0.2
    n_background: int = 40
    max_iter: int = 30
    refresh_relevance: int = 5
    smoothing_steps: int = 3
    refine: bool = True
    self_training_rounds: int = 3
    mixture: Literal["auto"] | bool = "auto"
    calibrate: bool = True
    none_label: str | None = None
    kernel: KernelName = "auto"

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Take the settings from an estimator with parameters of the same names."""
        return cls(**{field.name: getattr(estimator, field.name) for field in fields(cls)})
