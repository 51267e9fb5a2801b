"""Fits for the studio: a quick one whose labels come at once, and one from scratch that has the last word."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.errors import SeedWarning
from seedtopic.models import SeedTopicClassifier
from seedtopic.parallel.threads import checked
from seedtopic.progress import Progress
from seedtopic.seeds import Seeds
from seedtopic.studio.collection import Collection
from seedtopic.studio.draft import Draft
from seedtopic.studio.quick import QuickClassifier
from seedtopic.studio.warm_start import Basis, Graph, Recorder
from seedtopic.text.counts import Counts

Check = Callable[[], None]
Keys = NDArray[np.intp]
Labelled = tuple[SeedTopicClassifier, NDArray[np.float64], Literal["all", "sample"]]

MOST_QUICK = 25_000  # documents that a quick fit takes; of more, it takes a sample and predicts the rest
FEWER_ITERATIONS, FEWER_ROUNDS = 15, 1  # of a quick fit that has nothing to go on from


class Fitting:
    """The fits of one collection, each of which learns from those before what does not depend on seeds.

    Parameters
    ----------
    collection : Collection
    most_quick : int
        Documents that a quick fit takes.
    """

    def __init__(self, collection: Collection, most_quick: int = MOST_QUICK) -> None:
        self.collection, self.most_quick = collection, most_quick
        self._all = np.arange(len(collection))
        drawn = np.random.default_rng(0).permutation(len(collection))[:most_quick]
        self._sample = np.sort(drawn)
        self._basis: Basis | None = None
        self._graphs: dict[tuple[str, ...], Graph] = {}

    def quick(self, draft: Draft, seeds: Seeds, progress: Progress, check: Check) -> Labelled:
        """Fit in a hurry; of many documents, fit a sample and predict the others."""
        counts = self.collection.counts(seeds.counted)
        keys = keys_of(draft, seeds)
        confirmed = np.fromiter(draft.confirmed, np.intp, len(draft.confirmed))
        whole = len(self._all) <= self.most_quick
        rows = self._all if whole else np.union1d(self._sample, confirmed)
        part = counts if whole else Counts(sp.csr_array(counts.matrix[rows]), counts.vocabulary)
        basis = self._basis if self._basis is not None and np.isin(keys, self._basis.keys).any() else None
        model = QuickClassifier(**self._settings(seeds, counts), calibrate=False)
        if basis is None:
            model.set_params(max_iter=FEWER_ITERATIONS, self_training_rounds=FEWER_ROUNDS)
        recorder = self._recorder(model, part, rows, near=True)
        model.keys, model.recorder, model.basis = keys, recorder, basis
        self._fit(model, part, draft, rows, recorder, progress, check)
        if basis is None:
            self._basis = Basis.of(model, recorder, keys)
        if whole:
            return model, model.label_distributions_, "all"
        probabilities = np.empty((len(self._all), len(keys)))
        probabilities[rows] = model.label_distributions_
        others = np.setdiff1d(self._all, rows)
        check()
        probabilities[others] = model.predict_proba(counts.matrix[others])
        return model, probabilities, "sample"

    def from_scratch(self, draft: Draft, seeds: Seeds, progress: Progress, check: Check) -> Labelled:
        """Fit all documents as the command line would; later quick fits go on from here."""
        counts = self.collection.counts(seeds.counted)
        model = SeedTopicClassifier(**self._settings(seeds, counts))
        recorder = self._recorder(model, counts, self._all, near=False)
        self._fit(model, counts, draft, self._all, recorder, progress, check)
        self._basis = Basis.of(model, recorder, keys_of(draft, seeds))
        return model, model.label_distributions_, "all"

    def _settings(self, seeds: Seeds, counts: Counts) -> dict[str, Any]:
        return {
            "seeds": seeds,
            "vocabulary": counts.vocabulary,
            "tokenizer": self.collection.tokenizer,
            "stop_words": self.collection.stop_words,
            "n_threads": self.collection.n_threads,
            "random_state": 0,
        }

    def _recorder(
        self, model: SeedTopicClassifier, counts: Counts, rows: NDArray[np.intp], *, near: bool
    ) -> Recorder:
        """Prepare to keep what a fit reaches; `near` takes a graph that lacks some rare words, too."""
        graph = self._graphs.get(self._name(counts, rows))
        if graph is None and near:
            graph = next((g for g in self._graphs.values() if len(g.documents) == len(rows)), None)
        return Recorder(counts, rows, model.max_iter, model.self_training_rounds, graph)

    def _name(self, counts: Counts, rows: NDArray[np.intp]) -> tuple[str, ...]:
        """Name a graph by its documents, and by its words beside the usual ones."""
        usual = self.collection.usual.vocabulary
        more = () if counts.vocabulary is usual else sorted(set(counts.vocabulary) - set(usual))
        return (str(len(rows)), *more)

    def _fit(
        self,
        model: SeedTopicClassifier,
        counts: Counts,
        draft: Draft,
        rows: NDArray[np.intp],
        recorder: Recorder,
        progress: Progress,
        check: Check,
    ) -> None:
        known = recorder.found is not None
        labels = confirmed_labels(draft, rows)
        with checked(check), warnings.catch_warnings():
            warnings.simplefilter("ignore", SeedWarning)  # the page says it all in its place
            model.fit(counts.matrix, labels, progress=progress, checkpoint=recorder)
        if recorder.found is not None and not known:
            name = self._name(counts, rows)
            for rare in [other for other in self._graphs if len(other) > 1]:  # of earlier seeds
                del self._graphs[rare]
            self._graphs[name] = recorder.found


def confirmed_labels(draft: Draft, rows: NDArray[np.intp]) -> list[str | None] | None:
    """Give the confirmed label of each of some documents, None where there is none."""
    if not draft.confirmed:
        return None
    name_of = {category.key: category.name for category in draft.categories}
    return [name_of.get(draft.confirmed.get(row, 0)) for row in rows.tolist()]


def keys_of(draft: Draft, seeds: Seeds) -> Keys:
    """Give the key of each category that documents are labelled with."""
    key_of = {category.name: category.key for category in draft.categories}
    return np.array([key_of[str(name)] for name in seeds.names], np.intp)
