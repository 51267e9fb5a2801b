"""How many threads the compiled kernels use, set for a while and put back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from seedtopic.errors import InputError


def resolve_threads(n_threads: int | None) -> int:
    """Turn a wish into a number of threads between 1 and the machine's.

    Examples
    --------
    >>> resolve_threads(1)
    1
    """
    import numba

    available = int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
    if n_threads is None:
        return available
    if isinstance(n_threads, bool) or not isinstance(n_threads, int) or n_threads < 1:
        raise InputError(f"n_threads is {n_threads!r}: give 1 or more, or None for all cores.")
    return min(int(n_threads), available)


@contextmanager
def thread_limit(n_threads: int) -> Iterator[None]:
    """Let compiled kernels use so many threads inside the block; the setting belongs to this thread alone."""
    import numba

    before = numba.get_num_threads()
    numba.set_num_threads(n_threads)
    try:
        yield
    finally:
        numba.set_num_threads(before)
