"""Where the vectors of a fit come from: a table of words, or an encoder of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks, Engine
from seedtopic.learning.signals.meaning import CENTRING
from seedtopic.meaning import WordVectors, english, follow, unit_rows, word_directions
from seedtopic.models.stages.block import Block
from seedtopic.models.stages.meaning import (
    GivenWords,
    Meaning,
    TableWords,
    Vectors,
    Words,
    added_up,
    joined_vectors,
)
from seedtopic.text.word_totals import WordTotals

Array = NDArray[np.float64]


class VectorSource(Protocol):
    """Anything that knows what documents and categories mean."""

    @property
    def categories(self) -> Vectors:
        """The directions of the categories, shape (n_categories, n_dims); zeros where nothing is known."""
        ...

    def learn(
        self, engine: Engine, blocks: Blocks, totals: WordTotals, vocabulary: Sequence[str]
    ) -> tuple[Meaning, Blocks]:
        """Give the meaning, and blocks whose documents have vectors, of length 1 and not centred."""
        ...

    def data(self) -> Iterator[NDArray[Any]]:
        """Give the arrays that the result of a fit depends on, apart from the words."""
        ...


@dataclass(frozen=True, eq=False)
class TableSource:
    """A document is the sum of the vectors of its words."""

    table: WordVectors
    categories: Vectors  # (n_categories, n_dims), of the seeds
    names: Vectors  # (n_categories, n_dims), of the names
    left_out: frozenset[str] = frozenset()  # words that are not counted, such as stop words

    def learn(
        self, engine: Engine, blocks: Blocks, totals: WordTotals, vocabulary: Sequence[str]
    ) -> tuple[Meaning, Blocks]:
        """Add up the vectors of the words."""
        words = self.words(totals, vocabulary)
        blocks = engine.map(_by_words, blocks, engine.broadcast(words))
        return Meaning(words, _centre(engine, blocks, totals), self.categories, names=self.names), blocks

    def words(self, totals: WordTotals, vocabulary: Sequence[str]) -> Words:
        """Give the vectors and weights of the words of a collection."""
        met = totals.document_frequency.astype(np.float64)
        words = TableWords(self.table, vocabulary, met, totals.n_documents, self.left_out)
        if self.table.checksum == english().checksum:
            return words
        columns = np.arange(len(vocabulary))  # only the shipped table need not be saved with a model
        return GivenWords(words.vectors(columns), words.weights(columns))

    def data(self) -> Iterator[NDArray[Any]]:
        """Give the checksum: the words are known."""
        yield np.frombuffer(self.table.checksum.encode(), np.uint8)


@dataclass(frozen=True, eq=False)
class EncodedSource:
    """An encoder has read the texts of some documents; the others follow by their words."""

    rows: NDArray[np.intp]  # (n_encoded,), the documents that were encoded
    vectors: Vectors  # (n_encoded, n_dims), of length 1
    of_seeds: Vectors  # (n_categories, n_dims), the mean directions of the seeds
    of_names: Vectors  # (n_categories, n_dims)
    beside: TableSource | None = None  # a table that knows the words of the documents, too

    @property
    def categories(self) -> Vectors:
        """The directions of the categories."""
        return self.of_seeds if self.beside is None else joined_vectors(self.of_seeds, self.beside.categories)

    @property
    def names(self) -> Vectors:
        """The directions of the names."""
        return self.of_names if self.beside is None else joined_vectors(self.of_names, self.beside.names)

    def learn(
        self, engine: Engine, blocks: Blocks, totals: WordTotals, vocabulary: Sequence[str]
    ) -> tuple[Meaning, Blocks]:
        """Learn what words say of the vectors, and let them speak for the documents that were not encoded."""
        rarity = totals.rarity
        given = self._of_blocks(list(engine.gather(len, blocks)))
        read = engine.map(_encoded_words, blocks, each=[rows for rows, _ in given])
        words = sp.csr_array(sp.vstack(list(engine.gather(sp.csr_array, read)), format="csr"))
        directions = word_directions(words, self.vectors)
        blocks = engine.map(_by_encoder, blocks, engine.broadcast(directions), each=given)
        if self.beside is not None:
            of_table = self.beside.words(totals, vocabulary)
            blocks = engine.map(_beside_words, blocks, engine.broadcast(of_table))
            columns = np.arange(len(vocabulary))
            # Both parts of a word are weighed by its rarity, so the table's are weighed for that beforehand.
            weights = np.divide(
                of_table.weights(columns), rarity, out=np.zeros_like(rarity), where=rarity > 0
            )
            own = weights[:, None].astype(np.float32) * of_table.vectors(columns)
            directions = np.hstack((directions, own))
        centre, n_encoded = _centre(engine, blocks, totals), self.of_seeds.shape[1]
        return Meaning(GivenWords(directions, rarity), centre, self.categories, n_encoded, self.names), blocks

    def _of_blocks(self, sizes: Sequence[int]) -> list[tuple[NDArray[np.intp], Vectors]]:
        """Give the encoded rows of each block, counted from its first, and their vectors."""
        starts = np.concatenate(([0], np.cumsum(sizes)))
        places = np.searchsorted(self.rows, starts)
        return [
            (self.rows[first:last] - start, self.vectors[first:last])
            for first, last, start in zip(places[:-1], places[1:], starts[:-1], strict=True)
        ]

    def data(self) -> Iterator[NDArray[Any]]:
        """Give what the encoder gave."""
        yield from (self.rows, self.vectors, self.categories)


def known_share(table: WordVectors, totals: WordTotals, vocabulary: Sequence[str]) -> float:
    """Give the share of words that a table knows, each as often as there are documents with it.

    Examples
    --------
    >>> from seedtopic.meaning import english
    >>> totals = WordTotals.of(sp.csr_array([[1.0, 2.0], [1.0, 0.0]]))
    >>> known_share(english(), totals, ["hockey", "hockeyspieler"])
    0.6666666666666666
    """
    met = totals.document_frequency
    known = table.vectors(vocabulary)[1]
    return float(met[known].sum() / max(int(met.sum()), 1))


def _by_words(block: Block, words: Words) -> Block:
    return _with_sentences(block, unit_rows(added_up(words, block.documents.counts)))


def _encoded_words(block: Block, rows: NDArray[np.intp]) -> sp.csr_array:
    """Give the words of the documents of a block that were encoded."""
    return sp.csr_array(block.documents.vectors[rows])


def _by_encoder(block: Block, given: tuple[NDArray[np.intp], Vectors], directions: Vectors) -> Block:
    rows, vectors = given
    everything = follow(block.documents.vectors, directions)
    everything[rows] = vectors
    return _with_sentences(block, everything)


def _beside_words(block: Block, words: Words) -> Block:
    encoded, by_words = block.documents.sentences, unit_rows(added_up(words, block.documents.counts))
    return block if encoded is None else _with_sentences(block, joined_vectors(encoded, by_words))


def _with_sentences(block: Block, vectors: Vectors) -> Block:
    return replace(block, documents=replace(block.documents, sentences=vectors))


def _sum_of_sentences(block: Block) -> Array:
    vectors = block.documents.sentences
    return np.zeros(0) if vectors is None else np.asarray(vectors.sum(axis=0, dtype=np.float64))


def _centre(engine: Engine, blocks: Blocks, totals: WordTotals) -> Vectors:
    mean = engine.tree(_sum_of_sentences, blocks) / totals.n_documents
    return np.asarray(CENTRING * mean, np.float32)
