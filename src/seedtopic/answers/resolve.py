"""Labels that a person gave, read back from the file that has them: a labelled file or a filled-in sheet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.io.columns import as_string
from seedtopic.io.formats import WORKBOOKS
from seedtopic.io.formats.delimited import huge_cells
from seedtopic.io.formats.text import Source, source_rows
from seedtopic.io.formats.xlsx import fitting
from seedtopic.io.predictions import CONFIRMED
from seedtopic.io.rows import Rows
from seedtopic.io.source import NumberedRow, Problems, Row, as_before, split_ending

CHECKED = "checked"
NONE_OF_THESE = "none"  # what a person writes where the model has no name for it
SPREADSHEET = "cp1252"
TABLES = ("csv", "tsv", "jsonl", "parquet", *WORKBOOKS)
_PREDICTED, _SOURCE = "predicted", "source"


@dataclass(frozen=True)
class LabelColumn:
    """The column of labels that a person gave, and the column that says so of each, if labelling wrote it."""

    name: str
    source: str | None = None

    @classmethod
    def beside(cls, name: str, columns: Collection[str]) -> LabelColumn:
        """Take a column of the user's choice; a guess in it never becomes a confirmed label."""
        source = name.removesuffix(_PREDICTED) + _SOURCE
        return cls(name, source if name.endswith(_PREDICTED) and source in columns else None)

    @classmethod
    def found_in(cls, columns: Collection[str]) -> LabelColumn | None:
        """Find the column: `checked`, or the labels that were written last; None if there is none."""
        if CHECKED in columns:
            return cls(CHECKED)
        pairs = [cls.beside(name, columns) for name in columns if name.endswith(_PREDICTED)]
        written = [pair for pair in pairs if pair.source is not None]
        return max(written, key=lambda pair: len(pair.name), default=None)

    def label(self, row: Row) -> str:
        """Return what a person said; nothing if it is empty, or the model said it."""
        confirmed = self.source is None or as_string(row.get(self.source)).strip() == CONFIRMED
        return as_string(row.get(self.name)).strip() if confirmed else ""


def column_of(confirmed: str | None) -> str | None:
    """Return the column of the documents that holds confirmed labels; None where they are in a file."""
    return None if confirmed is None or split_ending(confirmed)[0] in TABLES else confirmed


def labels_of_column(documents: Rows, name: str) -> list[str]:
    """Return the confirmed labels in a column of the documents; an empty text where there is none."""
    column, labels = LabelColumn.beside(name, documents.columns), documents.labels or ()
    if column.source is None:
        return list(labels)
    return [label and column.label(row) for label, row in zip(labels, documents.rows, strict=True)]


def labels_of_file(path: str | Path, documents: Rows, classes: Sequence[Any]) -> tuple[list[str], int]:
    """Return the confirmed labels of documents from a file of labels."""
    rows = numbered_rows(path)
    columns = dict.fromkeys(name for _, row in rows for name in row)
    column = LabelColumn.found_in(columns)
    if column is None:
        raise InputError(
            f"{path} has no column {CHECKED!r}, and no columns {_PREDICTED!r} and {_SOURCE!r}: give a file "
            "that label has written, or a sheet with your labels in the column 'checked'."
        )
    key, values = _key(columns, documents, path)
    spelling = _spelling(classes)
    answers = [(line, _folded(row.get(key)), spelling(as_before(column.label(row)))) for line, row in rows]
    if not any(label for _, _, label in answers):
        raise InputError(f"{path} has no confirmed label: write some into the column {CHECKED!r}.")
    if [own for _, own, _ in answers] == values:
        return [label for _, _, label in answers], 0
    by_key: dict[str, tuple[int, str]] = {}
    for line, own, label in answers:
        if label and by_key.setdefault(own, (line, label))[1] != label:
            before = by_key[own]
            raise InputError(
                f"{path}:{line} says {label!r}, but line {before[0]} says {before[1]!r} of the same "
                "document: correct one of them."
            )
    n_absent = len(by_key.keys() - set(values))
    if n_absent == len(by_key):
        raise InputError(
            f"no document has a label in {path}: its rows have other values in the column {key!r}; give the "
            "file that belongs to these documents."
        )
    return [by_key[own][1] if own in by_key else "" for own in values], n_absent


def numbered_rows(path: str | Path) -> list[NumberedRow]:
    """Read all rows of a file that a spreadsheet program may have saved, not always as UTF-8."""
    problems = Problems()
    with huge_cells():
        rows = list(source_rows(Source(Path(path)), problems))
        if problems.count > problems.n_left_out:
            problems = Problems()
            rows = list(source_rows(Source(Path(path), encoding=SPREADSHEET), problems))
    if problems.n_left_out:
        raise InputError(f"{problems.sentences(str(path))[-1]}: correct it.")
    return rows


def _key(columns: Mapping[str, Any], documents: Rows, path: str | Path) -> tuple[str, list[str]]:
    """Name the column by which documents are found in a file, and give its value for each document."""
    if "id" in columns and documents.ids is not None:
        return "id", list(map(_folded, documents.ids))
    for key in (documents.text_field, "text"):
        if key in columns:
            return key, list(map(_folded, documents.texts))
    raise InputError(
        f"{path} has no column {documents.text_field!r}, by which the documents could be found: add it."
    )


def _spelling(classes: Sequence[Any]) -> Callable[[str], str]:
    """Make a function that corrects capitals; a name of a category is always that category."""
    names = {str(name).casefold(): str(name) for name in reversed(classes)}
    names |= {str(name): str(name) for name in classes}
    return lambda label: names.get(label) or names.get(label.casefold(), label)


def _folded(value: Any) -> str:
    """Compare what fits into a cell, without white space, which spreadsheet programs change."""
    return " ".join(fitting(as_before(as_string(value))).split())
