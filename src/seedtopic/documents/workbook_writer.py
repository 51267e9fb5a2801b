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

from seedtopic import strict_json
from seedtopic.documents.columns import ERRORS
from seedtopic.documents.problems import number_of
from seedtopic.documents.table_style import like_formula
from seedtopic.documents.workbooks import MOST_ROWS, column_letter
from seedtopic.errors import InputError, UnusableDocuments

LONGEST_CELL = 32_767  # characters, of which some count twice
MOST_COLUMNS = 1 << 14
SHEET = "documents"  # the name of a sheet for documents that were in none

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" '
    f'Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
}
# The styles of cells by their numbers in the file. Dates have the formats that a spreadsheet program shows as
# they are written in the country of its user.
_PLAIN, _HEADER, _DATE, _DATETIME, _TIME, _DURATION, _QUOTED = range(7)
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill '
    'patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1">'
    "<border><left/><right/><top/><bottom/><diagonal/></border></borders>"
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="7"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>'
    + "".join(
        f'<xf numFmtId="{format}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
        for format in (14, 22, 21, 46)
    )
    + '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
_DAY_ZERO, _FIRST_DAY = datetime(1899, 12, 30), date(1900, 3, 1)  # a spreadsheet counts wrong before that day
_DAY = timedelta(days=1)
_EXACT = 10**15  # larger numbers lose digits in a spreadsheet
# What XML cannot hold, and what would be read as the escape of such a character.
_ILLEGAL = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_SAMPLE, _NARROWEST, _WIDEST = 50, 9, 60  # rows that tell how wide columns are, and widths in characters


def check_shape(n_rows: int, n_columns: int) -> None:
    """Raise an error if a table does not fit into a sheet.

    Examples
    --------
    >>> check_shape(2_000_000, 3)
    Traceback (most recent call last):
        ...
    seedtopic.errors.InputError: 2,000,000 rows and 3 columns do not fit into an .xlsx file, which holds \
1,048,575 rows and 16,384 columns: write .csv
    """
    if n_rows >= MOST_ROWS or n_columns > MOST_COLUMNS:
        raise InputError(
            f"{number_of(n_rows, 'row')} and {number_of(n_columns, 'column')} do not fit into an .xlsx file, "
            f"which holds {MOST_ROWS - 1:,} rows and {MOST_COLUMNS:,} columns: write .csv"
        )


def write_workbook(
    file: IO[bytes], rows: Iterable[Mapping[str, Any]], columns: Sequence[str], sheet: str | None = None
) -> None:
    """Write rows as the only sheet of an .xlsx file.

    Parameters
    ----------
    file
    rows
    columns
        See `seedtopic.documents.labelled_files.write_rows`.
    sheet
        The name of the sheet.

    Warns
    -----
    UnusableDocuments
        When texts were cut, because they are longer than a cell can be.
    """
    check_shape(0, len(columns))
    cells = _Cells()
    title = _title(sheet)
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, part in _PARTS.items():
            _add(archive, name, part)
        _add(archive, "xl/styles.xml", _STYLES)
        n_rows = size = 0
        with archive.open(_part("xl/worksheets/sheet1.xml"), "w") as stream:
            for line in _sheet(rows, columns, cells):
                n_rows += line.startswith("<row")
                written = line.encode()
                size += len(written)
                if size > ZIP64_LIMIT:  # beyond which Excel does not read an archive
                    raise InputError(
                        "the documents do not fit into an .xlsx file, which holds 2 GB: write .csv"
                    )
                stream.write(written)
        _add(archive, "xl/workbook.xml", _workbook(title, _range(columns, n_rows)))
    if cells.n_cut:
        were = "was" if cells.n_cut == 1 else "were"
        warnings.warn(
            f"{number_of(cells.n_cut, 'text')} longer than {LONGEST_CELL:,} characters, the most that a cell "
            f"of .xlsx can hold, {were} cut: write .csv to keep all of them",
            UnusableDocuments,
            stacklevel=3,
        )


def fitting(text: str) -> str:
    """Cut a text to what a cell can hold.

    Examples
    --------
    >>> fitting("goal"), len(fitting("a" * 40_000)), len(fitting("🙂" * 40_000))
    ('goal', 32767, 16383)
    """
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
        style = f' s="{_QUOTED}"' if like_formula(text) else ""
        return f'<c r="{place}"{style} t="inlineStr">{_inline(text)}</c>'


def _inline(text: str) -> str:
    legal = _ILLEGAL.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
    return f'<is><t xml:space="preserve">{escape(legal)}</t></is>'


def _serial(value: date | time | timedelta) -> tuple[int | float, int] | None:
    """Give a date as the number that a spreadsheet holds, with its style; None if it must be a text."""
    if isinstance(value, datetime):
        if value.tzinfo is not None or value.date() < _FIRST_DAY:
            return None
        return (value - _DAY_ZERO) / _DAY, _DATETIME
    if isinstance(value, date):
        return None if value < _FIRST_DAY else ((value - _DAY_ZERO.date()).days, _DATE)
    if isinstance(value, time):
        if value.tzinfo is not None:
            return None
        return (datetime.combine(_DAY_ZERO, value) - _DAY_ZERO) / _DAY, _TIME
    return None if value < timedelta(0) else (value / _DAY, _DURATION)


def _sheet(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], cells: _Cells) -> Iterator[str]:
    letters = [column_letter(place) for place in range(len(columns))]
    remaining = iter(rows)
    sample = list(islice(remaining, _SAMPLE))
    yield (
        f'{_XML}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" '
        'topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>'
    )
    for number, column in enumerate(columns, 1):
        longest = max(len(str(row.get(column, ""))) for row in [{column: column}, *sample])
        width = min(max(longest + 2, _NARROWEST), _WIDEST)
        yield f'<col min="{number}" max="{number}" width="{width}" customWidth="1"/>'
    yield "</cols><sheetData>"
    names = (
        f'<c r="{letter}1" s="{_HEADER}" t="inlineStr">{_inline(column)}</c>'
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
    yield f'</sheetData><autoFilter ref="{_range(columns, number).replace("$", "")}"/></worksheet>'


def _range(columns: Sequence[str], n_rows: int) -> str:
    return f"$A$1:${column_letter(max(len(columns), 1) - 1)}${n_rows}"


def _workbook(title: str, filtered: str) -> str:
    quoted = escape(title.replace("'", "''"))
    return (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><bookViews><workbookView/></bookViews><sheets><sheet '
        f'name="{escape(title, {chr(34): "&quot;"})}" sheetId="1" r:id="rId1"/></sheets><definedNames>'
        f'<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">\'{quoted}\'!{filtered}'
        "</definedName></definedNames></workbook>"
    )


def _title(sheet: str | None) -> str:
    """Make a name that a sheet may have."""
    allowed = re.sub(r"[\[\]:*?/\\\x00-\x1f]", " ", sheet or "").strip("' ")[:31]
    return allowed or SHEET


def _part(name: str) -> ZipInfo:
    # With a fixed time, so that the same rows give the same bytes.
    part = ZipInfo(name)
    part.compress_type = ZIP_DEFLATED
    return part


def _add(archive: ZipFile, name: str, text: str) -> None:
    archive.writestr(_part(name), text if text.startswith("<?xml") else _XML + text)
