"""A Dask cluster as the engine sees it: its workers, tasks for one of them, and waiting that ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from seedtopic.base.errors import ClusterLostError, InputError, MissingExtraError

LOOK = 1.0  # seconds between two looks at the workers, while something is awaited
ANSWER = 5.0  # seconds in which the scheduler is expected to say who is there
CONNECT = 10  # seconds to wait for a scheduler
PATIENCE = 60.0  # seconds, where the user says nothing else
CONTINUE = "a fit with a checkpoint continues there when it is started again"


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


@contextmanager
def connected(scheduler: Any) -> Iterator[Any]:
    """Give the client of a scheduler inside the block, and end it with the block.

    Parameters
    ----------
    scheduler : str or distributed.Client
        The address of a scheduler; a client is given as it is.
    """
    if not isinstance(scheduler, str):
        yield scheduler
        return
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise MissingExtraError("work on a cluster", "distributed", "dask") from None
    try:
        client = distributed.Client(scheduler, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise InputError(
            f"no Dask scheduler was found at {scheduler} ({reason}): check the address, such as "
            "tcp://10.0.0.5:8786, and that the scheduler is running."
        ) from None
    with client:
        yield client


def configured_patience() -> float:
    """Give what the user has set in Dask's configuration, or by DASK_SEEDTOPIC__PATIENCE.

    Examples
    --------
    >>> import dask
    >>> with dask.config.set({"seedtopic.patience": 20}):
    ...     configured_patience()
    20.0
    """
    given = import_module("dask").config.get("seedtopic.patience", PATIENCE)
    try:
        return float(given)
    except (TypeError, ValueError):
        raise InputError(f"seedtopic.patience is {given!r}: give a number of seconds.") from None


class WorkerLost(Exception):
    """A worker is gone, and what it held; the rest can go on."""


class Cluster:
    """The workers of a client.

    Parameters
    ----------
    client : distributed.Client
    patience : float, optional
        Seconds after which a scheduler that does not answer, or a cluster without workers, is given up. A
        worker that gives no sign of life for half of them is not waited for.

    Attributes
    ----------
    threads : dict of str to int
        The number of threads of each worker that was there when `look` looked.
    """

    def __init__(self, client: Any, patience: float | None) -> None:
        if client.asynchronous:
            raise InputError("the Dask client is asynchronous: pass Client(..., asynchronous=False).")
        self.client = client
        self.patience = configured_patience() if patience is None else patience
        self.threads: dict[str, int] = {}
        self._heard: dict[str, Any] = {}  # each worker's last sign of life, as the scheduler noted it
        self._silence: dict[str, float] = {}  # seconds without a new one, while we looked
        self._looked = time.monotonic()

    def submit(self, worker: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Give a task to one worker; futures among its arguments are replaced by their results."""
        # Only there: another worker would first have to fetch the blocks.
        return self.client.submit(function, *arguments, workers=[worker], pure=False)

    def compute(self, worker: str, delayed: Sequence[Any]) -> list[Any]:
        """Compute parts of a Dask collection on a worker, unless it is busy for long; give their futures."""
        found = self.client.compute(list(delayed), workers=[worker], allow_other_workers=True)
        return list(found)

    def scatter(self, value: Any, worker: str) -> Any:
        """Send a value to a worker; give its future."""
        # Dask's own way to send it to several has a lock, which one worker that hangs would keep for ever.
        return self._awaited(
            lambda: self.client.scatter([value], workers=[worker], hash=False, asynchronous=True)
        )[0]

    def result(self, future: Any) -> Any:
        """Wait for a result; raise `WorkerLost` once a worker is gone."""
        return self._awaited(lambda: self.client.gather([future], asynchronous=True))[0]

    def finish(self, futures: Sequence[Any]) -> None:
        """Wait until futures are computed."""
        from distributed import wait as all_of

        self._awaited(lambda: all_of(futures))

    def _awaited(self, call: Callable[[], Awaitable[Any]]) -> Any:
        from distributed.scheduler import KilledWorker

        async def answer() -> Any:
            return await call()

        self._check_open()
        workers = set(self.threads)
        pending = asyncio.run_coroutine_threadsafe(answer(), self.client.loop.asyncio_loop)
        try:
            while not wait([pending], LOOK).done:
                if workers - self.look().keys():
                    raise WorkerLost("a worker does not answer")
            return pending.result()
        except (CancelledError, KilledWorker, OSError) as loss:  # also what OSError stands for: no connection
            raise WorkerLost(str(loss)) from loss
        except ModuleNotFoundError as missing:
            raise InputError(
                f"the Dask cluster cannot import {missing.name}: install the same packages on its "
                "scheduler and its workers as here."
            ) from missing
        except KeyError as loss:  # the scheduler does not know a worker
            if workers <= self.look().keys():
                raise
            raise WorkerLost(f"worker {loss} is gone") from loss
        finally:
            pending.cancel()

    def look(self) -> dict[str, int]:
        """Ask the scheduler who is there; a scheduler that does not answer is asked again for a while."""
        until = time.monotonic() + self.patience
        while True:
            self._check_open()
            try:
                known = self.client.sync(self.client.scheduler.identity, callback_timeout=ANSWER)["workers"]
                break
            except (
                OSError,
                CancelledError,
                AttributeError,
            ) as loss:  # also while it connects again
                if time.monotonic() > until:
                    raise ClusterLostError(
                        f"the scheduler of the Dask cluster does not answer: see its log; {CONTINUE}."
                    ) from loss
                time.sleep(LOOK / 10)
        # Time in which nobody looked does not count: this process may have been busy itself.
        now = time.monotonic()
        passed, self._looked = min(now - self._looked, 2 * LOOK), now
        silence = {}
        for worker, state in known.items():
            heard = state["last_seen"]
            quiet = self._heard.get(worker) == heard or _is_stuck(state)
            silence[worker] = self._silence.get(worker, 0.0) + passed if quiet else 0.0
        self._heard = {worker: state["last_seen"] for worker, state in known.items()}
        self._silence = silence
        self.threads = {
            worker: max(1, state["nthreads"])
            for worker, state in known.items()
            if silence[worker] < self.patience / 2
        }
        return self.threads

    def some_workers(self) -> dict[str, int]:
        """Look until there is a worker, but not for ever."""
        until = time.monotonic() + self.patience
        while not self.look():
            if time.monotonic() > until:
                raise ClusterLostError(
                    f"the Dask cluster has had no worker for {self.patience:g} seconds: see the logs of its "
                    f"workers, which may have run out of memory; {CONTINUE}."
                )
            time.sleep(LOOK / 10)
        return self.threads

    def _check_open(self) -> None:
        if self.client.status in ("closing", "closed"):
            raise ClusterLostError(
                "the Dask client is closed, or its scheduler is gone: see the scheduler's log, and connect "
                f"a new client; {CONTINUE}."
            )


def _is_stuck(state: Any) -> bool:
    """Tell whether a worker begins nothing new, for lack of memory, and does nothing either."""
    return state["status"] == "paused" and not state["metrics"].get("task_counts", {}).get("executing")


def is_usable(future: Any) -> bool:
    """Tell whether a future has a result or will have one."""
    return future is not None and future.status in ("pending", "finished")
