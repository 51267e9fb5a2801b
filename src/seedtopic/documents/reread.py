"""Rows that are read from their file each time they are needed, so that they take no memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.documents.columns import as_string
from seedtopic.documents.delimited_rows import huge_cells
from seedtopic.documents.formats import WORKBOOKS, split_ending
from seedtopic.documents.header import NumberedRow, Row
from seedtopic.documents.lines import explained, matched_files
from seedtopic.documents.problems import Problems
from seedtopic.documents.rows import Source, source_rows
from seedtopic.text.rules import TextWithColumns

State = tuple[Any, ...]


def file_state(path: Path) -> State | None:
    """Return a value that changes when a file, or a file of a pattern, changes."""
    if files := matched_files(path):
        states = [(str(file), file_state(file)) for file in files]
        return None if any(state is None for _, state in states) else tuple(states)
    with explained(str(path)):
        if not path.is_file() or split_ending(path)[0] in WORKBOOKS:
            return None
        found = path.stat()
        return found.st_size, found.st_mtime_ns


class RereadRows(Collection[Row]):
    """The rows of a file, which must not change meanwhile."""

    def __init__(self, source: Source, state: State, n_rows: int, columns: list[str]) -> None:
        self._source, self._state = source, state
        self._n_rows, self.columns = n_rows, columns

    def __len__(self) -> int:
        return self._n_rows

    def __iter__(self) -> Iterator[Row]:
        return (row for _, row in self.numbered())

    def numbered(self) -> Iterator[NumberedRow]:
        """Yield the rows with their line numbers."""
        self._check_unchanged()
        with huge_cells():
            yield from source_rows(self._source, Problems())  # reported the first time
        self._check_unchanged()

    def __contains__(self, row: object) -> bool:
        return any(own == row for own in self)

    def _check_unchanged(self) -> None:
        if file_state(self._source.path) != self._state:
            raise InputError(f"{self._source.name} was changed while it was being used: start again")


class ColumnStrings(Collection[str]):
    """One column of rows as strings, made when they are needed; each may know other columns of its row."""

    def __init__(self, rows: Collection[Row], column: str, others: Sequence[str] = ()) -> None:
        self._rows, self._column, self._others = rows, column, others

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[str]:
        return map(self._string, self._rows)

    def _string(self, row: Row) -> str:
        text = as_string(row.get(self._column))
        if not self._others:
            return text
        return TextWithColumns.of(text, {name: as_string(row.get(name)) for name in self._others})

    def __contains__(self, text: Any) -> bool:
        return any(own == text for own in self)
