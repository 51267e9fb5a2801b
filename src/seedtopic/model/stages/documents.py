"""Documents as the stages see them: TF-IDF vectors, damped counts for the topic model, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.signals.seeds import standardised
from seedtopic.learning.signals.words import log_weights, squared_lengths, sublinear, unit_rows
from seedtopic.model.stages.meaning import Meaning, UsedWords, Vectors, cosines, used_words
from seedtopic.model.stages.stage import Stage, stored, weight

if TYPE_CHECKING:
    from seedtopic.base.engine import Blocks
    from seedtopic.model.run import DocumentBlock, Run

Array = NDArray[np.float64]

SAY_OF_UNSEEN = 1.5  # of the standardised cosine, in log-odds, for a document of words that no fit has seen


@dataclass(frozen=True)
class WordSpace(Stage):
    """The weight of each word, by its rarity and by its information content (pi, Eq. 8)."""

    rarity: Array = stored(weight("words"))
    word_weights: Array = stored(weight("words"))

    @classmethod
    def learn(cls, run: Run) -> tuple[Self, Blocks]:
        """Weigh the words of a collection."""
        totals = run.training.totals
        space = cls(totals.rarity, log_weights(totals.occurrences))
        return space, run.engine.map(_with_space, run.blocks, run.engine.broadcast(space))


def _with_space(block: DocumentBlock, space: WordSpace) -> DocumentBlock:
    return replace(block, documents=replace(block.documents, space=space))


@dataclass(frozen=True, eq=False)
class Nearness:
    """What the meaning says of documents: all that is needed of it, smaller than their directions."""

    cosines: Array  # (n_documents, n_categories), of documents with each category
    to_names: Array | None  # (n_documents, n_categories), how near they are to the name of each
    known: NDArray[np.bool_]  # (n_documents,), whether anything is known of a document
    to_clusters: Array | None = None  # (n_documents, n_categories), with each cluster, where there are any

    @cached_property
    def scores(self) -> Array:
        """How near documents are to each category, in standard deviations of the document."""
        return standardised(self.cosines if self.to_clusters is None else self.to_clusters)


@dataclass(frozen=True, eq=False)
class Documents:
    """Counted documents, and what is made of them when a stage asks for it."""

    all_counts: sp.csr_array  # (n_documents, n_columns), the words of the fit first
    space: WordSpace | None = None  # for models that weigh words
    meaning: Meaning | None = None
    sentences: Vectors | None = None  # (n_documents, n_dims), what an encoder gave for the texts, of length 1
    known_nearness: Nearness | None = None  # where it is known from before: then no directions are needed
    left_out: NDArray[np.float32] | None = None  # (n_documents,), how many words are not counted
    _posteriors: dict[int, Array] = field(default_factory=dict, init=False, repr=False)  # by stages

    def __len__(self) -> int:
        return self.all_counts.shape[0]

    def __getstate__(self) -> dict[str, Any]:
        """Leave out labels, which are known by stages of this process."""
        return {**vars(self), "_posteriors": {}}

    def posterior(self, stage: Stage) -> Array:
        """Return the label distributions that a stage gives by itself, computed once."""
        if id(stage) not in self._posteriors:
            self._posteriors[id(stage)] = stage.apply(self, np.empty(0))
        return self._posteriors[id(stage)]

    @property
    def words(self) -> WordSpace:
        """The weights of words, which the model has."""
        assert self.space is not None
        return self.space

    @cached_property
    def counts(self) -> sp.csr_array:
        """The words of the fit."""
        n_words = self.all_counts.shape[1] if self.space is None else len(self.space.rarity)
        return self.all_counts if self.all_counts.shape[1] == n_words else self.all_counts[:, :n_words]

    @cached_property
    def vectors(self) -> sp.csr_array:
        """Sublinear TF-IDF in rows of length 1: for the graph, naive Bayes and the regression."""
        return unit_rows(sublinear(self.counts, self.words.rarity))

    @cached_property
    def directions(self) -> Vectors:
        """Where documents point by their meaning, in rows of length 1 or zeros."""
        if self.meaning is None:
            return np.zeros((self.all_counts.shape[0], 0), np.float32)
        return self.meaning.documents(self.all_counts, self.sentences, self._used)

    @cached_property
    def nearness(self) -> Nearness | None:
        """What the meaning says; None where no meanings are known."""
        if self.meaning is None or self.known_nearness is not None:
            return self.known_nearness
        directions, names, clusters = self.directions, self.meaning.names, self.meaning.clusters
        return Nearness(
            cosines(directions, self.meaning.categories),
            None if names is None else cosines(directions, names),
            np.asarray(directions.any(axis=1)),
            None if clusters is None else cosines(directions, clusters),
        )

    def without_directions(self) -> Documents:
        """Return the same documents, of whose meaning nothing is kept but what it says."""
        return replace(self, sentences=None, known_nearness=self.nearness)

    @property
    def scores(self) -> Array | None:
        """How near documents are to each category by their meaning; None where no meanings are known."""
        return None if self.nearness is None else self.nearness.scores

    @property
    def near_names(self) -> Array | None:
        """How near documents are to the name of each category; None where no meanings are known."""
        return None if self.nearness is None else self.nearness.to_names

    @cached_property
    def by_meaning(self) -> Array:
        """What the meaning adds to the log-odds of categories, the more, the fewer words the fit has seen."""
        if self.scores is None or self.meaning is None:
            return np.zeros((self.all_counts.shape[0], 1))
        return self._say_of_meaning[:, None] * self.scores

    @property
    def _say_of_meaning(self) -> Array:
        if self.meaning is None:
            return np.zeros(self.all_counts.shape[0])
        if self.meaning.n_encoded:  # an encoder reads the text as if no word of it were known
            return np.full(self.all_counts.shape[0], SAY_OF_UNSEEN)
        return SAY_OF_UNSEEN * self.meaning.unseen_share(self.all_counts, self._used)

    def meaning_evidence(
        self, label: int, rival: int, say: float | None = None
    ) -> tuple[Array, float, float]:
        """Part what the meaning adds to the log-odds of one document; see `Meaning.parted`.

        It adds `by_meaning`, or the scores times another say.
        """
        if self.meaning is None or self.scores is None:
            return np.zeros(self.all_counts.nnz), 0.0, 0.0
        weights = np.zeros(len(self.meaning.categories))
        weights[label] += self._say_of_meaning[0] if say is None else say
        weights[rival] -= weights[label]
        words, constant, sentence = self.meaning.parted(self.all_counts, self.sentences, weights)
        # The documents are added up in single precision; what is rounded there goes to no word.
        log_odds = self.by_meaning if say is None else say * self.scores
        added = float(log_odds[0, label] - log_odds[0, rival])
        return words, constant + added - fsum([*words.tolist(), constant, sentence]), sentence

    def among_all_words(self, values: Array) -> Array:
        """Return values of the words of the fit a place among all words of one document, zeros elsewhere."""
        spread = np.zeros(self.all_counts.nnz)
        spread[self.all_counts.indices < self.counts.shape[1]] = values
        return spread

    @cached_property
    def has_words(self) -> NDArray[np.bool_]:
        """Whether a document has a word that carries any weight, or a meaning."""
        if self.space is None:
            return np.asarray(np.diff(self.counts.indptr) > 0)
        worded = np.asarray(squared_lengths(self.vectors) > 0)
        return worded if self.nearness is None else worded | self.nearness.known

    def by_seen_words(self) -> Documents:
        """Return documents as their words of the fit show them; one without such words stays as it is."""
        unseen = np.diff(self.all_counts.indptr) > np.diff(self.counts.indptr)
        changed = np.flatnonzero(unseen & (squared_lengths(self.vectors) > 0))
        if not len(changed):
            return self
        some = self.counts[changed]
        shape = (len(changed), self.all_counts.shape[1])
        counts = sp.csr_array((some.data, some.indices, some.indptr), shape=shape)
        sentences = None if self.sentences is None else self.sentences[changed]
        part = replace(self, all_counts=counts, sentences=sentences)
        seen = replace(self, all_counts=self.counts)
        # Most documents have no other words: what is known of them is not computed again.
        vars(seen).update(counts=self.counts, vectors=self.vectors)
        for name in ("directions", "by_meaning"):
            values = getattr(self, name).copy()
            values[changed] = getattr(part, name)
            vars(seen)[name] = values
        return seen

    @cached_property
    def _used(self) -> UsedWords | None:
        """The words that occur, of which the meaning is looked up."""
        return None if self.meaning is None else used_words(self.meaning.words, self.all_counts)

    def weighted(self) -> sp.csr_array:
        """Damped counts times pi: for the topic model."""
        return sublinear(self.counts, self.words.word_weights)

    def even_without_words(self, posterior: Array) -> Array:
        """Return every category the same probability in documents without a word that carries weight."""
        return np.where(self.has_words[:, None], posterior, 1.0 / posterior.shape[1])
