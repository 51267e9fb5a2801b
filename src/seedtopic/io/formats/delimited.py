"""From lines to the rows of a table with delimiters."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from shutil import copyfileobj
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, Any

from seedtopic.base import json as strict_json
from seedtopic.base.errors import InputError
from seedtopic.base.wording import number_of
from seedtopic.io.source import (
    BARE,
    MORE_CELLS,
    MORE_ROW,
    UTF8,
    UTF8_MARKED,
    Limits,
    NumberedRow,
    Place,
    Problems,
    SeenQuotes,
    TableStyle,
    checked_header,
    padded,
    safe,
)

_QUOTED = re.compile('"[^"]*"?')
ROWS_TO_SEE = 100  # which tell what is in quotes
# The limits found by the readers that are running. The first to end restores the last of them, set by the
# others; the last to end restores the original one.
_LIMITS: list[int] = []
_LOCK = Lock()


def delimited(lines: Iterator[str], delimiter: str) -> tuple[Iterator[str], str]:
    """Return the delimiter: a semicolon if the header says so, as where the comma is the decimal sign."""
    first = next(lines, "")
    if first.count(";") > first.count(delimiter):
        delimiter = ";"
    return chain([first], lines) if first else lines, delimiter


def table_rows(lines: Iterator[str], delimiter: str, name: str, problems: Problems) -> Iterator[NumberedRow]:
    """Parse the rows below the header; a broken one is left out, and the next line begins a new one."""
    taken = _Taken(lines, delimiter, problems.limits)
    # Strict, because otherwise an unclosed quote swallows all rows after it.
    reader = csv.reader(taken, delimiter=delimiter, strict=True)
    header: list[str] | None = None
    first = True
    quotes, left_to_see = SeenQuotes(), 0 if "quoting" in problems.style else ROWS_TO_SEE
    broken = False  # whether the previous row was broken; its other lines look like short rows
    while True:
        number = taken.begin_row()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            remedy = "close every quote, and write a quote inside a quoted cell twice"
            if isinstance(error, _TooLargeError):
                remedy = f"{remedy}, or {error.remedy}"
            if header is None:
                raise InputError(
                    f"the header at {name}:{number} cannot be read ({error}): {remedy}"
                ) from None
            problems.leave_out(Place(name, number), f"cannot be read ({error})", remedy)
            taken.go_back()
            broken = True
            continue
        if left_to_see and cells is not None:
            left_to_see -= 1
            quotes.add(taken.row, cells)
            problems.style["quoting"] = quotes.quoting
        if cells is None:
            return
        if header is None:
            header = checked_header(cells, f"{name}:{number}")
            ends = (end for end in ("\r\n", "\n", "\r") if taken.row.endswith(end))
            problems.style.setdefault("line_end", next(ends, "\n"))
            continue
        if len(cells) > len(header):
            reason = f"has {number_of(len(cells), 'cell')} for {number_of(len(header), 'column')}"
            problems.leave_out(Place(name, number), reason, f"quote the cells that contain a {delimiter!r}")
        elif broken and len(cells) < len(header):
            continue
        elif cells:
            yield number, padded(header, cells, first=first)
            first = False
        broken = False


class _TooLargeError(csv.Error):
    """A row is larger than the limits, perhaps because a quote is not closed."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class _Taken(Iterator[str]):
    """Numbered lines; if a row turns out to be broken, its lines can be read again."""

    def __init__(self, lines: Iterator[str], delimiter: str, limits: Limits) -> None:
        self._lines, self._again = lines, deque[str]()
        self._delimiter, self._limits = delimiter, limits
        self._number = 0
        self.begin_row()

    def begin_row(self) -> int:
        """Start a row, and return the number of its first line."""
        self._row: list[str] = []
        self._length = self._n_cells = 0
        self._to_count = self._limits.cells
        return self._number + 1

    @property
    def row(self) -> str:
        """The lines of this row."""
        return "".join(self._row)

    def go_back(self) -> None:
        """Read the lines after the first one of this row again."""
        self._again.extendleft(reversed(self._row[1:]))
        self._number -= max(len(self._row) - 1, 0)

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._lines)
        self._row.append(line)
        self._number += 1
        self._length += len(line)
        if self._length > self._limits.cells:
            self._check_size(line)
        return line

    def _check_size(self, line: str) -> None:
        if self._length > self._limits.row:
            raise _TooLargeError(f"it is longer than {self._limits.row:,} characters", MORE_ROW)
        self._n_cells += (line if self._n_cells else self.row).count(self._delimiter)
        if self._n_cells >= self._to_count:
            if _QUOTED.sub("", self.row).count(self._delimiter) >= self._limits.cells:
                raise _TooLargeError(f"it has more than {self._limits.cells:,} cells", MORE_CELLS)
            self._to_count = 2 * self._n_cells  # most are in quotes; the row is not looked at for each line


@contextmanager
def huge_cells() -> Iterator[None]:
    """Lift the limit on a CSV cell's size, which is global to the process, while reading."""
    with _LOCK:
        _LIMITS.append(csv.field_size_limit(2**31 - 1))
    try:
        yield
    finally:
        with _LOCK:
            csv.field_size_limit(_LIMITS.pop())


Bytes = IO[bytes] | gzip.GzipFile
_AT_ONCE = 1 << 20  # characters


def table_text(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str], style: TableStyle, delimiter: str
) -> str:
    """Write rows, without the line with the names of the columns."""
    cell = _safe_cell if style.safe_cells else _cell
    with io.StringIO(newline="") as text:
        write = _line_writer(text, style, delimiter)
        for row in rows:
            write([cell(row.get(column)) for column in columns])
        return text.getvalue()


def header_text(columns: Sequence[str], style: TableStyle, delimiter: str) -> str:
    """Write the line with the names of the columns."""
    return table_text([dict(zip(columns, columns, strict=True))], columns, style, delimiter)


def write_text(file: Bytes, pieces: Iterable[bytes], encoding: str) -> None:
    """Write pieces of UTF-8 text in another encoding."""
    if encoding.startswith("utf"):
        _write(file, pieces, encoding)
        return
    with TemporaryFile() as draft:
        _write(draft, pieces, UTF8)
        encoding = encoding if _fits(draft, encoding) else UTF8_MARKED
        draft.seek(0)
        with as_text(draft, UTF8) as read, as_text(file, encoding) as written:
            copyfileobj(read, written, _AT_ONCE)


def _write(file: Bytes, pieces: Iterable[bytes], encoding: str) -> None:
    if encoding == UTF8:
        file.writelines(pieces)
        return
    with as_text(file, encoding) as text:
        text.writelines(piece.decode() for piece in pieces)


def _fits(draft: IO[bytes], encoding: str) -> bool:
    draft.seek(0)
    with as_text(draft, UTF8) as read:
        try:
            while text := read.read(_AT_ONCE):
                text.encode(encoding)
        except UnicodeEncodeError:
            return False
    return True


def _line_writer(text: IO[str], style: TableStyle, delimiter: str) -> Callable[[list[Any]], Any]:
    if style.quoting == "texts":

        def write(cells: list[Any]) -> None:
            text.write(delimiter.join(map(_quoted_text, cells)) + style.line_end)

        return write
    # A delimiter, quotes and line ends inside a cell are quoted in any case.
    everything = csv.writer(
        text, delimiter=delimiter, lineterminator=style.line_end, quoting=csv.QUOTE_ALL
    ).writerow
    if style.quoting == "all":
        return everything
    needed = csv.writer(text, delimiter=delimiter, lineterminator=style.line_end).writerow

    # Before Python 3.13, such a character is quoted only if it is part of the line end.
    others = [end for end in "\r\n" if end not in style.line_end]

    def write_minimal(cells: list[Any]) -> None:
        ends = any(isinstance(cell, str) and end in cell for cell in cells for end in others)
        (everything if ends else needed)(cells)

    return write_minimal


def _quoted_text(cell: Any) -> str:
    if cell is None:
        return ""
    written = str(cell)
    if not isinstance(cell, str) or BARE.fullmatch(written) is not None:
        return written
    return '"' + written.replace('"', '""') + '"'


def _cell(value: Any) -> Any:
    return strict_json.written(value, default=str) if isinstance(value, list | dict) else value


def _safe_cell(value: Any) -> Any:
    cell = _cell(value)
    return safe(cell) if isinstance(cell, str) else cell


@contextmanager
def as_text(file: Bytes, encoding: str = UTF8) -> Iterator[io.TextIOWrapper]:
    """Read or write a binary file as text, line ends unchanged."""
    text = io.TextIOWrapper(file, encoding=encoding, newline="")
    try:
        yield text
    finally:
        text.detach()  # flushes; the caller closes the file
