"""The default model in a hurry: it goes on from an earlier fit, and leaves the calibration to a later one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.classify import logistic
from seedtopic.learning.classify.calibration import temper, temperature_for
from seedtopic.learning.classify.logistic import Regression
from seedtopic.learning.classify.self_training import first_targets, self_train
from seedtopic.learning.signals.confirmed import NOTHING_CONFIRMED, Confirmed
from seedtopic.learning.topics.kernels import Parameters
from seedtopic.models import SeedTopicClassifier
from seedtopic.progress import Progress
from seedtopic.seeds import BoundSeeds
from seedtopic.storage.checkpoint import Checkpoint
from seedtopic.studio.warm_start import LEFT, Basis, Recorder, Translation

Array = NDArray[np.float64]

# Of the regression towards the new topics: with the categories of the earlier fit, and with others.
TOWARDS, TOWARDS_OTHERS = 8, 16
LAST = 8  # of its last round
FROM_NOTHING = (25, 10)  # of the first fit and of each later one, where there is no earlier fit
N_STEPS = 12  # towards the temperature, which is then known to a thousandth
FIRST_CONFIDENCE = 0.8  # mean probability of labels while nothing is known of how sure they can be


class QuickClassifier(SeedTopicClassifier):
    """`SeedTopicClassifier` with fewer steps; its labels are nearly the same, see benchmarks/studio.py.

    Only `seedtopic.studio.fitting` makes one, and sets `keys`, `recorder` and `basis` before the fit; without
    a basis it starts from nothing, with fewer iterations.
    """

    keys: NDArray[np.intp]
    recorder: Recorder
    basis: Basis | None = None

    def _learn(
        self,
        counts: sp.csr_array,
        seeds: BoundSeeds,
        progress: Progress,
        checkpoint: Checkpoint,
        beside: Array | sp.csr_array | None = None,
        confirmed: Confirmed = NOTHING_CONFIRMED,
    ) -> NDArray[np.floating[Any]]:
        posterior = super()._learn(counts, seeds, progress, checkpoint, beside, confirmed)
        confidence = FIRST_CONFIDENCE if self.basis is None else self.basis.confidence
        found = np.asarray(posterior, np.float64)
        temperature = temperature_for(found, confidence, N_STEPS)
        self.temperature_ = temperature if self.basis is None else self.basis.temperature
        return confirmed.hold(temper(found, temperature))

    def _translation(self) -> Translation | None:
        if self.basis is None:
            return None
        return Translation.to(self.basis, self.vocabulary_, self.keys, self.recorder.documents)

    def _weights_of_seeds(self, counts: sp.csr_array, vectors: sp.csr_array, seeds: BoundSeeds) -> Array:
        """Take the weights of the earlier fit; a new seed weighs as much as others do on average."""
        if self.basis is None:
            return super()._weights_of_seeds(counts, vectors, seeds)
        category = np.repeat(self.keys, np.diff(seeds.membership.indptr)).tolist()
        words = [self.vocabulary_[column] for column in seeds.membership.indices.tolist()]
        known = self.basis.seed_weights
        mean = float(np.mean(list(known.values()))) if known else 1.0
        return np.array([known.get(pair, mean) for pair in zip(category, words, strict=True)])

    def _topic_start(self, alpha: Array, rng: np.random.RandomState) -> Parameters:
        translation = self._translation()
        if translation is None:
            return super()._topic_start(alpha, rng)
        topics = translation.topics(alpha, np.exp(self.start_word_).T)
        done, relevance = np.array(max(self.max_iter - LEFT, 0)), self.relevance_.astype(np.float32)
        resumed = {"done": done, "relevance": relevance, "objective": np.empty(0)}
        self.recorder.resumed["learning"] = {**vars(topics), **resumed}
        return topics

    def _self_trained(
        self,
        vectors: sp.csr_array,
        theta: Array,
        averaging: sp.csr_array,
        told: Callable[[int, int], None],
        confirmed: Confirmed,
        checkpoint: Checkpoint,
    ) -> Regression:
        rounds, translation = self.self_training_rounds, self._translation()
        if translation is None:
            return self_train(
                vectors, theta, averaging, rounds, told, confirmed, checkpoint, iterations=FROM_NOTHING
            )
        n_documents = len(theta)
        same = np.array_equal(self.keys, translation.basis.keys)
        before = translation.regression(translation.basis.first)
        after = logistic.fit(
            vectors,
            first_targets(theta, confirmed),
            logistic.penalty(n_documents),
            before,
            max_iter=TOWARDS if same else TOWARDS_OTHERS,
            document_weights=confirmed.weights(n_documents),
        )
        # What the seeds have changed in the first fit, they are taken to have changed in the later ones.
        later = translation.regression(translation.basis.last)
        self.recorder.resumed["refining"] = {
            "weights": later.weights + after.weights - before.weights,
            "intercept": later.intercept + after.intercept - before.intercept,
            "done": np.array(max(rounds - 1, 0)),
        }
        return self_train(
            vectors, theta, averaging, rounds, told, confirmed, checkpoint, iterations=(0, LAST)
        )
