"""From lines to the rows of a table with delimiters."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from threading import Lock

from seedtopic.documents.header import NumberedRow, checked_header
from seedtopic.documents.problems import Place, Problems
from seedtopic.documents.table_style import SeenQuotes, line_end
from seedtopic.errors import InputError

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
    taken = _Taken(lines)
    # Strict, because otherwise an unclosed quote swallows all rows after it.
    reader = csv.reader(taken, delimiter=delimiter, strict=True)
    header: list[str] | None = None
    quotes, left_to_see = SeenQuotes(), 0 if "quoting" in problems.style else ROWS_TO_SEE
    broken = False  # whether the previous row was broken; its other lines look like short rows
    while True:
        number = taken.begin_row()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            remedy = "close every quote, and write a quote inside a quoted cell twice"
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
            yield number, dict(zip(header, [*cells, *[None] * (len(header) - len(cells))], strict=True))
        broken = False


class _Taken(Iterator[str]):
    """Numbered lines; if a row turns out to be broken, its lines can be read again."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines, self._again = lines, deque[str]()
        self._row: list[str] = []
        self._number = 0

    def begin_row(self) -> int:
        """Start a row, and return the number of its first line."""
        self._row = []
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
        return line


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
