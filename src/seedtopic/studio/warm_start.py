"""What an earlier fit reached shortly before its end, so that a fit with other seeds can start from there.

Starting from the last iterations, rather than from the end, a fit with the same seeds ends where the earlier
one did: what differs in the end differs because of the seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.classify.logistic import Regression
from seedtopic.learning.signals.shares import shares
from seedtopic.learning.topics.kernels.interface import Parameters
from seedtopic.models import SeedTopicClassifier
from seedtopic.models.stages.first_guess import FirstGuess
from seedtopic.models.stages.warm_start import Observer

Array = NDArray[np.float64]

# Iterations of the topic model that a fit with a warm start repeats. The relevance of words is computed
# before the first of them, so that none need be kept.
LEFT = 5


@dataclass(frozen=True)
class KnownGraph:
    """Neighbours of documents, in the order in which a fit took them."""

    documents: NDArray[np.intp]
    similarity: sp.csr_array

    def ordered(self, documents: NDArray[np.intp]) -> sp.csr_array | None:
        """Give the graph of the same documents in another order, None for other documents."""
        if np.array_equal(documents, self.documents):
            return self.similarity
        if len(documents) != len(self.documents):
            return None
        place = np.full(int(max(documents.max(), self.documents.max())) + 1, -1)
        place[self.documents] = np.arange(len(self.documents))
        rows = place[documents]
        return None if (rows < 0).any() else sp.csr_array(self.similarity[rows][:, rows])


class Recorder(Observer):
    """Keeps in memory what a fit reaches."""

    def __init__(self, documents: NDArray[np.intp], max_iter: int, rounds: int) -> None:
        self.documents = documents
        self.found: KnownGraph | None = None
        self.reached: Parameters | None = None
        self.regressions: dict[int, Regression] = {}
        self._iteration = max(max_iter - LEFT, 1)
        self._rounds = {0, max(rounds - 1, 0)}

    def graph(self, similarity: Callable[[], sp.csr_array]) -> None:
        self.found = KnownGraph(self.documents, similarity())

    def topics(self, done: int, parameters: Callable[[], Parameters]) -> None:
        if done == self._iteration:
            self.reached = parameters()

    def regression(self, done: int, regression: Regression) -> None:
        if done in self._rounds:
            self.regressions[done] = regression


@dataclass(frozen=True)
class EarlierFit:
    """What an earlier fit had reached, by document, word and category."""

    documents: NDArray[np.intp]  # the documents in the order of the arrays
    vocabulary: list[str]
    keys: NDArray[np.intp]  # the keys of the categories, see `seedtopic.studio.draft`
    topics: Parameters  # the topic model, some iterations before the last
    first: Regression
    last: Regression
    seed_weights: Mapping[tuple[int, str], float]

    @classmethod
    def of(cls, model: SeedTopicClassifier, recorder: Recorder, keys: NDArray[np.intp]) -> EarlierFit:
        """Take what a recorder kept of a fit."""
        if recorder.reached is None:
            raise ValueError("the recorder has seen no fit")
        guess, rounds = model.stages_.guess, recorder.regressions
        return cls(
            recorder.documents,
            model.vocabulary_,
            keys,
            recorder.reached,
            rounds[0],
            rounds[max(rounds)],
            _weights(guess, model.vocabulary_, keys),
        )


def _weights(
    guess: FirstGuess, vocabulary: list[str], keys: NDArray[np.intp]
) -> dict[tuple[int, str], float]:
    """Give the weight of each seed, and of each weak one relative to its cosine."""
    seeds = seed_pairs(guess.seeds.membership, vocabulary, keys)
    return {
        **dict(zip(seeds, guess.seed_weights.tolist(), strict=True)),
        **dict(zip(seed_pairs(guess.weak, vocabulary, keys), guess.weak_weights.tolist(), strict=True)),
    }


def seed_pairs(
    membership: sp.csr_array, vocabulary: list[str], keys: NDArray[np.intp]
) -> list[tuple[int, str]]:
    """Give the category's key and the word of each seed, in the order of the membership."""
    category = np.repeat(keys, np.diff(membership.indptr)).tolist()
    words = [vocabulary[column] for column in membership.indices.tolist()]
    return list(zip(category, words, strict=True))


@dataclass(frozen=True)
class Translation:
    """Where an earlier fit has the words, categories and documents of a new one; -1 where it has not."""

    earlier: EarlierFit
    words: NDArray[np.intp]
    categories: NDArray[np.intp]
    documents: NDArray[np.intp]

    @classmethod
    def to(
        cls, earlier: EarlierFit, vocabulary: list[str], keys: NDArray[np.intp], documents: NDArray[np.intp]
    ) -> Translation:
        """Find the words, keys and documents of a new fit in a earlier."""
        place = np.full(1 + int(max(documents.max(), earlier.documents.max())), -1)
        place[earlier.documents] = np.arange(len(earlier.documents))
        return cls(
            earlier,
            _places(earlier.vocabulary, vocabulary),
            _places(earlier.keys.tolist(), keys.tolist()),
            place[documents],
        )

    def regression(self, kept: Regression) -> Regression:
        """Give a regression of the earlier fit; words and categories it does not know have weight 0."""
        weights = np.zeros((len(self.words), len(self.categories)), np.float32)
        intercept = np.zeros(len(self.categories), np.float32)
        _fill(weights, kept.weights, self.words, self.categories)
        known = self.categories >= 0
        intercept[known] = kept.intercept[self.categories[known]]
        return Regression(weights, intercept)

    def topics(self, alpha: Array, naive_bayes: Array) -> Parameters:
        """Give the topic model of the earlier fit, as far as it goes.

        A category that it does not know has the share that the prior gives it, and the words that naive
        Bayes does; a word that it does not know is as likely in all background topics.
        """
        kept = vars(self.earlier.topics)
        n_words, n_background = len(self.words), kept["word_background"].shape[1]
        background = np.arange(n_background)
        word_topic = naive_bayes.astype(np.float32)
        _fill(word_topic, kept["word_topic"], self.words, self.categories)
        word_background = np.full((n_words, n_background), 1.0 / n_words, np.float32)
        _fill(word_background, kept["word_background"], self.words, background)
        doc_background = np.full((len(alpha), n_background), 1.0 / n_background, np.float32)
        _fill(doc_background, kept["doc_background"], self.documents, background)
        return Parameters(
            self._shares(shares(alpha), kept["doc_topic"]).astype(np.float32),
            doc_background,
            word_topic / word_topic.sum(axis=0),
            word_background / word_background.sum(axis=0),
        )

    def _shares(self, prior: Array, kept: NDArray[Any]) -> Array:
        known = self.categories >= 0
        rows = np.flatnonzero(self.documents >= 0)
        old = kept[self.documents[rows]][:, self.categories[known]].astype(np.float64)
        among_known = shares(prior[np.ix_(rows, known)])
        # What a document has lost with a category is given out as the prior has it.
        old += np.maximum(1.0 - old.sum(axis=1, keepdims=True), 0.0) * among_known
        found = prior.copy()
        found[np.ix_(rows, known)] = old * (1.0 - prior[np.ix_(rows, ~known)].sum(axis=1, keepdims=True))
        return shares(found)


def _places(there: list[Any], wanted: list[Any]) -> NDArray[np.intp]:
    place_of = {value: place for place, value in enumerate(there)}
    return np.array([place_of.get(value, -1) for value in wanted], np.intp)


def _fill(
    target: NDArray[Any], source: NDArray[Any], rows: NDArray[np.intp], columns: NDArray[np.intp]
) -> None:
    """Write what is known into an array, row by row and column by column."""
    known_rows, known_columns = np.flatnonzero(rows >= 0), np.flatnonzero(columns >= 0)
    target[np.ix_(known_rows, known_columns)] = source[np.ix_(rows[known_rows], columns[known_columns])]
