"""The file that a person fills in: chosen documents with their own columns, and what is added of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.io.predictions import CHECKED, WAS_PREDICTED, Predictions, added_columns, with_labels
from seedtopic.io.rows import Rows
from seedtopic.text.identity import for_cell

_SAID = ("predicted", "runner_up", CHECKED, "probability", WAS_PREDICTED)
HOW = "how"  # the way in which an answer came, where a sheet itself knows it


@dataclass(frozen=True)
class SheetLabels:
    """Documents with their labels, as they are checked: those that have no label are left out."""

    rows: NDArray[np.intp]  # the row of each document in the file of all documents, from 0
    labels: list[str]  # the label of each
    probabilities: NDArray[np.float64]  # the probability of each label
    runners_up: list[str | None]  # the second best category of each, or None
    classes: list[str]  # with the label for none of them if the model has one
    none_label: str | None

    @classmethod
    def of(cls, predictions: Predictions) -> SheetLabels:
        """Take what a model says of all documents."""
        rows = np.flatnonzero(predictions.labelled)
        if not len(rows):
            raise InputError("no document has a label: give documents with words that the model knows.")
        values = replace(predictions, classes=tuple(map(str, predictions.classes)))[rows].rows()
        labels, sure, runners_up = map(list, zip(*(value[:3] for value in values), strict=True))
        names = list(map(str, predictions.names))
        return cls(rows, labels, np.array(sure), runners_up, names, predictions.none_label)


@dataclass(frozen=True)
class Sheet:
    """Documents for a person to check."""

    columns: list[str]  # the person's own ones first
    rows: list[dict[str, Any]]

    @classmethod
    def of(
        cls, documents: Rows, labelled: SheetLabels, places: NDArray[np.intp], **more: Sequence[Any]
    ) -> Sheet:
        """Take the documents of these places, in their order, and what more is to be added of each."""
        chosen = np.zeros(len(documents), dtype=bool)
        chosen[labelled.rows[places]] = True
        known: dict[str, list[Any]] = {"own": list(compress(documents.rows, chosen))}
        known["text"] = list(compress(documents.texts, chosen))
        if documents.ids is not None:
            known["id"] = list(compress(documents.ids, chosen))
        place_of = {row: place for place, row in enumerate(np.flatnonzero(chosen).tolist())}
        text = documents.text_field if documents.text_field in documents.columns else "text"
        own_columns = list(dict.fromkeys([*documents.columns, text]))
        if documents.ids is not None and "id" not in own_columns:
            own_columns.insert(0, "id")
        added = added_columns(own_columns, _SAID)
        beside, rows = [], []
        for name in ("row", *more):
            while name in own_columns:
                name = f"seedtopic_{name}"
            beside.append(name)
        for number, place in enumerate(places.tolist()):
            row = int(labelled.rows[place])
            own = dict(known["own"][place_of[row]])
            own[text] = for_cell(known["text"][place_of[row]])
            if "id" in own_columns and "id" not in documents.columns:
                own["id"] = known["id"][place_of[row]]
            label = labelled.labels[place]
            values = (label, labelled.runners_up[place], None, float(labelled.probabilities[place]), label)
            about = (documents.number_of(row), *(values[number] for values in more.values()))
            rows.append({**with_labels(own, added, values), **dict(zip(beside, about, strict=True))})
        first, *others = beside
        return cls(list(dict.fromkeys([*own_columns, first, *added[:-1], *others, added[-1]])), rows)
