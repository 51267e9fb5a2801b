"""What a model learns from: documents in one fixed order, seeds bound to their words, confirmed labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks, Engine
from seedtopic.learning.graph.cells import block_order
from seedtopic.learning.graph.sources import GivenGraph, GraphSource
from seedtopic.learning.signals.confirmed import NOTHING_CONFIRMED, Confirmed
from seedtopic.seeds import BoundSeeds, Name, Seeds
from seedtopic.text.counts import Counts, in_order
from seedtopic.text.word_totals import WordTotals

if TYPE_CHECKING:
    from seedtopic.models.stages.vector_sources import VectorSource


class Placed(Protocol):
    """Documents in blocks on a cluster."""

    def counted(self) -> Blocks:
        """Give blocks of counts."""
        ...

    def data(self) -> Iterator[NDArray[Any]]:
        """Give what stands for the content of each block."""
        ...

    def __len__(self) -> int: ...


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
    placed : Placed, optional
        The documents, where they are on a cluster; then there are none in `counts`.
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
    placed: Placed | None = None

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

    @classmethod
    def elsewhere(cls, placed: Placed, totals: WordTotals, vocabulary: list[str], seeds: Seeds) -> Self:
        """Take documents that stay where they are; nothing of them is here, and none is confirmed."""
        nothing = sp.csr_array(np.empty((0, len(vocabulary)), np.float32))
        nobody = np.empty(0, np.intp)
        bound = seeds.bind(vocabulary)
        return cls(nothing, totals, vocabulary, bound, NOTHING_CONFIRMED, nobody, [], placed=placed)

    def counted(self, engine: Engine) -> Blocks:
        """Give blocks of counted documents to an engine."""
        if self.placed is not None:
            return self.placed.counted()
        return engine.keep(_itself, _Rows(self.counts, self._ends.tolist()))

    def said_of_blocks(self) -> list[tuple[Confirmed, NDArray[np.float64]]]:
        """Give the confirmed documents of each block, and how much they count as examples."""
        if self.placed is not None:
            return [(NOTHING_CONFIRMED, np.empty(0))] * len(self.placed)
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
        names = self.seeds.seeds.names
        return [names[column] for column in np.unique(self.confirmed.categories)]

    def in_one_block(self) -> Self:
        """Give the same documents in a single block."""
        return replace(self, block_sizes=[self.counts.shape[0]])

    def data(self) -> Iterator[NDArray[Any]]:
        """Give the arrays that the result of a fit depends on."""
        if self.placed is not None:
            yield from self.placed.data()
        yield from (self.counts.data, self.counts.indices, self.counts.indptr)
        yield from (self.confirmed.documents, self.confirmed.categories)
        if self.graph is not None:
            yield from self.graph.data()
        if self.vectors is not None:
            yield from self.vectors.data()


@dataclass(frozen=True)
class _Rows(Sequence[sp.csr_array]):
    """The rows of a matrix, block by block; a block is cut out when its turn comes, and nothing is copied."""

    counts: sp.csr_array
    ends: list[int]

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, number: Any) -> Any:
        first, last = self.ends[number], self.ends[number + 1]
        if (first, last) == (0, self.counts.shape[0]):
            return self.counts
        indptr = self.counts.indptr[first : last + 1]
        here = slice(indptr[0], indptr[-1])
        parts = self.counts.data[here], self.counts.indices[here], indptr - indptr[0]
        return sp.csr_array(parts, shape=(last - first, self.counts.shape[1]))


def _itself(counts: sp.csr_array) -> sp.csr_array:
    return counts
