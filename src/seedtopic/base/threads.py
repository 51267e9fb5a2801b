"""How many threads compute, how they share the rows of a matrix, and BLAS without threads of its own."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from threading import RLock, Thread

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError

LEAST_WORK = 50_000  # non-zeros that are worth another thread
BLOCKS_PER_THREAD = 16  # many, so that no thread waits long for the last block of another

_limit: ContextVar[int | None] = ContextVar("_limit", default=None)
_check: ContextVar[Callable[[], None]] = ContextVar("_check", default=lambda: None)
_turn = RLock()


def resolve_threads(n_threads: int | None) -> int:
    """Return a number of threads between 1 and the number of cores, which None stands for."""
    # If the system can say, the cores that this process may use, not all cores.
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_threads is None:
        return available
    if isinstance(n_threads, bool) or not isinstance(n_threads, int | np.integer) or n_threads < 1:
        raise InputError(f"n_threads is {n_threads!r}: give 1 or more, or None for all cores.")
    return min(int(n_threads), available)


@contextmanager
def thread_limit(n_threads: int) -> Iterator[None]:
    """Let kernels use this many threads inside the block; the setting applies to this thread only."""
    before = _limit.set(n_threads)
    try:
        yield
    finally:
        _limit.reset(before)


def threads_here() -> int:
    """Return the number of threads that kernels may use here: the limit, or all cores where none is set."""
    return _limit.get() or resolve_threads(None)


@contextmanager
def checked(check: Callable[[], None]) -> Iterator[None]:
    """Call `check` between the parts of every loop inside the block; by raising, it ends long work early."""
    # Like the limit, it applies to this thread only.
    before = _check.set(check)
    try:
        yield
    finally:
        _check.reset(before)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread inside the block; other threads that want this wait until it ends."""
    # Its threads wait for each other by spinning: on busy cores, two take several times as long as one. Only
    # the thread that has changed their number can change it back: hence one block at a time.
    with _turn, import_module("threadpoolctl").threadpool_limits(1, user_api="blas"):
        yield


def walk_in_threads(walk: Callable[[int, int], None], pointers: NDArray[np.int64]) -> None:
    """Call walk(first, last) for ranges of rows of a matrix, with similar numbers of non-zeros."""
    n_rows, n_values = len(pointers) - 1, int(pointers[-1])
    n_threads = min(threads_here(), 1 + n_values // LEAST_WORK)
    check = _check.get()
    check()
    if n_values < LEAST_WORK:
        walk(0, n_rows)
        return
    # One thread, too, walks in blocks: between them it is asked whether to go on.
    bounds = np.searchsorted(pointers, np.linspace(0, n_values, BLOCKS_PER_THREAD * n_threads + 1))
    bounds[-1] = n_rows  # include empty rows at the end
    blocks = deque(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
    failures: list[BaseException] = []

    def work() -> None:
        try:
            while blocks and not failures:
                try:
                    block = blocks.popleft()
                except IndexError:  # another thread took the last range
                    return
                check()
                walk(*block)
        except BaseException as failure:
            failures.append(failure)

    # This thread works too: if it slept, the system would notice its free core only after milliseconds, and
    # two new threads would start on one core. Starting a thread pool takes half a millisecond, too long.
    helpers = [Thread(target=work) for _ in range(n_threads - 1)]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]
