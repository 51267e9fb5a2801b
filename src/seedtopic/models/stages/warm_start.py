"""How a quick fit starts from an earlier one, and how the earlier one is watched for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.classify.logistic import Regression
from seedtopic.learning.signals.confirmed import Confirmed
from seedtopic.learning.topics.kernels.interface import Parameters
from seedtopic.models.stages.first_guess import FirstGuess

Array = NDArray[np.float64]


class WarmStart(Protocol):
    """What a quick fit takes as known; None stands for what it has to learn itself."""

    @property
    def iterations(self) -> tuple[int, int]: ...

    def seed_weights(self, membership: sp.csr_array) -> Array | None:
        """Give the weight of each seed, weak ones among them, in the order of the membership."""
        ...

    def topics(self, alpha: Array, guess: FirstGuess) -> tuple[int, Parameters] | None:
        """Give the iterations done and the topic model after them, from the prior of the documents."""
        ...

    def regression(
        self, vectors: sp.csr_array, theta: Array, confirmed: Confirmed
    ) -> tuple[int, Regression] | None:
        """Give the rounds of self-training done and the regression after them."""
        ...


class Observer:
    """Sees what a fit reaches on its way; this one does nothing with it."""

    def graph(self, similarity: Callable[[], sp.csr_array]) -> None:
        """Learn how the neighbour graph can be had."""

    def topics(self, done: int, parameters: Callable[[], Parameters]) -> None:
        """Learn how the topic model after so many iterations can be had."""

    def regression(self, done: int, regression: Regression) -> None:
        """See the regression after so many rounds of self-training."""


NO_OBSERVER = Observer()
