"""What a model learns from: documents in one fixed order, seeds bound to their words, confirmed labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.graph.sources import GraphSource
from seedtopic.learning.signals.confirmed import Confirmed
from seedtopic.seeds import BoundSeeds, Name, Seeds
from seedtopic.text.counts import Counts, canonical_order, in_order

if TYPE_CHECKING:
    from seedtopic.models.stages.vector_sources import VectorSource


@dataclass(frozen=True)
class TrainingSet:
    """The documents of one fit.

    Attributes
    ----------
    counts : csr_array, shape (n_documents, n_words)
        In the canonical order, which depends on what the documents say, not on the order they came in.
    vocabulary : list of str
        The word of each column.
    seeds : BoundSeeds
        The seeds, as columns of `counts`.
    confirmed : Confirmed
        The rows whose label the user has confirmed.
    order : ndarray of int, shape (n_documents,)
        The position of each row among the documents that the user gave.
    graph : GraphSource, optional
        Where the neighbour graph comes from, for models that let the user choose.
    vectors : VectorSource, optional
        Where it is known from what words mean, for models that ask.
    """

    counts: sp.csr_array
    vocabulary: list[str]
    seeds: BoundSeeds
    confirmed: Confirmed
    order: NDArray[np.intp]
    graph: GraphSource | None = None
    vectors: VectorSource | None = None

    @classmethod
    def of(cls, counts: Counts, seeds: Seeds, category: NDArray[np.intp]) -> Self:
        """Put counted documents in their order.

        Parameters
        ----------
        counts : Counts
        seeds : Seeds
        category : ndarray of int, shape (n_documents,)
            The confirmed category of each document; negative where there is none.
        """
        order = canonical_order(counts.matrix)
        return cls(
            in_order(counts.matrix, order),
            counts.vocabulary,
            seeds.bind(counts.vocabulary),
            Confirmed.in_categories(category[order]),
            order,
        )

    @property
    def places(self) -> NDArray[np.intp]:
        """The row of each document that the user gave, in the user's order."""
        return np.argsort(self.order)

    @property
    def known_meanings(self) -> list[Name] | None:
        """The categories of whose meaning anything is known; None where nothing is known of words."""
        if self.vectors is None:
            return None
        directions = zip(self.seeds.seeds.names, self.vectors.categories, strict=True)
        return [name for name, direction in directions if direction.any()]

    @property
    def taught(self) -> list[Name]:
        """The categories of which documents are confirmed."""
        return [self.seeds.seeds.names[column] for column in np.unique(self.confirmed.categories)]

    def data(self) -> Iterator[NDArray[Any]]:
        """Give the arrays that the result of a fit depends on."""
        yield from (self.counts.data, self.counts.indices, self.counts.indptr)
        yield from (self.confirmed.documents, self.confirmed.categories)
        if self.graph is not None:
            yield from self.graph.data()
        if self.vectors is not None:
            yield from self.vectors.data()
