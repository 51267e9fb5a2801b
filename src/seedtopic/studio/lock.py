"""The lock on a workspace: only one studio may have it open, since two would overwrite each other's edits.

The lock is on the file itself, and the system drops it however the process ends. Every edit replaces the
file, so the new file is locked before it takes the old one's place. File systems without locks go unlocked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file, lock


class WorkspaceLock:
    """The lock on a workspace file.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "toy.studio")
    >>> one, other = WorkspaceLock(path), WorkspaceLock(path)
    >>> with one.replacing() as file:
    ...     _ = file.write("all edits")
    >>> other.acquire()
    Traceback (most recent call last):
    seedtopic.base.errors.InputError: ... is open in another studio: close that one, or name another file ...
    >>> one.release()
    >>> other.acquire()
    >>> other.release()
    >>> folder.cleanup()
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: int | None = None  # descriptor of the locked file

    def acquire(self) -> None:
        """Lock the file, if it exists."""
        try:
            found = os.open(self.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            return  # reading it will raise the error
        ours = False
        try:
            # If the file was replaced meanwhile, another studio replaced it.
            ours = _locked(found) and os.path.samestat(os.fstat(found), os.stat(self.path))
        finally:
            if not ours:
                _close(found)
        if not ours:
            raise InputError(
                f"the workspace {self.path} is open in another studio: close that one, or name another file "
                "with --workspace."
            )
        self._hold(found)

    @contextmanager
    def replacing(self) -> Iterator[IO[Any]]:
        """Replace the file, see `atomic_file`; it stays locked throughout."""
        following = None
        try:
            with atomic_file(self.path, "w") as file:
                following = os.dup(file.fileno())  # keeps the lock after the file is closed
                _locked(following)
                yield file
        except BaseException:
            if following is not None:
                _close(following)
            raise
        self._hold(following)

    def release(self) -> None:
        """Unlock the file."""
        self._hold(None)

    def _hold(self, descriptor: int | None) -> None:
        before, self._held = self._held, descriptor
        if before is not None:
            _close(before)


def _close(descriptor: int) -> None:
    with suppress(OSError):  # it is closed even then
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    """Lock a file; tell whether nobody else had."""
    try:
        lock(descriptor)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a system without locks
    return True
