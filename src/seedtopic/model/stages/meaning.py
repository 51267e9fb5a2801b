"""What documents and categories mean, known before the first document is read.

A document is the weighted sum of the vectors of its words, or what an encoder makes of its text. How near it
is to each category has a say in the first guess, in what documents without seeds teach, in the regression and
in the mixture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.products import Design
from seedtopic.knowledge.encoders import unit_rows
from seedtopic.knowledge.tables import WordVectors, english
from seedtopic.learning.signals.meaning import meaning_weights
from seedtopic.learning.signals.seeds import standardised
from seedtopic.learning.signals.words import sublinear

Array = NDArray[np.float64]
Vectors = NDArray[np.float32]
UsedWords = tuple[NDArray[Any], sp.csr_array]  # see `used_words`

# Lengths of an encoder's vector and of a table's where both know a document: their cosines are averaged, with
# the weights .8 and .2.
JOINED = (np.float32(np.sqrt(0.8)), np.float32(np.sqrt(0.2)))


class Words(Protocol):
    """Gives the vectors of words by their columns; columns beyond the vocabulary are words of no fit."""

    def vectors(self, columns: NDArray[Any]) -> Vectors:
        """Return a row for each column; zeros where nothing is known of the word."""
        ...

    def weights(self, columns: NDArray[Any]) -> Array:
        """Return the weight of each word in the direction of a document."""
        ...

    @property
    def n_seen(self) -> int:
        """The number of columns of words that a fit has seen."""
        ...

    @property
    def unseen(self) -> Sequence[str]:
        """The words of the columns after those."""
        ...

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder."""
        ...


@dataclass(frozen=True, eq=False)
class TableWords:
    """Words of a table that every installation has, those that a fit has seen and all others."""

    table: WordVectors  # the one that is shipped with the package
    vocabulary: Sequence[str]  # the words of the fit
    document_frequency: Array  # (n_words,)
    n_documents: int  # of the fit
    left_out: frozenset[str] = frozenset()  # words that are not counted, such as stop words

    @property
    def n_seen(self) -> int:
        """The size of the vocabulary."""
        return len(self.vocabulary)

    @cached_property
    def unseen(self) -> Sequence[str]:
        """The words of the table that are not in the vocabulary."""
        passed_over = self.left_out.union(self.vocabulary)
        return [word for word in self.table.words if word not in passed_over]

    @cached_property
    def _rows(self) -> NDArray[np.intp]:
        """The row of the table of each column; looking words up takes longer than adding up their vectors."""
        return self.table.rows_of([*self.vocabulary, *self.unseen])

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be looked up again."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def vectors(self, columns: NDArray[Any]) -> Vectors:
        """Look words up."""
        return self.table.vectors_at(self._rows[columns])

    def weights(self, columns: NDArray[Any]) -> Array:
        """Weigh words by how rare they are in the fit and in the language."""
        seen = columns < len(self.vocabulary)
        met = np.zeros(len(columns))
        met[seen] = self.document_frequency[columns[seen]]
        return meaning_weights(met, self.n_documents, self.table.frequencies_at(self._rows[columns]))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved: the shipped table is named by its checksum."""
        return {
            "meaning_df_": self.document_frequency.astype(np.int64),
            "meaning_documents_": np.array(self.n_documents),
            "meaning_table_": np.frombuffer(bytes.fromhex(self.table.checksum), np.uint8),
        }


@dataclass(frozen=True, eq=False)
class GivenWords:
    """Vectors and weights of the words of a vocabulary, and of no other."""

    of_words: Vectors
    of_weights: Array
    unseen: Sequence[str] = ()

    @property
    def n_seen(self) -> int:
        """The size of the vocabulary."""
        return len(self.of_weights)

    def vectors(self, columns: NDArray[Any]) -> Vectors:
        """Return rows."""
        return np.asarray(self.of_words[columns])

    def weights(self, columns: NDArray[Any]) -> Array:
        """Return entries."""
        return np.asarray(self.of_weights[columns])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder."""
        return {"meaning_words_": self.of_words, "meaning_weights_": self.of_weights}


@dataclass(frozen=True, eq=False)
class Meaning:
    """The directions of words and categories."""

    words: Words
    centre: Vectors  # (n_dims,), what is taken off every document: a share of the mean document of the fit
    categories: Vectors  # (n_categories, n_dims), of length 1; zeros for a category of which nothing is known
    n_encoded: int = 0  # how many of the dimensions, the first ones, an encoder gives a text
    names: Vectors | None = None  # (n_categories, n_dims), the directions of the categories' names

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether anything is known of a category."""
        return known_rows(self.categories)

    def documents(
        self, counts: sp.csr_array, sentences: Vectors | None = None, used: UsedWords | None = None
    ) -> Vectors:
        """Return the directions of documents, of length 1, from their words or from what an encoder gave."""
        return self.centred(self._raw(counts, sentences, used))

    def _raw(self, counts: sp.csr_array, sentences: Vectors | None, used: UsedWords | None = None) -> Vectors:
        if sentences is not None and sentences.shape[1] == len(self.centre):
            return sentences
        by_words = added_up(self.words, counts, used)
        if self.of_words == slice(0, None):
            return unit_rows(by_words)
        encoded = by_words[:, : self.n_encoded] if sentences is None else sentences
        return joined_vectors(unit_rows(encoded), unit_rows(by_words[:, self.of_words]))

    @property
    def of_words(self) -> slice:
        """The dimensions in which words are at home: those of a table where there is one, otherwise all."""
        return slice(0 if self.n_encoded == len(self.centre) else self.n_encoded, None)

    def centred(self, vectors: Vectors) -> Vectors:
        """Take off the centre; a document of which nothing is known stays at zero."""
        known = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0) > 0
        return unit_rows(np.where(known, vectors - self.centre, 0.0))

    def scores(self, vectors: Vectors) -> Array:
        """Return how near documents are to each category, in standard deviations of the document."""
        return standardised(cosines(vectors, self.categories))

    def unseen_share(self, counts: sp.csr_array, used: UsedWords | None = None) -> Array:
        """Return the share of words that no fit has seen in the weight of the words of each document."""
        if counts.shape[1] <= self.words.n_seen:
            return np.asarray(np.diff(counts.indptr) == 0, np.float64)
        columns, weighted = used or used_words(self.words, counts)
        total = np.asarray(weighted.sum(axis=1), np.float64)
        unseen = np.asarray(weighted @ (columns >= self.words.n_seen).astype(np.float32), np.float64)
        return np.divide(unseen, total, out=np.ones_like(unseen), where=total > 0)

    def evidence(
        self, counts: sp.csr_array, sentence: Vectors | None, weights: Array
    ) -> tuple[Array, float, float]:
        """Part weights . scores of one document into its words, what no word says, and the sentence."""
        zeros = np.zeros(counts.nnz)
        by_words = sentence is None and self.of_words == slice(0, None)
        raw = (added_up(self.words, counts) if by_words else self._raw(counts, sentence))[0].astype(
            np.float64
        )
        if not raw.any():
            return zeros, 0.0, 0.0
        length = float(np.linalg.norm(raw)) if by_words else 1.0  # less where one of two vectors is not known
        shifted = raw / length - self.centre
        cosines = (self.categories @ shifted.astype(np.float64)) / max(float(np.linalg.norm(shifted)), 1e-30)
        scale = max(float(cosines.std(ddof=1)), 1e-9) * max(float(np.linalg.norm(shifted)), 1e-30)
        towards = (weights - weights.mean()) @ self.categories.astype(np.float64) / scale
        constant = -float(self.centre @ towards)
        if not by_words:
            return zeros, constant, float(raw @ towards)
        _, weighted = used_words(self.words, counts)
        by_word = self.words.vectors(counts.indices).astype(np.float64) @ towards
        return weighted.data * by_word / length, constant, 0.0

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder."""
        return {
            **self.words.arrays(),
            "meaning_centre_": self.centre,
            "meaning_categories_": self.categories,
            "meaning_encoded_": np.array(self.n_encoded),
            **({} if self.names is None else {"meaning_names_": self.names}),
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], vocabulary: Sequence[str], left_out: frozenset[str]
    ) -> Meaning | None:
        """Take what was saved; None where a fit knew no meanings."""
        if "meaning_centre_" not in arrays:
            return None
        words: Words
        categories, n_encoded = arrays["meaning_categories_"], int(arrays["meaning_encoded_"])
        if n_encoded > categories.shape[1]:
            raise InputError("it is damaged: meaning_encoded_ is more than the vectors have numbers.")
        if "meaning_table_" in arrays:
            table = english()
            if arrays["meaning_table_"].tobytes().hex() != table.checksum:
                raise InputError(
                    "the model was fitted with another table of word vectors than this version of seedtopic "
                    "has: fit it again, or install the version that it was fitted with."
                )
            if categories.shape[1] != table.n_dims:
                raise InputError("it is damaged: meaning_categories_ does not fit the table of word vectors.")
            df, n_documents = arrays["meaning_df_"], int(arrays["meaning_documents_"])
            words = TableWords(table, vocabulary, df.astype(np.float64), n_documents, left_out)
        elif "meaning_words_" in arrays:
            words = GivenWords(arrays["meaning_words_"], arrays["meaning_weights_"])
        else:
            raise InputError("it is damaged: meaning_words_ is missing.")
        return cls(words, arrays["meaning_centre_"], categories, n_encoded, arrays.get("meaning_names_"))


def cosines(documents: Vectors, directions: Vectors) -> Array:
    """Return the cosine of each document with each direction, both of length 1.

    Not by BLAS, where the last digits for one document depend on how many there are.
    """
    return np.asarray(np.einsum("nd,kd->nk", documents, directions), np.float64)


def joined_vectors(encoded: Vectors, by_words: Vectors) -> Vectors:
    """Put two vectors of one thing side by side, so that their cosines are averaged."""
    return np.hstack((JOINED[0] * encoded, JOINED[1] * by_words))


def known_rows(vectors: Vectors) -> NDArray[np.bool_]:
    """Return which vectors are known: not all zeros."""
    return np.asarray(np.abs(vectors).max(axis=1, initial=0.0) > 0)


def added_up(words: Words, counts: sp.csr_array, used: UsedWords | None = None) -> Vectors:
    """Add up the weighted vectors of the words of each document."""
    columns, weighted = used or used_words(words, counts)
    return np.asarray(Design(weighted).times(words.vectors(columns)), np.float32)


def used_words(words: Words, counts: sp.csr_array) -> UsedWords:
    """Return the columns that occur, and (1 + ln tf) * weight of these alone: nothing else is looked up."""
    if counts.nnz * 4 > counts.shape[1]:  # a count of each column is quicker than sorting them all
        met = np.bincount(counts.indices, minlength=counts.shape[1]) > 0
        used, place = np.flatnonzero(met), (np.cumsum(met) - 1)[counts.indices]
    else:
        used, place = np.unique(counts.indices, return_inverse=True)
    narrow = sp.csr_array((counts.data, place, counts.indptr), shape=(counts.shape[0], len(used)))
    return used, sublinear(narrow, words.weights(used)).astype(np.float32)
