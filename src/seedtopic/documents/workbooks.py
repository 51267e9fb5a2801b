"""From a spreadsheet file to the rows of one of its sheets."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, time
from itertools import chain, islice
from typing import IO, Any

from seedtopic.base.errors import InputError
from seedtopic.base.wording import and_more
from seedtopic.documents.formats import import_openpyxl
from seedtopic.documents.workbook_archive import check_archive, damaged

MOST_ROWS = 1 << 20  # of a sheet; a file that counts further was not written by a spreadsheet program
MOST_EMPTY, _TIMES_FILLED = 20_000_000, 100  # cells before others, if there are few of those
MOST_PACKED = 1 << 30  # bytes of a file that has to be held in memory
NumberedCells = tuple[int, list[Any]]

# Characters that XML cannot hold are written as _x000D_, and the underscore of such a text as _x005F_.
_ESCAPED = re.compile("_x(00[01][0-9A-Fa-f]|005F|FFF[EF])_")
_AT_ONCE, _AT_FIRST = 500, 20  # rows that are read together, and that tell whether a sheet has a table
_LONGEST_NAME = 100  # characters of the name of a column under a title


@dataclass(frozen=True)
class Sheet:
    """A sheet that is being read."""

    title: str  # its name
    others: list[str]  # the names of the other sheets
    rows: Iterator[NumberedCells]  # its rows with at least one value, each with its number


@contextmanager
def opened_sheet(stream: IO[bytes], name: str, wanted: str | None) -> Iterator[Sheet]:
    """Open a sheet of a spreadsheet."""
    openpyxl = import_openpyxl("reading .xlsx files")
    if not stream.seekable():  # a gzipped one
        stream = io.BytesIO(stream.read(MOST_PACKED))
    check_archive(stream, name)
    with _explained(name):
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True, keep_links=False)
    with closing(book):
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        if not sheets:
            raise InputError(f"{name} has no sheet with cells: name a file that has one")
        title = _with_table(sheets, name) if wanted is None else _named(list(sheets), wanted, name)
        others = [other for other in sheets if other != title]
        yield Sheet(title, others, _filled_rows(sheets[title], name))


def column_letter(place: int) -> str:
    """Return the letter of a column, from 0.

    Examples
    --------
    >>> column_letter(0), column_letter(25), column_letter(26), column_letter(16383)
    ('A', 'Z', 'AA', 'XFD')
    """
    letters = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def under_title(rows: Iterator[NumberedCells]) -> tuple[int, Iterator[NumberedCells]]:
    """Leave out a title: first rows with a single cell, above one that looks like the names of columns.

    Examples
    --------
    >>> table = [(1, ["Tickets of May"]), (3, ["id", "text"]), (4, [7, "A late goal"])]
    >>> n_titles, rows = under_title(iter(table))
    >>> n_titles, list(rows)
    (1, [(3, ['id', 'text']), (4, [7, 'A late goal'])])
    >>> under_title(iter([(1, ["text"]), (2, ["A goal"])]))[0]
    0
    """
    first: list[NumberedCells] = []
    for row in rows:
        first.append(row)
        if len(_filled(row[1])) > 1:
            break
    names = _filled(first[-1][1]) if first else []
    texts = {value for value in names if isinstance(value, str) and len(value) <= _LONGEST_NAME}
    # A single cell is a title in the first column; elsewhere it may be the only column that has a name.
    titles = first[:-1] if len(names) > 1 and len(texts) == len(names) else []
    if not all(cells[0] is not None for _, cells in titles):
        titles = []
    return len(titles), chain(first[len(titles) :], rows)


def _filled(cells: Sequence[Any]) -> list[Any]:
    return [value for value in cells if value is not None]


def _named(titles: list[str], wanted: str, name: str) -> str:
    same = [title for title in titles if title.casefold() == wanted.strip().casefold()]
    if same:
        return wanted if wanted in same else same[0]
    if wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= len(titles):
        return titles[int(wanted) - 1]
    raise InputError(f"{name} has no sheet {wanted!r:.60}: its sheets are {_listed(titles)}")


def _with_table(sheets: dict[str, Any], name: str) -> str:
    """Choose a sheet: one with several columns before one with a single column, which may be a note."""
    single: dict[str, str] = {}
    for state in ("visible", "hidden", "veryHidden"):
        for title, sheet in sheets.items():
            if sheet.sheet_state == state:
                rows = list(islice(_filled_rows(sheet, name), _AT_FIRST))
                if len(rows) > 1 and any(len(_filled(cells)) > 1 for _, cells in rows):
                    return title
                if len(rows) > 1:
                    single.setdefault(state, title)
        if state in single:
            return single[state]
    raise InputError(
        f"{name} has no sheet with a table ({_listed(list(sheets))}): write the names of the columns into "
        "the first row, and one document into each row below"
    )


def _listed(titles: list[str]) -> str:
    return and_more([repr(title) for title in titles[:20]], len(titles))


def _filled_rows(sheet: Any, name: str) -> Iterator[NumberedCells]:
    sheet.reset_dimensions()  # some programs write wrong ones
    dates, n_empty, n_filled = _DateFormats(), 0, 0
    rows = enumerate(sheet.iter_rows(), 1)
    while True:
        found: list[NumberedCells] = []
        with _explained(name):
            taken = list(islice(rows, _AT_ONCE))
            for number, cells in taken:
                values = [_value(cell, dates) for cell in cells]
                filled = len(values) - values.count(None)
                n_empty, n_filled = n_empty + len(values) - filled, n_filled + filled
                if filled:
                    found.append((number, values))
        yield from found
        if n_empty > MOST_EMPTY and n_empty > _TIMES_FILLED * n_filled:
            raise damaged(name, f"more than {MOST_EMPTY:,} cells of a sheet are empty")
        if not taken:
            return
        if taken[-1][0] > MOST_ROWS:
            raise damaged(name, f"a sheet has more than {MOST_ROWS:,} rows")


def _value(cell: Any, dates: _DateFormats) -> Any:
    value = cell.value
    if isinstance(value, str):
        if "_x" in value:
            value = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)
        return value or None
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)  # 1E+05 is a whole number, and an id should not end in .0
    if type(value) is datetime and value.time() == time() and dates.without_time(cell):
        return value.date()
    return value


class _DateFormats:
    """Which formats of cells show a date without a time."""

    def __init__(self) -> None:
        self._known: dict[str, bool] = {}

    def without_time(self, cell: Any) -> bool:
        shown = cell.number_format
        if shown not in self._known:
            from openpyxl.styles.numbers import is_datetime

            self._known[shown] = is_datetime(shown) == "date"
        return self._known[shown]


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Turn the many errors by which openpyxl answers damaged files into one, and be silent about the rest."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts that are not read, such as charts
            yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise damaged(name, str(error)) from None
