"""Writing labelled batches of a Parquet file to another, a few row groups at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file
from seedtopic.io.formats import import_parquet

GROUP = 1 << 16  # rows, at most, of a group that is written
_NUMBERS = ("probability", "margin")  # the ends of the names of added columns that hold numbers


def write_batches(
    path: str | Path,
    batches: Iterable[tuple[Any, Sequence[Sequence[Any]]]],
    schema: Any,
    added: Sequence[str],
    labels: Sequence[Any],
) -> None:
    """Write batches with added columns; their own columns keep their types."""
    pyarrow, parquet = import_parquet("writing .parquet files")
    try:
        of_labels = pyarrow.array(labels).type
    except pyarrow.ArrowException:
        raise InputError(
            f"the labels are texts and numbers, which do not fit into one column of {path}: write .jsonl"
        ) from None
    for name in added:
        schema = schema.append(pyarrow.field(name, _type_of(name, of_labels, pyarrow)))
    with atomic_file(path) as file, parquet.ParquetWriter(file, schema) as writer:
        waiting, n_waiting = [], 0
        for batch, values in batches:
            columns = zip(*values, strict=True) if values else [()] * len(added)
            new = [
                pyarrow.array(list(column), schema.field(name).type)
                for name, column in zip(added, columns, strict=True)
            ]
            waiting.append(pyarrow.record_batch([*batch.columns, *new], schema=schema))
            n_waiting += batch.num_rows
            if n_waiting >= GROUP:
                writer.write_table(pyarrow.Table.from_batches(waiting))
                waiting, n_waiting = [], 0
        if n_waiting:
            writer.write_table(pyarrow.Table.from_batches(waiting))


def _type_of(name: str, of_labels: Any, pyarrow: Any) -> Any:
    if name.endswith(_NUMBERS):
        return pyarrow.float64()
    if name.endswith("labels"):
        return pyarrow.list_(of_labels)
    return of_labels if name.endswith(("predicted", "runner_up")) else pyarrow.string()
