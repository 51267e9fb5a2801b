"""How many threads the kernels use, set for a while and put back; and how they share a walk."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Thread

import numpy as np
from numpy.typing import NDArray

from seedtopic.errors import InputError

LEAST_WORK = 50_000  # non-zeros that are worth a thread of their own
BLOCKS_PER_THREAD = 16  # many, so that no thread has long to wait for the last block of another

_limit: ContextVar[int | None] = ContextVar("_limit", default=None)
_check: ContextVar[Callable[[], None] | None] = ContextVar("_check", default=None)


def resolve_threads(n_threads: int | None) -> int:
    """Turn a wish into a number of threads between 1 and the machine's.

    Examples
    --------
    >>> resolve_threads(1)
    1
    """
    # Where the system can tell, the cores that this process may use, not all there are.
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_threads is None:
        return available
    if isinstance(n_threads, bool) or not isinstance(n_threads, int | np.integer) or n_threads < 1:
        raise InputError(f"n_threads is {n_threads!r}: give 1 or more, or None for all cores.")
    return min(int(n_threads), available)


@contextmanager
def thread_limit(n_threads: int) -> Iterator[None]:
    """Let kernels use so many threads inside the block; the setting belongs to this thread alone."""
    before = _limit.set(n_threads)
    try:
        yield
    finally:
        _limit.reset(before)


@contextmanager
def checked(check: Callable[[], None]) -> Iterator[None]:
    """Call `check` between the parts of every walk inside the block: by raising, it ends long work soon.

    Like the limit, it belongs to this thread alone.
    """
    before = _check.set(check)
    try:
        yield
    finally:
        _check.reset(before)


def walk_in_threads(walk: Callable[[int, int], None], pointers: NDArray[np.int64]) -> None:
    """Call walk(first, last) for ranges that cover the rows of a matrix and hold alike many non-zeros.

    The threads live no longer than the walk, which calls no BLAS: the two never compete for the cores.
    """
    n_rows, n_values = len(pointers) - 1, int(pointers[-1])
    n_threads = min(_limit.get() or resolve_threads(None), 1 + n_values // LEAST_WORK)
    check = _check.get() or (lambda: None)
    check()
    if n_values < LEAST_WORK:
        walk(0, n_rows)
        return
    # One thread, too, walks in blocks: between them it is asked whether to go on.
    bounds = np.searchsorted(pointers, np.linspace(0, n_values, BLOCKS_PER_THREAD * n_threads + 1))
    bounds[-1] = n_rows  # empty rows at the end are rows too
    blocks = deque(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))

    failures: list[BaseException] = []

    def work() -> None:
        try:
            while blocks and not failures:
                try:
                    block = blocks.popleft()
                except IndexError:  # another thread was faster
                    return
                check()
                walk(*block)
        except BaseException as failure:
            failures.append(failure)

    # This thread works too: were it to sleep, the system would find its core free only after milliseconds,
    # and two new threads would begin on one core. A pool of threads takes too long to begin, half of one.
    helpers = [Thread(target=work) for _ in range(n_threads - 1)]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]
