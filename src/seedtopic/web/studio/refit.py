"""The refit thread: it waits for a pause in the edits, fits, and starts again after the next edit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from threading import Condition, Thread
from time import monotonic
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import SeedWarning
from seedtopic.base.progress import Progress
from seedtopic.base.threads import checked
from seedtopic.learning.graph.neighbours import GivenGraph, GraphSource, WordGraph
from seedtopic.learning.signals.answers import Confirmed
from seedtopic.model import SeedTopicClassifier
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
        self._thread.start()

    def request(self, revision: int, *, at_once: bool = False) -> None:
        """Ask for the labels of a revision; work for an earlier one is cancelled."""
        with self._changed:
            self._wanted = revision
            self._due = monotonic() + (0.0 if at_once else self._pause)
            self._changed.notify_all()

    def stop(self, timeout: float = 10.0) -> None:
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


Check = Callable[[], None]
Keys = NDArray[np.intp]
FittedLabels = tuple[SeedTopicClassifier, NDArray[np.float64], NDArray[np.bool_], Literal["all", "sample"]]

MOST_PREVIEWED = 10_000  # documents that a preview is fitted to: all, or a sample
# 4.8 % of the labels of 3,000 posts of Newsgroup change later, and 1.3 % of those of Reuters.
FEWER = {"max_iter": 15, "self_training_rounds": 1}


@dataclass(frozen=True)
class KnownGraph:
    """Neighbours of documents, in the order in which a fit took them."""

    documents: NDArray[np.intp]
    similarity: sp.csr_array

    def ordered(self, documents: NDArray[np.intp]) -> sp.csr_array | None:
        """Return the graph of the same documents in another order, None for other documents."""
        if np.array_equal(documents, self.documents):
            return self.similarity
        if len(documents) != len(self.documents):
            return None
        place = np.full(int(max(documents.max(), self.documents.max())) + 1, -1)
        place[self.documents] = np.arange(len(self.documents))
        rows = place[documents]
        return None if (rows < 0).any() else sp.csr_array(self.similarity[rows][:, rows])


@dataclass(frozen=True)
class _NewGraph:
    """Finds the neighbours of documents as a model does, and remembers them."""

    n_neighbors: int
    of_blocks: list[sp.csr_array] = field(default_factory=list)

    def similarity(
        self, vectors: sp.csr_array, n_threads: int, encoded: NDArray[np.float32] | None = None
    ) -> sp.csr_array:
        self.of_blocks.append(WordGraph(self.n_neighbors).similarity(vectors, n_threads, encoded))
        return self.of_blocks[-1]

    def data(self) -> Iterator[NDArray[Any]]:
        yield from ()


class Fitting:
    """The fits of one collection, which share the neighbours of documents."""

    def __init__(self, collection: Collection, most_previewed: int = MOST_PREVIEWED) -> None:
        self.collection, self.most_previewed = collection, most_previewed
        self._all = np.arange(len(collection))
        drawn = np.random.default_rng(0).permutation(len(collection))[:most_previewed]
        self._sample = np.sort(drawn)
        self._graphs: dict[tuple[str, ...], KnownGraph] = {}

    def wants_preview(self, keys: Keys, shown: Keys | None) -> bool:
        """Return whether labels of other categories, or none, are shown, or the final ones take long.

        Labels of the same categories are about as near to the final ones as a preview would be.
        """
        return shown is None or set(keys) != set(shown) or len(self._all) > self.most_previewed

    def preview(self, draft: Draft, seeds: Seeds, progress: Progress, check: Check) -> FittedLabels:
        """Fit with fewer iterations; of many documents, fit a sample and predict the others."""
        counts = self.collection.counts(seeds.counted_words, seeds.all_rules)
        whole = len(self._all) <= self.most_previewed
        confirmed = np.fromiter(draft.confirmed, np.intp, len(draft.confirmed))
        if len(confirmed) > self.most_previewed:
            confirmed = np.random.default_rng(0).permutation(confirmed)[: self.most_previewed]
        rows = self._all if whole else np.union1d(self._sample, confirmed)
        part = counts if whole else Counts(sp.csr_array(counts.matrix[rows]), counts.vocabulary)
        model = self._fitted(part, draft, seeds, rows, progress, check, **FEWER)
        if whole:
            return model, model.label_distributions_, model.has_words_, "all"
        probabilities = np.empty((len(self._all), len(model.classes_)))
        has_words = np.empty(len(self._all), dtype=bool)
        probabilities[rows], has_words[rows] = model.label_distributions_, model.has_words_
        others = np.setdiff1d(self._all, rows)
        check()
        predictions = model.predict_all(counts.matrix[others])
        probabilities[others], has_words[others] = predictions.probabilities, predictions.has_words
        held = Confirmed.in_categories(confirmed_categories(draft, seeds, self._all))
        return model, held.hold(probabilities), has_words, "sample"

    def from_scratch(self, draft: Draft, seeds: Seeds, progress: Progress, check: Check) -> FittedLabels:
        """Fit all documents as the command line would."""
        counts = self.collection.counts(seeds.counted_words, seeds.all_rules)
        model = self._fitted(counts, draft, seeds, self._all, progress, check)
        return model, model.label_distributions_, model.has_words_, "all"

    def _fitted(
        self,
        counts: Counts,
        draft: Draft,
        seeds: Seeds,
        rows: NDArray[np.intp],
        progress: Progress,
        check: Check,
        **fewer: int,
    ) -> SeedTopicClassifier:
        """Fit with a graph that is known; with fewer iterations, one that lacks rare words is taken, too."""
        collection = self.collection
        model = SeedTopicClassifier(
            seeds,
            vectors=collection.vectors,
            vocabulary=counts.vocabulary,
            tokenizer=collection.tokenizer,
            stop_words=collection.stop_words,
            n_threads=collection.n_threads,
            random_state=0,
            **fewer,  # type: ignore[arg-type]
        )
        training_set = TrainingSet.of(counts, seeds, confirmed_categories(draft, seeds, rows))
        documents, name = rows[training_set.order], self._name(counts, rows)
        graph = self._graphs.get(name)
        if graph is None and fewer:
            graph = next((g for g in self._graphs.values() if len(g.documents) == len(rows)), None)
        known = None if graph is None else graph.ordered(documents)
        new = _NewGraph(model.n_neighbors)
        source: GraphSource = new if known is None else GivenGraph(known)
        read = collection.encoded
        vectors = None if read is None else read.source(documents, training_set)
        training_set = replace(training_set, graph=source, vectors=vectors)
        with checked(check), warnings.catch_warnings():
            warnings.simplefilter("ignore", SeedWarning)  # the page says it all in its place
            model.fit_training_set(training_set, progress=progress)
        if len(new.of_blocks) == 1:
            for rare in [other for other in self._graphs if len(other) > 1]:  # of earlier seeds
                del self._graphs[rare]
            self._graphs[name] = KnownGraph(documents, new.of_blocks[0])
        return model

    def _name(self, counts: Counts, rows: NDArray[np.intp]) -> tuple[str, ...]:
        """Name a graph by its documents, and by its words beside the usual ones."""
        usual = self.collection.usual.vocabulary
        more = () if counts.vocabulary is usual else sorted(set(counts.vocabulary) - set(usual))
        return (str(len(rows)), *more)


def confirmed_categories(draft: Draft, seeds: Seeds, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the column of the main confirmed label of each of some documents, -1 where there is none."""
    column_of = {key: column for column, key in enumerate(keys_of(draft, seeds).tolist())}
    main = {document: keys[0] for document, keys in draft.confirmed.items() if keys}
    return np.array([column_of.get(main.get(row, 0), -1) for row in rows.tolist()], np.intp)


def keys_of(draft: Draft, seeds: Seeds) -> Keys:
    """Return the key of each category that documents are labelled with."""
    key_of = {category.name: category.key for category in draft.categories}
    return np.array([key_of[str(name)] for name in seeds.names], np.intp)
