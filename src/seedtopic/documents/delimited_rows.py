"""From lines to the rows of a table with delimiters."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from threading import Lock

from seedtopic.base.errors import InputError
from seedtopic.documents.header import NumberedRow, checked_header, padded
from seedtopic.documents.limits import MORE_CELLS, MORE_ROW, Limits
from seedtopic.documents.problems import Place, Problems
from seedtopic.documents.table_style import SeenQuotes, line_end

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
            problems.style.setdefault("line_end", line_end(taken.row))
            continue
        if len(cells) > len(header):
            reason = f"has {len(cells)} cells for {len(header)} columns"
            problems.leave_out(Place(name, number), reason, f"quote the cells that contain a {delimiter!r}")
        elif broken and len(cells) < len(header):
            continue
        elif cells:
            whole = len(cells) == len(header)
            yield (
                number,
                dict(zip(header, cells, strict=True)) if whole else padded(header, cells, first=first),
            )
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
        self._row: list[str] = []
        self._number = 0
        self._length = self._n_cells = 0
        self._to_count = limits.cells

    def begin_row(self) -> int:
        """Start a row, and return the number of its first line."""
        self._row = []
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
