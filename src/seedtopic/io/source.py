"""From bytes to decoded lines: invalid bytes are replaced, counted and reported, never dropped."""

from __future__ import annotations

import codecs
import glob
import gzip
import io
import os
import re
import sys
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn, cast

from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory, memory, parse_memory
from seedtopic.base.wording import and_more, number_of

UTF8, UTF8_MARKED = "utf-8", "utf-8-sig"

# A byte order mark overrides the given encoding, and is not part of the text. The longest come first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, UTF8_MARKED),
)
_SHOWN = {UTF8: "UTF-8", UTF8_MARKED: "UTF-8", "utf-16": "UTF-16", "utf-32": "UTF-32"}
_WIDE = 0.25  # share of zero bytes in Latin text encoded with two bytes per letter


def check_encoding(name: str) -> None:
    """Raise an error if a name is not a text encoding."""
    try:
        if not codecs.lookup(name)._is_text_encoding:  # others convert bytes to bytes
            raise LookupError
        codecs.getincrementaldecoder(name)("replace").decode("text".encode(name), True)
    except (LookupError, UnicodeError, ValueError, TypeError, AttributeError):
        raise InputError(
            f"the encoding {name!r} is not known: use utf-8, utf-16, latin-1, cp1252 or another that Python "
            "knows"
        ) from None


def codec_of(head: bytes, named: str, source: str) -> tuple[str, str]:
    """Return the codec for a file that starts with `head`, and its name for messages."""
    marked = next((codec for mark, codec in _MARKS if head.startswith(mark)), None)
    codec = marked or codecs.lookup(named).name
    zeros, odd = head.count(0), head[1::2].count(0)
    if codec == UTF8 and zeros >= max(2, _WIDE * len(head)) and odd in (0, zeros):
        wide = "utf-16-le" if odd else "utf-16-be"
        raise InputError(
            f"{source} looks like UTF-16 without a byte order mark: name its encoding (--encoding {wide})"
        )
    return codec, _SHOWN.get(codec, named)


def ends_by_returns(head: bytes, codec: str) -> bool:
    """Return whether lines end with a carriage return only, as on very old machines."""
    text = head.decode(codec, errors="ignore")
    return "\n" not in text and "\r" in text[:-1]  # the last one may be half of a line end


ROW, CELLS, EXPANSION = "SEEDTOPIC_MAX_ROW", "SEEDTOPIC_MAX_CELLS", "SEEDTOPIC_MAX_EXPANSION"
_DEFAULT_ROW, _DEFAULT_CELLS, _DEFAULT_EXPANSION = "32MB", 100_000, 200
MORE_ROW = f"allow more ({ROW}=1GB in the environment, and --max-memory)"
MORE_CELLS = f"allow more ({CELLS}=1000000 in the environment)"
UNPACKED_IN_ANY_CASE = 1 << 28  # bytes of a packed file, however small it is
_PARTS = 8  # of `max_memory`, of which a row may be one: its bytes, its text, its words, ...


@dataclass(frozen=True)
class Limits:
    """The largest parts of a source that are read."""

    row: int  # bytes or characters of a line, of a row, of a cell, and of a text file in a folder
    cells: int  # cells of a row, values of a JSON object, and columns of a source
    expansion: int  # how many times larger the content of a packed file may be than the file
    memory: int  # bytes of all rows of a source that can be read only once, such as standard input

    @classmethod
    def of(cls, max_memory: MaxMemory = None) -> Limits:
        """Return what the environment says, and less where `max_memory` is less."""
        most = parse_memory(max_memory) or memory()
        row = parse_memory(os.environ.get(ROW) or _DEFAULT_ROW, ROW) or 0
        return cls(
            row=min(row, max(most // _PARTS, 1)),
            cells=_number(CELLS, _DEFAULT_CELLS),
            expansion=_number(EXPANSION, _DEFAULT_EXPANSION),
            memory=min(most, memory() // 2),
        )

    def refuse_row(self, where: str) -> NoReturn:
        """Raise the error that a row is too long."""
        raise InputError(
            f"{where} is longer than {self.row:,} bytes: split it into several documents, or {MORE_ROW}"
        )

    def refuse_cells(self, where: str) -> NoReturn:
        """Raise the error that a row, or a whole source, has too many columns."""
        raise InputError(f"{where} has more than {self.cells:,} columns: leave some out, or {MORE_CELLS}")

    def check_expansion(self, name: str, packed: int, unpacked: int) -> None:
        """Raise an error if far more comes out of a packed file than is in it."""
        if unpacked > max(UNPACKED_IN_ANY_CASE, self.expansion * packed):
            raise InputError(
                f"{name} unpacks to more than {self.expansion:,} times its size: unpack it first, or allow "
                f"more ({EXPANSION}=2000 in the environment)"
            )

    def check_kept(self, name: str, size: int) -> None:
        """Raise an error if the rows of a source take too much memory."""
        if size > self.memory:
            raise InputError(
                f"{name} takes more than {self.memory:,} bytes, and can only be kept in memory: write it to "
                "a file, such as documents.jsonl, and name that file"
            )


def _number(name: str, default: int) -> int:
    number = os.environ.get(name) or str(default)
    if not (number.isascii() and number.isdigit() and int(number) > 0):
        raise InputError(f"{name} in the environment is {number!r:.40}: give a whole number from 1 on")
    return int(number)


ANSWERS_ENDING = ".answers.csv"  # of a file of answers, beside the documents or among them, and never one
SHOWN = 3  # places listed in a message; the others are only counted
NAME_ENCODING = "if the file is in another encoding, name it (for example --encoding latin-1)"


class Place(NamedTuple):
    """A line of a source, or the whole source."""

    source: str
    line: int | None = None

    def within(self, name: str) -> str:
        """Return the place as a text, in a sentence about `name`."""
        if self.line is None:
            return self.source
        return f"line {self.line}" if self.source == name else f"{self.source} line {self.line}"


class Problems:
    """Collects what was noticed of an input: lines and rows that cannot be used, remarks, style."""

    def __init__(self, *, strict: bool = False, limits: Limits | None = None) -> None:
        self.strict = strict
        self.limits = limits or Limits.of()
        self.remarks: list[str] = []
        self.style: dict[str, Any] = {}  # of the first table, see TableStyle
        self.n_left_out = 0
        self._left_out: list[tuple[Place, str]] = []
        self._remedy = ""
        self._damaged: dict[str, tuple[int, list[Place]]] = {}

    @property
    def count(self) -> int:
        """The number of rows and lines with a problem."""
        return self.n_left_out + sum(count for count, _ in self._damaged.values())

    def leave_out(self, place: Place, reason: str, remedy: str) -> None:
        """Add something that cannot be used."""
        self._refuse_if_strict(place, reason, remedy)
        self.n_left_out += 1
        self._remedy = self._remedy or remedy
        if len(self._left_out) < SHOWN:
            self._left_out.append((place, reason))

    def damaged(self, place: Place, encoding: str) -> None:
        """Add a line that was read with replacement characters."""
        self._refuse_if_strict(place, f"is not valid {encoding}", NAME_ENCODING)
        count, first = self._damaged.get(encoding, (0, []))
        if len(first) < SHOWN:
            first.append(place)
        self._damaged[encoding] = count + 1, first

    def add(self, other: Problems) -> None:
        """Add what was noticed further on in the same input."""
        self.remarks += [remark for remark in other.remarks if remark not in self.remarks]
        self.n_left_out += other.n_left_out
        self._left_out = (self._left_out + other._left_out)[:SHOWN]
        self._remedy = self._remedy or other._remedy
        for encoding, (count, first) in other._damaged.items():
            before, earlier = self._damaged.get(encoding, (0, []))
            self._damaged[encoding] = before + count, (earlier + first)[:SHOWN]

    def taken(self) -> Problems:
        """Return what was noticed since this was last called; the style stays."""
        noticed = Problems(strict=self.strict, limits=self.limits)
        noticed.add(self)
        self.remarks, self.n_left_out, self._left_out, self._remedy, self._damaged = [], 0, [], "", {}
        return noticed

    def nothing_left(self, name: str) -> InputError:
        """Return the error that no usable row is left."""
        return InputError(f"{name} contains no usable document: {self._listed(name)}: {self._remedy}")

    def sentences(self, name: str) -> list[str]:
        """Return one sentence per kind of problem; remarks are not included."""
        sentences = []
        for encoding, (count, first) in self._damaged.items():
            were = "was" if count == 1 else "were"
            places = ", ".join(place.within(name) for place in first)
            if all(place.source == name and place.line is not None for place in first):
                places = "line " + ", ".join(str(place.line) for place in first)
            sentences.append(
                f"{number_of(count, 'line')} of {name} {were} not valid {encoding} and {were} read with "
                f"replacement characters (first: {places}); {NAME_ENCODING}"
            )
        if self.n_left_out:
            thing = "row" if any(place.line is not None for place, _ in self._left_out) else "part"
            were = "was" if self.n_left_out == 1 else "were"
            sentences.append(
                f"{number_of(self.n_left_out, thing)} of {name} could not be used and {were} left out: "
                f"{self._listed(name)}"
            )
        return sentences

    def _listed(self, name: str) -> str:
        shown = [f"{place.within(name)} {reason}" for place, reason in self._left_out]
        return and_more(shown, self.n_left_out, "; ")

    def _refuse_if_strict(self, place: Place, reason: str, remedy: str) -> None:
        if self.strict:
            where = place.source if place.line is None else f"{place.source}:{place.line}"
            raise InputError(f"{where} {reason}: {remedy}")


Row = dict[str, Any]
NumberedRow = tuple[int, Row]


_MOST_MISSING = 1000  # cells
_AROUND_A_ROW, _AROUND_A_CELL = 100, 40  # bytes


def row_size(row: Row) -> int:
    """Return about how much memory a row takes."""
    cells = row.values()
    return (
        _AROUND_A_ROW + _AROUND_A_CELL * len(row) + sum(len(cell) for cell in cells if isinstance(cell, str))
    )


def padded(header: list[str], cells: list[Any], *, first: bool) -> Row:
    """Make a row of cells; those that are missing at its end are None."""
    missing = len(header) - len(cells)
    # Of a long header and many short rows, the first alone has all columns, or they would take much memory.
    if missing > _MOST_MISSING and not first:
        return dict(zip(header, cells, strict=False))
    return dict(zip(header, [*cells, *[None] * missing], strict=True))


def checked_header(columns: list[str], where: str) -> list[str]:
    """Raise an error if a header names no column, or one twice."""
    if not any(columns):
        raise InputError(f"the header at {where} is empty: name the columns in the first line")
    if twice := [column for column, count in Counter(columns).items() if count > 1]:
        raise InputError(
            f"the header at {where} contains {listed(twice)} more than once: rename one of them, or put a "
            "line with the names of the columns above it"
        )
    return columns


def listed(columns: list[str]) -> str:
    """List the names of columns, the first few if there are many."""
    return and_more([short(column) for column in columns[:20]], len(columns))


def short(column: str) -> str:
    """Quote the name of a column, shortened if it is long, as when a document was read as a header."""
    return repr(column) if len(column) <= 40 else repr(column[:40] + "…")


Quoting = Literal["minimal", "texts", "all"]

# What a program that quotes all texts leaves without quotes. A number with a leading zero is a text.
BARE = re.compile(r"|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|NA|NaN|-?Inf|NULL|TRUE|FALSE|true|false", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)*|[.,]\d+)([eE][+-]?\d+)?\s*%?", re.ASCII)
# Encodings that Excel recognizes and that are recognized when the file is read again.
_KEPT = (UTF8, UTF8_MARKED, "utf-16", "cp1252", "iso8859-1")


@dataclass(frozen=True)
class TableStyle:
    """How to write a table."""

    delimiter: str = ","  # what separates the cells of a ``.csv`` file; a ``.tsv`` file always has tabs
    quoting: Quoting = "minimal"  # which cells are in quotes
    line_end: str = "\n"
    encoding: str = UTF8
    sheet: str | None = None  # the name of the sheet of a spreadsheet
    safe_cells: bool = False  # whether texts like formulas get an apostrophe
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of the cells of a column
    hidden: Collection[str] = ()  # columns of a spreadsheet that are not shown


PLAIN = TableStyle()


def kept_encoding(codec: str) -> str:
    """Return the encoding to write what was read in another: the same, or UTF-8 with a byte order mark."""
    return codec if codec in _KEPT else UTF8_MARKED


def like_formula(text: str) -> bool:
    """Return whether a spreadsheet program would take a text for a formula."""
    text = text.lstrip("'")  # so that an apostrophe of its own is not taken for ours
    return text.startswith(("=", "+", "-", "@", "\t", "\r")) and _NUMBER.fullmatch(text) is None


def safe(text: str) -> str:
    """Write an apostrophe before a text that looks like a formula."""
    return "'" + text if like_formula(text) else text


def as_before(text: str) -> str:
    """Remove the apostrophe that `safe` writes."""
    return text[1:] if text.startswith("'") and like_formula(text[1:]) else text


class SeenQuotes:
    """Which cells of a table are in quotes, from some of its rows."""

    def __init__(self) -> None:
        self._quoted: set[bool] = set()  # whether a cell in quotes is a value that needs none
        self._bare: set[bool] = set()  # whether a cell without quotes is such a value
        self._bare_nothing = False

    def add(self, line: str, cells: list[str]) -> None:
        """Look at a row: its text in the file, and its cells."""
        place = 0
        for cell in cells:
            quoted = line.startswith('"', place)
            place += len(cell) + 1 + (cell.count('"') + 2 if quoted else 0)
            if cell:
                (self._quoted if quoted else self._bare).add(BARE.fullmatch(cell) is not None)
            else:
                self._bare_nothing |= not quoted

    @property
    def quoting(self) -> Quoting:
        """The rule that these rows follow."""
        if False in self._bare or not self._quoted:
            return "minimal"
        if self._bare or (self._bare_nothing and True not in self._quoted):
            return "texts"
        return "all"


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
            content = b"" if self._ended else self._file.read1(len(buffer))
        except gzip.BadGzipFile as error:
            # Another member would start with its magic number; damage inside a member raises other errors.
            if not self._begun or not str(error).startswith("Not a gzipped file"):
                raise
            self._problems.leave_out(
                Place(self._name), "has bytes after its end that are not gzipped", "compress it again"
            )
            content, self._ended = b"", True
        self._begun = self._begun or bool(content)
        self._unpacked += len(content)
        self._problems.limits.check_expansion(self._name, self._packed.n_bytes, self._unpacked)
        buffer[: len(content)] = content
        return len(content)


class _Counted:
    """A stream that counts the bytes read from it."""

    def __init__(self, stream: io.BufferedReader[Any]) -> None:
        self._stream, self.n_bytes = stream, 0

    def read(self, size: int, /) -> bytes:
        content: bytes = self._stream.read(size)
        self.n_bytes += len(content)
        return content


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


def split_ending(path: str | Path) -> tuple[str, bool]:
    """Split a file name's ending into its format and whether it is gzipped."""
    name = Path(path).name.lower()
    stem = name.removesuffix(".gz")
    return Path(stem).suffix.removeprefix("."), stem != name


def matched_files(path: Path) -> list[Path]:
    """Return the files of a pattern such as ``news/*.csv``, or of a folder of Parquet files, in order."""
    if os.path.isdir(path):
        return [] if is_piped(path) else _parquet_files(path)
    if not glob.has_magic(str(path)) or path.exists():  # a file may be named a[1].csv
        return []
    files = [Path(file) for file in sorted(glob.glob(str(path), recursive=True))]
    return [file for file in files if not file.name.endswith(ANSWERS_ENDING)]


def _parquet_files(folder: Path) -> list[Path]:
    """Return the files of a table that Dask, Spark or Ray wrote as a folder; none if it is not one."""
    failed: list[OSError] = []  # or a folder that cannot be listed would look empty
    walk = os.walk(folder, onerror=failed.append)
    there = (Path(parent, name) for parent, _, names in walk for name in names)
    named = (file for file in there if not file.name.startswith((".", "_")))  # _SUCCESS, _metadata
    files = sorted(file for file in named if not file.name.endswith(ANSWERS_ENDING))
    others = [file for file in files if split_ending(file)[0] != "parquet"]
    if others and len(others) < len(files):
        raise InputError(
            f"{folder} contains Parquet files and others, such as {others[0].relative_to(folder)}: name the "
            f"Parquet files, as in '{folder / '*.parquet'}'"
        )
    # Of a folder of texts, the reader leaves out what cannot be listed, and says so.
    if failed and not others:
        with explained(str(folder)):
            raise failed[0]
    return [] if others else files


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder of text files."""
    with explained(str(path)):
        return not is_piped(path) and path.is_dir() and not matched_files(path)
