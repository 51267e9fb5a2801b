"""How far the labels on screen agree with a column that holds known labels. No model sees that column."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from seedtopic.base.errors import InputError
from seedtopic.evaluate import CategoryScore
from seedtopic.studio.columns import Column
from seedtopic.studio.draft import Draft
from seedtopic.studio.labels import Labels

MOST_LABELS = 500  # different values of a column that can be known labels
SHOWN = 5  # values named that are not categories


@dataclass(frozen=True)
class Agreement:
    """How far labels agree with a column."""

    column: str
    documents: int  # how many documents are compared
    accuracy: float | None  # None if there is nothing to compare
    macro_f1: float | None  # None if there is nothing to compare
    categories: list[CategoryScore]
    others: int  # how many of the compared documents have a value that is not a category
    other_values: list[str]  # the most frequent of these values

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def check_comparable(column: Column) -> None:
    """Refuse a column that cannot hold labels."""
    if len(column.values) > MOST_LABELS + 1:
        raise InputError(
            f"the column {column.name!r} has {len(column.values):,} different values: labels are compared "
            f"with a column of at most {MOST_LABELS}."
        )


def agreement(column: Column, draft: Draft, labels: Labels) -> Agreement:
    """Compare labels with a column; a value means the category of that name, in whatever case of letters."""
    now = {category.key: category.name for category in draft.categories}
    names = [
        now.get(key, str(name)) for key, name in zip(labels.keys.tolist(), labels.seeds.names, strict=True)
    ]
    number = {name.strip().casefold(): place for place, name in enumerate(names)}
    n_names = len(names)
    meaning = [number.get(value.casefold(), n_names) if value else -1 for value in column.values]
    true = np.array(meaning, np.intp)[column.codes]
    compared = true >= 0
    compared[list(draft.confirmed)] = False
    given = np.where(labels.known, labels.best, n_names + 1)[compared]  # a document without a label is wrong
    true = true[compared]
    right = true[true == given]
    there, found, hits = (np.bincount(of, minlength=n_names + 2)[:n_names] for of in (true, given, right))
    with np.errstate(invalid="ignore"):
        precision, recall, f1 = (np.nan_to_num(hits / of) for of in (found, there, (found + there) / 2.0))
    scores = [
        CategoryScore(name, float(p), float(r), float(f), int(n))
        for name, p, r, f, n in zip(names, precision, recall, f1, there, strict=True)
    ]
    others = true == n_names
    counts = np.bincount(column.codes[compared][others], minlength=len(column.values))
    most = np.argsort(-counts, kind="stable")[:SHOWN]
    return Agreement(
        column.name,
        len(true),
        len(right) / len(true) if len(true) else None,
        float(f1.mean()) if len(true) else None,
        scores,
        int(others.sum()),
        [column.values[place] for place in most.tolist() if counts[place]],
    )
