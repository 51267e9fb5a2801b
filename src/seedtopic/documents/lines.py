"""Bytes into decoded lines: what is not valid is replaced, counted and named, never dropped."""

from __future__ import annotations

import codecs
import glob
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seedtopic.documents.formats import split_ending
from seedtopic.errors import InputError

_SHOWN = 3  # undecodable lines named in a note; the others are only counted


@dataclass(frozen=True)
class DecodingProblem:
    """A line whose bytes were not valid in its encoding and were read with replacement characters.

    Parameters
    ----------
    source : str
        The file.
    line : int
        Its number in the file, from 1.
    encoding : str
        In which it was not valid.
    """

    source: str
    line: int
    encoding: str = "UTF-8"


class Problems:
    """What a reader notices: lines that could not be decoded, the first few and their number; remarks."""

    def __init__(self) -> None:
        self.first: list[DecodingProblem] = []
        self.count = 0
        self.remarks: list[str] = []

    def add(self, problem: DecodingProblem) -> None:
        self.count += 1
        if len(self.first) < _SHOWN:
            self.first.append(problem)

    def notes(self, name: str) -> list[str]:
        if not self.count:
            return self.remarks
        if all(problem.source == name for problem in self.first):
            places = "line " + ", ".join(str(problem.line) for problem in self.first)
        else:
            places = ", ".join(f"{problem.source} line {problem.line}" for problem in self.first)
        lines = "1 line" if self.count == 1 else f"{self.count} lines"
        were = "was" if self.count == 1 else "were"
        return [
            f"{lines} of {name} {were} not valid {self.first[0].encoding} and {were} read with replacement "
            f"characters (first: {places})",
            *self.remarks,
        ]


@contextmanager
def explained(name: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{name} was not found: check the path, seen from {os.getcwd()}") from None
    except PermissionError:
        raise InputError(f"{name} may not be read (permission denied): change its permissions") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        reason = str(error).rstrip(".")
        raise InputError(f"{name} is not a whole gzip file ({reason}): fetch or compress it again") from None
    except OSError as error:
        reason = " ".join((error.strerror or str(error)).split())  # those of pyarrow are of several lines
        raise InputError(f"{name} could not be read ({reason}): copy it to another place") from None


@contextmanager
def opened(path: Path, name: str) -> Iterator[io.BufferedReader[Any]]:
    if is_piped(path):
        # Our own buffer can look ahead, which not every stand-in for standard input can.
        stream: io.BufferedReader[Any] = io.BufferedReader(sys.stdin.buffer)
        try:
            yield _unzipped(stream)
        finally:
            stream.detach()  # or standard input would be closed together with the buffer
        return
    with explained(name):
        file = path.open("rb")
    with file, explained(name):
        yield _unzipped(file, named_so=split_ending(path)[1])


def _unzipped(stream: io.BufferedReader[Any], *, named_so: bool = False) -> io.BufferedReader[Any]:
    """Unzip what is gzipped, by its first bytes or by its name, which may each be without the other."""
    zipped = named_so or stream.peek(2)[:2] == b"\x1f\x8b"
    return io.BufferedReader(gzip.GzipFile(fileobj=stream)) if zipped else stream


def decoded_lines(stream: io.BufferedReader[Any], name: str, problems: Problems) -> Iterator[str]:
    """Decode line by line, line ends kept, because a CSV cell may hold some."""
    with explained(name):
        if stream.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            text = io.TextIOWrapper(stream, "utf-16", errors="replace", newline="\n")
            try:
                for number, line in enumerate(text, 1):
                    if "\ufffd" in line:
                        problems.add(DecodingProblem(name, number, "UTF-16"))
                    yield line
            finally:
                text.detach()  # the stream is closed by whoever opened it
            return
        for number, raw in enumerate(stream, 1):
            if number == 1:
                raw = raw.removeprefix(codecs.BOM_UTF8)
            try:
                line = raw.decode()
            except UnicodeDecodeError:
                problems.add(DecodingProblem(name, number))
                line = raw.decode(errors="replace")
            yield line


def is_piped(path: Path) -> bool:
    return str(path) == "-"


def matched_files(path: Path) -> list[Path]:
    """Give the files that a pattern such as ``news/*.csv`` stands for, in order; none for a plain path.

    Examples
    --------
    >>> matched_files(Path("news.csv"))
    []
    """
    if not glob.has_magic(str(path)) or path.exists():  # a file may be called a[1].csv
        return []
    return [Path(found) for found in sorted(glob.glob(str(path), recursive=True))]


def is_folder(path: Path) -> bool:
    with explained(str(path)):
        return not is_piped(path) and path.is_dir()
