"""Opening files from untrusted sources: no links, no devices, and a limit on the size."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import IO

from seedtopic.errors import InputError

# Links are not followed, and a pipe without a writer does not block.
_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
)


def open_plain(path: Path, most: int) -> IO[bytes]:
    """Open a file for reading.

    Parameters
    ----------
    path
    most
        The most bytes it may contain.

    Raises
    ------
    InputError
        When it is a link, not a regular file, or larger.
    OSError
        When it does not exist or cannot be read.
    """
    if path.is_symlink():
        raise InputError(f"{path} is a link: replace it by the file itself.")
    descriptor = os.open(path, _FLAGS)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_size > most:
        os.close(descriptor)
        reason = f"has {found.st_size:,} bytes" if stat.S_ISREG(found.st_mode) else "is not a regular file"
        raise InputError(f"{path} {reason}, which no saved model has: copy the model again.")
    return os.fdopen(descriptor, "rb")


def read_regular(path: Path, most: int) -> bytes:
    """Read a file that a user has named, and that may be a link to another.

    Raises
    ------
    InputError
        When it is a pipe or a device, or has more bytes; the message is meant to follow its name.
    OSError
        When it does not exist, is a folder, or cannot be read.
    """
    kind = os.stat(path).st_mode  # before it is opened, since a pipe waits for its other end
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
        raise InputError("is not a regular file.")
    with open(path, "rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise InputError(f"has more than {most:,} bytes.")
    return content


def read_plain(path: Path, most: int) -> bytes:
    """Read a file that `open_plain` opens."""
    with open_plain(path, most) as file:
        return file.read(os.fstat(file.fileno()).st_size)


def sha256(file: IO[bytes]) -> str:
    """Return the checksum of a file, and go back to its beginning.

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
