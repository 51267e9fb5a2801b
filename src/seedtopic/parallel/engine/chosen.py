"""The engine that a user has chosen."""

from __future__ import annotations

from typing import Any

from seedtopic.errors import InputError
from seedtopic.parallel.engine.interface import Engine
from seedtopic.parallel.engine.local import LocalEngine


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
    from seedtopic.parallel.engine.cluster import client_of
    from seedtopic.parallel.engine.dask import DaskEngine

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
    seedtopic.errors.InputError: runner is 'spark': use 'local', 'dask' or a distributed.Client.
    """
    # A client is known by what is asked of it, so that distributed is not imported for nothing.
    if runner not in ("local", "dask") and not all(hasattr(runner, name) for name in ("submit", "scatter")):
        raise InputError(f"runner is {runner!r}: use 'local', 'dask' or a distributed.Client.")
