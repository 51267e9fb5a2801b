"""Tables of pandas, polars, pyarrow and Hugging Face, known by their methods: none has to be imported."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from seedtopic.base.errors import InputError, UnusableDocuments
from seedtopic.documents.arrow_frames import (
    is_arrow_column,
    is_dataset,
    is_table,
    table_of,
    with_arrow_columns,
)
from seedtopic.documents.label_kinds import list_of
from seedtopic.text.rules import TextWithColumns

SHOWN = 3  # rows named in a warning
_TEXTUAL = (
    "object",
    "str",
    "category",
    "categorical",
    "enum",
    "large_string",
    "dictionary<values=string",
)  # the names of such column types in the libraries


def is_frame(X: Any) -> bool:
    """Return whether X is a frame of pandas or polars, a table of pyarrow, or a dataset of Hugging Face."""
    return not is_delayed(X) and (_is_arrow(X) or _is_polars(X) or _is_pandas(X))


def column_names(frame: Any) -> list[Any]:
    """Return the names of the columns."""
    return list(frame.column_names if _is_arrow(frame) else frame.columns)


def text_columns(frame: Any) -> list[Any]:
    """Return the names of the columns that contain texts."""
    kinds = table_of(frame).schema.types if _is_arrow(frame) else frame.dtypes
    pairs = zip(column_names(frame), list(kinds), strict=True)
    return [name for name, kind in pairs if holds_texts(kind)]


def holds_texts(kind: Any) -> bool:
    """Return whether a column type is a text type.

    Examples
    --------
    >>> holds_texts("object"), holds_texts("int64"), holds_texts("struct<a: string>")
    (True, False, False)
    """
    name = str(kind).lower()
    return name.startswith(_TEXTUAL) and not name.startswith("struct")


def the_text_column(frame: Any) -> Any:
    """Return the one text column of a frame."""
    found = text_columns(frame)
    if len(found) == 1:
        return _column(frame, found[0])
    named = ", ".join(map(repr, found)) or "none"
    raise InputError(
        f"the documents are a table with the text columns {named}: pass one of them, as in frame['text']."
    )


def texts_of(frame: Any, column: Any, others: Iterable[str] = (), *, warn: bool = True) -> list[str]:
    """Read one column as texts; missing values become empty texts."""
    if not is_frame(frame):
        raise InputError(
            f"the frame is {type(frame).__name__}, not one of pandas or polars, a table of pyarrow or a "
            f"dataset{how_to_pass(frame)}."
        )
    names = column_names(frame)
    if names.count(column) != 1:
        known = ", ".join(map(repr, dict.fromkeys(names)))
        often = "no column" if column not in names else "more than one column"
        raise InputError(f"the frame has {often} {column!r}: it has {known}; name one with text=...")
    texts = without_missing(column_values(_column(frame, column)), warn=warn)
    for row, value in enumerate(texts):
        if not isinstance(value, str):
            raise InputError(
                f"row {row} of the column {column!r} is {type(value).__name__} ({value!r:.40}), not a text: "
                "name the column of the texts with text=..."
            )
    there = {name: column_values(_column(frame, name)) for name in others if name in names}
    if not there:
        return texts
    values = [["" if is_missing(value) else str(value) for value in own] for own in there.values()]
    rows = zip(texts, *values, strict=True)
    return [TextWithColumns.of(text, dict(zip(there, row, strict=True))) for text, *row in rows]


def how_to_pass(X: Any) -> str:
    """Say what to do with what is nearly a frame: one that is computed later, or several of them.

    Examples
    --------
    >>> how_to_pass([])
    ''
    """
    if is_delayed(X):
        return ": call its compute() first"
    if hasattr(X, "column_names") and isinstance(X, Mapping):
        part = next(iter(X), "train")
        return f": pass one of its parts, as in data[{part!r}]"
    if hasattr(X, "column_names") and hasattr(X, "features"):
        return ": load it without streaming=True"
    return ": call its collect() first" if hasattr(X, "collect") else ""


def is_column(X: Any) -> bool:
    """Return whether X is a column of pandas, polars or pyarrow, which may have missing values.

    Examples
    --------
    >>> is_column(["a text"])
    False
    """
    if is_arrow_column(X):
        return True
    return hasattr(X, "to_list") and hasattr(X, "dtype") and not hasattr(X, "to_delayed")


def column_values(column: Any) -> list[Any]:
    """Return the values of a column."""
    values: list[Any] = column.to_pylist() if is_arrow_column(column) else column.to_list()
    return values


def is_missing(value: Any) -> bool:
    """Return whether a value means a missing text: None, pandas's NA or NaN.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if isinstance(value, str):
        return False
    if value is None or type(value).__name__ == "NAType":  # pandas's, which does not even equal itself
        return True
    return isinstance(value, float) and value != value


def without_missing(values: list[Any], *, warn: bool = True) -> list[Any]:
    """Replace missing values by empty texts, with a warning unless it is not wanted.

    Examples
    --------
    >>> without_missing(["a text", None], warn=False)
    ['a text', '']
    """
    missing = [row for row, value in enumerate(values) if is_missing(value)]
    if missing and warn:
        shown = ", ".join(map(str, missing[:SHOWN]))
        sentence = (
            f"{len(missing):,} of {len(values):,} texts are missing and are read as empty "
            f"(first: row {shown})"
        )
        warnings.warn(sentence, UnusableDocuments, stacklevel=5)  # where a user calls fit or label_frame
    return ["" if is_missing(value) else value for value in values]


def with_columns(frame: Any, added: Mapping[str, list[Any]], kinds: Mapping[str, Any]) -> Any:
    """Return the frame with columns added at the end; its type and index stay the same."""
    if _is_arrow(frame):
        return with_arrow_columns(frame, added, kinds)
    if not _is_polars(frame):
        column = type(frame.iloc[:, 0])  # avoids importing pandas here
        types = {str: column([""]).dtype, int: "Int64", float: "float64"}  # whole numbers can be missing
        return frame.assign(
            **{
                name: column(values, frame.index, types.get(kinds[name], object))
                for name, values in added.items()
            }
        )
    polars: Any = import_module("polars")
    types = {str: polars.String, int: polars.Int64, float: polars.Float64, object: polars.String}
    types |= {list_of(kind): polars.List(own) for kind, own in types.items()}
    return frame.with_columns(
        [polars.Series(name, values, types[kinds[name]], strict=False) for name, values in added.items()]
    )


def is_lazy_frame(X: Any) -> bool:
    """Return whether X is a lazy frame of polars.

    Examples
    --------
    >>> import polars
    >>> is_lazy_frame(polars.LazyFrame()), is_lazy_frame(polars.DataFrame())
    (True, False)
    """
    return not is_delayed(X) and hasattr(X, "collect_schema") and hasattr(X, "map_batches")


def is_delayed(X: Any) -> bool:
    """Return whether X is a single value of Dask, `dask.delayed`, which claims to have every method."""
    return type(X).__name__.startswith("Delayed") and hasattr(X, "compute")


def _column(frame: Any, name: Any) -> Any:
    return table_of(frame).column(name) if _is_arrow(frame) else frame[name]


def _is_arrow(frame: Any) -> bool:
    return is_table(frame) or is_dataset(frame)


def _is_pandas(frame: Any) -> bool:
    return hasattr(frame, "assign") and hasattr(frame, "iloc") and not hasattr(frame, "to_delayed")


def _is_polars(frame: Any) -> bool:
    return hasattr(frame, "with_columns") and hasattr(frame, "to_series")
