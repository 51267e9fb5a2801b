"""Tables of pandas, polars, pyarrow and Hugging Face, known by their methods: none has to be imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from functools import partial
from importlib import import_module
from types import GenericAlias
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from seedtopic.base.errors import InputError, UnusableDocuments, warn_caller
from seedtopic.base.progress import Progress
from seedtopic.base.wording import part_of
from seedtopic.text.rules import TextWithColumns
from seedtopic.text.tally import Partitions

list_of: Callable[[Any], Any] = partial(GenericAlias, list)  # the type of lists of one type of values


def added_kinds(labels: Iterable[Any], names: Sequence[str]) -> list[Any]:
    """Return the type of each added column."""
    types = {type(label) for label in labels}
    kind = types.pop() if types in ({str}, {int}, {float}) else object
    kinds = {"predicted": kind, "runner_up": kind, "source": str, "path": str, "labels": list_of(kind)}
    return [kinds.get(name, float) for name in names]


def is_dataset(X: Any) -> bool:
    """Return whether X is a `datasets.Dataset`, all of which is at hand."""
    return hasattr(X, "features") and hasattr(X, "with_format") and hasattr(X, "__len__")


def table_of(X: Any) -> Any:
    """Return the table of pyarrow that X is, or holds; nothing is copied."""
    return X.with_format("arrow")[:] if is_dataset(X) else X


def is_arrow_column(X: Any) -> bool:
    """Return whether X is an array of pyarrow, in one piece or several."""
    return hasattr(X, "to_pylist") and hasattr(X, "type") and hasattr(X, "null_count")


def with_arrow_columns(frame: Any, added: Mapping[str, list[Any]], kinds: Mapping[str, Any]) -> Any:
    """Return the table or dataset with columns added at the end; its other columns keep their types."""
    import pyarrow

    table = table_of(frame)
    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
    types |= {list_of(kind): pyarrow.list_(own) for kind, own in types.items()}
    arrays = {
        name: pyarrow.array(values, types[kinds[name]])
        if kinds[name] in types
        else pyarrow.array(_as_texts(values), types[list_of(str) if kinds[name] == list_of(object) else str])
        for name, values in added.items()
    }
    for name, array in arrays.items():
        table = table.append_column(name, array)
    if not is_dataset(frame):
        return table
    features = type(frame.features)
    new = features.from_arrow_schema(pyarrow.schema({name: array.type for name, array in arrays.items()}))
    info = frame.info.copy()
    info.features = features({**frame.features, **new})
    labelled = type(frame)(table, info=info, split=frame.split)
    return labelled.with_format(frame.format["type"], **frame.format["format_kwargs"])


def _as_texts(values: list[Any]) -> list[Any]:
    """Write labels of several types, which a column cannot hold, as texts."""
    return [
        _as_texts(value) if isinstance(value, list) else None if value is None else str(value)
        for value in values
    ]


SHOWN = 3  # rows named in a warning
# The names of types of columns of texts in the libraries.
_TEXTUAL = ("object", "str", "category", "categorical", "enum", "large_string", "dictionary<values=string")


def is_frame(X: Any) -> bool:
    """Return whether X is a frame of pandas or polars, a table of pyarrow, or a dataset of Hugging Face."""
    is_pandas = hasattr(X, "assign") and hasattr(X, "iloc") and not hasattr(X, "to_delayed")
    return not is_delayed(X) and (_is_arrow(X) or _is_polars(X) or is_pandas)


def column_names(frame: Any) -> list[Any]:
    """Return the names of the columns."""
    return list(frame.column_names if _is_arrow(frame) else frame.columns)


def text_columns(frame: Any) -> list[Any]:
    """Return the names of the columns that contain texts."""
    kinds = table_of(frame).schema.types if _is_arrow(frame) else frame.dtypes
    pairs = zip(column_names(frame), list(kinds), strict=True)
    return [name for name, kind in pairs if holds_texts(kind)]


def holds_texts(kind: Any) -> bool:
    """Return whether a column type is a text type."""
    name = str(kind).lower()
    return name.startswith(_TEXTUAL) and not name.startswith("struct")


def the_text_column(frame: Any) -> Any:
    """Return the one text column of a frame."""
    names = text_columns(frame)
    if len(names) == 1:
        return _column(frame, names[0])
    named = ", ".join(map(repr, names)) or "none"
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
    """Say what to do with what is nearly a frame: one that is computed later, or several of them."""
    if is_delayed(X):
        return ": call its compute() first"
    if hasattr(X, "column_names") and isinstance(X, Mapping):
        part = next(iter(X), "train")
        return f": pass one of its parts, as in data[{part!r}]"
    if hasattr(X, "column_names") and hasattr(X, "features"):
        return ": load it without streaming=True"
    return ": call its collect() first" if hasattr(X, "collect") else ""


def is_column(X: Any) -> bool:
    """Return whether X is a column of pandas, polars or pyarrow, which may have missing values."""
    if is_arrow_column(X):
        return True
    return hasattr(X, "to_list") and hasattr(X, "dtype") and not hasattr(X, "to_delayed")


def column_values(column: Any) -> list[Any]:
    """Return the values of a column."""
    values: list[Any] = column.to_pylist() if is_arrow_column(column) else column.to_list()
    return values


def is_missing(value: Any) -> bool:
    """Return whether a value means a missing text: None, pandas's NA or NaN."""
    if isinstance(value, str):
        return False
    if value is None or type(value).__name__ == "NAType":  # pandas's, which does not even equal itself
        return True
    return isinstance(value, float) and value != value


def without_missing(values: list[Any], *, warn: bool = True) -> list[Any]:
    """Replace missing values by empty texts, with a warning unless it is not wanted."""
    missing = [row for row, value in enumerate(values) if is_missing(value)]
    if missing and warn:
        shown = ", ".join(map(str, missing[:SHOWN]))
        sentence = (
            f"{part_of(len(missing), len(values), 'text', 'is', 'are')} missing and read as empty "
            f"(first: row {shown})"
        )
        warn_caller(sentence, UnusableDocuments)
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
    """Return whether X is a lazy frame of polars."""
    return not is_delayed(X) and hasattr(X, "collect_schema") and hasattr(X, "map_batches")


def is_delayed(X: Any) -> bool:
    """Return whether X is a single value of Dask, `dask.delayed`, which claims to have every method."""
    return type(X).__name__.startswith("Delayed") and hasattr(X, "compute")


def _column(frame: Any, name: Any) -> Any:
    return table_of(frame).column(name) if _is_arrow(frame) else frame[name]


def _is_arrow(X: Any) -> bool:
    is_table = hasattr(X, "append_column") and hasattr(X, "combine_chunks") and hasattr(X, "schema")
    return is_table or is_dataset(X)


def _is_polars(frame: Any) -> bool:
    return hasattr(frame, "with_columns") and hasattr(frame, "to_series")


def is_dask(X: Any) -> bool:
    """Return whether X is a collection of Dask, which has partitions."""
    return hasattr(X, "to_delayed") and not is_delayed(X)


def is_dask_frame(X: Any) -> bool:
    """Return whether X is a data frame of Dask."""
    return _is_of_pandas(X) and X.ndim == 2


def is_dask_array(X: Any) -> bool:
    """Return whether X is an array of Dask."""
    return is_dask(X) and hasattr(X, "map_blocks")


def is_dask_column(X: Any) -> bool:
    """Return whether X is a column of a data frame of Dask."""
    return _is_of_pandas(X) and X.ndim == 1


def dask_column(X: Any) -> Any:
    """Return the one text column of a data frame of Dask; return its other collections unchanged."""
    if is_dask_frame(X):
        return the_text_column(X)
    if getattr(X, "ndim", 1) != 1:
        raise InputError("the documents are a table: pass its text column, as in frame['text'].")
    return X


def dask_texts(X: Any) -> Partitions:
    """Return the texts of a collection where they are; missing ones are empty."""
    delayed = import_module("dask").delayed(partition_texts)
    return Partitions([delayed(part) for part in dask_column(X).to_delayed()])


def partition_texts(part: Iterable[Any]) -> list[Any]:
    """Return the texts of a partition; missing ones are empty. Runs on a worker."""
    return without_missing(column_values(part) if is_column(part) else list(part), warn=False)


def _is_of_pandas(X: Any) -> bool:
    return is_dask(X) and hasattr(X, "_meta") and hasattr(X, "divisions")


Texts = Iterable[str] | sp.sparray | sp.spmatrix | ArrayLike


def is_matrix(X: Any) -> bool:
    """Return whether X is a matrix of counts: sparse, two-dimensional, numeric, or a list of rows."""
    if sp.issparse(X):
        return True
    if is_dask(X):
        return False
    if isinstance(X, Sequence):
        return len(X) > 0 and isinstance(X[0], list | tuple | np.ndarray)
    if hasattr(X, "__array__"):
        array = np.asarray(X)
        return array.ndim != 1 or array.dtype.kind in "biufc"
    return False


def without_frame(X: Any) -> Any:
    """Return the one text column of a data frame; return anything else unchanged."""
    if is_dask(X):
        return dask_column(X)
    return the_text_column(X) if is_frame(X) and text_columns(X) else X


def refuse_text_table(X: Any) -> None:
    """Raise an error that says what to pass instead of another kind of table, or a column without texts."""
    if isinstance(X, Sequence) and any(isinstance(value, str) for value in X[0]):
        raise InputError(
            f"document 0 is {type(X[0]).__name__} ({X[0]!r:.40}), not a text: give every document as a str."
        )
    if is_column(X):
        kind = getattr(X, "dtype", None) or X.type
        raise InputError(f"the documents are a column of type {kind}: pass a column of texts.")
    if not sp.issparse(X) and any(holds_texts(kind) for kind in getattr(X, "dtypes", ())):
        raise InputError("the documents are a table: pass its text column, as in frame['text'].")


def refuse_other_columns(X: Any, words: Sequence[str]) -> None:
    """Raise an error if a table of counts names its columns by these words, but in another order."""
    if not is_frame(X):
        return
    place_of = {word: place for place, word in enumerate(words)}
    for place, name in enumerate(column_names(X)):
        if place_of.get(name, place) != place:
            raise InputError(
                f"column {place} of the counts is named {name!r}, which is word {place_of[name]} of the "
                "vocabulary: give the columns in the order of the vocabulary."
            )


def given_texts(X: Any) -> Iterable[str]:
    """Return the texts one after another, from any source."""
    if is_dask(X):
        return dask_texts(X)
    if isinstance(X, str | bytes | Mapping) or is_delayed(X) or not isinstance(X, Iterable):
        how = how_to_pass(X) or ": give an iterable of texts, one per document"
        raise InputError(f"the documents are of type {type(X).__name__}{how}.")
    column: Any = X
    return without_missing(column_values(column)) if is_column(column) else X


def texts_here(X: Any) -> Any:
    """Return the texts of a Dask collection one after another, for what is not computed by partition."""
    return dask_texts(X) if is_dask(X) else X


def reported(texts: Iterable[str], progress: Progress) -> Iterable[str]:
    """Pass texts on, and report how many were read."""

    def passing() -> Iterator[str]:
        total, read = len(texts) if isinstance(texts, Sized) else 0, 0
        for read, text in enumerate(texts, 1):
            if read % 1000 == 1:
                progress("reading words", read - 1, total)
            yield text
        progress("reading words", read, read)

    # Texts on a cluster are counted elsewhere.
    return replace(texts, progress=progress) if isinstance(texts, Partitions) else passing()
