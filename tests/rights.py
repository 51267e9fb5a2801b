"""Rights that stop us, also where we are root, whom they do not stop otherwise."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

_VERSION = 0x20080522  # of linux/capability.h, for two sets of 32 capabilities
_PASS_OVER_RIGHTS = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH


@contextmanager
def without_rights() -> Iterator[None]:
    """Be a user whom the rights of files stop, for a while and in this thread.

    Root stays root, who owns the package and the interpreter and may read them wherever they are: it gives up
    no more than passing over rights, which Linux lets it do.
    """
    if os.geteuid() != 0:
        yield
        return
    whole = _capabilities()
    _set_capabilities([whole[0] & ~_PASS_OVER_RIGHTS, *whole[1:]])
    try:
        yield
    finally:
        _set_capabilities(whole)


def _capabilities() -> list[int]:
    """Give what this thread may do: effective, permitted and inheritable, the lower half first."""
    sets = (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None).capget((ctypes.c_uint32 * 2)(_VERSION, 0), sets) == 0
    return list(sets)


def _set_capabilities(sets: list[int]) -> None:
    assert ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(_VERSION, 0), (ctypes.c_uint32 * 6)(*sets)) == 0
