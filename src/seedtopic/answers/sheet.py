"""The file that a person fills in: documents with their labels, and an empty column ``checked``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.answers.resolve import CHECKED, NONE_OF_THESE
from seedtopic.base.errors import InputError
from seedtopic.io.predictions import Predictions
from seedtopic.io.rows import Rows

COLUMNS = ("row", "id", "text", "predicted", "runner_up", CHECKED, "probability")


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
        return cls(
            rows,
            labels,
            np.array(sure),
            runners_up,
            list(map(str, predictions.names)),
            predictions.none_label,
        )

    @property
    def answers(self) -> list[str]:
        """What a person may answer: a category, or none of them."""
        return self.classes if self.none_label is not None else [*self.classes, NONE_OF_THESE]


def sheet_rows(
    documents: Rows, labelled: SheetLabels, places: NDArray[np.intp], **more: Sequence[Any]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the file, in the order of the places."""
    chosen = np.zeros(len(documents), dtype=bool)
    chosen[labelled.rows[places]] = True
    rows = np.flatnonzero(chosen).tolist()
    texts = dict(zip(rows, compress(documents.texts, chosen), strict=True))
    ids = dict(zip(rows, compress(documents.ids, chosen), strict=True)) if documents.ids is not None else {}
    for number, place in enumerate(places.tolist()):
        row = int(labelled.rows[place])
        yield {
            "row": row,
            "id": ids.get(row),
            "text": texts[row],
            "predicted": labelled.labels[place],
            "runner_up": labelled.runners_up[place],
            CHECKED: None,
            "probability": float(labelled.probabilities[place]),
            **{name: values[number] for name, values in more.items()},
        }


def sheet_columns(documents: Rows, *more: str) -> list[str]:
    """Name the columns of the file; there is none for ids if the documents have no ids."""
    return [name for name in (*COLUMNS, *more) if name != "id" or documents.ids is not None]
