"""Files that are never left half written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal

from seedtopic.errors import InputError
from seedtopic.storage.sync import sync
from seedtopic.storage.unfinished import is_ours, unfinished


def check_place(path: Path, example: str) -> None:
    """Raise an error unless a file can be written at a path, so that long work does not end in an error.

    Parameters
    ----------
    path
        The path of the file.
    example
        A name for such a file, shown if the path is a folder.

    Raises
    ------
    InputError
        When the folder is missing or not writable, or the path is a folder.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder: give the path of a file in it, such as {path / example}")
    _refuse_loop(Path(os.path.realpath(path)))
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} for {path.name} does not exist: create it first")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"the folder {path.parent} is not writable: choose another for {path.name}")


def _refuse_loop(target: Path) -> None:
    """Refuse links that lead to each other, and so to no file."""
    if target.is_symlink():  # although all links were followed
        raise InputError(f"{target} is a link that leads back to itself: remove it, or give another path")


@contextmanager
def atomic_file(path: str | Path, mode: Literal["w", "wb"] = "wb") -> Iterator[IO[Any]]:
    """Open a file for writing that replaces the target only if the block ends without an exception.

    Parameters
    ----------
    path
        The path of the file; its folder must exist. An existing file is kept until the new one is complete.
    mode
        ``"wb"`` for bytes, ``"w"`` for UTF-8 text whose line ends are not converted.

    Yields
    ------
    file
        A temporary file in the same folder.

    Raises
    ------
    InputError
        When the file cannot be written: no such folder, no permission, no space left.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(Path(folder, "note.txt"), "w") as file:
    ...         _ = file.write("done")
    ...     Path(folder, "note.txt").read_text(encoding="utf-8")
    'done'
    """
    target = Path(os.path.realpath(path))  # follow a link, so that the link itself stays
    _refuse_loop(target)
    if target.exists() and not target.is_file():
        raise InputError(f"{path} is not a regular file, so it cannot be replaced: give the path of a file")
    temporary: Path | None = None
    try:
        temporary, file = _begun(target, mode)
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if os.name == "nt":  # which renames no file that is open; elsewhere it is locked to the end
                file.close()
            if target.exists():
                shutil.copymode(target, temporary)
            os.replace(temporary, target)
            sync(target.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"{path} could not be written ({reason}): choose a folder that exists, is writable and has "
            "space left"
        ) from error
    finally:
        # Nothing is left to remove after the replacement; after any exception, an interrupt too, there is.
        # A disk that may only be read refuses to remove even what is not there.
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def _begun(target: Path, mode: Literal["w", "wb"]) -> tuple[Path, IO[Any]]:
    """Make a file beside another, open and locked."""
    text = {} if mode == "wb" else {"encoding": "utf-8", "newline": ""}
    while True:
        temporary = unfinished(target)
        file: IO[Any] = temporary.open(mode.replace("w", "x"), **text)  # type: ignore[call-overload]
        try:
            if is_ours(file.fileno(), temporary):
                return temporary, file
            file.close()
        except BaseException:
            with file:
                temporary.unlink(missing_ok=True)
            raise
