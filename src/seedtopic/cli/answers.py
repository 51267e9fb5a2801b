"""Labels that a person has confirmed, as commands are given them: in a column of the documents or files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seedtopic.answers.resolve import NONE_OF_THESE, column_of, labels_of_column, labels_of_file
from seedtopic.base.errors import InputError
from seedtopic.cli.console import Terminal
from seedtopic.io.rows import Rows


def confirmed_column(confirmed: Sequence[str] | None) -> str | None:
    """Return the column among what was given; the others are files."""
    columns = [name for name in confirmed or () if column_of(name) is not None]
    if len(columns) > 1:
        raise InputError(
            f"--confirmed names the columns {columns[0]!r} and {columns[1]!r}: name one column; the others "
            "must be files."
        )
    return columns[0] if columns else None


def confirmed_labels(
    documents: Rows, sources: Sequence[str], classes: Sequence[Any], terminal: Terminal
) -> list[str]:
    """Collect confirmed labels; of a document with several, the last counts."""
    no_name = not any(str(name).casefold() == NONE_OF_THESE for name in classes)
    confirmed = [""] * len(documents)
    for name in sources:
        if column_of(name) is None:
            labels, not_found = labels_of_file(name, documents, classes)
            if not_found:
                terminal.note(f"{not_found:,} of the labels in {name} belong to none of the documents")
        else:
            labels = labels_of_column(documents, name)
        if no_name:
            labels = [NONE_OF_THESE if label.casefold() == NONE_OF_THESE else label for label in labels]
        outside = labels.count(NONE_OF_THESE) if no_name else 0
        without = f"; {outside:,} more belong to none of the categories" if outside else ""
        number = sum(map(bool, labels)) - outside
        terminal.note(f"{number:,} documents have a confirmed label in {name!r}{without}")
        confirmed = [new or old for new, old in zip(labels, confirmed, strict=True)]
    return confirmed
