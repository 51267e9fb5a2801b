"""From rows to columns of strings: which column contains the text, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.base.wording import part_of
from seedtopic.io.frames import is_missing
from seedtopic.io.source import Limits, NumberedRow, listed, short
from seedtopic.text.spelling import near_spellings

NESTED = (list, dict, bytes)  # values that cannot become one string
# What a spreadsheet shows where a formula has no result.
ERRORS = frozenset(
    ("#N/A", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#GETTING_DATA", "#SPILL!", "#CALC!")
)
MOST_WORDS_OF_A_NAME = 12  # even for a survey whose column names are questions


@dataclass
class Column:
    """Statistics of a column, from one pass over the rows."""

    filled: int = 0
    texts: int = 0  # values that can be read as a text, see `has_text`
    letters: int = 0
    only_strings: bool = True
    n_nested: int = 0
    nested: tuple[int, str] | None = None  # the line of the first nested value, and its type

    def add(self, other: Column) -> None:
        """Add what was seen in further rows."""
        self.filled += other.filled
        self.texts += other.texts
        self.letters += other.letters
        self.only_strings &= other.only_strings
        self.n_nested += other.n_nested
        self.nested = self.nested or other.nested


class Table:
    """Statistics of all columns, from one pass over the rows; the rows themselves are not kept."""

    def __init__(self, name: str, rows: Iterable[NumberedRow] = (), columns: Iterable[str] = ()) -> None:
        self.name = name
        self.n_rows = 0
        self.notes: list[str] = []
        self._columns: dict[str, Column] = {column: Column() for column in columns}
        most = Limits.of()
        for number, row in rows:
            self.n_rows += 1
            for key, value in row.items():
                column = self._columns.get(key)
                if column is None:
                    if len(self._columns) >= most.cells:
                        most.refuse_cells(name)
                    column = self._columns[key] = Column()
                if isinstance(value, str):
                    column.filled += 1
                    column.letters += len(value)
                    column.texts += value != "" and not value.isspace() and not _is_error(value)
                elif type(value) is int or not is_missing(value):
                    column.filled += 1
                    column.texts += not isinstance(value, NESTED)
                    column.only_strings = False
                    if isinstance(value, NESTED):
                        column.n_nested += 1
                        column.nested = column.nested or (number, type(value).__name__)

    def add(self, other: Table) -> None:
        """Add further rows of the same source."""
        self.n_rows += other.n_rows
        for name, column in other._columns.items():
            self._columns.setdefault(name, Column()).add(column)
        if len(self._columns) > (most := Limits.of()).cells:
            most.refuse_cells(self.name)

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def text_column(self, asked: str | None, others: set[str | None]) -> str:
        """Return the text column: the one asked for, `text`, or the one with the longest strings."""
        if asked is not None:
            return asked
        if "text" in self._columns:
            return "text"
        candidates = [column for column in self._columns if column.casefold() == "text"]
        if len(candidates) != 1:
            sizes = {
                name: column.letters if column.only_strings else 0
                for name, column in self._columns.items()
                if name not in others
            }
            longest = sorted((column for column in sizes if sizes[column]), key=lambda column: -sizes[column])
            # Twice as long as the next one: a title or a url beside the text does not mislead this guess.
            clear = len(longest) == 1 or (len(longest) > 1 and sizes[longest[0]] >= 2 * sizes[longest[1]])
            candidates = longest[:1] if clear else []
        if not candidates:
            raise InputError(
                f"{self.name} has no column 'text' and none that is clearly the text: name one of "
                f"{listed(self.columns)} as the text field"
            )
        self.notes.append(
            f"the texts of {self.name} were read from the column {short(candidates[0])}, chosen automatically"
        )
        if len(candidates[0].split()) > MOST_WORDS_OF_A_NAME:
            self.notes.append(
                f"the first line of {self.name} was read as the column names, but looks like "
                "a document: put a line such as id,text above it if it is one"
            )
        return candidates[0]

    def is_plain(self, column: str) -> bool:
        return self._columns[column].nested is None

    def require(self, column: str, *, of_texts: bool = False) -> None:
        """Raise an error if a column cannot be read as strings, and note how much of it is missing."""
        if column not in self._columns:
            close = near_spellings(column, dict.fromkeys(self.columns, 1))
            ordered = list(dict.fromkeys([*close, *self.columns]))
            raise InputError(f"{self.name} has no column {column!r}: use one of {listed(ordered)}")
        about = self._columns[column]
        if about.nested is not None and not (of_texts and about.n_nested < about.filled):
            number, kind = about.nested
            raise InputError(
                f"the column {column!r} at {self.name}:{number} contains a {kind}: make it "
                "a string, or name another column"
            )
        missing = self.n_rows - about.filled
        if missing and not of_texts:
            self.notes.append(
                f"{part_of(missing, self.n_rows, 'row', 'has', 'have')} no value in the column {column!r} of "
                f"{self.name}, which is read as empty"
            )

    def n_without_text(self, column: str) -> int:
        """Return how many rows have no text in the text column."""
        return self.n_rows - self._columns[column].texts


def has_text(value: Any) -> bool:
    """Return whether a cell can be read as a text; a blank one cannot, nor an error of a spreadsheet."""
    if isinstance(value, str):
        return value != "" and not value.isspace() and not _is_error(value)
    return not is_missing(value) and not isinstance(value, NESTED)


def as_string(value: Any) -> str:
    """Return a cell as a string; a missing value, an error and several values become an empty string."""
    if isinstance(value, str):
        return "" if _is_error(value) else value
    return str(value) if has_text(value) else ""


def _is_error(value: str) -> bool:
    return value[:1] == "#" and value in ERRORS
