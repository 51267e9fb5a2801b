"""Quick fits: what they take from an earlier fit instead of learning it, and how many steps they save."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.classify import logistic
from seedtopic.learning.classify.logistic import Regression
from seedtopic.learning.classify.self_training import first_targets
from seedtopic.learning.signals.confirmed import Confirmed
from seedtopic.learning.topics.kernels.interface import Parameters
from seedtopic.models.stages.first_guess import FirstGuess
from seedtopic.models.training_set import TrainingSet
from seedtopic.studio.warm_start import LEFT, EarlierFit, Translation, seed_pairs

Array = NDArray[np.float64]

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
