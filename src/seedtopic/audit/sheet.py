"""The file of an audit on its way back: it must belong to the labels that it is an audit of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.audit.sampling import strata_of
from seedtopic.base.errors import InputError
from seedtopic.documents.check_sheet import COLUMNS, Labelled
from seedtopic.documents.confirmed_labels import CHECKED, NONE_OF_THESE, numbered_rows
from seedtopic.documents.header import Row, listed
from seedtopic.documents.table_style import as_before

STRATUM = "stratum"
CLOSE = 0.001  # probabilities of the same model on another machine, or rounded by a spreadsheet


def read_checked(path: str | Path, labelled: Labelled) -> tuple[dict[int, str | None], int]:
    """Read a file that a person has filled in, and make sure that it belongs to these labels."""
    strata = strata_of(labelled.probabilities)
    places = {row: place for place, row in enumerate(labelled.rows.tolist())}
    answers = _answers(labelled)
    checked: dict[int, str | None] = {}
    lines: dict[int, int] = {}
    left_empty = 0
    for line, row in numbered_rows(path):
        where = f"{path}:{line}"
        _require_columns(row, str(path))
        place = places.get(_number(row["row"], int, where, "row"), -1)
        _check_same(row, place, labelled, strata, where)
        if place in lines:
            raise InputError(
                f"{where} is about row {row['row']} like line {lines[place]}: remove one of them."
            )
        lines[place] = line
        answer = _text(row[CHECKED])
        if not answer:
            left_empty += 1
        elif answer in labelled.classes:
            checked[place] = answer
        elif answer.casefold() in answers:
            checked[place] = answers[answer.casefold()]
        else:
            raise InputError(
                f"{where} was checked as {answer!r}, which is not a category: use one of "
                f"{listed(labelled.classes)}{_or_none(labelled)}."
            )
    if not lines:
        raise InputError(f"{path} contains no documents: give the file that audit has written.")
    if not checked:
        raise InputError(
            f"{path} has nothing in the column {CHECKED!r}: write the right category of each document there."
        )
    return checked, left_empty


def _answers(labelled: Labelled) -> dict[str, str | None]:
    """Give what a person may write, in any case of letters; a name of a category is always that category."""
    none: dict[str, str | None] = {} if labelled.none_label else {NONE_OF_THESE: None}
    return none | {name.casefold(): name for name in reversed(labelled.classes)}


def _or_none(labelled: Labelled) -> str:
    return "" if labelled.none_label else f", or {NONE_OF_THESE!r} for none of these"


def _require_columns(row: Row, name: str) -> None:
    missing = [column for column in (*COLUMNS, STRATUM) if column not in row and column != "id"]
    if missing:
        raise InputError(
            f"{name} has no column {missing[0]!r}: give the file that audit has written, with all columns."
        )


def _check_same(row: Row, place: int, labelled: Labelled, strata: NDArray[np.intp], where: str) -> None:
    """Make sure that a row says of its document what the model says."""
    label, probability = _text(row["predicted"]), _number(row["probability"], float, where, "probability")
    stratum = _number(row["stratum"], int, where, "stratum")
    remedy = "give the model, the documents and the options with which the file was written."
    if place < 0:
        raise InputError(f"{where} is about row {row['row']}, which has no label: {remedy}")
    found = labelled.labels[place], float(labelled.probabilities[place]), int(strata[place])
    if (label, stratum) != (found[0], found[2]) or abs(probability - found[1]) > CLOSE:
        raise InputError(
            f"{where} says that row {row['row']} is {label!r} with probability {probability:g} (stratum "
            f"{stratum}), but here it is {found[0]!r} with {found[1]:g} (stratum {found[2]}): {remedy}"
        )


def _number(value: Any, kind: type[int] | type[float], where: str, column: str) -> Any:
    """Read a number, with a decimal point or, as some spreadsheet programs write it, a comma."""
    try:
        number = float(_text(value).replace(",", "."))
        if kind(number) == number:
            return kind(number)
    except (ValueError, OverflowError):
        pass
    raise InputError(f"{where} has {value!r} in the column {column!r}: leave that column as it was written.")


def _text(value: Any) -> str:
    return "" if value is None else as_before(str(value).strip())
