"""What the EM loop asks of a runner."""

from __future__ import annotations

from typing import Protocol

from seedtopic.learning.topics.kernels import Parameters, Statistics
from seedtopic.learning.topics.kernels.interface import Floats


class Expectation(Protocol):
    """An E-step over all documents, wherever they are."""

    def __call__(
        self, parameters: Parameters, relevance: Floats, *, bayes: bool, want_likelihood: bool = False
    ) -> Statistics:
        """Compute expected counts; see `seedtopic.learning.topics.kernels.Kernel`."""
        ...
