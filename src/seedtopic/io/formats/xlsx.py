"""From a spreadsheet file to the rows of one of its sheets."""

from __future__ import annotations

import io
import re
import warnings
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from itertools import chain, islice
from math import isfinite
from tempfile import TemporaryDirectory
from typing import IO, Any
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile, ZipInfo

from seedtopic.base import json as strict_json
from seedtopic.base.errors import InputError, UnusableDocuments, import_extra
from seedtopic.base.memory import memory
from seedtopic.base.wording import number_of
from seedtopic.io.formats import import_xlsxwriter
from seedtopic.io.source import PLAIN, TableStyle, like_formula, listed
from seedtopic.text.identity import CELL, for_cell

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
SAVE_AGAIN = "open it in a spreadsheet program and save it as .xlsx"
# An element in memory takes up to twenty times its bytes in the file. What is unpacked is refused if it is
# large and many times the size of the file (a table of one repeated row: 16), or a large part of the memory.
LARGE, TIMES, PART_OF_MEMORY, MOST = 1 << 21, 40, 8, 1 << 32
# A row is in memory as a whole. It ends with this, and has at most 16,384 cells, each of about four tags.
_END_OF_ROW, _MOST_TAGS = b"row>", 300_000
_AT_ONCE = 1 << 18  # bytes
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")  # an entry of the directory of an OLE file
_ENCRYPTED = 1  # a flag of an entry of a zip archive


class _Begun(Exception):
    """The first element of a part has begun."""


_KINDS = {
    "xl/workbook.bin": "a binary spreadsheet (.xlsb)", "word/document.xml": "a Word document",
    "content.xml": "an OpenDocument file", "Index/Document.iwa": "a spreadsheet of Numbers",
}  # fmt: skip


def check_archive(stream: IO[bytes], name: str) -> None:
    """Raise an error that says what a file is if it is not a spreadsheet that can be read safely."""
    size = stream.seek(0, 2)
    stream.seek(0)
    head = stream.read(len(OLE))
    if head == OLE:
        while chunk := stream.read(1 << 20):
            if _ENCRYPTED_PACKAGE in chunk:
                raise InputError(f"{name} is protected by a password: remove the password, and save it again")
        raise InputError(f"{name} is in the format of Excel before 2007: {SAVE_AGAIN}")
    if not head.startswith(ZIP):
        text = name.rpartition(".")[0] + ".csv"
        raise InputError(
            f"{name} is not a spreadsheet: {SAVE_AGAIN}, or rename it if it is text, such as {text}"
        )
    try:
        with ZipFile(stream) as archive:
            parts = archive.infolist()
            names = {part.filename for part in parts}
            if "[Content_Types].xml" not in names or names & {"xl/workbook.bin", "word/document.xml"}:
                kinds = (kind for part, kind in _KINDS.items() if part in names)
                kind = next(kinds, "another kind of zip archive")
                raise InputError(f"{name} is {kind}, not an .xlsx file: {SAVE_AGAIN}")
            _check_size(parts, size, name)
            for part in parts:
                if _is_xml(part):
                    _refuse_doctype(archive, part, name)
                if part.filename.startswith("xl/worksheets/") and part.file_size > _MOST_TAGS:
                    _refuse_long_rows(archive, part, name)
    except (BadZipFile, EOFError, OSError, NotImplementedError, zlib.error) as error:
        raise damaged(name, str(error)) from None
    stream.seek(0)


def damaged(name: str, reason: str) -> InputError:
    """Make the error that a spreadsheet is damaged."""
    reason = " ".join(reason.split())[:100].rstrip(".") or "it is damaged"
    return InputError(f"{name} is not a complete .xlsx file ({reason}): {SAVE_AGAIN} again")


def _check_size(parts: list[ZipInfo], size: int, name: str) -> None:
    # No part is unpacked beyond the size that it declares.
    unpacked = sum(part.file_size for part in parts if _is_xml(part))
    if unpacked > LARGE and (unpacked > TIMES * size or unpacked > min(memory() // PART_OF_MEMORY, MOST)):
        raise InputError(
            f"{name} has {size / 1e6:,.1f} MB and unpacks to {unpacked / 1e6:,.0f} MB, which is too much to "
            "be read: save the sheet as .csv"
        )


def _refuse_long_rows(archive: ZipFile, part: ZipInfo, name: str) -> None:
    n_tags = 0
    with archive.open(part) as stream:
        end = b""  # of the last chunk, where a row may end
        while chunk := stream.read(_AT_ONCE):
            first, *others = (end + chunk).split(_END_OF_ROW)
            n_tags = max(n_tags + first.count(b"<"), *(other.count(b"<") for other in others), 0)
            if n_tags > _MOST_TAGS:
                raise damaged(name, f"a row of {part.filename} has more cells than any sheet")
            end = chunk[1 - len(_END_OF_ROW) :]
            n_tags = (n_tags if not others else others[-1].count(b"<")) - end.count(b"<")


def _is_xml(part: ZipInfo) -> bool:
    return part.filename.lower().endswith((".xml", ".rels"))


def _refuse_doctype(archive: ZipFile, part: ZipInfo, name: str) -> None:
    """Refuse a document type, which may define entities; spreadsheets never have one."""
    if part.flag_bits & _ENCRYPTED:
        raise InputError(f"{name} is protected by a password: remove the password, and save it again")
    parser = expat.ParserCreate()

    def doctype(*_: object) -> None:
        raise InputError(
            f"{name} contains a document type in {part.filename}, which no spreadsheet has: do not trust it"
        )

    def element(*_: object) -> None:
        raise _Begun

    parser.StartDoctypeDeclHandler, parser.StartElementHandler = doctype, element
    try:
        with archive.open(part) as stream:
            while chunk := stream.read(1 << 12):
                parser.Parse(chunk)
    except _Begun:
        return
    except InputError:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:  # or an encoding that Python does not know
        raise damaged(name, f"{part.filename}: {error}") from None


MOST_ROWS = 1 << 20  # of a sheet; a file that counts further was not written by a spreadsheet program
MOST_EMPTY, _TIMES_FILLED = 20_000_000, 100  # cells before others, if there are few of those
MOST_PACKED = 1 << 30  # bytes of a file that has to be held in memory
NumberedCells = tuple[int, list[Any]]

# Characters that XML cannot hold are written as _x000D_, and the underscore of such a text as _x005F_.
_ESCAPED = re.compile("_x(00[01][0-9A-Fa-f]|005F|FFF[EF])_")
_ROWS_AT_ONCE, _AT_FIRST = 500, 20  # rows read together, and those that tell whether a sheet has a table
_LONGEST_NAME = 100  # characters of the name of a column under a title


@contextmanager
def opened_sheet(
    stream: IO[bytes], name: str, sheet: str | None
) -> Iterator[tuple[str, list[str], Iterator[NumberedCells]]]:
    """Open a sheet: give its name, those of the others, and its rows with a value, each with its number."""
    openpyxl = import_extra("openpyxl", "reading .xlsx files", "excel")
    if not stream.seekable():  # a gzipped one
        stream = io.BytesIO(stream.read(MOST_PACKED))
    check_archive(stream, name)
    with _explained(name):
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True, keep_links=False)
    with closing(book):
        sheets = {each.title: each for each in book.worksheets}
        if not sheets:
            raise InputError(f"{name} has no sheet with cells: name a file that has one")
        title = _with_table(sheets, name) if sheet is None else _named(list(sheets), sheet, name)
        yield title, [other for other in sheets if other != title], _filled_rows(sheets[title], name)


def column_letter(place: int) -> str:
    """Return the letter of a column, from 0."""
    letters = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def under_title(rows: Iterator[NumberedCells]) -> tuple[int, Iterator[NumberedCells]]:
    """Leave out a title: first rows with a single cell, above one that looks like the names of columns."""
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


def _named(titles: list[str], sheet: str, name: str) -> str:
    if same := [title for title in titles if title.casefold() == sheet.strip().casefold()]:
        return sheet if sheet in same else same[0]
    if sheet.isascii() and sheet.isdigit() and 1 <= int(sheet) <= len(titles):
        return titles[int(sheet) - 1]
    raise InputError(f"{name} has no sheet {sheet!r:.60}: its sheets are {listed(titles)}")


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
        f"{name} has no sheet with a table ({listed(list(sheets))}): write the names of the columns into "
        "the first row, and one document into each row below"
    )


def _filled_rows(sheet: Any, name: str) -> Iterator[NumberedCells]:
    sheet.reset_dimensions()  # some programs write wrong ones
    n_empty, n_filled = 0, 0
    rows = enumerate(sheet.iter_rows(), 1)
    while True:
        filled_rows: list[NumberedCells] = []
        with _explained(name):
            taken = list(islice(rows, _ROWS_AT_ONCE))
            for number, cells in taken:
                values = [_value(cell) for cell in cells]
                filled = len(values) - values.count(None)
                n_empty, n_filled = n_empty + len(values) - filled, n_filled + filled
                if filled:
                    filled_rows.append((number, values))
        yield from filled_rows
        if n_empty > MOST_EMPTY and n_empty > _TIMES_FILLED * n_filled:
            raise damaged(name, f"more than {MOST_EMPTY:,} cells of a sheet are empty")
        if not taken:
            return
        if taken[-1][0] > MOST_ROWS:
            raise damaged(name, f"a sheet has more than {MOST_ROWS:,} rows")


def _value(cell: Any) -> Any:
    value = cell.value
    if isinstance(value, str):
        if "_x" in value:
            value = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), value)
        return value or None
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)  # 1E+05 is a whole number, and an id should not end in .0
    if type(value) is datetime and value.time() == time() and _is_date(cell.number_format):
        return value.date()
    return value


@lru_cache(maxsize=1000)
def _is_date(number_format: str) -> bool:
    """Return whether a format of cells shows a date without a time."""
    from openpyxl.styles.numbers import is_datetime

    return bool(is_datetime(number_format) == "date")


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


MOST_COLUMNS = 1 << 14
SHEET = "documents"  # the name of a sheet for documents that were in none

_DAY_ZERO, _FIRST_DAY = datetime(1899, 12, 30), date(1900, 3, 1)  # a spreadsheet counts wrong before that day
_DAY = timedelta(days=1)
_EXACT = 10**15  # larger numbers lose digits in a spreadsheet
_SAMPLE, _NARROWEST, _WIDEST = 50, 9, 60  # rows that tell how wide columns are, and widths in characters
_LONGEST_TITLE = 31
# Dates have the formats that a spreadsheet program shows as they are written in the country of its user.
_FORMATS = {"date": 14, "datetime": 22, "time": 21, "duration": 46}


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
    """Write rows as a sheet of an .xlsx file; values to choose from, of the style, are in hidden sheets."""
    check_shape(0, len(columns))
    xlsxwriter = import_xlsxwriter()
    titles: list[str] = []  # that sheets may have, none of them twice
    for name in (style.sheet, *style.choices):
        allowed = re.sub(r"[\[\]:*?/\\\x00-\x1f]", " ", name or "").strip("' ")[:_LONGEST_TITLE].rstrip()
        title = allowed or SHEET
        while title.casefold() in map(str.casefold, titles):
            title = title[: _LONGEST_TITLE - 1] + "_"
        titles.append(title)
    stream = _Stream(file)
    with TemporaryDirectory() as folder:
        book = xlsxwriter.Workbook(stream, {"constant_memory": True, "tmpdir": folder})
        book.set_properties({"created": datetime(1980, 1, 1)})  # so that the same rows give the same bytes
        sheet, *lists = [book.add_worksheet(title) for title in titles]
        try:
            n_cut, n_rows = _fill(book, sheet, rows, columns, style.hidden)
            for title, hidden, (column, values) in zip(titles[1:], lists, style.choices.items(), strict=True):
                place, quoted = columns.index(column), title.replace("'", "''")
                source = f"='{quoted}'!$A$1:$A${len(values)}"
                choice = {"validate": "list", "source": source, "show_error": False}  # others may be written
                sheet.data_validation(1, place, max(n_rows - 1, 1), place, choice)
                hidden.hide()
                for number, value in enumerate(values):
                    hidden.write_string(number, 0, value)
            book.close()
        except xlsxwriter.exceptions.FileCreateError as failure:
            raise failure.args[0] from None  # the system's own
        except xlsxwriter.exceptions.FileSizeError:
            error = "the documents do not fit into an .xlsx file, which holds 2 GB: write .csv"
            raise InputError(error) from None
        finally:
            for opened in book.worksheets():
                with suppress(OSError):  # on a full disk each fails to write what is left, and is closed
                    opened.row_data_fh.close()
    if stream.failure:
        raise stream.failure
    if n_cut:
        warnings.warn(
            f"{number_of(n_cut, 'text')} longer than {CELL:,} characters, the most that a cell "
            f"of .xlsx can hold, {'was' if n_cut == 1 else 'were'} cut: write .csv to keep all of them",
            UnusableDocuments,
            stacklevel=3,
        )


class _Stream:
    """A file for a ZipFile, which after a failure would write on when it is collected, fail and print it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.failure: Exception | None = None

    def write(self, data: bytes) -> int:
        """Write bytes, or drop them after a failure or when the file is closed."""
        if self.failure is None:
            try:
                self.file.write(data)
            except (OSError, ValueError) as failure:
                self.failure = failure
        return len(data)

    def flush(self) -> None:
        """Do nothing: whoever has opened the file closes it."""


def _fill(
    book: Any, sheet: Any, rows: Iterable[Mapping[str, Any]], columns: Sequence[str], hidden: Collection[str]
) -> tuple[int, int]:
    """Write the columns and rows, and return how many texts were cut, and the number of rows of the sheet."""
    bold, quoted = book.add_format({"bold": True}), book.add_format({"quote_prefix": True})
    formats = {kind: book.add_format({"num_format": number}) for kind, number in _FORMATS.items()}
    remaining, n_cut, number = iter(rows), 0, 0
    sample = list(islice(remaining, _SAMPLE))
    for place, column in enumerate(columns):
        longest = max(len(str(row.get(column, ""))) for row in [{column: column}, *sample])
        width = min(max(longest + 2, _NARROWEST), _WIDEST)
        sheet.set_column(place, place, width, None, {"hidden": column in hidden})
        sheet.write_string(0, place, column, bold)
    for number, row in enumerate(chain(sample, remaining), 1):
        if number >= MOST_ROWS:
            check_shape(number + 1, len(columns))
        for place, value in _cells(row, columns):
            if isinstance(value, str):
                text = for_cell(value)
                n_cut += text != value
                # The format keeps it a text even if a person edits the cell.
                looks = quoted if like_formula(text) else None
                if text.startswith("<r>") and text.endswith("</r>"):  # which would be taken for XML
                    sheet.write_rich_string(number, place, text[:1], text[1:2], text[2:])
                else:
                    sheet.write_string(number, place, text, looks)
            elif isinstance(value, bool):
                sheet.write_boolean(number, place, value)
            elif isinstance(value, tuple):
                sheet.write_number(number, place, value[0], formats[value[1]])
            else:
                sheet.write_number(number, place, value)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, number, max(len(columns), 1) - 1)
    return n_cut, number + 1


def _cells(row: Mapping[str, Any], columns: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Return the places and values of cells that are not empty: texts, numbers, and dates with a format."""
    for place, column in enumerate(columns):
        value = row.get(column)
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            if value != value:  # not a number: missing
                continue
            if not isfinite(value) or (isinstance(value, int) and abs(value) >= _EXACT):
                value = str(value)
        elif isinstance(value, date | time | timedelta):
            value = _serial(value) or str(value)
        elif isinstance(value, list | dict):
            value = strict_json.written(value, default=str)
        elif value is not None and not isinstance(value, str | bool):
            value = str(value)
        if value is not None and value != "":
            yield place, value


def _serial(value: date | time | timedelta) -> tuple[int | float, str] | None:
    """Return a date as the number that a spreadsheet holds, with its format; None if it must be a text."""
    if isinstance(value, datetime):
        if value.tzinfo is not None or value.date() < _FIRST_DAY:
            return None
        return (value - _DAY_ZERO) / _DAY, "datetime"
    if isinstance(value, date):
        return None if value < _FIRST_DAY else ((value - _DAY_ZERO.date()).days, "date")
    if isinstance(value, time):
        if value.tzinfo is not None:
            return None
        return (datetime.combine(_DAY_ZERO, value) - _DAY_ZERO) / _DAY, "time"
    return None if value < timedelta(0) else (value / _DAY, "duration")
