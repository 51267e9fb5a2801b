"""Data frames, columns, arrays and bags of Dask, known by their methods: Dask is not imported before."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.documents.frames import column_values, is_column, is_delayed, the_text_column, without_missing
from seedtopic.text.counting.partitions import Partitions


def is_dask(X: Any) -> bool:
    """Return whether X is a collection of Dask, which has partitions.

    Examples
    --------
    >>> is_dask(["a text"])
    False
    """
    return hasattr(X, "to_delayed") and not is_delayed(X)


def is_dask_frame(X: Any) -> bool:
    """Return whether X is a data frame of Dask.

    Examples
    --------
    >>> import dask.dataframe, pandas
    >>> frame = dask.dataframe.from_pandas(pandas.DataFrame({"text": ["a goal"]}), npartitions=1)
    >>> is_dask_frame(frame), is_dask_frame(frame["text"])
    (True, False)
    """
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
    """Return the texts of a partition; missing ones are empty. Runs on a worker.

    Examples
    --------
    >>> partition_texts(iter(["a goal", None]))
    ['a goal', '']
    """
    return without_missing(column_values(part) if is_column(part) else list(part), warn=False)


def _is_of_pandas(X: Any) -> bool:
    return is_dask(X) and hasattr(X, "_meta") and hasattr(X, "divisions")
