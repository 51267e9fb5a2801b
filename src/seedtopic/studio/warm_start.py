"""What a fit had reached shortly before its end, so that a fit with other seeds can go on from there.

A fit keeps its work by way of a checkpoint; this one keeps it in memory. Going on from the last iterations,
rather than from the end, a fit with the same seeds ends where the earlier one did: what differs in the end
differs because of the seeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.classify.logistic import Regression
from seedtopic.learning.signals.shares import shares
from seedtopic.learning.topics.kernels import Parameters
from seedtopic.models import SeedTopicClassifier
from seedtopic.storage.checkpoint import Arrays, Checkpoint
from seedtopic.text.counts import Counts, canonical_order

Array = NDArray[np.float64]
Kept = dict[str, NDArray[Any]]

# Iterations of the topic model that a fit which goes on does anew. The relevance of words is computed before
# the first of them, so that none need be kept.
LEFT = 5


@dataclass(frozen=True)
class Graph:
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


class Recorder(Checkpoint):
    """Keeps in memory what a fit reaches, and gives it a graph that is known already.

    Parameters
    ----------
    counts : Counts
        That the fit is made with.
    documents : ndarray of int, shape (n_documents,)
        Which documents these are.
    max_iter, rounds : int
        Of the topic model, and of the self-training.
    graph : Graph, optional
        Neighbours that were found before.
    """

    def __init__(
        self,
        counts: Counts,
        documents: NDArray[np.intp],
        max_iter: int,
        rounds: int,
        graph: Graph | None = None,
    ) -> None:
        self.documents = documents[canonical_order(counts.matrix)]
        self.resumed: dict[str, Kept] = {}  # what a fit that goes on is to begin with
        self.kept: dict[tuple[str, int], Kept] = {}
        self.wanted = {
            ("learning", max(max_iter - LEFT, 1)),
            ("refining", 0),
            ("refining", max(rounds - 1, 0)),
        }
        self.found: Graph | None = None
        known = None if graph is None else graph.ordered(self.documents)
        if known is not None:
            self.found = Graph(self.documents, known)

    def recall(self, step: str) -> Kept | None:
        if step == "neighbours" and self.found is not None:
            edges = self.found.similarity
            return {"data": edges.data, "indices": edges.indices, "indptr": edges.indptr}
        return self.resumed.pop(step, None)

    def keep(self, step: str, arrays: Arrays, *, last: bool = False) -> None:
        if step == "neighbours":
            square = 2 * (len(arrays["indptr"]) - 1,)
            edges = sp.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=square)
            self.found = Graph(self.documents, edges)
        elif "done" in arrays and (step, int(arrays["done"])) in self.wanted:
            self.kept[step, int(arrays["done"])] = dict(arrays)


@dataclass(frozen=True)
class Basis:
    """What an earlier fit had reached, by document, word and category.

    Attributes
    ----------
    documents : ndarray of int
        The documents in the order of the arrays.
    vocabulary : list of str
    keys : ndarray of int
        The keys of the categories, see `seedtopic.studio.draft`.
    topics : dict of str to ndarray
        The parameters of the topic model, some iterations before the last.
    first, last : Regression
        After the first fit of the regression, and before its last round.
    seed_weights : dict of (int, str) to float
        The weight of each seed, by the key of its category and its word.
    confidence, temperature : float
        Mean probability of the labels, and what predictions are tempered by.
    """

    documents: NDArray[np.intp]
    vocabulary: list[str]
    keys: NDArray[np.intp]
    topics: Kept
    first: Regression
    last: Regression
    seed_weights: Mapping[tuple[int, str], float]
    confidence: float
    temperature: float

    @classmethod
    def of(cls, model: SeedTopicClassifier, recorder: Recorder, keys: NDArray[np.intp]) -> Basis:
        """Take what a recorder kept of a fit."""
        topics = next(kept for (step, _), kept in recorder.kept.items() if step == "learning")
        rounds = {done: kept for (step, done), kept in recorder.kept.items() if step == "refining"}
        membership = model.seeds_.bind(model.vocabulary_).membership
        category = np.repeat(keys, np.diff(membership.indptr)).tolist()
        words = [model.vocabulary_[column] for column in membership.indices.tolist()]
        return cls(
            recorder.documents,
            model.vocabulary_,
            keys,
            topics,
            _regression(rounds[0]),
            _regression(rounds[max(rounds)]),
            dict(zip(zip(category, words, strict=True), model.seed_weights_.tolist(), strict=True)),
            float(model.label_distributions_.max(axis=1).mean()),
            float(model.temperature_),
        )


@dataclass(frozen=True)
class Translation:
    """Where the words, categories and documents of a new fit stand in a basis; -1 for those that do not."""

    basis: Basis
    words: NDArray[np.intp]
    categories: NDArray[np.intp]
    documents: NDArray[np.intp]

    @classmethod
    def to(
        cls, basis: Basis, vocabulary: list[str], keys: NDArray[np.intp], documents: NDArray[np.intp]
    ) -> Translation:
        """Find the words, keys and documents of a new fit in a basis."""
        place = np.full(1 + int(max(documents.max(), basis.documents.max())), -1)
        place[basis.documents] = np.arange(len(basis.documents))
        return cls(
            basis,
            _places(basis.vocabulary, vocabulary),
            _places(basis.keys.tolist(), keys.tolist()),
            place[documents],
        )

    def regression(self, kept: Regression) -> Regression:
        """Give a regression of the basis; words and categories that it does not know have no say in it."""
        weights = np.zeros((len(self.words), len(self.categories)), np.float32)
        intercept = np.zeros(len(self.categories), np.float32)
        _fill(weights, kept.weights, self.words, self.categories)
        known = self.categories >= 0
        intercept[known] = kept.intercept[self.categories[known]]
        return Regression(weights, intercept)

    def topics(self, alpha: Array, naive_bayes: Array) -> Parameters:
        """Give the topic model of the basis, as far as it goes.

        A category that it does not know has the share that the prior gives it, and the words that naive
        Bayes does; a word that it does not know is as likely in all background topics.

        Parameters
        ----------
        alpha : ndarray, shape (n_documents, n_categories)
            The prior of the documents.
        naive_bayes : ndarray, shape (n_words, n_categories)
            Word probabilities.
        """
        kept = self.basis.topics
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


def _regression(kept: Kept) -> Regression:
    return Regression(kept["weights"], kept["intercept"])
