"""Places where files and folders are made ready, and what killed processes left there.

Who writes one holds its lock, so that others can tell it from one that was left behind, whichever container
or user they run in. Where a file system has no locks, nothing is removed.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from seedtopic.storage.file_lock import lock

LEFT_BEHIND = ".seedtopic-*.tmp"

_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # a pipe of that name is not waited for


def unfinished(target: Path) -> Path:
    """Name the place where a file or folder is made ready, after removing what was left there.

    Examples
    --------
    >>> unfinished(Path("labels.csv")).match(LEFT_BEHIND)
    True
    """
    of_target = f".seedtopic-{hashlib.blake2b(os.fsencode(target.name), digest_size=4).hexdigest()}"
    remove_left_behind(target.parent, f"{of_target}-*.tmp")
    # Not from tempfile, whose files only the owner may read; short, as the target's name may be at the limit.
    return target.with_name(f"{of_target}-{secrets.token_hex(8)}.tmp")


def is_ours(descriptor: int, path: Path) -> bool:
    """Lock what was just made; False where another took it for left behind in that moment.

    Parameters
    ----------
    descriptor
        The file or folder, open; the lock is held until it is closed.
    path
        Where it was made.
    """
    try:
        lock(descriptor)
    except BlockingIOError:
        return False
    except OSError:
        return True  # there are no locks, so nobody removes anything
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def discard(folder: Path) -> None:
    """Remove a folder if that may be done; one failure or interrupt on the way does not keep it."""
    try:
        shutil.rmtree(folder)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if not isinstance(error, OSError):
            raise


def remove_left_behind(folder: Path, pattern: str = LEFT_BEHIND) -> None:
    """Remove the files and folders of such names that nobody is writing, if that may be done."""
    for left in folder.glob(pattern):
        with suppress(OSError):
            is_folder = left.is_dir()
            # For writing, without which some network file systems give no lock.
            descriptor = os.open(left, os.O_RDONLY if is_folder else os.O_WRONLY | _AT_ONCE)
            try:
                lock(descriptor)
                if is_folder:
                    discard(left)
                else:
                    left.unlink()
            finally:
                os.close(descriptor)
