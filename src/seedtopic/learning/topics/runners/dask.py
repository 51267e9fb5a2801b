"""Shards held by the workers of a Dask cluster: parameters go out, statistics come back.

Theta passes through the client in every iteration, so that it can be smoothed along a graph that joins
documents of different shards: neighbours' distributions are exchanged there, not between workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seedtopic.errors import InputError, MissingExtraError
from seedtopic.learning.topics.kernels import get_kernel
from seedtopic.learning.topics.kernels.interface import Floats, Parameters, Shard, Statistics
from seedtopic.learning.topics.runners.shards import joined, parameters_of

ATTEMPTS = 5  # of one E-step, each after workers were lost


def client_of(runner: Any) -> Any:
    """Give a client: the one given, the current one, or a new one on this machine."""
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("runner='dask'", "distributed", "dask") from None
    if runner != "dask":
        return runner
    try:
        return distributed.get_client()
    except ValueError:  # there is none yet
        return distributed.Client()


class DaskExpectation:
    """The E-step over shards held by workers.

    The client keeps the shards too: where a worker dies, they are sent out anew and the E-step is repeated.

    Parameters
    ----------
    client : distributed.Client
    shards : sequence of Shard
    kernel : str
        Name of the kernel that workers use.
    """

    def __init__(self, client: Any, shards: Sequence[Shard], kernel: str) -> None:
        self.client, self.shards, self.kernel = client, shards, kernel
        self._held: list[Any] = []

    def __call__(
        self, parameters: Parameters, relevance: Floats, *, bayes: bool, want_likelihood: bool = False
    ) -> Statistics:
        """Compute expected counts; see `seedtopic.learning.topics.runners.Expectation`."""
        from distributed.scheduler import KilledWorker

        # What asyncio and distributed raise when data or a worker is gone.
        losses = (KilledWorker, _cancelled(), TimeoutError, OSError)
        for attempt in range(ATTEMPTS):
            try:
                return self._expected(parameters, relevance, bayes, want_likelihood)
            except losses as loss:
                self._held = []
                if attempt == ATTEMPTS - 1:
                    raise InputError(
                        f"the Dask cluster lost its workers {ATTEMPTS} times in a row ({loss}): "
                        "see its logs, and give workers more memory or smaller parts."
                    ) from loss
        raise AssertionError("unreachable")

    def _expected(
        self, parameters: Parameters, relevance: Floats, bayes: bool, want_likelihood: bool
    ) -> Statistics:
        if not self._held:
            self._held = self.client.scatter(list(self.shards), hash=False)
        words = self.client.scatter(
            (parameters.word_topic, parameters.word_background, relevance), hash=False, broadcast=True
        )
        parts = zip(self._held, parameters_of(self.shards, parameters), strict=True)
        futures = [
            self.client.submit(
                _estep,
                self.kernel,
                shard,
                part.doc_topic,
                part.doc_background,
                words,
                bayes,
                want_likelihood,
                pure=False,
            )
            for shard, part in parts
        ]
        return joined(self.client.gather(futures), len(parameters.doc_topic))


def _estep(
    kernel: str,
    shard: Shard,
    doc_topic: Floats,
    doc_background: Floats,
    words: Sequence[Floats],
    bayes: bool,
    want_likelihood: bool,
) -> Statistics:
    """Run a kernel; on a worker."""
    word_topic, word_background, relevance = words
    parameters = Parameters(doc_topic, doc_background, word_topic, word_background)
    return get_kernel(kernel)(shard, parameters, relevance, bayes=bayes, want_likelihood=want_likelihood)


def _cancelled() -> type[BaseException]:
    from concurrent.futures import CancelledError

    return CancelledError
