"""Labelled documents into files."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.atomic import atomic_file
from seedtopic.documents import Documents
from seedtopic.documents.formats import DELIMITERS, import_parquet, split_ending
from seedtopic.errors import InputError

ADDED = ("predicted", "probability", "runner_up", "runner_up_probability")
_Rows = Iterable[Mapping[str, Any]]
_Bytes = IO[bytes] | gzip.GzipFile


@dataclass(frozen=True)
class NoneOfThese:
    """The label of documents that belong to no category, and how likely each document is to be one."""

    label: str
    probability: NDArray[np.floating[Any]]


def extra_columns(none: bool, several: bool) -> list[str]:
    """Name the columns that are added on request.

    Examples
    --------
    >>> extra_columns(none=True, several=True)
    ['none_probability', 'labels']
    """
    return ["none_probability"] * none + ["labels"] * several


def added_columns(existing: Sequence[str], also: Sequence[str] = ()) -> tuple[str, ...]:
    """Name the columns that labelling adds, so that none of the input's own is overwritten.

    Parameters
    ----------
    existing
        The input's columns.
    also
        Columns to add beside the four that are always there.

    Returns
    -------
    tuple of str
        The columns of the best category, its probability, the second best and its probability; then `also`.

    Examples
    --------
    >>> added_columns(["text", "label"])
    ('predicted', 'probability', 'runner_up', 'runner_up_probability')
    >>> added_columns(["text", "probability"])[:2]
    ('seedtopic_predicted', 'seedtopic_probability')
    """
    prefix = ""
    while any(prefix + name in existing for name in (*ADDED, *also)):
        prefix += "seedtopic_"  # more than once for a file that was labelled twice
    return tuple(prefix + name for name in (*ADDED, *also))


def labelled_rows(
    documents: Documents,
    classes: Sequence[str],
    probabilities: NDArray[np.floating[Any]],
    *,
    none: NoneOfThese | None = None,
    several: Sequence[Any] | None = None,
) -> Iterator[dict[str, Any]]:
    """Give each document's own row, followed by its two best categories and their probabilities.

    Parameters
    ----------
    documents
        The documents that were labelled.
    classes
        The categories, in the order of the columns of `probabilities`.
    probabilities
        One row per document, one column per category.
    none
        The name for documents that belong to no category, and how likely each is to be one; adds a column
        ``none_probability``. Those above 0.5 have this name and probability, with the best category, and
        its probability if they belong to any, for the runner-up.
    several
        All labels of each document; adds a column ``labels``.

    Returns
    -------
    iterator of dict
        Rows with the columns ``[*documents.columns, *added_columns(documents.columns)]``. Probabilities are
        rounded to 6 decimals; with a single category the runner-up is None.

    Examples
    --------
    >>> documents = Documents(texts=["a goal"], rows=[{"text": "a goal"}])
    >>> next(labelled_rows(documents, ["sport", "money"], np.array([[0.75, 0.25]])))
    {'text': 'a goal', 'predicted': 'sport', 'probability': 0.75, 'runner_up': 'money', \
'runner_up_probability': 0.25}
    """
    if probabilities.shape != (len(documents), len(classes)) or not classes:
        raise InputError(
            f"the probabilities have the shape {probabilities.shape} for {len(documents)} documents and "
            f"{len(classes)} categories: give one row per document and one column per category"
        )
    extra = extra_columns(none is not None, several is not None)
    names = added_columns(documents.columns, extra)

    def two_best(row: NDArray[np.floating[Any]]) -> Iterator[Any]:
        order = np.argsort(-row, kind="stable")[:2]  # stable: of equals, the category named first
        for place in order:
            yield from (classes[place], round(float(row[place]), 6))
        if len(order) == 1:
            yield from (None, None)

    def added(place: int, row: NDArray[np.floating[Any]]) -> Iterator[Any]:
        best = list(two_best(row))
        outside = 0.0 if none is None else round(float(none.probability[place]), 6)
        yield from [none.label, outside, *best[:2]] if none is not None and outside > 0.5 else best
        if none is not None:
            yield outside
        if several is not None:
            yield several[place]

    return (
        {**own, **dict(zip(names, added(place, row), strict=True))}
        for place, (own, row) in enumerate(zip(documents.rows, probabilities, strict=True))
    )


def check_output(path: str | Path) -> None:
    """Raise unless `path` can be written to, so that a long computation does not end in an error.

    Parameters
    ----------
    path
        As for `write_rows`.

    Raises
    ------
    InputError
        When the ending is not known, the folder is missing or may not be written to, or a folder is in the
        path's place.
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
        return
    path = Path(path)
    ending, gzipped = split_ending(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder: give the path of a file in it, such as {path / 'labels.csv'}")
    if ending not in _WRITERS or (ending == "parquet" and gzipped):
        shown = "".join(path.suffixes[-2:] if gzipped else path.suffixes[-1:])
        raise InputError(
            f"{path} has the ending {shown!r}, which cannot be written: use .csv, .tsv, .jsonl (each "
            "also with .gz) or .parquet"
        )
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} for {path.name} does not exist: make it first")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"the folder {path.parent} may not be written to: choose another for {path.name}")
    if ending == "parquet":
        import_parquet("writing .parquet files")


def write_rows(path: str | Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Write rows to a file, whole or not at all.

    Parameters
    ----------
    path
        A file ending in ``.csv``, ``.tsv``, ``.jsonl`` (each also with ``.gz`` appended) or ``.parquet``;
        or ``"-"`` for standard output, as CSV. An older file is replaced once the new one is complete.
    rows
        What to write, one mapping per row; a column a row lacks is left empty.
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
            sys.stdout.flush()
            _write_table(sys.stdout.buffer, rows, columns)
            sys.stdout.buffer.flush()
            return
        ending, gzipped = split_ending(path)
        write = _WRITERS[ending]
        with atomic_file(path) as file:
            if gzipped:
                # Without name and time, so that the same rows make the same bytes.
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                    write(packed, rows, columns)
            else:
                write(file, rows, columns)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{path} could not be written as UTF-8 because of {error.object[error.start : error.end]!r}: "
            "replace such half characters in the texts and category names"
        ) from None


def _write_table(file: _Bytes, rows: _Rows, columns: Sequence[str], delimiter: str = ",") -> None:
    with _as_text(file) as text:
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        # Before Python 3.13, a carriage return is quoted only where it is part of the line end.
        quoting = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(columns)
        for row in rows:
            cells = [_cell(row.get(column)) for column in columns]
            returns = any(isinstance(cell, str) and "\r" in cell for cell in cells)
            (quoting if returns else writer).writerow(cells)


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else value


def _write_jsonl(file: _Bytes, rows: _Rows, columns: Sequence[str]) -> None:
    with _as_text(file) as text:
        for row in rows:
            own = {column: row[column] for column in columns if column in row}
            text.write(json.dumps(own, ensure_ascii=False, default=str) + "\n")


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
        text.detach()  # flushes, and leaves the closing to whoever opened the file


_WRITERS: dict[str, Callable[[_Bytes, _Rows, Sequence[str]], None]] = {
    **{ending: partial(_write_table, delimiter=delimiter) for ending, delimiter in DELIMITERS.items()},
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
}
