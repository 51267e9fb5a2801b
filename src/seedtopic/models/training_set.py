"""What a model learns from: documents in one fixed order, seeds bound to their words, confirmed labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.graph.cells import block_order
from seedtopic.learning.graph.sources import GivenGraph, GraphSource
from seedtopic.learning.signals.confirmed import Confirmed
from seedtopic.parallel.engine import Blocks, Engine
from seedtopic.seeds import BoundSeeds, Name, Seeds
from seedtopic.text.counts import Counts, in_order
from seedtopic.text.word_totals import WordTotals

if TYPE_CHECKING:
    from seedtopic.models.stages.vector_sources import VectorSource


@dataclass(frozen=True)
class TrainingSet:
    """The documents of one fit.

    Attributes
    ----------
    counts : csr_array, shape (n_documents, n_words)
        In the canonical order, which depends on what the documents say, not on the order they came in.
    totals : WordTotals
        How often each word occurs in them.
    vocabulary : list of str
        The word of each column.
    seeds : BoundSeeds
        The seeds, as columns of `counts`.
    confirmed : Confirmed
        The rows whose label the user has confirmed.
    order : ndarray of int, shape (n_documents,)
        The position of each row among the documents that the user gave.
    block_sizes : sequence of int
        The number of documents in each block, the rows of which follow one another.
    graph : GraphSource, optional
        Where the neighbour graph comes from, for models that let the user choose.
    vectors : VectorSource, optional
        Where it is known from what words mean, for models that ask.
    """

    counts: sp.csr_array
    totals: WordTotals
    vocabulary: list[str]
    seeds: BoundSeeds
    confirmed: Confirmed
    order: NDArray[np.intp]
    block_sizes: Sequence[int]
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
        totals = WordTotals.of(counts.matrix)
        order, block_sizes = block_order(counts.matrix, totals)
        return cls(
            in_order(counts.matrix, order),
            totals,
            counts.vocabulary,
            seeds.bind(counts.vocabulary),
            Confirmed.in_categories(category[order]),
            order,
            block_sizes,
        )

    @cached_property
    def _ends(self) -> NDArray[np.intp]:
        """The first row of each block, and the number of rows."""
        if isinstance(self.graph, GivenGraph):  # which may join any two documents
            return np.array([0, self.totals.n_documents])
        return np.concatenate(([0], np.cumsum(self.block_sizes)))

    def counted(self, engine: Engine) -> Blocks:
        """Give blocks of counted documents to an engine."""
        ends = self._ends
        return engine.keep(_rows, [(self.counts, *pair) for pair in pairwise(ends.tolist())])

    def said_of_blocks(self) -> list[tuple[Confirmed, NDArray[np.float64]]]:
        """Give the confirmed documents of each block, and how much they count as examples."""
        weights = self.confirmed.example_weights(self.totals.n_documents)
        found = []
        for first, last in pairwise(self._ends.tolist()):
            here = slice(*np.searchsorted(self.confirmed.documents, (first, last)))
            rows, categories = self.confirmed.documents[here] - first, self.confirmed.categories[here]
            found.append((Confirmed(rows, categories), weights[here]))
        return found

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

    def in_one_block(self) -> Self:
        """Give the same documents in a single block."""
        return replace(self, block_sizes=[self.counts.shape[0]])

    def data(self) -> Iterator[NDArray[Any]]:
        """Give the arrays that the result of a fit depends on."""
        yield from (self.counts.data, self.counts.indices, self.counts.indptr)
        yield from (self.confirmed.documents, self.confirmed.categories)
        if self.graph is not None:
            yield from self.graph.data()
        if self.vectors is not None:
            yield from self.vectors.data()


def _rows(part: tuple[sp.csr_array, int, int]) -> sp.csr_array:
    """Give some rows of a matrix, whose entries are not copied."""
    counts, first, last = part
    if (first, last) == (0, counts.shape[0]):
        return counts
    here = slice(counts.indptr[first], counts.indptr[last])
    indptr = counts.indptr[first : last + 1] - counts.indptr[first]
    parts = counts.data[here], counts.indices[here], indptr
    return sp.csr_array(parts, shape=(last - first, counts.shape[1]))
