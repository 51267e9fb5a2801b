"""Writing labelled documents to files."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from seedtopic.base import json as strict_json
from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file, check_place
from seedtopic.base.wording import number_of
from seedtopic.io.columns import ERRORS
from seedtopic.io.formats import (
    DELIMITERS,
    PACKED,
    WORKBOOKS,
    WRITTEN_TEXTS,
    import_parquet,
    import_xlsxwriter,
)
from seedtopic.io.formats.delimited import Bytes, header_text, table_text, write_text
from seedtopic.io.formats.xlsx import check_shape, write_workbook
from seedtopic.io.predictions import CHECKED, NONE, WAS_PREDICTED, Predictions, added_columns, with_labels
from seedtopic.io.rows import Rows
from seedtopic.io.source import ANSWERS_ENDING, PLAIN, UTF8, TableStyle, split_ending
from seedtopic.seeds.names import NONE_OF_THESE
from seedtopic.seeds.tree import Name

_Rows = Iterable[Mapping[str, Any]]
ROWS_AT_ONCE = 1000  # that are written together


def labelled_rows(
    documents: Rows, predictions: Predictions, min_probability: float = 0.0, *, cells: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield each document's own row, followed by what `Predictions.rows` gives."""
    shape, n_classes = predictions.probabilities.shape, len(predictions.classes)
    if shape != (len(documents), n_classes) or not n_classes:
        raise InputError(
            f"the probabilities have the shape {shape} for {number_of(len(documents), 'document')} and "
            f"{number_of(n_classes, 'category')}: give one row per document and one column per category"
        )
    predictions = predictions.with_texts(documents.has_text)
    names = added_columns(documents.columns, predictions.columns_in(cells=cells))
    return (
        with_labels(own, names, values)
        for own, values in zip(documents.rows, predictions.rows(min_probability, cells=cells), strict=True)
    )


def write_predictions(
    path: str | Path,
    documents: Rows,
    predictions: Predictions,
    min_probability: float = 0.0,
    style: TableStyle | None = None,
) -> None:
    """Write every document with its label, in the order of the input and in its style."""
    cells = not holds_lists(path)
    added = added_columns(documents.columns, predictions.columns_in(cells=cells))
    columns = list(dict.fromkeys([*documents.columns, *added]))
    rows = labelled_rows(documents, predictions, min_probability, cells=cells)
    style = style or documents.style
    if cells:
        style = for_people(style, added, predictions.names, none=predictions.none_label is None)
    write_rows(path, rows, columns, style)


def for_people(style: TableStyle, columns: Iterable[str], names: Iterable[Name], *, none: bool) -> TableStyle:
    """Let a person choose from the labels in a spreadsheet, and hide what only we read."""
    labels = list(map(str, names))
    choices = [*labels, *([NONE_OF_THESE if NONE in labels else NONE] if none else [])]
    hidden = [name for name in columns if name.endswith(WAS_PREDICTED)]
    return replace(style, choices={CHECKED: choices}, hidden=hidden)


def holds_lists(path: str | Path) -> bool:
    """Return whether a cell of a file can be a list."""
    return ending_of(path) not in (*DELIMITERS, *WORKBOOKS)


def check_output(path: str | Path) -> None:
    """Raise an error unless `path` can be written, so that a long computation does not end in an error."""
    if str(path) == "-":
        if sys.stdout is None:
            raise InputError("standard output is closed: name a file for the labels")
        return
    path = Path(path)
    if path.name.endswith(ANSWERS_ENDING):
        raise InputError(f"{path} has the name of a file of answers, which is only added to: name another.")
    ending, gzipped = split_ending(path)
    known = ending in (*WRITTEN_TEXTS, *PACKED) and not (ending in PACKED and gzipped)
    if not known and not path.is_dir():
        shown = "".join(path.suffixes[-2:] if gzipped else path.suffixes[-1:])
        raise InputError(
            f"{path} has the ending {shown!r}, which cannot be written: use "
            f".{', .'.join(WRITTEN_TEXTS)} (each also with .gz), .{' or .'.join(PACKED)}"
        )
    check_place(path, "labels.csv")
    if ending == "parquet":
        import_parquet("writing .parquet files")
    elif ending == "xlsx":
        import_xlsxwriter()


def check_fits(path: str | Path, documents: Rows) -> None:
    """Raise an error if labelled documents do not fit into a file of this format."""
    if split_ending(path)[0] == "xlsx":
        check_shape(len(documents), len(documents.columns) + len(added_columns(documents.columns)))


def write_rows(
    path: str | Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str], style: TableStyle = PLAIN
) -> None:
    """Write rows to a file; the file is never left half written."""
    check_output(path)
    ending = ending_of(path)
    if ending in WRITTEN_TEXTS:
        pieces = (text_of(path, part, columns, style) for part in _parts(rows))
        write_text_pieces(path, pieces, columns, style)
        return
    with atomic_file(path) as file:
        if ending == "parquet":
            _write_parquet(file, rows, columns)
        else:
            write_workbook(file, rows, columns, style)


def ending_of(path: str | Path) -> str:
    """Return the format that a path asks for; standard output is CSV."""
    return "csv" if str(path) == "-" else split_ending(path)[0]


def text_of(
    path: str | Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str], style: TableStyle = PLAIN
) -> bytes:
    """Write rows as text in the format that a path asks for, in UTF-8 and without a header."""
    ending = ending_of(path)
    if ending == "jsonl":
        as_given = list(columns)
        text = "".join(strict_json.written(_in_order(row, as_given), default=str) + "\n" for row in rows)
    else:
        text = table_text(rows, columns, style, _delimiter(ending, style))
    return _encoded(path, text)


def write_text_pieces(
    path: str | Path, pieces: Iterable[bytes], columns: Sequence[str], style: TableStyle = PLAIN
) -> None:
    """Write what `text_of` gave for the rows of a file, one piece after the other, below the header."""
    ending, encoding = ending_of(path), UTF8
    if ending != "jsonl":
        encoding = style.encoding
        header = _encoded(path, header_text(columns, style, _delimiter(ending, style)))
        pieces = chain([header], pieces)
    if str(path) == "-":
        try:
            sys.stdout.flush()
            write_text(sys.stdout.buffer, pieces, encoding)
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # the reader has closed the pipe, which is not an error
            raise
        except OSError as error:
            raise InputError(f"standard output could not be written ({error.strerror}): free space") from None
        return
    with atomic_file(path) as file:
        if split_ending(path)[1]:
            # Without name and time, so that the same rows give the same bytes.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                write_text(packed, pieces, encoding)
        else:
            write_text(file, pieces, encoding)


def _in_order(row: Mapping[str, Any], columns: list[str]) -> Mapping[str, Any]:
    return row if list(row) == columns else {column: row[column] for column in columns if column in row}


def _parts(rows: _Rows) -> Iterator[list[Mapping[str, Any]]]:
    remaining = iter(rows)
    while part := list(islice(remaining, ROWS_AT_ONCE)):
        yield part


def _encoded(path: str | Path, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{path} could not be written as UTF-8 because of {error.object[error.start : error.end]!r}: "
            "replace such invalid characters in the texts and category names"
        ) from None


def _delimiter(ending: str, style: TableStyle) -> str:
    return style.delimiter if ending == "csv" else DELIMITERS[ending]


def _write_parquet(file: Bytes, rows: _Rows, columns: Sequence[str]) -> None:
    pyarrow, parquet = import_parquet("writing .parquet files")
    rows, arrays = list(rows), []
    for column in columns:
        values = [row.get(column) for row in rows]
        # An error of a spreadsheet, which may stand in a column of numbers, is left out.
        values = [None if isinstance(value, str) and value in ERRORS else value for value in values]
        try:
            arrays.append(pyarrow.array(values))
        except pyarrow.ArrowException as error:
            reason = str(error).splitlines()[0].rstrip(".")
            raise InputError(
                f"the column {column!r} does not fit into a Parquet file ({reason}): give its values one "
                "type, or write .jsonl"
            ) from None
    parquet.write_table(pyarrow.table(arrays, names=list(columns)), file)
