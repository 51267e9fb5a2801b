"""Rows and the names of their columns."""

from __future__ import annotations

from collections import Counter
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.base.wording import and_more

Row = dict[str, Any]
NumberedRow = tuple[int, Row]


_MOST_MISSING = 1000  # cells
_AROUND_A_ROW, _AROUND_A_CELL = 100, 40  # bytes


def row_size(row: Row) -> int:
    """Return about how much memory a row takes.

    Examples
    --------
    >>> row_size({"text": "a goal"})
    146
    """
    cells = row.values()
    return (
        _AROUND_A_ROW + _AROUND_A_CELL * len(row) + sum(len(cell) for cell in cells if isinstance(cell, str))
    )


def padded(header: list[str], cells: list[Any], *, first: bool) -> Row:
    """Make a row of cells; those that are missing at its end are None.

    If many are missing, only the first row of a table has them, which is enough to know its columns: a file
    of a long header and many short rows would otherwise take far more memory than its size.
    """
    missing = len(header) - len(cells)
    if missing > _MOST_MISSING and not first:
        return dict(zip(header, cells, strict=False))
    return dict(zip(header, [*cells, *[None] * missing], strict=True))


def checked_header(columns: list[str], where: str) -> list[str]:
    """Raise an error if a header names no column, or one twice."""
    if not any(columns):
        raise InputError(f"the header at {where} is empty: name the columns in the first line")
    twice = [column for column, count in Counter(columns).items() if count > 1]
    if twice:
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
