"""Files and folders that are never left half written, and files that are opened without trust.

What is written is made ready beside its place, under another name. Who writes it holds its lock, so that
others can tell it from what a killed process left, whichever container or user they run in; where a file
system has no locks, nothing is removed.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal

from seedtopic.base.errors import InputError

if sys.platform != "win32":
    import fcntl

LEFT_BEHIND = ".seedtopic-*.tmp"
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # a pipe of that name is not waited for
# Links are not followed, and a pipe without a writer does not block.
_PLAIN = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
)


def check_place(path: Path, example: str) -> None:
    """Raise an error unless a file, such as the example, can be written at a path."""
    if path.is_dir():
        raise InputError(f"{path} is a folder: give the path of a file in it, such as {path / example}")
    _target(path)
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} for {path.name} does not exist: create it first")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"the folder {path.parent} is not writable: choose another for {path.name}")


def _target(path: str | Path) -> Path:
    """Follow a link, so that the link itself stays; refuse links that lead to each other."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # although all links were followed
        raise InputError(f"{target} is a link that leads back to itself: remove it, or give another path")
    return target


@contextmanager
def atomic_file(path: str | Path, mode: Literal["w", "wb"] = "wb") -> Iterator[IO[Any]]:
    """Open a file for bytes, or UTF-8 text, that replaces another only if the block ends without an error."""
    target = _target(path)
    if target.exists() and not target.is_file():
        raise InputError(f"{path} is not a regular file, so it cannot be replaced: give the path of a file")
    options: dict[str, Any] = {} if mode == "wb" else {"encoding": "utf-8", "newline": ""}
    temporary: Path | None = None
    try:
        while True:
            temporary = unfinished(target)
            with temporary.open(mode.replace("w", "x"), **options) as file:
                if not is_ours(file.fileno(), temporary):
                    continue
                yield file
                file.flush()
                os.fsync(file.fileno())
                if os.name == "nt":  # which renames no file that is open; elsewhere it is locked to the end
                    file.close()
                if target.exists():
                    shutil.copymode(target, temporary)
                os.replace(temporary, target)
                sync(target.parent)
                return
    except OSError as error:
        raise InputError(
            f"{path} could not be written ({error.strerror or error}): choose a folder that exists, is "
            "writable and has space left"
        ) from error
    finally:
        # Nothing is left to remove after the replacement; after any exception, an interrupt too, there is.
        # A disk that may only be read refuses to remove even what is not there.
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to fill; it replaces another, see `standing`, if the block ends without an error."""
    target = Path(os.path.realpath(path))  # follow a link, so that the link itself stays
    made: list[Path] = []  # parents, lowest first
    temporary: Path | None = None
    try:
        made = [folder for folder in target.parents if not folder.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        while True:
            temporary = unfinished(target)
            temporary.mkdir()
            with _locked(temporary) as ours:
                if not ours:
                    continue
                yield temporary
                for file in temporary.iterdir():
                    sync(file)
                sync(temporary)
                _put_in_place(temporary, target)
                for folder in made:
                    sync(folder.parent)
                made = []
                return
    except OSError as error:
        raise InputError(
            f"{path} cannot be written ({error.strerror or error}): choose a folder that is writable "
            "and has space left."
        ) from error
    finally:
        if temporary is not None:
            discard(temporary)
        for folder in made:
            with suppress(OSError):  # another process may have put something there meanwhile
                folder.rmdir()


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Hold the lock of a new folder, where it can be opened; False if another took it for left behind."""
    if not hasattr(os, "O_DIRECTORY"):
        yield True
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        yield False
        return
    try:
        yield is_ours(descriptor, folder)
    finally:
        with suppress(OSError):
            os.close(descriptor)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder that will be replaced by what is made of it, and refuse if another process holds it."""
    while True:
        try:
            place = standing(folder)
            descriptor = os.open(place, os.O_RDONLY) if hasattr(os, "O_DIRECTORY") else None
        except OSError:
            descriptor = None  # whoever reads it says what is wrong
        if descriptor is None:
            yield
            return
        try:
            if not is_ours(descriptor, place):
                if number_of_folder(folder) != _number(os.fstat(descriptor)):
                    continue  # it was replaced in that moment
                raise InputError(
                    f"{folder} is being updated by another program: wait until that has ended, and run the "
                    "same command again."
                )
            yield
            return
        finally:
            os.close(descriptor)


def number_of_folder(path: Path) -> tuple[int, int] | None:
    """Return what tells a folder from one that has replaced it; None where there is none."""
    try:
        return _number(os.stat(standing(path)))
    except OSError:
        return None


def _number(about: os.stat_result) -> tuple[int, int]:
    return about.st_ino, about.st_ctime_ns  # the first alone is given again after two replacements


def standing(path: Path) -> Path:
    """Return where a folder is: at its path, or moved aside if its replacement was interrupted."""
    aside = _aside(Path(os.path.realpath(path)))
    return aside if not path.exists() and os.path.isdir(aside) else path  # False if the name is too long


def _aside(target: Path) -> Path:
    return target.with_name(f".{target.name}.seedtopic-old")


def _put_in_place(new: Path, target: Path) -> None:
    aside = _aside(target)
    try:
        if target.exists():
            shutil.copymode(target, new)
            discard(aside)  # left by a process that was killed
            target.rename(aside)
        new.rename(target)
    except BaseException:
        if not target.exists() and os.path.isdir(aside):
            aside.rename(target)
        raise
    try:
        sync(target.parent)  # before the old one is removed
    finally:
        discard(aside)


def unfinished(target: Path) -> Path:
    """Name the place where a file or folder is made ready, after removing what was left there."""
    of_target = f".seedtopic-{hashlib.blake2b(os.fsencode(target.name), digest_size=4).hexdigest()}"
    remove_left_behind(target.parent, f"{of_target}-*.tmp")
    # Not from tempfile, whose files only the owner may read; short, as the target's name may be at the limit.
    return target.with_name(f"{of_target}-{secrets.token_hex(8)}.tmp")


def lock(descriptor: int) -> None:
    """Lock an open file or folder until it is closed; a BlockingIOError where another process has done so."""
    # Processes in other containers know the lock, too. Another OSError says that there are no locks.
    if sys.platform == "win32":
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_ours(descriptor: int, path: Path) -> bool:
    """Lock what was opened; False where another has it, or has removed or replaced it in that moment."""
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


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk, where the system can do that."""
    is_folder = path.is_dir()
    if is_folder and not hasattr(os, "O_DIRECTORY"):
        return
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        if is_folder:
            return
        raise
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_plain(path: Path, most: int) -> IO[bytes]:
    """Open a file from an untrusted source; refuse links, devices and what has more than `most` bytes."""
    if path.is_symlink():
        raise InputError(f"{path} is a link: replace it by the file itself.")
    descriptor = os.open(path, _PLAIN)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > most:
        os.close(descriptor)
        reason = f"has {status.st_size:,} bytes" if stat.S_ISREG(status.st_mode) else "is not a regular file"
        raise InputError(f"{path} {reason}, which no saved model has: copy the model again.")
    return os.fdopen(descriptor, "rb")


def read_plain(path: Path, most: int) -> bytes:
    """Read a file that `open_plain` opens."""
    with open_plain(path, most) as file:
        return file.read(os.fstat(file.fileno()).st_size)


def read_regular(path: Path, most: int) -> bytes:
    """Read a file that a user has named, and that may be a link; the message of an error follows its name."""
    kind = os.stat(path).st_mode  # before it is opened, since a pipe waits for its other end
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
        raise InputError("is not a regular file.")
    with open(path, "rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise InputError(f"has more than {most:,} bytes.")
    return content


def sha256(file: IO[bytes]) -> str:
    """Return the checksum of a file, and go back to its beginning."""
    file.seek(0)
    checksum = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    file.seek(0)
    return checksum
