"""Writing a table as text with delimiters, as its input was written."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any

from seedtopic.base import json as strict_json
from seedtopic.documents.encodings import UTF8, UTF8_MARKED
from seedtopic.documents.table_style import BARE, TableStyle, safe

Bytes = IO[bytes] | gzip.GzipFile
_AT_ONCE = 1 << 20  # characters


def table_text(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str], style: TableStyle, delimiter: str
) -> str:
    r"""Write rows, without the line with the names of the columns.

    Examples
    --------
    >>> table_text([{"id": 7, "text": "a goal, late"}], ["id", "text"], TableStyle(), ",")
    '7,"a goal, late"\n'
    """
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
        for piece in pieces:
            file.write(piece)
        return
    with as_text(file, encoding) as text:
        for piece in pieces:
            text.write(piece.decode())


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
