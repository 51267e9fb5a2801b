"""Faults made on purpose: the n-th call of the system that concerns a folder fails, in one of several ways.

Python's own files, `os` and locks are watched: all that the package writes with. A
`Disk` beside it says what a loss of power at any moment would leave: what was synced, and perhaps more.
"""

from __future__ import annotations

import errno
import fcntl
import io
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

WAYS: dict[str, Callable[[], BaseException]] = {
    "no space": lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "broken disk": lambda: OSError(errno.EIO, os.strerror(errno.EIO)),
    "no memory": MemoryError,
    "interrupt": KeyboardInterrupt,
}
SHORT = "short write"  # less than asked for is written, which is not an error
ON_PATHS = ("mkdir", "rmdir", "unlink", "remove", "rename", "replace", "chmod", "scandir", "listdir")
ON_FILES = ("fsync", "dup", "ftruncate", "posix_fallocate")


class Faults:
    """Count the calls that concern a folder, and have one of them fail.

    Parameters
    ----------
    folder
        Calls for files elsewhere, such as those of imported modules, are left alone.
    at
        The number of the call that fails; none for -1.
    way
        A name of `WAYS`, or `SHORT`.
    lasting
        Whether all calls after it fail, too.
    disk
        Told of everything that was done.
    """

    def __init__(
        self, folder: Path, at: int = -1, way: str = "", *, lasting: bool = False, disk: Disk | None = None
    ) -> None:
        self.folder, self.at, self.way, self.lasting = os.path.realpath(folder), at, way, lasting
        self.disk = disk
        self.calls: list[str] = []
        self.paths: dict[int, str] = {}  # of open files below the folder
        self.touched: set[str] = set()  # everything that was ever opened

    @property
    def happened(self) -> bool:
        """Whether the call was reached."""
        return 0 <= self.at < len(self.calls)

    def strike(self, call: str) -> bool:
        """Count a call: it fails, or the answer says whether it does less than it was asked to do."""
        number = len(self.calls)
        self.calls.append(call)
        if number == self.at or (self.lasting and 0 <= self.at < number):
            if self.way == SHORT:
                return call == "write"
            raise WAYS[self.way]()
        return False

    def place(self, path: Any, within: int | None = None) -> str | None:
        """Give the path of what is below the folder."""
        if isinstance(path, int):
            return self.paths.get(path)
        above = os.getcwd() if within is None else self.paths.get(within, "/")
        folder, name = os.path.split(os.path.join(above, os.fsdecode(path)))
        found = os.path.join(os.path.realpath(folder), name)
        return found if found.startswith(self.folder) else None

    @contextmanager
    def made(self) -> Iterator[Faults]:
        """Watch all calls until the block ends."""
        with ExitStack() as stack:
            for name in ON_PATHS:
                stack.enter_context(patch.object(os, name, self._on_paths(name, getattr(os, name))))
            for name in ON_FILES:
                stack.enter_context(patch.object(os, name, self._on_file(name, getattr(os, name))))
            stack.enter_context(patch.object(os, "open", self._open(os.open)))
            stack.enter_context(patch.object(os, "close", self._close(os.close)))
            stack.enter_context(patch.object(fcntl, "flock", self._on_file("flock", fcntl.flock)))
            for module in ("io.open", "builtins.open"):
                stack.enter_context(patch(module, self._file(io.open)))
            stack.enter_context(patch.object(tempfile, "tempdir", self.folder))
            yield self

    def _on_paths(self, name: str, real: Any) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            within = named.get("dir_fd")
            n_paths = 2 if name in ("rename", "replace") else 1
            places = [self.place(path, within) for path in arguments[:n_paths]]
            if any(places):
                self.strike(name)
            result = real(*arguments, **named)
            if all(places) and self.disk is not None:
                self.disk.note(name, *(str(place) for place in places))
            return result

        return call

    def _on_file(self, name: str, real: Any) -> Any:
        def call(descriptor: Any, *arguments: Any, **named: Any) -> Any:
            number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
            if number in self.paths:
                self.strike(name)
            if name == "fsync":  # which takes long, and the power does not really fail
                if number in self.paths and self.disk is not None:
                    self.disk.sync(number)
                return None
            result = real(descriptor, *arguments, **named)
            if name == "dup" and number in self.paths:
                self._opened(result, self.paths[number])
            return result

        return call

    def _open(self, real: Any) -> Any:
        def call(path: Any, flags: int, *arguments: Any, **named: Any) -> int:
            place = self.place(path, named.get("dir_fd"))
            if place is None:
                return int(real(path, flags, *arguments, **named))
            self.strike("open")
            descriptor = real(path, flags, *arguments, **named)
            self._opened(descriptor, place)
            return int(descriptor)

        return call

    def _opened(self, descriptor: int, place: str) -> None:
        self.paths[descriptor] = place
        self.touched.add(os.path.relpath(place, self.folder))
        if self.disk is not None:
            self.disk.opened(descriptor, place)

    def _close(self, real: Any) -> Any:
        def call(descriptor: int) -> None:
            ours = self.paths.pop(descriptor, None)
            real(descriptor)  # which closes it whatever it says
            if ours is not None:
                self.strike("close")

        return call

    def _file(self, real: Any) -> Any:
        faults = self

        class Raw(io.FileIO):
            def write(self, content: Any) -> int:
                if faults.strike("write"):
                    content = bytes(content)[: max(len(content) // 2, 1)]
                return int(super().write(content))

            def readinto(self, buffer: Any) -> int:
                faults.strike("read")
                return int(super().readinto(buffer))

            def readall(self) -> bytes:
                faults.strike("read")
                return bytes(super().readall())

            def truncate(self, size: int | None = None) -> int:
                faults.strike("truncate")
                return int(super().truncate(size))

            def close(self) -> None:
                ours = not self.closed and faults.paths.pop(self.fileno(), None)
                super().close()
                if ours:
                    faults.strike("close")

        def call(
            file: Any,
            mode: str = "r",
            buffering: int = -1,
            encoding: str | None = None,
            errors: str | None = None,
            newline: str | None = None,
            closefd: bool = True,
            opener: Any = None,
        ) -> Any:
            place = self.place(file)
            if place is None:
                return real(file, mode, buffering, encoding, errors, newline, closefd, opener)
            if not isinstance(file, int):
                self.strike("open")
            raw: Any = Raw(file, mode.replace("b", "").replace("t", ""), closefd, opener)
            if not isinstance(file, int):
                self._opened(raw.fileno(), place)
            if "+" in mode:
                buffered: Any = io.BufferedRandom(raw)
            else:
                buffered = io.BufferedReader(raw) if "r" in mode else io.BufferedWriter(raw)
            return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding, errors, newline)

        return call


class _File:
    def __init__(self, content: bytes = b"") -> None:
        self.content = content  # as of the last sync


class _Folder:
    def __init__(self, names: dict[str, int]) -> None:
        self.versions = [names]  # the one that was synced, and all that followed


class Disk:
    """What is on a disk for sure, and what may be: names and contents that were not synced can be lost.

    The contents of a file are those of its last sync. The names of a folder are those of its last sync, or
    any later ones, for the system may write them whenever it likes.
    """

    def __init__(self, folder: Path) -> None:
        self.top = os.path.realpath(folder)
        self.nodes: list[_File | _Folder] = []
        self.open: dict[int, int] = {}  # nodes of open files
        self.seen: list[dict[str, bytes]] = []  # all that a loss of power could have left
        self.root = self._read(Path(self.top))

    def _read(self, path: Path) -> int:
        node = (
            _Folder({part.name: self._read(part) for part in path.iterdir()})
            if path.is_dir()
            else _File(path.read_bytes())
        )
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _made(self, node: _File | _Folder) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _names(self, place: str) -> tuple[_Folder, str]:
        """Give the folder of a path, and the name in it."""
        *above, name = os.path.relpath(place, self.top).split(os.sep)
        folder = self.nodes[self.root]
        for part in above:
            assert isinstance(folder, _Folder)
            folder = self.nodes[folder.versions[-1][part]]
        assert isinstance(folder, _Folder)
        return folder, name

    def _change(self, folder: _Folder, **names: int | None) -> None:
        changed = {**folder.versions[-1], **names}
        folder.versions.append({name: node for name, node in changed.items() if node is not None})
        self.look()

    def opened(self, descriptor: int, place: str) -> None:
        """Note that a file is open, which may be a new one."""
        if place == self.top:
            self.open[descriptor] = self.root
            return
        folder, name = self._names(place)
        if name not in folder.versions[-1]:
            if not os.path.lexists(place):  # an unnamed file
                self.open[descriptor] = self._made(_File())
                return
            self._change(folder, **{name: self._made(_File())})
        self.open[descriptor] = folder.versions[-1][name]

    def note(self, call: str, place: str, to: str = "") -> None:
        """Note that names have changed."""
        if call in ("chmod", "scandir", "listdir"):
            return
        folder, name = self._names(place)
        names = folder.versions[-1]
        if call == "mkdir":
            self._change(folder, **{name: self._made(_Folder({}))})
        elif call in ("unlink", "remove", "rmdir"):
            self._change(folder, **{name: None})
        else:
            other, new = self._names(to)
            assert other is folder  # nothing is moved from one folder to another
            self._change(folder, **{new: names[name], name: None})

    def sync(self, descriptor: int) -> None:
        """Note that a file, or the names of a folder, are on the disk."""
        node = self.nodes[self.open[descriptor]]
        if isinstance(node, _Folder):
            node.versions = node.versions[-1:]
        else:
            size = os.fstat(descriptor).st_size
            place = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY)
            node.content = os.pread(place, size, 0)
            os.close(place)
        self.look()

    def look(self) -> None:
        """Keep all that may be left if the power fails now."""
        for state in self.possible():
            if state not in self.seen:
                self.seen.append(state)

    def possible(self) -> Iterator[dict[str, bytes]]:
        """Give the files that there may be after a loss of power."""
        changing = [node for node in self.nodes if isinstance(node, _Folder) and len(node.versions) > 1]
        for chosen in product(*(range(len(node.versions)) for node in changing)):
            versions = dict(zip(map(id, changing), chosen, strict=True))

            def walk(place: str, number: int, versions: dict[int, int] = versions) -> Iterator[Any]:
                node = self.nodes[number]
                if isinstance(node, _File):
                    yield place, node.content
                    return
                for name, below in node.versions[versions.get(id(node), 0)].items():
                    yield from walk(os.path.join(place, name), below)

            yield dict(walk("", self.root))
