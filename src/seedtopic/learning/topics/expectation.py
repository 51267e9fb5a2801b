"""The E-step over documents in shards, one after the other; a kernel uses its threads within each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from seedtopic.learning.topics.kernels.interface import Floats, Kernel, Parameters, Scratch, Shard, Statistics
from seedtopic.learning.topics.shards import joined, parameters_of


@dataclass(frozen=True)
class Expectation:
    """An E-step over all documents."""

    shards: Sequence[Shard]  # see `seedtopic.learning.topics.shards.cut`
    kernel: Kernel
    scratch: Scratch = field(default_factory=Scratch)  # memory that the shards take turns to use

    def __call__(
        self, parameters: Parameters, relevance: Floats, *, bayes: bool, want_likelihood: bool = False
    ) -> Statistics:
        """Compute expected counts; see `seedtopic.learning.topics.kernels.Kernel`."""
        parts = zip(self.shards, parameters_of(self.shards, parameters), strict=True)
        statistics = (
            self.kernel(
                shard, part, relevance, bayes=bayes, want_likelihood=want_likelihood, scratch=self.scratch
            )
            for shard, part in parts
        )
        return joined(statistics, len(parameters.doc_topic))
