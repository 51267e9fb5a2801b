"""Folders that are never left half written, whatever happens.

If the system can exchange two folders in one step (Linux), the old folder stays in place until the new one
replaces it. Elsewhere it is moved aside for a moment, under a name that `standing` knows: if the process is
killed in that moment, the old folder is found there.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from seedtopic.errors import InputError
from seedtopic.storage.sync import sync
from seedtopic.storage.unfinished import discard, is_ours, unfinished

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # of linux/fcntl.h and linux/fs.h


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to fill, which replaces the target only if the block ends without an exception.

    Parameters
    ----------
    path
        The path of the folder; missing parent folders are created. An existing folder is kept until the new
        one is complete, and is then replaced as a whole.

    Yields
    ------
    folder
        An empty folder beside it.

    Raises
    ------
    InputError
        When it cannot be written: no permission, no space left.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with atomic_folder(Path(home, "model")) as folder:
    ...         _ = Path(folder, "note.txt").write_text("done")
    ...     Path(home, "model", "note.txt").read_text()
    'done'
    """
    target = Path(os.path.realpath(path))  # follow a link, so that the link itself stays
    made: list[Path] = []  # parents, lowest first
    temporary, held = None, None
    try:
        made = [folder for folder in target.parents if not folder.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary, held = _begun(target)
        yield temporary
        for file in temporary.iterdir():
            sync(file)
        sync(temporary)
        _put_in_place(temporary, target)
        for folder in made:
            sync(folder.parent)
        made = []
    except OSError as error:
        raise InputError(
            f"{path} cannot be written ({error.strerror or error}): choose a folder that is writable "
            "and has space left."
        ) from error
    finally:
        try:
            if temporary is not None:
                discard(temporary)  # after an exchange, the old one
        finally:
            if held is not None:
                with suppress(OSError):
                    os.close(held)
        for folder in made:
            with suppress(OSError):  # another process may have put something there meanwhile
                folder.rmdir()


def standing(path: Path) -> Path:
    """Return where a folder is: at its path, or moved aside if its replacement was interrupted.

    Examples
    --------
    >>> standing(Path("model"))
    PosixPath('model')
    """
    aside = _aside(Path(os.path.realpath(path)))
    return aside if not path.exists() and os.path.isdir(aside) else path  # False if the name is too long


def _begun(target: Path) -> tuple[Path, int | None]:
    """Make a folder beside another; give it, and what holds its lock where a folder can be opened."""
    while True:
        temporary = unfinished(target)
        temporary.mkdir()
        if not hasattr(os, "O_DIRECTORY"):
            return temporary, None
        try:
            held = _locked(temporary)
        except BaseException:
            discard(temporary)
            raise
        if held is not None:
            return temporary, held


def _locked(folder: Path) -> int | None:
    """Open a new folder and lock it; None where another has taken it for left behind."""
    with suppress(FileNotFoundError):
        held, ours = os.open(folder, os.O_RDONLY), False
        try:
            ours = is_ours(held, folder)
        finally:
            if not ours:
                os.close(held)
        return held if ours else None
    return None


def _aside(target: Path) -> Path:
    return target.with_name(f".{target.name}.seedtopic-old")


def _put_in_place(new: Path, target: Path) -> None:
    aside = _aside(target)
    if target.exists():
        shutil.copymode(target, new)
        if not _exchanged(new, target):
            discard(aside)  # left by a process that was killed
            target.rename(aside)
            _rename(new, target, aside)
    else:
        _rename(new, target, aside)
    try:
        sync(target.parent)  # before the old one is removed
    finally:
        discard(aside)


def _rename(new: Path, target: Path, aside: Path) -> None:
    try:
        new.rename(target)
    except BaseException:
        if os.path.isdir(aside):
            aside.rename(target)
        raise


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; return whether the system supports it."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):  # not Linux, or an old version
        return False
    names = (_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other))
    return bool(renameat2(*names, ctypes.c_uint(_RENAME_EXCHANGE)) == 0)
