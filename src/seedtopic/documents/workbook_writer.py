"""Writing a table as an .xlsx spreadsheet.

The rows go straight into the archive: a large table takes no memory, no temporary file and a third of
openpyxl's time, and the same rows always give the same bytes. The tests read it with openpyxl and pandas. A
text is always written as a text: a cell that begins with ``=`` is not a formula.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import chain, islice
from math import isfinite
from typing import IO, Any
from xml.sax.saxutils import escape
from zipfile import ZIP64_LIMIT, ZIP_DEFLATED, ZipFile, ZipInfo

from seedtopic.base import json as strict_json
from seedtopic.base.errors import InputError, UnusableDocuments
from seedtopic.base.wording import number_of
from seedtopic.documents.columns import ERRORS
from seedtopic.documents.table_style import PLAIN, TableStyle, like_formula
from seedtopic.documents.workbook_parts import (
    DATE,
    DATETIME,
    DURATION,
    HEADER,
    MAIN,
    QUOTED,
    TIME,
    XML,
    fixed_parts,
    quoted_title,
    range_of,
    sheet_titles,
    workbook_part,
)
from seedtopic.documents.workbooks import MOST_ROWS, column_letter

LONGEST_CELL = 32_767  # characters, of which some count twice
MOST_COLUMNS = 1 << 14

_DAY_ZERO, _FIRST_DAY = datetime(1899, 12, 30), date(1900, 3, 1)  # a spreadsheet counts wrong before that day
_DAY = timedelta(days=1)
_EXACT = 10**15  # larger numbers lose digits in a spreadsheet
# What XML cannot hold, and what would be read as the escape of such a character.
_ILLEGAL = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_SAMPLE, _NARROWEST, _WIDEST = 50, 9, 60  # rows that tell how wide columns are, and widths in characters


def check_shape(n_rows: int, n_columns: int) -> None:
    """Raise an error if a table does not fit into a sheet."""
    if n_rows >= MOST_ROWS or n_columns > MOST_COLUMNS:
        raise InputError(
            f"{number_of(n_rows, 'row')} and {number_of(n_columns, 'column')} do not fit into an .xlsx file, "
            f"which holds {MOST_ROWS - 1:,} rows and {MOST_COLUMNS:,} columns: write .csv"
        )


def write_workbook(
    file: IO[bytes], rows: Iterable[Mapping[str, Any]], columns: Sequence[str], style: TableStyle = PLAIN
) -> None:
    """Write rows as a sheet of an .xlsx file."""
    check_shape(0, len(columns))
    cells = _Cells()
    titles = sheet_titles(style.sheet, list(style.choices))
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, part in fixed_parts(len(titles)).items():
            archive.writestr(_part(name), part)
        choices = dict(zip(titles[1:], style.choices.items(), strict=True))
        with archive.open(_part("xl/worksheets/sheet1.xml"), "w") as stream:
            n_rows = _stream(stream, _sheet(rows, columns, cells, choices))
        for number, values in enumerate(style.choices.values(), 2):
            with archive.open(_part(f"xl/worksheets/sheet{number}.xml"), "w") as stream:
                _stream(stream, _list(values))
        archive.writestr(_part("xl/workbook.xml"), workbook_part(titles, range_of(len(columns), n_rows)))
    if cells.n_cut:
        were = "was" if cells.n_cut == 1 else "were"
        warnings.warn(
            f"{number_of(cells.n_cut, 'text')} longer than {LONGEST_CELL:,} characters, the most that a cell "
            f"of .xlsx can hold, {were} cut: write .csv to keep all of them",
            UnusableDocuments,
            stacklevel=3,
        )


def fitting(text: str) -> str:
    """Cut a text to what a cell can hold."""
    if len(text) <= LONGEST_CELL // 2:
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    return text if len(units) <= 2 * LONGEST_CELL else units[: 2 * LONGEST_CELL].decode("utf-16-le", "ignore")


class _Cells:
    """Makes cells, and counts those that had to be cut."""

    def __init__(self) -> None:
        self.n_cut = 0

    def cell(self, place: str, value: Any) -> str:
        """Write one value as a cell; an empty one is left out."""
        if isinstance(value, str):
            return self._text(place, value)
        if value is None:
            return ""
        if isinstance(value, bool):
            return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
        if isinstance(value, int | float | Decimal):
            return self._number(place, value)
        if isinstance(value, date | time | timedelta):
            found = _serial(value)
            if found is not None:
                return f'<c r="{place}" s="{found[1]}"><v>{found[0]!r}</v></c>'
        return self._text(
            place, strict_json.written(value, default=str) if isinstance(value, list | dict) else str(value)
        )

    def _number(self, place: str, value: int | float | Decimal) -> str:
        if value != value:  # not a number: missing
            return ""
        if isinstance(value, int) and abs(value) < _EXACT:
            return f'<c r="{place}"><v>{int(value)}</v></c>'
        if isinstance(value, int) or not isfinite(value):
            return self._text(place, str(value))
        return f'<c r="{place}"><v>{float(value)!r}</v></c>'

    def _text(self, place: str, text: str) -> str:
        if not text:
            return ""
        if text in ERRORS:
            return f'<c r="{place}" t="e"><v>{text}</v></c>'
        whole, text = text, fitting(text)
        self.n_cut += text != whole
        # The style keeps it a text even if a person edits the cell.
        style = f' s="{QUOTED}"' if like_formula(text) else ""
        return f'<c r="{place}"{style} t="inlineStr">{_inline(text)}</c>'


def _inline(text: str) -> str:
    legal = _ILLEGAL.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
    return f'<is><t xml:space="preserve">{escape(legal)}</t></is>'


def _serial(value: date | time | timedelta) -> tuple[int | float, int] | None:
    """Give a date as the number that a spreadsheet holds, with its style; None if it must be a text."""
    if isinstance(value, datetime):
        if value.tzinfo is not None or value.date() < _FIRST_DAY:
            return None
        return (value - _DAY_ZERO) / _DAY, DATETIME
    if isinstance(value, date):
        return None if value < _FIRST_DAY else ((value - _DAY_ZERO.date()).days, DATE)
    if isinstance(value, time):
        if value.tzinfo is not None:
            return None
        return (datetime.combine(_DAY_ZERO, value) - _DAY_ZERO) / _DAY, TIME
    return None if value < timedelta(0) else (value / _DAY, DURATION)


def _stream(stream: IO[bytes], lines: Iterable[str]) -> int:
    """Write the lines of a sheet, and return the number of its rows."""
    n_rows = size = 0
    for line in lines:
        n_rows += line.startswith("<row")
        written = line.encode()
        size += len(written)
        if size > ZIP64_LIMIT:  # beyond which Excel does not read an archive
            raise InputError("the documents do not fit into an .xlsx file, which holds 2 GB: write .csv")
        stream.write(written)
    return n_rows


def _list(values: Sequence[str]) -> Iterator[str]:
    yield f'{XML}<worksheet xmlns="{MAIN}"><sheetData>'
    for number, value in enumerate(values, 1):
        yield f'<row r="{number}"><c r="A{number}" t="inlineStr">{_inline(value)}</c></row>'
    yield "</sheetData></worksheet>"


def _sheet(
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
    cells: _Cells,
    choices: Mapping[str, tuple[str, Sequence[str]]],
) -> Iterator[str]:
    letters = [column_letter(place) for place in range(len(columns))]
    remaining = iter(rows)
    sample = list(islice(remaining, _SAMPLE))
    yield (
        f'{XML}<worksheet xmlns="{MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" '
        'topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>'
    )
    for number, column in enumerate(columns, 1):
        longest = max(len(str(row.get(column, ""))) for row in [{column: column}, *sample])
        width = min(max(longest + 2, _NARROWEST), _WIDEST)
        yield f'<col min="{number}" max="{number}" width="{width}" customWidth="1"/>'
    yield "</cols><sheetData>"
    names = (
        f'<c r="{letter}1" s="{HEADER}" t="inlineStr">{_inline(column)}</c>'
        for letter, column in zip(letters, columns, strict=True)
    )
    yield f'<row r="1">{"".join(names)}</row>'
    number = 1
    for number, row in enumerate(chain(sample, remaining), 2):
        if number > MOST_ROWS:
            check_shape(number, len(columns))
        places = zip(letters, columns, strict=True)
        written = "".join(cells.cell(f"{letter}{number}", row.get(column)) for letter, column in places)
        yield f'<row r="{number}">{written}</row>'
    yield f'</sheetData><autoFilter ref="{range_of(len(columns), number).replace("$", "")}"/>'
    if choices:
        yield f'<dataValidations count="{len(choices)}">'
        for title, (column, values) in choices.items():
            letter = letters[columns.index(column)]
            # Without an error message: a person may write something else.
            yield (
                f'<dataValidation type="list" allowBlank="1" sqref="{letter}2:{letter}{max(number, 2)}">'
                f"<formula1>{quoted_title(title)}!{range_of(1, len(values))}</formula1></dataValidation>"
            )
        yield "</dataValidations>"
    yield "</worksheet>"


def _part(name: str) -> ZipInfo:
    # With a fixed time, so that the same rows give the same bytes.
    part = ZipInfo(name)
    part.compress_type = ZIP_DEFLATED
    return part
