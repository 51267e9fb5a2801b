"""Writing labelled documents to files."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from seedtopic import strict_json
from seedtopic.documents import Documents
from seedtopic.documents.columns import ERRORS
from seedtopic.documents.delimited_writer import Bytes, as_text, write_table
from seedtopic.documents.formats import DELIMITERS, import_parquet, split_ending
from seedtopic.documents.label_columns import NO_EXTRAS, Extras, added_columns, label_values
from seedtopic.documents.table_style import PLAIN, TableStyle
from seedtopic.documents.workbook_writer import check_shape, write_workbook
from seedtopic.errors import InputError
from seedtopic.storage.atomic_file import atomic_file, check_place

_Rows = Iterable[Mapping[str, Any]]


def labelled_rows(
    documents: Documents,
    classes: Sequence[str],
    probabilities: NDArray[np.floating[Any]],
    min_probability: float = 0.0,
    extras: Extras = NO_EXTRAS,
) -> Iterator[dict[str, Any]]:
    """Yield each document's own row, followed by its two best categories and their probabilities.

    Parameters
    ----------
    documents
        The documents that were labelled.
    classes, probabilities, min_probability, extras
        See `seedtopic.documents.label_columns.label_values`.

    Returns
    -------
    iterator of dict
        Rows with the columns ``[*documents.columns, *added_columns(documents.columns)]``; the added ones
        but `source` are empty if a document cannot be labelled.

    Examples
    --------
    >>> documents = Documents(texts=["a goal"], rows=[{"text": "a goal"}])
    >>> next(labelled_rows(documents, ["sport", "money"], np.array([[0.75, 0.25]])))
    {'text': 'a goal', 'predicted': 'sport', 'probability': 0.75, 'runner_up': 'money', \
'runner_up_probability': 0.25, 'margin': 0.5, 'source': 'labelled'}
    """
    if probabilities.shape != (len(documents), len(classes)) or not classes:
        raise InputError(
            f"the probabilities have the shape {probabilities.shape} for {len(documents)} documents and "
            f"{len(classes)} categories: give one row per document and one column per category"
        )
    extras = extras.with_texts(documents.has_text)
    names = added_columns(documents.columns, extras.columns)
    found = label_values(classes, probabilities, min_probability, extras)
    return (
        {**own, **dict(zip(names, values, strict=True))}
        for own, values in zip(documents.rows, found, strict=True)
    )


def check_output(path: str | Path) -> None:
    """Raise an error unless `path` can be written, so that a long computation does not end in an error.

    Parameters
    ----------
    path
        As for `write_rows`.

    Raises
    ------
    InputError
        When the ending is unknown, the folder is missing or not writable, or the path is a folder.
    MissingExtraError
        When the path ends in ``.parquet`` and pyarrow is not installed.

    Examples
    --------
    >>> check_output("labels.docx")
    Traceback (most recent call last):
        ...
    seedtopic.errors.InputError: labels.docx has the ending '.docx', which cannot be written: use .csv, \
.tsv, .jsonl (each also with .gz), .xlsx or .parquet
    """
    if str(path) == "-":
        if sys.stdout is None:
            raise InputError("standard output is closed: name a file for the labels")
        return
    path = Path(path)
    ending, gzipped = split_ending(path)
    known = ending in _WRITERS and not (ending in _PACKED and gzipped)
    if not known and not path.is_dir():
        shown = "".join(path.suffixes[-2:] if gzipped else path.suffixes[-1:])
        raise InputError(
            f"{path} has the ending {shown!r}, which cannot be written: use .csv, .tsv, .jsonl (each "
            "also with .gz), .xlsx or .parquet"
        )
    check_place(path, "labels.csv")
    if ending == "parquet":
        import_parquet("writing .parquet files")


def check_fits(path: str | Path, documents: Documents) -> None:
    """Raise an error if labelled documents do not fit into a file of this format."""
    if split_ending(path)[0] == "xlsx":
        check_shape(len(documents), len(documents.columns) + len(added_columns(documents.columns)))


def write_rows(
    path: str | Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str], style: TableStyle = PLAIN
) -> None:
    """Write rows to a file; the file is never left half written.

    Parameters
    ----------
    path
        A file ending in ``.csv``, ``.tsv``, ``.jsonl`` (each also with ``.gz`` appended), ``.xlsx`` or
        ``.parquet``; or ``"-"`` for standard output, as CSV. An existing file is replaced once the new one
        is complete.
    rows
        One mapping per row; a column that a row lacks is left empty.
    columns
        The columns to write, in order.
    style
        How to write a table: the `style` of the documents keeps delimiter, quotes, line ends, encoding and
        sheet of their file.

    Raises
    ------
    InputError
        When the file cannot be written; the message says why.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.csv")
    ...     write_rows(path, [{"text": "a goal", "predicted": "sport"}], ["text", "predicted"])
    ...     path.read_text(encoding="utf-8")
    'text,predicted\\na goal,sport\\n'
    """
    check_output(path)
    try:
        if str(path) == "-":
            _write_standard_output(rows, columns, style)
            return
        ending, gzipped = split_ending(path)
        write = _WRITERS[ending]
        with atomic_file(path) as file:
            if gzipped:
                # Without name and time, so that the same rows give the same bytes.
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                    write(packed, rows, columns, style)
            else:
                write(file, rows, columns, style)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{path} could not be written as UTF-8 because of {error.object[error.start : error.end]!r}: "
            "replace such invalid characters in the texts and category names"
        ) from None


def _write_standard_output(rows: _Rows, columns: Sequence[str], style: TableStyle) -> None:
    try:
        sys.stdout.flush()
        _write_delimited(sys.stdout.buffer, rows, columns, style)
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # the reader has closed the pipe, which is not an error
        raise
    except OSError as error:
        raise InputError(f"standard output could not be written ({error.strerror}): free space") from None


def _write_jsonl(file: Bytes, rows: _Rows, columns: Sequence[str], style: TableStyle) -> None:
    with as_text(file) as text:
        for row in rows:
            own = {column: row[column] for column in columns if column in row}
            text.write(strict_json.written(own, default=str) + "\n")


def _write_parquet(file: Bytes, rows: _Rows, columns: Sequence[str], style: TableStyle) -> None:
    pyarrow, parquet = import_parquet("writing .parquet files")
    kept = list(rows)
    arrays = []
    for column in columns:
        try:
            arrays.append(pyarrow.array([_typed(row.get(column)) for row in kept]))
        except pyarrow.ArrowException as error:
            reason = str(error).splitlines()[0].rstrip(".")
            raise InputError(
                f"the column {column!r} does not fit into a Parquet file ({reason}): give its values one "
                "type, or write .jsonl"
            ) from None
    parquet.write_table(pyarrow.table(arrays, names=list(columns)), file)


def _typed(value: Any) -> Any:
    """Leave out an error of a spreadsheet, which may stand in a column of numbers."""
    return None if isinstance(value, str) and value in ERRORS else value


def _write_delimited(file: Bytes, rows: _Rows, columns: Sequence[str], style: TableStyle) -> None:
    write_table(file, rows, columns, style, style.delimiter)


def _write_tabbed(file: Bytes, rows: _Rows, columns: Sequence[str], style: TableStyle) -> None:
    write_table(file, rows, columns, style, DELIMITERS["tsv"])


def _write_sheet(file: Bytes, rows: _Rows, columns: Sequence[str], style: TableStyle) -> None:
    write_workbook(cast(IO[bytes], file), rows, columns, style)


_WRITERS: dict[str, Callable[[Bytes, _Rows, Sequence[str], TableStyle], None]] = {
    "csv": _write_delimited,
    "tsv": _write_tabbed,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
    "xlsx": _write_sheet,
}
_PACKED = ("parquet", "xlsx")  # which need no gzip
