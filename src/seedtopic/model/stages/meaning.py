"""What documents and categories mean, known before the first document is read.

A document is the weighted sum of the vectors of its words, or what an encoder makes of its text. How near it
is to each category has a say in the first guess, in what documents without seeds teach, in the regression and
in the mixture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.products import Design
from seedtopic.knowledge.encoders import unit_rows
from seedtopic.knowledge.tables import WordVectors, english
from seedtopic.learning.classify.clustering import Round, clusters_around, share_out
from seedtopic.learning.signals.meaning import meaning_weights
from seedtopic.learning.signals.words import sublinear
from seedtopic.model.stages.stage import (
    WHOLE,
    Arrays,
    Context,
    Form,
    Stage,
    Stored,
    linked,
    part,
    stored,
    weight,
)
from seedtopic.text.counts import KnownWords

if TYPE_CHECKING:
    from seedtopic.base.engine import Blocks
    from seedtopic.model.run import DocumentBlock, Run

Array = NDArray[np.float64]
Vectors = NDArray[np.float32]
UsedWords = tuple[NDArray[Any], sp.csr_array]  # see `used_words`

# Lengths of an encoder's vector and of a table's where both know a document: their cosines are averaged, with
# the weights .8 and .2.
JOINED = (np.float32(np.sqrt(0.8)), np.float32(np.sqrt(0.2)))


@dataclass(frozen=True, eq=False)
class TableWords(Stored):
    """Words of a table that every installation has, those that a fit has seen and all others."""

    table: WordVectors  # the one that is shipped with the package
    vocabulary: KnownWords = linked(lambda model: model.vocabulary)  # the words of the fit
    left_out: frozenset[str] = linked(lambda model: model.stop_words)  # words that are not counted
    document_frequency: NDArray[Any] = stored(Form("words", "i", least=0), "meaning_df_")
    n_documents: int = stored(WHOLE, "meaning_documents_")  # of the fit
    checksum: NDArray[np.uint8] = stored(Form("checksum", "u", least=0), "meaning_table_")

    @classmethod
    def of(cls, table: WordVectors, context: Context, document_frequency: NDArray[Any], n: int) -> Self:
        """Return the words of a collection of n documents."""
        saved = bytes.fromhex(table.checksum) if table.checksum == english().checksum else b""
        checksum = np.frombuffer(saved, np.uint8)
        met = document_frequency.astype(np.int64)
        return cls.within(context, document_frequency=met, n_documents=n, checksum=checksum, table=table)

    @classmethod
    def restored(cls, arrays: Arrays, context: Context) -> Self:
        """Return what was saved: the table is named by its checksum."""
        table = english()
        if arrays["meaning_table_"].tobytes().hex() != table.checksum:
            raise InputError(
                "the model was fitted with another table of word vectors than this version of seedtopic "
                "has: fit it again, or install the version that it was fitted with."
            )
        return cls.of(table, context, arrays["meaning_df_"], int(arrays["meaning_documents_"]))

    @property
    def n_seen(self) -> int:
        """The number of columns of words that the fit has seen; those behind are of no fit."""
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
        """Return a row for each column; zeros where nothing is known of the word."""
        return self.table.vectors_at(self._rows[columns])

    def weights(self, columns: NDArray[Any]) -> Array:
        """Weigh words by how rare they are in the fit and in the language."""
        seen = columns < len(self.vocabulary)
        met = np.zeros(len(columns))
        met[seen] = self.document_frequency[columns[seen]]
        return meaning_weights(met, self.n_documents, self.table.frequencies_at(self._rows[columns]))


@dataclass(frozen=True, eq=False)
class GivenWords(Stored):
    """Vectors and weights of the words of a vocabulary, and of no other."""

    of_words: Vectors = stored(Form("words dims"), "meaning_words_")
    of_weights: Array = stored(weight("words"), "meaning_weights_")
    unseen: ClassVar[Sequence[str]] = ()

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


@dataclass(frozen=True, eq=False)
class Meaning(Stage):
    """The directions of words and categories."""

    words: TableWords | GivenWords = part(TableWords, GivenWords)
    # (n_dims,), what is taken off every document: a share of the mean document of the fit
    centre: Vectors = stored(Form("dims"), "meaning_centre_")
    # (n_categories, n_dims), of length 1; zeros for a category of which nothing is known
    categories: Vectors = stored(Form("classes dims", least=-1.001, most=1.001), "meaning_categories_")
    # how many of the dimensions, the first ones, an encoder gives a text
    n_encoded: int = stored(Form("", "i", least=0), "meaning_encoded_")
    # (n_categories, n_dims), the directions of the categories' names
    names: Vectors | None = stored(
        Form("classes dims", least=-1.001, most=1.001), "meaning_names_", optional=True
    )

    # (n_categories, n_dims), the middles of the clusters of documents, of length 1; scores are taken to them
    clusters: Vectors | None = stored(
        Form("classes dims", least=-1.001, most=1.001), "meaning_clusters_", optional=True
    )

    optional: ClassVar[bool] = True

    def __post_init__(self) -> None:
        n_dims = self.categories.shape[1]
        if self.n_encoded > n_dims:
            raise InputError("it is damaged: meaning_encoded_ is more than the vectors have numbers.")
        if isinstance(self.words, TableWords) and n_dims != self.words.table.n_dims:
            raise InputError("it is damaged: meaning_categories_ does not fit the table of word vectors.")

    @classmethod
    def learn(cls, run: Run) -> tuple[Meaning, Blocks] | None:
        """Take what the vectors of a fit know; only an encoder's graph needs the directions of documents."""
        if run.training.vectors is None:
            return None
        meaning, blocks = run.training.vectors.learn(run)
        if meaning.n_encoded:
            starts = [meaning.categories]
            if meaning.names is not None:
                starts.append(unit_rows(meaning.categories + meaning.names))
            shared = partial(run.engine.tree, _shared_out, blocks, run.engine.broadcast(meaning))
            meaning = replace(meaning, clusters=clusters_around(starts, shared))
        return meaning, run.engine.map(_with_meaning, blocks, run.engine.broadcast(meaning))

    @property
    def towards(self) -> Vectors:
        """The directions that scores are taken to."""
        return self.categories if self.clusters is None else self.clusters

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

    def unseen_share(self, counts: sp.csr_array, used: UsedWords | None = None) -> Array:
        """Return the share of words that no fit has seen in the weight of the words of each document."""
        if counts.shape[1] <= self.words.n_seen:
            return np.asarray(np.diff(counts.indptr) == 0, np.float64)
        columns, weighted = used or used_words(self.words, counts)
        total = np.asarray(weighted.sum(axis=1), np.float64)
        unseen = np.asarray(weighted @ (columns >= self.words.n_seen).astype(np.float32), np.float64)
        return np.divide(unseen, total, out=np.ones_like(unseen), where=total > 0)

    def parted(
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
        cosines = (self.towards @ shifted.astype(np.float64)) / max(float(np.linalg.norm(shifted)), 1e-30)
        scale = max(float(cosines.std(ddof=1)), 1e-9) * max(float(np.linalg.norm(shifted)), 1e-30)
        pull = (weights - weights.mean()) @ self.towards.astype(np.float64) / scale
        constant = -float(self.centre @ pull)
        if not by_words:
            return zeros, constant, float(raw @ pull)
        _, weighted = used_words(self.words, counts)
        by_word = self.words.vectors(counts.indices).astype(np.float64) @ pull
        return weighted.data * by_word / length, constant, 0.0


def _shared_out(block: DocumentBlock, meaning: Meaning, start: Vectors, centroids: Vectors) -> Round:
    sentences = block.documents.sentences
    assert sentences is not None  # the encoder's, which are there until something is known of their nearness
    return share_out(meaning.centred(sentences), start, centroids, block.confirmed.hold)


def _with_meaning(block: DocumentBlock, meaning: Meaning) -> DocumentBlock:
    documents = replace(block.documents, meaning=meaning)
    return replace(block, documents=documents if meaning.n_encoded else documents.without_directions())


def cosines(documents: Vectors, directions: Vectors) -> Array:
    """Return the cosine of each document with each direction, both of length 1."""
    # Not by BLAS, where the last digits for one document depend on how many there are.
    return np.asarray(np.einsum("nd,kd->nk", documents, directions), np.float64)


def joined_vectors(encoded: Vectors, by_words: Vectors) -> Vectors:
    """Put two vectors of one thing side by side, so that their cosines are averaged."""
    return np.hstack((JOINED[0] * encoded, JOINED[1] * by_words))


def known_rows(vectors: Vectors) -> NDArray[np.bool_]:
    """Return which vectors are known: not all zeros."""
    return np.asarray(np.abs(vectors).max(axis=1, initial=0.0) > 0)


def added_up(words: TableWords | GivenWords, counts: sp.csr_array, used: UsedWords | None = None) -> Vectors:
    """Add up the weighted vectors of the words of each document."""
    columns, weighted = used or used_words(words, counts)
    return np.asarray(Design(weighted).times(words.vectors(columns)), np.float32)


def used_words(words: TableWords | GivenWords, counts: sp.csr_array) -> UsedWords:
    """Return the columns that occur, and (1 + ln tf) * weight of these alone: nothing else is looked up."""
    if counts.nnz * 4 > counts.shape[1]:  # a count of each column is quicker than sorting them all
        met = np.bincount(counts.indices, minlength=counts.shape[1]) > 0
        used, place = np.flatnonzero(met), (np.cumsum(met) - 1)[counts.indices]
    else:
        used, place = np.unique(counts.indices, return_inverse=True)
    narrow = sp.csr_array((counts.data, place, counts.indptr), shape=(counts.shape[0], len(used)))
    return used, sublinear(narrow, words.weights(used)).astype(np.float32)
