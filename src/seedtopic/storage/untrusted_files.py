"""Files from strangers, opened with care: no links, no devices, and no more than a file may hold."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import IO

from seedtopic.errors import InputError

# A link is not followed, and a pipe without a writer is not waited for.
_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
)


def open_plain(path: Path, most: int) -> IO[bytes]:
    """Open a file for reading.

    Parameters
    ----------
    path
    most
        Bytes it may hold.

    Raises
    ------
    InputError
        When it is a link, no regular file, or larger.
    OSError
        When it is not there or may not be read.
    """
    if path.is_symlink():
        raise InputError(f"{path} is a link to another place: put the file itself there.")
    descriptor = os.open(path, _FLAGS)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_size > most:
        os.close(descriptor)
        reason = f"holds {found.st_size:,} bytes" if stat.S_ISREG(found.st_mode) else "is no regular file"
        raise InputError(f"{path} {reason}, which no model has: take the model from where it was saved.")
    return os.fdopen(descriptor, "rb")


def read_plain(path: Path, most: int) -> bytes:
    """Read a file that `open_plain` opens."""
    with open_plain(path, most) as file:
        return file.read(os.fstat(file.fileno()).st_size)


def sha256(file: IO[bytes]) -> str:
    """Give the checksum of a file, and go back to its beginning.

    Examples
    --------
    >>> from io import BytesIO
    >>> sha256(BytesIO(b""))[:8]
    'e3b0c442'
    """
    file.seek(0)
    checksum = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    file.seek(0)
    return checksum
