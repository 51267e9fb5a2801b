"""Where E-steps are computed: in this process, or on the workers of a Dask cluster.

Documents are cut into shards of a fixed size, whoever computes them, and the statistics of the shards are
added up in one order: the result does not depend on the runner, nor on the number of workers.
"""

from __future__ import annotations

from typing import Any, Protocol

import scipy.sparse as sp

from seedtopic.errors import InputError
from seedtopic.learning.topics.kernels import get_kernel, resolve_kernel
from seedtopic.learning.topics.kernels.interface import Floats, Parameters, Statistics
from seedtopic.learning.topics.runners.local import LocalExpectation
from seedtopic.learning.topics.runners.shards import cut

__all__ = ["Expectation", "check_runner", "expectation"]


class Expectation(Protocol):
    """An E-step over all documents, wherever they are."""

    def __call__(
        self, parameters: Parameters, relevance: Floats, *, bayes: bool, want_likelihood: bool = False
    ) -> Statistics:
        """Compute expected counts; see `seedtopic.learning.topics.kernels.Kernel`."""
        ...


def expectation(runner: Any, weighted: sp.csr_array, kernel: str) -> Expectation:
    """Give the E-step over documents, as a function of the parameters.

    Parameters
    ----------
    runner : "local", "dask" or distributed.Client
        "dask" takes the client that is current, or starts one on this machine.
    weighted : csr_array, shape (n_documents, n_words)
        Weighted counts a_dv.
    kernel : str
        Name of a kernel.
    """
    check_runner(runner)
    shards, kernel = cut(weighted), resolve_kernel(kernel)  # here: workers shall not choose another
    if runner == "local":
        return LocalExpectation(shards, get_kernel(kernel))
    from seedtopic.learning.topics.runners.dask import DaskExpectation, client_of

    return DaskExpectation(client_of(runner), shards, kernel)


def check_runner(runner: Any) -> None:
    """Refuse what is neither the name of a runner nor a Dask client.

    Parameters
    ----------
    runner : "local", "dask" or distributed.Client

    Examples
    --------
    >>> check_runner("local")
    >>> check_runner("spark")
    Traceback (most recent call last):
    ...
    seedtopic.errors.InputError: runner is 'spark': use 'local', 'dask' or a distributed.Client.
    """
    # A client is known by what is asked of it, so that distributed is not imported for nothing.
    if runner not in ("local", "dask") and not all(hasattr(runner, name) for name in ("submit", "scatter")):
        raise InputError(f"runner is {runner!r}: use 'local', 'dask' or a distributed.Client.")
