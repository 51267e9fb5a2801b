"""Where the vectors of a fit come from: a table of words, or an encoder of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.signals.meaning import CENTRING
from seedtopic.meaning import WordVectors, english, followed, unit_rows
from seedtopic.models.stages.meaning import (
    GivenWords,
    Meaning,
    TableWords,
    Vectors,
    Words,
    added_up,
    joined_vectors,
)
from seedtopic.models.stages.word_space import DocumentView

Array = NDArray[np.float64]


class VectorSource(Protocol):
    """Anything that knows what documents and categories mean."""

    @property
    def categories(self) -> Vectors:
        """The directions of the categories, shape (n_categories, n_dims); zeros where nothing is known."""
        ...

    def learn(self, documents: DocumentView, vocabulary: Sequence[str]) -> tuple[Meaning, Vectors]:
        """Give the meaning, and the vectors of the documents, of length 1 and not centred."""
        ...

    def data(self) -> Iterator[NDArray[Any]]:
        """Give the arrays that the result of a fit depends on, apart from the words."""
        ...


@dataclass(frozen=True, eq=False)
class TableSource:
    """A document is the sum of the vectors of its words.

    Attributes
    ----------
    table : WordVectors
    categories, names : ndarray, shape (n_categories, n_dims)
        The directions of the seeds, and of the names, of the categories.
    left_out : frozenset of str
        Words that are not counted, such as stop words.
    """

    table: WordVectors
    categories: Vectors
    names: Vectors
    left_out: frozenset[str] = frozenset()

    def learn(self, documents: DocumentView, vocabulary: Sequence[str]) -> tuple[Meaning, Vectors]:
        """Add up the vectors of the words."""
        counts = documents.counts
        met = np.bincount(counts.indices, minlength=counts.shape[1]).astype(np.float64)
        words: Words = TableWords(self.table, vocabulary, met, counts.shape[0], self.left_out)
        if self.table.checksum != english().checksum:  # which is not saved with a model: its words are
            columns = np.arange(len(vocabulary))
            words = GivenWords(words.vectors(columns), words.weights(columns))
        vectors = unit_rows(added_up(words, counts))
        return Meaning(words, _centre(vectors), self.categories, names=self.names), vectors

    def data(self) -> Iterator[NDArray[Any]]:
        """Give the checksum: the words are known."""
        yield np.frombuffer(self.table.checksum.encode(), np.uint8)


@dataclass(frozen=True, eq=False)
class EncodedSource:
    """An encoder has read the texts of some documents; the others follow by their words.

    Attributes
    ----------
    rows : ndarray of int, shape (n_encoded,)
        The documents that were encoded, see `seedtopic.meaning.following.fair_sample`.
    vectors : ndarray, shape (n_encoded, n_dims)
        Of length 1.
    of_seeds, of_names : ndarray, shape (n_categories, n_dims)
        The mean directions of the seeds, and the directions of the names.
    beside : TableSource, optional
        A table that knows the words of the documents, too.
    """

    rows: NDArray[np.intp]
    vectors: Vectors
    of_seeds: Vectors
    of_names: Vectors
    beside: TableSource | None = None

    @property
    def categories(self) -> Vectors:
        """The directions of the categories."""
        return self.of_seeds if self.beside is None else joined_vectors(self.of_seeds, self.beside.categories)

    @property
    def names(self) -> Vectors:
        """The directions of the names."""
        return self.of_names if self.beside is None else joined_vectors(self.of_names, self.beside.names)

    def learn(self, documents: DocumentView, vocabulary: Sequence[str]) -> tuple[Meaning, Vectors]:
        """Learn what words say of the vectors, and let them speak for the documents that were not encoded."""
        rarity = documents.space.rarity
        vectors, directions = followed(documents.vectors, self.rows, self.vectors)
        if self.beside is not None:
            meaning, by_words = self.beside.learn(documents, vocabulary)
            columns = np.arange(len(vocabulary))
            # Both parts of a word are weighed by its rarity, so the table's are weighed for that beforehand.
            weights = np.divide(
                meaning.words.weights(columns), rarity, out=np.zeros_like(rarity), where=rarity > 0
            )
            own = weights[:, None].astype(np.float32) * meaning.words.vectors(columns)
            vectors, directions = joined_vectors(vectors, by_words), np.hstack((directions, own))
        words = GivenWords(directions, rarity)
        n_encoded = self.of_seeds.shape[1]
        return Meaning(words, _centre(vectors), self.categories, n_encoded, self.names), vectors

    def data(self) -> Iterator[NDArray[Any]]:
        """Give what the encoder gave."""
        yield from (self.rows, self.vectors, self.categories)


def known_share(table: WordVectors, counts: sp.csr_array, vocabulary: Sequence[str]) -> float:
    """Give the share of words that a table knows, each as often as there are documents with it.

    Examples
    --------
    >>> from seedtopic.meaning import english
    >>> known_share(english(), sp.csr_array([[1.0, 2.0], [1.0, 0.0]]), ["hockey", "hockeyspieler"])
    0.6666666666666666
    """
    met = np.bincount(counts.indices, minlength=counts.shape[1])
    known = table.vectors(vocabulary)[1]
    return float(met[known].sum() / max(int(met.sum()), 1))


def _centre(vectors: Vectors) -> Vectors:
    return np.asarray(CENTRING * vectors.mean(axis=0, dtype=np.float64), np.float32)
