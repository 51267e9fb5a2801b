"""Unnamed temporary files, which the system removes however the process ends."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from seedtopic.base.errors import InputError


def scratch_file() -> IO[bytes]:
    """Open a file that is deleted when it is closed."""
    with explained_disk_errors():
        return tempfile.TemporaryFile(prefix="seedtopic-")


def empty_array(size: int, dtype: DTypeLike, *, on_disk: bool) -> NDArray[Any]:
    """Return a one-dimensional array in memory, or in a temporary file that is mapped into memory."""
    if not on_disk or not size:
        return np.empty(size, dtype)
    with explained_disk_errors(), scratch_file() as file:
        if hasattr(os, "posix_fallocate"):  # otherwise a full disk would kill the process at the first write
            os.posix_fallocate(file.fileno(), 0, size * np.dtype(dtype).itemsize)
        return np.memmap(file, dtype, "r+", shape=(size,))


def is_mapped(array: NDArray[Any]) -> bool:
    """Return whether an array, or the array it is a view of, is in a file."""
    owner: Any = array
    while owner is not None and not isinstance(owner, np.memmap):
        owner = getattr(owner, "base", None)
    return owner is not None


@contextmanager
def explained_disk_errors() -> Iterator[None]:
    """Turn an error of a temporary file into one that names its folder and how to choose another."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"temporary files cannot be written to {tempfile.gettempdir()} ({error.strerror or error}): "
            "set TMPDIR to a folder with more space, or allow more memory."
        ) from error
