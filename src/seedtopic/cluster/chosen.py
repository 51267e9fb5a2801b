"""The engine that a user has chosen."""

from __future__ import annotations

from typing import Any

from seedtopic.base.engine import Engine, LocalEngine
from seedtopic.base.errors import InputError


def engine_for(runner: Any, n_threads: int) -> Engine:
    """Give the engine that a runner stands for.

    Parameters
    ----------
    runner : "local", "dask" or distributed.Client
        "dask" takes the client that is current, or starts one on this machine.
    n_threads : int
        Of this process.
    """
    check_runner(runner)
    if isinstance(runner, str) and runner == "local":
        return LocalEngine(n_threads)
    from seedtopic.cluster.client import client_of
    from seedtopic.cluster.engine import DaskEngine

    return DaskEngine(client_of(runner))


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
    seedtopic.base.errors.InputError: runner is 'spark': use 'local', 'dask' or a distributed.Client.
    """
    # A client is known by what is asked of it, so that distributed is not imported for nothing.
    if runner not in ("local", "dask") and not all(hasattr(runner, name) for name in ("submit", "scatter")):
        raise InputError(f"runner is {runner!r}: use 'local', 'dask' or a distributed.Client.")
