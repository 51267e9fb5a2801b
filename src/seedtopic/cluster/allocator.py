"""Memory that a worker has freed stays with it for the next array."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cache

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # of mallopt, in glibc


@cache
def keep_freed_memory() -> None:
    """Let the allocator of this process use freed memory again, where it is glibc's.

    The nannies of Dask tell it to give every array back to the system at once. For steps that need the same
    arrays again and again, that takes more time than the arithmetic.
    """
    with suppress(OSError, AttributeError, TypeError):  # another system, or another allocator
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, 1 << 25)
        mallopt(_TRIM_THRESHOLD, 1 << 26)
