"""Gives memory that is free, but kept for later, back to the system."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any


def _trim() -> Callable[[int], int] | None:
    """Find the function of glibc; elsewhere there is none, and nothing to do."""
    if sys.platform != "linux":
        return None
    try:
        found: Any = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library, such as musl
        return None
    found.argtypes, found.restype = [ctypes.c_size_t], ctypes.c_int
    return found  # type: ignore[no-any-return]


_malloc_trim = _trim()


def give_back_memory() -> None:
    """Give the system what was freed and lies between what is in use.

    glibc returns only what is free at the end of its heap. Large bodies and a model that was replaced leave
    holes below that, and how many depends on what happened to be allocated after them: without this, a server
    would keep the memory of its worst moment, and its processes, which are copies of it, would, too.

    Examples
    --------
    >>> give_back_memory()
    """
    if _malloc_trim is not None:
        _malloc_trim(0)
