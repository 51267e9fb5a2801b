"""Tables of pyarrow, and datasets of Hugging Face, which hold such tables; neither is imported before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seedtopic.documents.label_kinds import list_of


def is_table(X: Any) -> bool:
    """Return whether X is a table of pyarrow.

    Examples
    --------
    >>> import pyarrow
    >>> is_table(pyarrow.table({"text": ["a goal"]})), is_table({"text": ["a goal"]})
    (True, False)
    """
    return hasattr(X, "append_column") and hasattr(X, "combine_chunks") and hasattr(X, "schema")


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
    return _dataset_like(frame, table, arrays) if is_dataset(frame) else table


def _as_texts(values: list[Any]) -> list[Any]:
    """Write labels of several types, which a column cannot hold, as texts."""
    return [
        _as_texts(value) if isinstance(value, list) else None if value is None else str(value)
        for value in values
    ]


def _dataset_like(frame: Any, table: Any, arrays: Mapping[str, Any]) -> Any:
    """Make a dataset of a table, with the features, the split and the format of another."""
    import pyarrow

    features = type(frame.features)
    new = features.from_arrow_schema(pyarrow.schema({name: array.type for name, array in arrays.items()}))
    info = frame.info.copy()
    info.features = features({**frame.features, **new})
    labelled = type(frame)(table, info=info, split=frame.split)
    return labelled.with_format(frame.format["type"], **frame.format["format_kwargs"])
