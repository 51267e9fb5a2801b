"""Fits for the studio: a quick one whose labels come at once, and one from scratch that has the last word."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import SeedWarning
from seedtopic.base.progress import Progress
from seedtopic.base.threads import checked
from seedtopic.learning.graph.sources import GivenGraph, WordGraph
from seedtopic.learning.signals.confirmed import Confirmed
from seedtopic.models import SeedTopicClassifier
from seedtopic.models.stages.warm_start import WarmStart
from seedtopic.models.training_set import TrainingSet
from seedtopic.seeds import Seeds
from seedtopic.studio.collection import Collection
from seedtopic.studio.draft import Draft
from seedtopic.studio.quick import ContinuedFit, FirstQuickFit
from seedtopic.studio.warm_start import EarlierFit, KnownGraph, Recorder
from seedtopic.text.counts import Counts

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
