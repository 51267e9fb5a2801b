"""Documents in files that the workers of a Dask cluster read: nothing of their size comes to the client."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from seedtopic.base.engine import identity
from seedtopic.base.errors import InputError
from seedtopic.cluster.engine import DaskEngine
from seedtopic.io.columns import Table
from seedtopic.io.formats.delimited import huge_cells
from seedtopic.io.formats.text import Source, opened_parquet, source_rows
from seedtopic.io.rows import ColumnStrings, Fields, about_missing, chosen_fields, require_rows
from seedtopic.io.source import NumberedRow, Problems, is_folder, is_piped, matched_files, split_ending

PART_ROWS = 50_000  # of a Parquet file that are read together, or those of one row group if there are more


@dataclass(frozen=True)
class ClusterDocuments:
    """Documents in files, as the workers see them."""

    texts: Any  # a bag, read when it is needed, with a partition for each part of a file
    n_documents: int
    text_field: str  # the column of the texts
    notes: list[str]  # one sentence each, as the problems
    problems: list[str]
    unusable: int  # rows that were left out, have no text, or are damaged
    n_without_text: int


def read_on_cluster(
    engine: DaskEngine,
    place: Source,
    *,
    text_field: str | None = None,
    strict: bool = False,
    on_part: Callable[[int, int], None] = lambda done, total: None,
) -> ClusterDocuments:
    """Have the workers look at files, and choose the column of the texts by what they all saw."""
    delayed, parts = import_module("dask").delayed, parts_of(place)
    table, problems = Table(place.name), Problems(strict=strict)
    looked_at = engine.computed(_looked_at, [delayed(part) for part in parts], strict)
    on_part(0, len(parts))
    for done, (of_part, noticed) in enumerate(engine.gather(identity, looked_at), 1):
        table.add(of_part)
        problems.add(noticed)
        on_part(done, len(parts))
    require_rows(table, problems)
    column = chosen_fields(table, Fields(text_field)).text_column
    sentences, without = problems.sentences(place.name), table.n_without_text(column)
    if without:
        sentences.append(about_missing(place.name, column, without, [], strict))
    return ClusterDocuments(
        import_module("dask.bag").from_delayed([delayed(_texts)(part, column) for part in parts]),
        table.n_rows,
        column,
        [*table.notes, *problems.remarks],
        sentences,
        problems.count + without,
        without,
    )


def parts_of(place: Source) -> list[Source]:
    """Cut a source into parts that workers read apart from each other."""
    if is_piped(place.path) or is_folder(place.path):
        raise InputError(
            f"{place.name} cannot be read by the workers of a cluster: give a file, a pattern of files such "
            "as 'news/*.parquet', or a folder of Parquet files."
        )
    files = matched_files(place.path) or [place.path]
    return [part for file in files for part in _parts_of_file(replace(place, path=file.absolute()))]


def _parts_of_file(source: Source) -> Iterator[Source]:
    if source.format is not None or split_ending(source.path)[0] != "parquet":
        yield source
        return
    with opened_parquet(source, Problems()) as file:
        about = file.metadata
        sizes = [about.row_group(number).num_rows for number in range(about.num_row_groups)]
    if not sizes:
        yield source
    groups: list[int] = []
    first = following = 1
    for group, size in enumerate(sizes):
        groups.append(group)
        following += size
        if following - first >= PART_ROWS or group == len(sizes) - 1:
            yield replace(source, row_groups=tuple(groups), first_row=first)
            groups, first = [], following


def _looked_at(part: Source, number: int, strict: bool) -> tuple[Table, Problems]:
    """Look at the columns of a part; this and what follows runs on a worker."""
    problems = Problems(strict=strict)
    return Table(part.name, _rows(part, problems)), problems


def _texts(part: Source, column: str) -> list[str]:
    return list(ColumnStrings([row for _, row in _rows(part, Problems())], column))


def _rows(part: Source, problems: Problems) -> Iterator[NumberedRow]:
    if not os.path.exists(part.path):
        raise InputError(
            f"{part.name} was not found by a worker of the cluster: put it where all machines see it under "
            "this path."
        )
    with huge_cells():
        yield from source_rows(part, problems)
