"""A workspace is open in one studio at a time, since two would write over each other's edits.

The claim is a lock on the file itself, which the system drops however the process ends. Every edit replaces
the file, so the next one is locked before it takes its place. Where there are no locks, nothing is claimed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from seedtopic.errors import InputError
from seedtopic.storage.atomic_file import atomic_file
from seedtopic.storage.file_lock import lock


class Claim:
    """The right to write a workspace.

    Parameters
    ----------
    path : Path

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> one, other = Claim(Path(folder.name, "toy.studio")), Claim(Path(folder.name, "toy.studio"))
    >>> with one.replacing() as file:
    ...     _ = file.write("all edits")
    >>> other.take()
    Traceback (most recent call last):
    seedtopic.errors.InputError: ... is open in another studio: end that one, or name another file with ...
    >>> one.release()
    >>> other.take()
    >>> other.release()
    >>> folder.cleanup()
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: int | None = None  # a descriptor of the file, locked

    def take(self) -> None:
        """Claim the file that is there.

        Raises
        ------
        InputError
            When another studio has it.
        """
        try:
            found = os.open(self.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            return  # whoever reads it says why it cannot be read
        # A file that was replaced meanwhile was replaced by another studio.
        if not _locked(found) or not os.path.samestat(os.fstat(found), os.stat(self.path)):
            os.close(found)
            raise InputError(
                f"the workspace {self.path} is open in another studio: end that one, or name another file "
                "with --workspace."
            )
        self._hold(found)

    @contextmanager
    def replacing(self) -> Iterator[IO[Any]]:
        """Write the file anew, see `atomic_file`, without a moment in which it is nobody's."""
        following = None
        try:
            with atomic_file(self.path, "w") as file:
                following = os.dup(file.fileno())  # whose lock outlives the closing of the file
                _locked(following)
                yield file
        except BaseException:
            if following is not None:
                os.close(following)
            raise
        self._hold(following)

    def release(self) -> None:
        """Leave the file to others."""
        self._hold(None)

    def _hold(self, descriptor: int | None) -> None:
        if self._held is not None:
            os.close(self._held)
        self._held = descriptor


def _locked(descriptor: int) -> bool:
    """Lock a file; tell whether nobody else had."""
    try:
        lock(descriptor)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a system without locks
    return True
