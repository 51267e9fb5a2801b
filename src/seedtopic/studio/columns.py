"""The other columns of the documents' file: shown with a document, filtered and sorted by.

The file is read once. A column keeps each of its values once and a number per document, so that a column with
few values takes four bytes per document, however long the values are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import repeat
from math import isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.documents import Documents
from seedtopic.documents.columns import as_string

LONGEST = 300  # characters of a value that are kept
FEW = 50  # values that a person can choose from
MOST_COLUMNS = 50
MEMORY = 300_000_000  # bytes for the values of all columns; the largest columns are left out
_PER_VALUE = 150  # bytes that a value takes beside its characters

Kind = Literal["number", "date", "text"]


@dataclass(frozen=True, eq=False)
class Column:
    """One column."""

    name: str
    values: list[str]  # the different values; the empty text where a document has none
    codes: NDArray[np.int32]  # (n_documents,), the position of each document's value in `values`

    def __getitem__(self, document: int) -> str:
        return str(self.values[self.codes[document]])

    @cached_property
    def kind(self) -> Kind:
        """What all values look like."""
        written = [value for value in self.values if value]
        if written and all(_number(value) is not None for value in written):
            return "number"
        return "date" if written and all(_date(value) is not None for value in written) else "text"

    @cached_property
    def choices(self) -> list[tuple[str, int]] | None:
        """The values with their numbers of documents, most frequent first; None if there are too many."""
        if len(self.values) - ("" in self.values) > FEW:
            return None
        counts = np.bincount(self.codes, minlength=len(self.values)).tolist()
        found = [(value, count) for value, count in zip(self.values, counts, strict=True) if value]
        return sorted(found, key=lambda pair: -pair[1])

    def having(self, value: str) -> NDArray[np.bool_]:
        """Tell which documents have a value: exactly this one, or text that contains it if there are many."""
        if self.choices is not None:
            wanted = [own == value for own in self.values]
        else:
            folded = value.casefold()
            wanted = [folded in own.casefold() for own in self.values]
        return np.array(wanted, bool)[self.codes]

    def order(self, documents: NDArray[np.intp], *, descending: bool) -> NDArray[np.intp]:
        """Sort documents by value, those without one last; equal ones stay in their order."""
        rank = self._rank[self.codes[documents]]
        missing = rank < 0
        return documents[np.lexsort((-rank if descending else rank, missing))]

    @cached_property
    def _rank(self) -> NDArray[np.intp]:
        """The place of each value in the order of its kind, equal ones in the same; -1 for no value."""
        there = np.array([value != "" for value in self.values], bool)
        written = [value for value in self.values if value]
        rank = np.full(len(self.values), -1, np.intp)
        if self.kind == "text":
            folded = [value.casefold() for value in written]
            place = {text: number for number, text in enumerate(sorted(set(folded)))}
            rank[there] = [place[text] for text in folded]
        else:
            read = _number if self.kind == "number" else _date
            _, rank[there] = np.unique([read(value) for value in written], return_inverse=True)
        return rank


class Columns:
    """All columns of the documents' file except the text and the ids."""

    def __init__(self, columns: Iterable[Column] = (), left_out: Sequence[str] = ()) -> None:
        self._columns = {column.name: column for column in columns}
        self.left_out = list(left_out)

    @classmethod
    def of(cls, documents: Documents, memory: int = MEMORY) -> Columns:
        """Read the columns."""
        names = [name for name in documents.columns if name != documents.text_field]
        reading = {name: _Reading(len(documents)) for name in names[:MOST_COLUMNS]}
        left_out, taken = names[MOST_COLUMNS:], 0
        differ: set[str] = set()  # from the ids
        ids = repeat(None) if documents.ids is None else documents.ids
        for place, (row, id_) in enumerate(zip(documents.rows, ids, strict=False)):
            for name, column in reading.items():
                value = _text(row.get(name))
                taken += column.add(place, value)
                if value != id_:
                    differ.add(name)
            while taken > memory:
                largest = max(reading, key=lambda name: reading[name].size)
                taken -= reading.pop(largest).size
                left_out.append(largest)
        kept = {name: column for name, column in reading.items() if name in differ}
        return cls((Column(name, [*read.codes], read.found) for name, read in kept.items()), left_out)

    def __iter__(self) -> Iterator[Column]:
        return iter(self._columns.values())

    def __getitem__(self, name: str) -> Column:
        if name not in self._columns:
            there = ", ".join(self._columns) or "none"
            raise InputError(f"there is no column {name!r:.60}: the columns are {there:.300}.")
        return self._columns[name]

    def of_document(self, document: int) -> list[tuple[str, str]]:
        """Return the names and values of a document's columns, without those that it lacks."""
        return [(column.name, column[document]) for column in self if column[document]]

    def as_list(self) -> list[dict[str, Any]]:
        """Return plain values: what can be filtered and sorted by."""
        return [
            {
                "name": column.name,
                "kind": column.kind,
                "different": len(column.values),
                "values": None
                if column.choices is None
                else [{"value": value, "documents": count} for value, count in column.choices],
            }
            for column in self
        ]


class _Reading:
    """A column while it is read."""

    def __init__(self, n_documents: int) -> None:
        self.codes: dict[str, int] = {}
        self.found = np.zeros(n_documents, np.int32)
        self.size = 0

    def add(self, place: int, value: str) -> int:
        """Take a value, and return the memory that it takes."""
        fresh = len(self.codes)
        self.found[place] = self.codes.setdefault(value, fresh)
        added = len(value) + _PER_VALUE if len(self.codes) > fresh else 0
        self.size += added
        return added


def _text(value: Any) -> str:
    text = as_string(value).strip()
    if not text and isinstance(value, list | dict) and value:
        text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


def _date(text: str) -> float | None:
    """Read a date as ISO 8601 writes it, with or without a time."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (read if read.tzinfo is not None else read.replace(tzinfo=UTC)).timestamp()
