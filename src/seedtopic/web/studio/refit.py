"""The refit thread: it waits for a pause in the edits, fits, and starts again after the next edit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import Condition, Thread
from time import monotonic
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import SeedWarning
from seedtopic.base.progress import Progress
from seedtopic.base.threads import checked
from seedtopic.learning.classify import logistic
from seedtopic.learning.classify.logistic import Regression
from seedtopic.learning.classify.self_training import first_targets
from seedtopic.learning.graph.neighbours import GivenGraph, WordGraph
from seedtopic.learning.signals.answers import Confirmed
from seedtopic.learning.signals.words import shares
from seedtopic.learning.topics.kernels.interface import Parameters
from seedtopic.model import SeedTopicClassifier
from seedtopic.model.fit import Observer, WarmStart
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.training import TrainingSet
from seedtopic.seeds import Seeds
from seedtopic.text.counts import Counts
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.draft import Draft

PAUSE = 0.2  # seconds without an edit before a fit starts


class Superseded(Exception):
    """Raised in work that is out of date because of a newer edit."""


class RefitThread:
    """Runs work for the latest revision, one at a time, in its own thread."""

    def __init__(self, work: Callable[[int, Callable[[], None]], None], pause: float = PAUSE) -> None:
        self._work, self._pause = work, pause
        self._changed = Condition()
        self._wanted, self._taken, self._stopped = -1, -1, False
        self._due = 0.0
        self._thread = Thread(target=self._run, name="seedtopic-studio-fits", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def request(self, revision: int, *, at_once: bool = False) -> None:
        """Ask for the labels of a revision; work for an earlier one is cancelled."""
        with self._changed:
            self._wanted = revision
            self._due = monotonic() + (0.0 if at_once else self._pause)
            self._changed.notify_all()

    def stop(self, timeout: float = 10.0) -> None:
        """End the thread and cancel its work."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def _run(self) -> None:
        while (revision := self._next()) is not None:
            try:
                self._work(revision, lambda current=revision: self._check(current))  # type: ignore[misc]
            except Superseded:
                continue

    def _next(self) -> int | None:
        with self._changed:
            while not self._stopped:
                left = self._due - monotonic()
                if self._wanted > self._taken and left <= 0:
                    self._taken = self._wanted
                    return self._taken
                self._changed.wait(left if self._wanted > self._taken else None)
            return None

    def _check(self, revision: int) -> None:
        if self._stopped or self._wanted != revision:
            raise Superseded


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
    keys: NDArray[np.intp]  # the keys of the categories, see `seedtopic.web.studio.draft`
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


# Iterations of the regression towards new topics: with the categories of the earlier fit, and with others.
TOWARDS, TOWARDS_OTHERS = 8, 16
LAST = 8  # of its last round
FROM_NOTHING = (25, 10)  # of the first fit and of each later one, where there is no earlier fit


@dataclass(frozen=True)
class FirstQuickFit:
    """A quick fit with nothing to start from: it makes fewer iterations."""

    iterations: tuple[int, int] = FROM_NOTHING

    def seed_weights(self, membership: sp.csr_array) -> Array | None:
        """Nothing is known."""
        return None

    def topics(self, alpha: Array, guess: FirstGuess) -> tuple[int, Parameters] | None:
        """Nothing is known."""
        return None

    def regression(
        self, vectors: sp.csr_array, theta: Array, confirmed: Confirmed
    ) -> tuple[int, Regression] | None:
        """Nothing is known."""
        return None


class ContinuedFit:
    """A quick fit that starts from an earlier one; its labels are nearly those of a fit from scratch."""

    iterations = (0, LAST)

    def __init__(
        self,
        earlier: EarlierFit,
        training_set: TrainingSet,
        documents: NDArray[np.intp],
        keys: NDArray[np.intp],
        max_iter: int,
        rounds: int,
    ) -> None:
        self._earlier, self._keys = earlier, keys
        self._vocabulary = training_set.vocabulary
        self._translation = Translation.to(earlier, training_set.vocabulary, keys, documents)
        self._n_done, self._rounds_done = max(max_iter - LEFT, 0), max(rounds - 1, 0)

    def seed_weights(self, membership: sp.csr_array) -> Array:
        """Take the weights of the earlier fit; a new seed weighs as much as others do on average."""
        known, pairs = self._earlier.seed_weights, seed_pairs(membership, self._vocabulary, self._keys)
        mean = float(np.mean(list(known.values()))) if known else 1.0
        return np.array([known.get(pair, mean) for pair in pairs])

    def topics(self, alpha: Array, guess: FirstGuess) -> tuple[int, Parameters]:
        """Take the topic model of the earlier fit."""
        return self._n_done, self._translation.topics(alpha, np.exp(guess.start_word).T)

    def regression(self, vectors: sp.csr_array, theta: Array, confirmed: Confirmed) -> tuple[int, Regression]:
        """Move the regression of the earlier fit towards the new topics."""
        n_documents = len(theta)
        same = np.array_equal(self._keys, self._earlier.keys)
        before = self._translation.regression(self._earlier.first)
        after = logistic.fit(
            vectors,
            first_targets(theta, confirmed),
            logistic.penalty(n_documents),
            before,
            max_iter=TOWARDS if same else TOWARDS_OTHERS,
            document_weights=confirmed.weights(n_documents),
        )
        # What the seeds have changed in the first fit, they are taken to have changed in the later ones.
        later = self._translation.regression(self._earlier.last)
        moved = Regression(
            later.weights + after.weights - before.weights,
            later.intercept + after.intercept - before.intercept,
        )
        return self._rounds_done, moved


Check = Callable[[], None]
Keys = NDArray[np.intp]
Labelled = tuple[SeedTopicClassifier, NDArray[np.float64], NDArray[np.bool_], Literal["all", "sample"]]

MOST_QUICK = 25_000  # documents that a quick fit takes; of more, it takes a sample and predicts the rest
FEWER_ITERATIONS, FEWER_ROUNDS = 15, 1  # of a quick fit that has nothing to go on from


class Fitting:
    """The fits of one collection, each of which learns from those before what does not depend on seeds."""

    def __init__(self, collection: Collection, most_quick: int = MOST_QUICK) -> None:
        self.collection, self.most_quick = collection, most_quick
        self._all = np.arange(len(collection))
        drawn = np.random.default_rng(0).permutation(len(collection))[:most_quick]
        self._sample = np.sort(drawn)
        self._earlier: EarlierFit | None = None
        self._graphs: dict[tuple[str, ...], KnownGraph] = {}

    def quick(self, draft: Draft, seeds: Seeds, progress: Progress, check: Check) -> Labelled:
        """Fit in a hurry; of many documents, fit a sample and predict the others."""
        counts = self.collection.counts(seeds.counted, seeds.all_rules)
        keys = keys_of(draft, seeds)
        whole = len(self._all) <= self.most_quick
        rows = self._all if whole else np.union1d(self._sample, self._some_confirmed(draft))
        part = counts if whole else Counts(sp.csr_array(counts.matrix[rows]), counts.vocabulary)
        earlier = self._earlier
        if earlier is not None and not np.isin(keys, earlier.keys).any():
            earlier = None
        model = SeedTopicClassifier(**self._settings(seeds, counts))
        if earlier is None:
            model.set_params(max_iter=FEWER_ITERATIONS, self_training_rounds=FEWER_ROUNDS)
        training_set = self._training_set(model, part, draft, seeds, rows, near=True)
        documents = rows[training_set.order]
        iterations = model.max_iter, model.self_training_rounds
        warm_start: WarmStart = (
            FirstQuickFit()
            if earlier is None
            else ContinuedFit(earlier, training_set, documents, keys, *iterations)
        )
        recorder = Recorder(documents, *iterations)
        self._fit(model, training_set, part, recorder, progress, check, warm_start)
        if earlier is None:
            self._earlier = EarlierFit.of(model, recorder, keys)
        if whole:
            return model, model.label_distributions_, model.has_words_, "all"
        probabilities = np.empty((len(self._all), len(keys)))
        has_words = np.empty(len(self._all), dtype=bool)
        probabilities[rows], has_words[rows] = model.label_distributions_, model.has_words_
        others = np.setdiff1d(self._all, rows)
        check()
        probabilities[others], extras = model.predict_all(counts.matrix[others])
        assert extras.labelable is not None  # which a model always gives
        has_words[others] = extras.labelable.has_words
        held = Confirmed.in_categories(confirmed_categories(draft, seeds, self._all))
        return model, held.hold(probabilities), has_words, "sample"

    def _some_confirmed(self, draft: Draft) -> NDArray[np.intp]:
        """Choose the confirmed documents that a quick fit takes: all, or a sample of very many."""
        confirmed = np.fromiter(draft.confirmed, np.intp, len(draft.confirmed))
        if len(confirmed) <= self.most_quick:
            return confirmed
        return np.random.default_rng(0).permutation(confirmed)[: self.most_quick]

    def from_scratch(self, draft: Draft, seeds: Seeds, progress: Progress, check: Check) -> Labelled:
        """Fit all documents as the command line would; later quick fits go on from here."""
        counts = self.collection.counts(seeds.counted, seeds.all_rules)
        model = SeedTopicClassifier(**self._settings(seeds, counts))
        training_set = self._training_set(model, counts, draft, seeds, self._all, near=False)
        documents = self._all[training_set.order]
        recorder = Recorder(documents, model.max_iter, model.self_training_rounds)
        self._fit(model, training_set, counts, recorder, progress, check)
        self._earlier = EarlierFit.of(model, recorder, keys_of(draft, seeds))
        return model, model.label_distributions_, model.has_words_, "all"

    def _settings(self, seeds: Seeds, counts: Counts) -> dict[str, Any]:
        return {
            "seeds": seeds,
            "vectors": self.collection.vectors,
            "vocabulary": counts.vocabulary,
            "tokenizer": self.collection.tokenizer,
            "stop_words": self.collection.stop_words,
            "n_threads": self.collection.n_threads,
            "random_state": 0,
        }

    def _training_set(
        self,
        model: SeedTopicClassifier,
        counts: Counts,
        draft: Draft,
        seeds: Seeds,
        rows: NDArray[np.intp],
        *,
        near: bool,
    ) -> TrainingSet:
        """Put documents in order, with a graph that is known; `near` takes one that lacks rare words, too."""
        training_set = TrainingSet.of(counts, seeds, confirmed_categories(draft, seeds, rows))
        graph = self._graphs.get(self._name(counts, rows))
        if graph is None and near:
            graph = next((g for g in self._graphs.values() if len(g.documents) == len(rows)), None)
        known = None if graph is None else graph.ordered(rows[training_set.order])
        source = WordGraph(model.n_neighbors) if known is None else GivenGraph(known)
        read, stop_words = self.collection.encoded, self.collection.stop_words
        documents = rows[training_set.order]
        vectors = None if read is None else read.source(documents, training_set, stop_words)
        return replace(training_set, graph=source, vectors=vectors)

    def _name(self, counts: Counts, rows: NDArray[np.intp]) -> tuple[str, ...]:
        """Name a graph by its documents, and by its words beside the usual ones."""
        usual = self.collection.usual.vocabulary
        more = () if counts.vocabulary is usual else sorted(set(counts.vocabulary) - set(usual))
        return (str(len(rows)), *more)

    def _fit(
        self,
        model: SeedTopicClassifier,
        training_set: TrainingSet,
        counts: Counts,
        recorder: Recorder,
        progress: Progress,
        check: Check,
        warm_start: WarmStart | None = None,
    ) -> None:
        with checked(check), warnings.catch_warnings():
            warnings.simplefilter("ignore", SeedWarning)  # the page says it all in its place
            model.fit_training_set(training_set, progress=progress, warm_start=warm_start, observer=recorder)
        if recorder.found is not None and isinstance(training_set.graph, WordGraph):
            for rare in [other for other in self._graphs if len(other) > 1]:  # of earlier seeds
                del self._graphs[rare]
            self._graphs[self._name(counts, recorder.documents)] = recorder.found


def confirmed_categories(draft: Draft, seeds: Seeds, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Give the column of the main confirmed label of each of some documents, -1 where there is none."""
    column_of = {key: column for column, key in enumerate(keys_of(draft, seeds).tolist())}
    main = {document: keys[0] for document, keys in draft.confirmed.items() if keys}
    return np.array([column_of.get(main.get(row, 0), -1) for row in rows.tolist()], np.intp)


def keys_of(draft: Draft, seeds: Seeds) -> Keys:
    """Give the key of each category that documents are labelled with."""
    key_of = {category.name: category.key for category in draft.categories}
    return np.array([key_of[str(name)] for name in seeds.names], np.intp)
