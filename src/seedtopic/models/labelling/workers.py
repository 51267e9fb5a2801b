"""Who labels the pieces: this process, others on this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from threading import Thread
from typing import Any, Protocol, TypeVar

from seedtopic.base.errors import InputError
from seedtopic.cluster.client import connected
from seedtopic.models.labelling.piece_labels import Labelled, Labeller

Job = TypeVar("Job")

ALONE = 2  # pieces that are labelled here first, so that few documents need no processes
AHEAD = 2  # pieces for each worker that are under way, so that none waits for its next one
LOOK = 1.0  # seconds after which a worker looks whether its parent is still there

_here: list[Labeller] = []  # in a worker process: its labeller


class Workers(Protocol):
    """Labels pieces, several at the same time."""

    n_ahead: int

    def submit(self, *task: Any) -> Any:
        """Begin to label; the `result` of what is given waits for the labels. See `Labeller.__call__`."""
        ...


class Here:
    """Labels every piece in this process, when its result is asked for."""

    n_ahead = 1

    def __init__(self, labeller: Labeller) -> None:
        self._labeller = labeller

    def submit(self, *task: Any) -> Future[Labelled]:
        """Label now."""
        done: Future[Labelled] = Future()
        try:
            done.set_result(self._labeller(*task))
        except Exception as error:  # said when it is this piece's turn
            done.set_exception(error)
        return done


class Processes:
    """Labels the first pieces here, and the next ones in processes, to which the model is given once."""

    def __init__(self, labeller: Labeller, n_workers: int) -> None:
        self.n_ahead = AHEAD * n_workers
        self._alone, self._labeller, self._n_workers = ALONE, labeller, n_workers
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, *task: Any) -> Any:
        """Begin to label."""
        if self._alone:
            self._alone -= 1
            return Here(self._labeller).submit(*task)
        if self._pool is None:
            # A copy of this process has the model and all modules at once. Elsewhere it is not safe.
            context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
            self._pool = ProcessPoolExecutor(self._n_workers, context, _begin, (self._labeller,))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which do nothing now
            try:
                return self._pool.submit(_label, *task)
            except BrokenProcessPool:
                raise _lost() from None

    def close(self) -> None:
        """End the processes, once they have labelled what they began."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


class Cluster:
    """Labels pieces on the workers of a Dask cluster, to which the model is sent once."""

    def __init__(self, labeller: Labeller, client: Any) -> None:
        if not client.nthreads():
            raise InputError(f"the Dask cluster at {client.scheduler.address} has no workers: start some")
        self._client = client
        self._labeller = client.scatter(labeller, broadcast=True, hash=False)
        self.n_ahead = AHEAD * max(1, sum(client.nthreads().values()))

    def submit(self, *task: Any) -> Any:
        """Begin to label."""
        return self._client.submit(_label_with, self._labeller, *task, pure=False)


@contextmanager
def opened_workers(labeller: Labeller, n_workers: int, scheduler: Any = None) -> Iterator[Workers]:
    """Start workers, and end them with the block.

    Parameters
    ----------
    labeller : Labeller
    n_workers : int
        Processes on this machine.
    scheduler : str or dask.distributed.Client, optional
        The address of the scheduler of a Dask cluster, or its client, instead.
    """
    if scheduler is not None:
        with connected(scheduler) as client:
            yield Cluster(labeller, client)
    elif n_workers == 1:
        yield Here(labeller)
    else:
        processes = Processes(labeller, n_workers)
        try:
            yield processes
        finally:
            processes.close()


def in_order(
    jobs: Iterator[tuple[Job, tuple[Any, ...]]], workers: Workers
) -> Iterator[tuple[Job, tuple[Any, ...], Any]]:
    """Label pieces, some at the same time, and give them in their order.

    Parameters
    ----------
    jobs : iterator of pairs
        What a piece belongs to, and the arguments of `Labeller.__call__`; none for what is only passed on.
    workers : Workers
    """
    waiting: deque[tuple[Job, tuple[Any, ...], Any]] = deque()
    failed: Exception | None = None
    try:
        for job, task in jobs:
            waiting.append((job, task, workers.submit(*task) if task else None))
            if len(waiting) >= workers.n_ahead:
                yield _done(*waiting.popleft())
    except Exception as error:  # what comes before it is given first
        failed = error
    while waiting:
        yield _done(*waiting.popleft())
    if failed is not None:
        raise failed


def _done(job: Job, task: tuple[Any, ...], future: Any) -> tuple[Job, tuple[Any, ...], Any]:
    try:
        return job, task, None if future is None else future.result()
    except BrokenProcessPool:
        raise _lost() from None
    except Exception as error:
        if not type(error).__module__.startswith("distributed"):
            raise
        reason = " ".join(str(error).split()).rstrip(".")
        raise InputError(
            f"the Dask cluster could not label the documents ({reason:.200}): look at its workers, and run "
            "the same command again"
        ) from None


def _lost() -> InputError:
    return InputError(
        "a worker process ended before it had labelled its documents, perhaps because there was not enough "
        "memory: run the same command again, with fewer workers."
    )


def _begin(labeller: Labeller) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process decides when to stop
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    _here.append(labeller)


def _end_with(parent: int) -> None:
    """End this process once its parent was killed, which nothing else would tell it."""
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(1)


def _label(*task: Any) -> Labelled:
    return _here[0](*task)


def _label_with(labeller: Callable[..., Labelled], *task: Any) -> Labelled:
    return labeller(*task)
