"""Rows into columns of strings: which column holds the text, and what is missing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from seedtopic.documents.rows import NumberedRow, listed
from seedtopic.errors import InputError


@dataclass
class Column:
    """What one pass over the rows tells of a column."""

    filled: int = 0
    letters: int = 0
    only_strings: bool = True
    nested: tuple[int, str] | None = None  # where the first value stands that is no single one, and its type


class Table:
    """What one pass over the rows tells of their columns; the rows themselves are not kept."""

    def __init__(self, name: str, rows: Iterable[NumberedRow]) -> None:
        self.name = name
        self.n_rows = 0
        self.notes: list[str] = []
        self._found: dict[str, Column] = {}
        for number, row in rows:
            self.n_rows += 1
            for key, value in row.items():
                column = self._found.get(key)
                if column is None:
                    column = self._found[key] = Column()
                if isinstance(value, str):
                    column.filled += 1
                    column.letters += len(value)
                elif value is not None:
                    column.filled += 1
                    column.only_strings = False
                    if column.nested is None and isinstance(value, list | dict | bytes):
                        column.nested = (number, type(value).__name__)

    @property
    def columns(self) -> list[str]:
        return list(self._found)

    def text_column(self, asked: str | None, others: set[str | None]) -> str:
        """Name the column of the texts: the one asked for, `text`, or the one with the longest strings."""
        if asked is not None:
            return asked
        if "text" in self._found:
            return "text"
        found = [column for column in self._found if column.casefold() == "text"]
        if len(found) != 1:
            sizes = {
                name: column.letters if column.only_strings else 0
                for name, column in self._found.items()
                if name not in others
            }
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
        return self._found[column].nested is None

    def require(self, column: str) -> None:
        """Refuse a column that cannot be taken as strings, and note how much of it is missing."""
        if column not in self._found:
            close = difflib.get_close_matches(column, self.columns)
            ordered = list(dict.fromkeys([*close, *self.columns]))
            raise InputError(f"{self.name} has no column {column!r}: use one of {listed(ordered)}")
        found = self._found[column]
        if found.nested is not None:
            number, kind = found.nested
            raise InputError(
                f"the column {column!r} at {self.name}:{number} holds a {kind}: make it "
                "a string, or name another column"
            )
        missing = self.n_rows - found.filled
        if missing:
            self.notes.append(
                f"{missing} of {self.n_rows} rows of {self.name} have nothing in the column {column!r}, "
                "which is read as empty"
            )


def as_string(value: Any) -> str:
    """Give a cell as a string; what is missing is empty.

    Examples
    --------
    >>> as_string(2.5), as_string(None)
    ('2.5', '')
    """
    return value if isinstance(value, str) else "" if value is None else str(value)
