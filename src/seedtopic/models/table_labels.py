"""A table in, the same table with labels out: for tables at hand, and for the parts of larger ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.documents.columns import has_text
from seedtopic.documents.frames import column_names, texts_of, with_columns
from seedtopic.documents.label_columns import ADDED, Extras, added_columns, label_values
from seedtopic.documents.label_kinds import added_kinds
from seedtopic.documents.labelable import Labelable

if TYPE_CHECKING:
    from seedtopic.models.base import TextClassifier


@dataclass(frozen=True)
class TableLabeller:
    """Labels tables of one form, one after the other: what `TextClassifier.labeller` gives.

    It can be pickled, and holds what labelling needs of the model, so that it is small. A missing text is
    read as empty, without a warning: its `source` is ``"none"``.

    Attributes
    ----------
    model : TextClassifier
    text : str
        The column of the texts.
    min_probability, multi
        See `TextClassifier.label_frame`.
    """

    model: TextClassifier
    text: Any
    min_probability: float
    multi: bool

    def __call__(self, frame: Any) -> Any:
        """Label a table, or a part of one: the types of the columns do not depend on its rows.

        Parameters
        ----------
        frame : pandas.DataFrame, polars.DataFrame, pyarrow.Table or datasets.Dataset
        """
        return with_labels(
            self.model,
            frame,
            self.text,
            min_probability=self.min_probability,
            multi=self.multi,
            warn=False,
        )


def with_labels(
    model: TextClassifier,
    frame: Any,
    text: Any,
    *,
    fitted: bool = False,
    min_probability: float,
    multi: bool,
    warn: bool = True,
) -> Any:
    """Return a table with labels; see `TextClassifier.label_frame`."""
    columns = [rule.column for rule in model._rules() if rule.column is not None]
    texts = texts_of(frame, text, columns, warn=warn)
    probabilities, extras = (_of_fit if fitted else _of_new)(model, texts, multi)
    classes = model.classes_.tolist()
    rows = list(label_values(classes, probabilities, min_probability, extras))
    names = added_columns(column_names(frame), extras.columns)
    kinds = added_kinds(model._given_labels(), (*ADDED, *extras.columns))
    values = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return with_columns(frame, values, dict(zip(names, kinds, strict=True)))


def _of_new(model: TextClassifier, texts: list[str], multi: bool) -> tuple[NDArray[np.float64], Extras]:
    """Give what the model says of new documents."""
    probabilities, extras = model.predict_all(texts, several=multi)
    extras = replace(extras, several=None if extras.several is None else list(map(list, extras.several)))
    return probabilities, extras.with_texts(np.fromiter(map(has_text, texts), bool, len(texts)))


def _of_fit(model: TextClassifier, texts: list[str], multi: bool) -> tuple[NDArray[np.float64], Extras]:
    """Give what the fit said of its documents."""
    probabilities = model.fitted_distributions(len(texts))
    several = model._fitted_labels() if multi else None
    known = Labelable.of(texts, model.fitted_has_words())
    return probabilities, Extras(
        model.paths(), model.none_of_these(), several, known, model.fitted_confirmed()
    )
