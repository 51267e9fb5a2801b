"""Writing labelled documents to files."""

from __future__ import annotations

import csv
import gzip
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from seedtopic import strict_json
from seedtopic.documents import Documents
from seedtopic.documents.formats import DELIMITERS, import_parquet, split_ending
from seedtopic.documents.label_columns import NO_EXTRAS, Extras, added_columns, label_values
from seedtopic.errors import InputError
from seedtopic.storage.atomic_file import atomic_file, check_place

_Rows = Iterable[Mapping[str, Any]]
_Bytes = IO[bytes] | gzip.GzipFile


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
    >>> check_output("labels.xlsx")
    Traceback (most recent call last):
        ...
    seedtopic.errors.InputError: labels.xlsx has the ending '.xlsx', which cannot be written: use .csv, \
.tsv, .jsonl (each also with .gz) or .parquet
    """
    if str(path) == "-":
        if sys.stdout is None:
            raise InputError("standard output is closed: name a file for the labels")
        return
    path = Path(path)
    ending, gzipped = split_ending(path)
    known = ending in _WRITERS and not (ending == "parquet" and gzipped)
    if not known and not path.is_dir():
        shown = "".join(path.suffixes[-2:] if gzipped else path.suffixes[-1:])
        raise InputError(
            f"{path} has the ending {shown!r}, which cannot be written: use .csv, .tsv, .jsonl (each "
            "also with .gz) or .parquet"
        )
    check_place(path, "labels.csv")
    if ending == "parquet":
        import_parquet("writing .parquet files")


def write_rows(path: str | Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Write rows to a file; the file is never left half written.

    Parameters
    ----------
    path
        A file ending in ``.csv``, ``.tsv``, ``.jsonl`` (each also with ``.gz`` appended) or ``.parquet``;
        or ``"-"`` for standard output, as CSV. An existing file is replaced once the new one is complete.
    rows
        One mapping per row; a column that a row lacks is left empty.
    columns
        The columns to write, in order.

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
            _write_standard_output(rows, columns)
            return
        ending, gzipped = split_ending(path)
        write = _WRITERS[ending]
        with atomic_file(path) as file:
            if gzipped:
                # Without name and time, so that the same rows give the same bytes.
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                    write(packed, rows, columns)
            else:
                write(file, rows, columns)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{path} could not be written as UTF-8 because of {error.object[error.start : error.end]!r}: "
            "replace such invalid characters in the texts and category names"
        ) from None


def _write_standard_output(rows: _Rows, columns: Sequence[str]) -> None:
    try:
        sys.stdout.flush()
        _write_table(sys.stdout.buffer, rows, columns)
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # the reader has closed the pipe, which is not an error
        raise
    except OSError as error:
        raise InputError(f"standard output could not be written ({error.strerror}): free space") from None


def _write_table(file: _Bytes, rows: _Rows, columns: Sequence[str], delimiter: str = ",") -> None:
    with _as_text(file) as text:
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        # Before Python 3.13, a carriage return is quoted only if it is part of the line end.
        quoting = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(columns)
        for row in rows:
            cells = [_cell(row.get(column)) for column in columns]
            returns = any(isinstance(cell, str) and "\r" in cell for cell in cells)
            (quoting if returns else writer).writerow(cells)


def _cell(value: Any) -> Any:
    return strict_json.written(value, default=str) if isinstance(value, list | dict) else value


def _write_jsonl(file: _Bytes, rows: _Rows, columns: Sequence[str]) -> None:
    with _as_text(file) as text:
        for row in rows:
            own = {column: row[column] for column in columns if column in row}
            text.write(strict_json.written(own, default=str) + "\n")


def _write_parquet(file: _Bytes, rows: _Rows, columns: Sequence[str]) -> None:
    pyarrow, parquet = import_parquet("writing .parquet files")
    kept = list(rows)
    arrays = []
    for column in columns:
        try:
            arrays.append(pyarrow.array([row.get(column) for row in kept]))
        except pyarrow.ArrowException as error:
            reason = str(error).splitlines()[0].rstrip(".")
            raise InputError(
                f"the column {column!r} does not fit into a Parquet file ({reason}): give its values one "
                "type, or write .jsonl"
            ) from None
    parquet.write_table(pyarrow.table(arrays, names=list(columns)), file)


@contextmanager
def _as_text(file: _Bytes) -> Iterator[io.TextIOWrapper]:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    try:
        yield text
    finally:
        text.detach()  # flushes; the caller closes the file


_WRITERS: dict[str, Callable[[_Bytes, _Rows, Sequence[str]], None]] = {
    **{ending: partial(_write_table, delimiter=delimiter) for ending, delimiter in DELIMITERS.items()},
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
}
