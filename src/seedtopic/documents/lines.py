"""From bytes to decoded lines: invalid bytes are replaced, counted and reported, never dropped."""

from __future__ import annotations

import codecs
import glob
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, cast

from seedtopic.base.errors import InputError
from seedtopic.documents.encodings import UTF8, UTF8_MARKED, codec_of, ends_by_returns
from seedtopic.documents.formats import split_ending
from seedtopic.documents.problems import Place, Problems
from seedtopic.documents.table_style import kept_encoding

UNZIPPED_AT_ONCE = 1 << 17  # bytes; with Python's own 8 KB, a fifth of the time would go into the calls


@contextmanager
def explained(name: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{name} was not found: check the path, relative to {os.getcwd()}") from None
    except PermissionError:
        raise InputError(f"{name} cannot be read (permission denied): change its permissions") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        reason = str(error).rstrip(".")
        raise InputError(f"{name} is not a complete gzip file ({reason}): compress it again") from None
    except OSError as error:
        reason = " ".join((error.strerror or str(error)).split())  # pyarrow's have several lines
        raise InputError(f"{name} could not be read ({reason}): copy it to another place") from None


@contextmanager
def opened(path: Path, name: str, problems: Problems) -> Iterator[io.BufferedReader[Any]]:
    if is_piped(path):
        if sys.stdin is None:
            raise InputError("standard input is closed: name a file of documents instead of -")
        # An own buffer can look ahead, which not every replacement of standard input can.
        stream: io.BufferedReader[Any] = io.BufferedReader(sys.stdin.buffer)
        try:
            yield _unzipped(stream, name, problems)
        finally:
            stream.detach()  # otherwise closing the buffer would close standard input
        return
    with explained(name):
        file = path.open("rb")
    with file, explained(name):
        yield _unzipped(file, name, problems, named_so=split_ending(path)[1])


def _unzipped(
    stream: io.BufferedReader[Any], name: str, problems: Problems, *, named_so: bool = False
) -> io.BufferedReader[Any]:
    """Decompress gzip data, recognized by its first bytes or by its name."""
    zipped = named_so or stream.peek(2)[:2] == b"\x1f\x8b"
    return io.BufferedReader(_Unzipped(stream, name, problems), UNZIPPED_AT_ONCE) if zipped else stream


class _Unzipped(io.RawIOBase):
    """The content of a gzip file; bytes after its end, whose checksum has been verified, are ignored."""

    def __init__(self, stream: io.BufferedReader[Any], name: str, problems: Problems) -> None:
        self._packed = _Counted(stream)
        self._file = gzip.GzipFile(fileobj=cast(Any, self._packed), mode="rb")
        self._name, self._problems = name, problems
        self._begun, self._ended, self._unpacked = False, False, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            found = b"" if self._ended else self._file.read1(len(buffer))
        except gzip.BadGzipFile as error:
            # Another member would start with its magic number; damage inside a member raises other errors.
            if not self._begun or not str(error).startswith("Not a gzipped file"):
                raise
            self._problems.leave_out(
                Place(self._name), "has bytes after its end that are not gzipped", "compress it again"
            )
            found, self._ended = b"", True
        self._begun = self._begun or bool(found)
        self._unpacked += len(found)
        self._problems.limits.check_expansion(self._name, self._packed.n_bytes, self._unpacked)
        buffer[: len(found)] = found
        return len(found)


class _Counted:
    """A stream that counts the bytes read from it."""

    def __init__(self, stream: io.BufferedReader[Any]) -> None:
        self._stream, self.n_bytes = stream, 0

    def read(self, size: int, /) -> bytes:
        found: bytes = self._stream.read(size)
        self.n_bytes += len(found)
        return found


def decoded_lines(
    stream: io.BufferedReader[Any], name: str, problems: Problems, encoding: str = UTF8
) -> Iterator[str]:
    """Decode line by line, keeping line ends, because a CSV cell may contain some."""
    with explained(name):
        head = stream.peek(1)
        codec, shown = codec_of(head, encoding, name)
        problems.style.setdefault("encoding", kept_encoding(codec))
        returns = ends_by_returns(head, codec)
        if codec in (UTF8, UTF8_MARKED) and not returns:
            lines = chain.from_iterable(map(io.BytesIO, whole_lines(stream, name, problems)))
            yield from utf8_lines(lines, name, problems)
            return
        text = io.TextIOWrapper(stream, codec, errors="replace", newline="\r" if returns else "\n")
        try:
            most = problems.limits.row
            for number, line in enumerate(iter(partial(text.readline, most + 1), ""), 1):
                if len(line) > most:
                    problems.limits.refuse_row(f"line {number} of {name}")
                if "\ufffd" in line:
                    problems.damaged(Place(name, number), shown)
                yield line
        finally:
            with suppress(ValueError):  # already closed if the lines were not read to the end
                text.detach()  # the caller closes the stream


def whole_lines(
    stream: io.BufferedReader[Any], name: str, problems: Problems, size: int = 1 << 20
) -> Iterator[bytes]:
    """Read about so many bytes at a time, cut after a line feed."""
    rest, n_lines = bytearray(), 0
    while read := stream.read(size):
        end = read.rfind(b"\n") + 1
        if len(rest) + (read.find(b"\n") if end else len(read)) > problems.limits.row:
            problems.limits.refuse_row(f"line {n_lines + 1} of {name}")
        if not end:
            rest += read
            continue
        rest += memoryview(read)[:end]
        yield bytes(rest)
        n_lines += rest.count(b"\n")
        rest = bytearray(memoryview(read)[end:])
    if rest:
        yield bytes(rest)


def plain_codec(stream: io.BufferedReader[Any], name: str, encoding: str = UTF8) -> str | None:
    """Return the codec of a stream that can be cut after any line feed and read as UTF-8; None for others."""
    with explained(name):
        head = stream.peek(1)
    codec, _ = codec_of(head, encoding, name)
    return codec if codec in (UTF8, UTF8_MARKED) and not ends_by_returns(head, codec) else None


def utf8_lines(lines: Iterable[bytes], name: str, problems: Problems, first: int = 1) -> Iterator[str]:
    """Decode lines of which the first has this number."""
    for number, raw in enumerate(lines, first):
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        try:
            line = raw.decode()
        except UnicodeDecodeError:
            problems.damaged(Place(name, number), "UTF-8")
            line = raw.decode(errors="replace")
        yield line


def is_piped(path: Path) -> bool:
    return str(path) == "-"


def matched_files(path: Path) -> list[Path]:
    """Return the files of a pattern such as ``news/*.csv``, or of a folder of Parquet files, in order.

    Examples
    --------
    >>> matched_files(Path("news.csv"))
    []
    """
    if os.path.isdir(path):
        return [] if is_piped(path) else _parquet_files(path)
    if not glob.has_magic(str(path)) or path.exists():  # a file may be named a[1].csv
        return []
    return [Path(found) for found in sorted(glob.glob(str(path), recursive=True))]


def _parquet_files(folder: Path) -> list[Path]:
    """Return the files of a table that Dask, Spark or Ray wrote as a folder; none if it is not one."""
    failed: list[OSError] = []  # or a folder that cannot be listed would look empty
    walk = os.walk(folder, onerror=failed.append)
    there = (Path(parent, name) for parent, _, names in walk for name in names)
    files = sorted(file for file in there if not file.name.startswith((".", "_")))  # _SUCCESS, _metadata
    others = [file for file in files if split_ending(file)[0] != "parquet"]
    if others and len(others) < len(files):
        raise InputError(
            f"{folder} contains Parquet files and others, such as {others[0].relative_to(folder)}: name the "
            f"Parquet files, as in '{folder / '*.parquet'}'"
        )
    if (
        failed and not others
    ):  # of a folder of texts, the reader leaves out what cannot be listed, and says so
        with explained(str(folder)):
            raise failed[0]
    return [] if others else files


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder of text files."""
    with explained(str(path)):
        return not is_piped(path) and path.is_dir() and not matched_files(path)
