"""Files that are never left half written."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal

from seedtopic.errors import InputError


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
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} for {path.name} does not exist: create it first")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"the folder {path.parent} is not writable: choose another for {path.name}")


def unfinished(target: Path) -> Path:
    """Return the path of a temporary file or folder, after removing those that killed processes left there.

    The name contains the target and the process, so that files being written by other processes stay.

    Examples
    --------
    >>> name = unfinished(Path("labels.csv")).name
    >>> name.split("-")[0], int(name.split("-")[2]) == os.getpid()
    ('.seedtopic', True)
    """
    of_target = f".seedtopic-{hashlib.blake2b(os.fsencode(target.name), digest_size=4).hexdigest()}"
    for left in target.parent.glob(f"{of_target}-*.tmp"):
        process = left.name.split("-")[2]
        if process.isdecimal() and not _is_running(int(process)):
            _remove(left)
    # Not from tempfile, whose files only the owner may read; short, since the target's name may be very long.
    return target.with_name(f"{of_target}-{os.getpid()}-{secrets.token_hex(4)}.tmp")


def _remove(left: Path) -> None:
    """Remove a file of another process, if permitted: in a shared folder it may be another user's."""
    if left.is_dir():
        shutil.rmtree(left, ignore_errors=True)
        return
    with suppress(OSError):
        left.unlink()


def _is_running(process: int) -> bool:
    if os.name != "posix":  # on other systems this would end the process
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):  # not a valid process id
        return False
    except OSError:
        return True  # it belongs to another user
    return True


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
    if target.exists() and not target.is_file():
        raise InputError(f"{path} is not a regular file, so it cannot be replaced: give the path of a file")
    temporary = unfinished(target)
    text = {} if mode == "wb" else {"encoding": "utf-8", "newline": ""}
    try:
        with temporary.open(mode.replace("w", "x"), **text) as file:  # type: ignore[call-overload]
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"{path} could not be written ({reason}): choose a folder that exists, is writable and has "
            "space left"
        ) from error
    finally:
        # After the replacement there is nothing left to remove; after an exception or interrupt there is.
        # A read-only disk refuses to remove even a file that does not exist.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
