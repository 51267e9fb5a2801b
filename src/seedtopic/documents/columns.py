"""Rows into columns of strings: which column holds the text, and what is missing."""

from __future__ import annotations

import difflib
from itertools import chain

from seedtopic.documents.rows import Row, listed
from seedtopic.errors import InputError


class Table:
    """Rows with their line numbers, from which columns are taken as strings."""

    def __init__(self, name: str, numbers: list[int], rows: list[Row], notes: list[str]) -> None:
        self.name, self.numbers, self.rows, self.notes = name, numbers, rows, notes
        self.columns = list(dict.fromkeys(chain.from_iterable(rows)))

    def text_column(self, asked: str | None, others: set[str | None]) -> str:
        """Name the column of the texts: the one asked for, `text`, or the one with the longest strings."""
        if asked is not None:
            return asked
        if "text" in self.columns:
            return "text"
        found = [column for column in self.columns if column.casefold() == "text"]
        if len(found) != 1:
            sizes = {column: self._mean_length(column) for column in self.columns if column not in others}
            longest = sorted((column for column in sizes if sizes[column]), key=lambda column: -sizes[column])
            # Twice as long as the next one: a guess that a title or a url beside the text does not upset.
            clear = len(longest) == 1 or (len(longest) > 1 and sizes[longest[0]] >= 2 * sizes[longest[1]])
            found = longest[:1] if clear else []
        if not found:
            raise InputError(
                f"{self.name} has no column 'text' and none that is clearly the text: name one of "
                f"{listed(self.columns)} as the text field"
            )
        self.notes.append(
            f"the texts of {self.name} were taken from the column {found[0]!r}, found by itself"
        )
        return found[0]

    def is_plain(self, column: str) -> bool:
        return not any(isinstance(row.get(column), list | dict | bytes) for row in self.rows)

    def strings(self, column: str) -> list[str]:
        """Take a column as strings; what is missing is empty, and counted in a note."""
        if column not in self.columns:
            close = difflib.get_close_matches(column, self.columns)
            ordered = list(dict.fromkeys([*close, *self.columns]))
            raise InputError(f"{self.name} has no column {column!r}: use one of {listed(ordered)}")
        values = [row.get(column) for row in self.rows]
        for number, value in zip(self.numbers, values, strict=True):
            if isinstance(value, list | dict | bytes):
                raise InputError(
                    f"the column {column!r} at {self.name}:{number} holds a {type(value).__name__}: make it "
                    "a string, or name another column"
                )
        missing = values.count(None)
        if missing:
            self.notes.append(
                f"{missing} of {len(values)} rows of {self.name} have nothing in the column {column!r}, "
                "which is read as empty"
            )
        return [value if isinstance(value, str) else "" if value is None else str(value) for value in values]

    def _mean_length(self, column: str) -> float:
        """Mean length of a column of strings; 0 when it holds anything else."""
        values = [row.get(column) for row in self.rows]
        if not all(value is None or isinstance(value, str) for value in values):
            return 0.0
        return sum(len(value or "") for value in values) / len(values)
