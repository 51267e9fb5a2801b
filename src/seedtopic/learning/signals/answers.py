"""Confirmed labels: what a person has said of a few documents is held, and others learn from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError, SeedWarning, warn_caller

Real = TypeVar("Real", bound=np.floating[Any])

# Of a confirmed document among the examples that seeds give, which weigh 1 to 5 mostly, for each confirmed
# document of its category: one alone may be an odd one, and would speak for all.
EXAMPLE_WEIGHT, MOST_WEIGHT = 30.0, 300.0
# None weighs more than this share of all documents, but each may weigh 15: among a thousand documents, a few
# heavy ones would lead the others astray. Chosen on train parts of five collections, and on others.
MOST_SHARE, LEAST_MOST = 0.015, 15.0
# Of a confirmed document among those a classifier is fitted to: with 20, odd ones among short texts took
# their neighbours along.
TRAINING_WEIGHT = 5.0


@dataclass(frozen=True)
class Confirmed:
    """Documents whose category is known."""

    documents: NDArray[np.intp]  # (n_confirmed,), rows of a matrix of label distributions
    categories: NDArray[np.intp]  # (n_confirmed,), its columns

    @classmethod
    def of(cls, y: object, classes: Sequence[Any], n_documents: int) -> Self:
        """Read labels as a user gives them; an unknown one is None, NaN, pandas' NA, an empty text or -1."""
        if y is None:
            return cls(np.empty(0, np.intp), np.empty(0, np.intp))
        if isinstance(y, str | bytes) or not (isinstance(y, Iterable) or hasattr(y, "__array__")):
            raise InputError(f"the labels are given as {type(y).__name__}: give a list, one a document.")
        as_array = np.asarray(y, dtype=object).ravel() if hasattr(y, "__array__") else None
        labels = list(cast(Iterable[Any], y) if as_array is None else as_array)
        if len(labels) != n_documents:
            raise InputError(
                f"there are {len(labels)} labels for {n_documents} documents: "
                "give one each, None where it is not known."
            )
        column_of = {name: column for column, name in enumerate(classes)}
        column_of |= {str(name): column for name, column in column_of.items()}
        documents, categories = [], []
        strange: Counter[str] = Counter()
        for position, label in enumerate(labels):
            if isinstance(label, Hashable) and label in column_of:
                documents.append(position)
                categories.append(column_of[label])
            elif not _is_unknown(label):
                strange[repr(label)] += 1
        if strange:
            named = ", ".join(f"{label} ({times})" for label, times in strange.most_common(5))
            sentence = (
                f"{strange.total()} confirmed labels are not names of categories and are not used: {named}."
            )
            warn_caller(sentence, SeedWarning)
        return cls(np.array(documents, np.intp), np.array(categories, np.intp))

    def __len__(self) -> int:
        return len(self.documents)

    @classmethod
    def in_categories(cls, category: NDArray[np.intp]) -> Self:
        """Take the column of each document's category, negative where it is not known."""
        documents = np.flatnonzero(category >= 0)
        return cls(documents, category[documents])

    def of_categories(self, among: NDArray[np.bool_]) -> Confirmed:
        """Take those of some categories."""
        own = among[self.categories]
        return Confirmed(self.documents[own], self.categories[own])

    def hold(self, values: NDArray[Real], mass: float | NDArray[np.float64] = 1.0) -> NDArray[Real]:
        """Give each confirmed document's row to its category alone, in place."""
        if len(self):
            values[self.documents] = 0.0
            values[self.documents, self.categories] = mass
        return values

    def example_weights(self, n_documents: int) -> NDArray[np.float64]:
        """Weigh each confirmed document as an example of its category."""
        fellows = np.bincount(self.categories, minlength=1)[self.categories]
        most = min(max(MOST_SHARE * n_documents, LEAST_MOST), MOST_WEIGHT)
        return np.asarray(np.minimum(EXAMPLE_WEIGHT * fellows, most), np.float64)

    def weights(self, n_documents: int) -> NDArray[np.float32] | None:
        """Weigh the documents of a training set; None where all weigh alike."""
        if not len(self):
            return None
        weights = np.ones(n_documents, np.float32)
        weights[self.documents] = TRAINING_WEIGHT
        return weights


NOTHING_CONFIRMED = Confirmed(np.empty(0, np.intp), np.empty(0, np.intp))


def _is_unknown(label: Any) -> bool:
    if isinstance(label, str):
        return label == ""
    if isinstance(label, int | float | np.number):
        return not label >= 0
    try:  # None, and the missing values of data frames, which are not equal to themselves
        return label is None or not bool(label == label)
    except TypeError:  # pandas' NA says neither yes nor no
        return True
    except ValueError:  # an array says it of each of its elements
        return False
