"""A Dask cluster as the engine sees it: its workers, tasks for one of them, and waiting that ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from seedtopic.base.errors import ClusterLostError, InputError, import_extra

LOOK = 1.0  # seconds between two looks at the workers, while something is awaited
ANSWER = 5.0  # seconds in which the scheduler is expected to say who is there
CONNECT = 10  # seconds to wait for a scheduler
PATIENCE = 60.0  # seconds, where the user says nothing else
CONTINUE = "a fit with a checkpoint continues there when it is started again"


def client_of(runner: Any) -> Any:
    """Return a client: the one given, the current one, or a new one on this machine."""
    distributed = import_extra("distributed", "runner='dask'", "dask")
    if runner != "dask":
        return runner
    try:
        return distributed.get_client()
    except ValueError:  # there is none yet
        return distributed.Client()


@contextmanager
def connected(scheduler: Any) -> Iterator[Any]:
    """Yield the client of the scheduler at an address, and end it with the block; or the client given."""
    if not isinstance(scheduler, str):
        yield scheduler
        return
    distributed = import_extra("distributed", "work on a cluster", "dask")
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
    """Return what the user has set in Dask's configuration, or by DASK_SEEDTOPIC__PATIENCE."""
    value = import_module("dask").config.get("seedtopic.patience", PATIENCE)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"seedtopic.patience is {value!r}: give a number of seconds.") from None


class Cluster:
    """The workers of a client, and the threads of each.

    Dask itself computes again what is lost with a worker. Here workers are removed that hang, or have no
    memory left, for half of the patience; and work ends when there is no scheduler, or no worker, for all of
    it.
    """

    def __init__(self, client: Any, patience: float | None) -> None:
        if client.asynchronous:
            raise InputError("the Dask client is asynchronous: pass Client(..., asynchronous=False).")
        self.client = client
        self.patience = configured_patience() if patience is None else patience
        self.threads: dict[str, int] = {}
        self._signs: dict[str, Any] = {}  # each worker's last sign of life, as the scheduler noted it
        self._silence: dict[str, float] = {}  # seconds without a new one, while we looked
        self._alone = 0.0  # seconds without a worker
        self._looked = time.monotonic()

    def submit(self, worker: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return a task to a worker, or to others if it is gone; futures stand for their results."""
        with import_module("dask").config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            return self.client.submit(
                function, *arguments, workers=[worker], allow_other_workers=True, pure=False
            )

    def result(self, future: Any) -> Any:
        """Wait for a result for as long as there is hope."""
        from distributed.scheduler import KilledWorker

        async def gathered() -> Any:
            return await self.client.gather([future], asynchronous=True)

        while True:
            self._check_open()
            pending = asyncio.run_coroutine_threadsafe(gathered(), self.client.loop.asyncio_loop)
            try:
                while not wait([pending], LOOK).done:
                    self.look()
                return pending.result()[0]
            except KilledWorker as loss:
                raise ClusterLostError(
                    f"the Dask cluster lost the workers of the same documents {loss.allowed_failures + 1} "
                    f"times: see their logs, and give them more memory; {CONTINUE}."
                ) from loss
            except ModuleNotFoundError as missing:
                raise InputError(
                    f"the Dask cluster cannot import {missing.name}: install the same packages on its "
                    "scheduler and its workers as here."
                ) from missing
            except (CancelledError, OSError) as loss:  # the connection is lost, or was for a moment
                self.look()
                if future.status not in ("pending", "finished"):
                    if future.status == "error":
                        raise
                    raise ClusterLostError(f"the Dask cluster was restarted: {CONTINUE}.") from loss
            finally:
                pending.cancel()

    def look(self) -> dict[str, int]:
        """Ask the scheduler who is there, and remove the workers that are not worth waiting for."""
        known = self._known_workers()
        # Time in which nobody looked does not count: this process may have been busy itself.
        now = time.monotonic()
        passed, self._looked = min(now - self._looked, 2 * LOOK), now
        silence = {}
        for worker, state in known.items():
            # Paused for lack of memory, a worker begins nothing new, and it may do nothing either.
            idle = not state["metrics"].get("task_counts", {}).get("executing")
            is_stuck = state["status"] == "paused" and idle
            quiet = is_stuck or self._signs.get(worker) == state["last_seen"]
            silence[worker] = self._silence.get(worker, 0.0) + passed if quiet else 0.0
            if silence[worker] >= self.patience / 2:
                self.client.sync(
                    self.client.scheduler.unregister, address=worker, stimulus_id=f"seedtopic-{now}"
                )
        self._signs = {worker: state["last_seen"] for worker, state in known.items()}
        self._silence, before = silence, self.threads
        self.threads = {
            worker: max(1, state["nthreads"])
            for worker, state in known.items()
            if silence[worker] < self.patience / 2
        }
        if self.threads and self.threads.keys() != before.keys():
            self.client.run_on_scheduler(_let_run_anywhere)
        self._alone = 0.0 if self.threads else self._alone + passed
        if self._alone > self.patience:
            raise ClusterLostError(
                f"the Dask cluster has had no worker for {self.patience:g} seconds: see the logs of its "
                f"workers, which may have run out of memory; {CONTINUE}."
            )
        return self.threads

    def some_workers(self) -> dict[str, int]:
        """Look until there is a worker, but not for ever."""
        while not self.look():
            time.sleep(LOOK / 10)
        return self.threads

    def _known_workers(self) -> dict[str, Any]:
        """Return what the scheduler knows of its workers; if it does not answer, ask again for a while."""
        until = time.monotonic() + self.patience
        while True:
            self._check_open()
            try:
                answer = self.client.sync(self.client.scheduler.identity, callback_timeout=ANSWER)
                return dict(answer["workers"])
            except (OSError, CancelledError, AttributeError) as loss:  # also while it connects again
                if time.monotonic() > until:
                    raise ClusterLostError(
                        f"the scheduler of the Dask cluster does not answer: see its log; {CONTINUE}."
                    ) from loss
                time.sleep(LOOK / 10)

    def _check_open(self) -> None:
        if self.client.status in ("closing", "closed"):
            raise ClusterLostError(
                "the Dask client is closed, or its scheduler is gone: see the scheduler's log, and connect "
                f"a new client; {CONTINUE}."
            )


def _let_run_anywhere(dask_scheduler: Any) -> None:
    """Schedule tasks that nobody may run: Dask looks for another worker only while there is one."""
    for task in dask_scheduler.unrunnable:
        task.worker_restrictions = None
    for worker in dask_scheduler.workers.values():
        ready = dask_scheduler.bulk_schedule_unrunnable_after_adding_worker(worker)
        dask_scheduler.transitions(ready, "seedtopic")
