"""The columns that labelling adds, the same in files and in data frames."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.io.columns import has_text
from seedtopic.io.formats import DELIMITERS, WORKBOOKS, split_ending
from seedtopic.seeds import Seeds

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Labelable:
    """Which documents have a text, and which of them contain a word that the model knows."""

    has_words: Mask  # (n_documents,), whether the model knows a word of the document
    has_text: Mask  # (n_documents,)

    @classmethod
    def by_words(cls, has_words: Mask) -> Labelable:
        """Take documents that all have a text, as far as is known."""
        return cls(has_words, np.ones(len(has_words), dtype=bool))

    @classmethod
    def of(cls, texts: Iterable[str], has_words: Mask) -> Labelable:
        """Look at the texts."""
        return cls(has_words, np.fromiter(map(has_text, texts), bool, len(has_words)))

    def with_texts(self, has_text: Mask) -> Labelable:
        """Return which documents have a text."""
        return replace(self, has_text=self.has_text & has_text)

    def labelled(self, *, none_label: bool) -> Mask:
        """Return which documents have a label, if the model has one for documents of no category or not."""
        return self.has_text & (self.has_words | none_label)

    @property
    def without_text(self) -> int:
        """The number of documents without a text."""
        return int((~self.has_text).sum())

    @property
    def without_known_word(self) -> int:
        """The number of documents that have a text, but no word that the model knows."""
        return int((self.has_text & ~self.has_words).sum())


ADDED = ("predicted", "probability", "runner_up", "runner_up_probability", "margin", "source")
DECIMALS = 6
# What the column `source` says: a person gave the label, the model did, or there is none.
CONFIRMED, LABELLED, NO_LABEL = "confirmed", "labelled", "none"


@dataclass(frozen=True)
class NoneOfThese:
    """The label of documents that belong to no category, and each document's probability of this."""

    label: str
    probability: NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Extras:
    """Optional columns, added after the two best categories."""

    paths: Mapping[Any, str] | None = None  # the path to each category of a tree; adds a column ``path``
    none: NoneOfThese | None = None  # adds a column ``none_probability``
    several: Sequence[Any] | None = None  # all labels of each document; adds a column ``labels``
    labelable: Labelable | None = None  # documents that cannot be labelled have nothing but their `source`
    confirmed: NDArray[np.bool_] | None = None  # whose label a person gave; by default, none
    unknown: NDArray[np.floating[Any]] | None = None

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        there = {"path": self.paths, "none_probability": self.none, "labels": self.several}
        return [name for name, value in there.items() if value is not None]

    def fit_for(self, path: str | Path) -> Extras:
        """Make several labels one string where a cell of the file cannot hold a list."""
        is_table = str(path) == "-" or split_ending(path)[0] in (*DELIMITERS, *WORKBOOKS)
        if self.several is None or not is_table:
            return self
        return replace(self, several=["; ".join(map(str, labels)) for labels in self.several])

    def rows(self, some: slice) -> Extras:
        """Take some of the documents, in their order."""
        none, known = self.none, self.labelable
        return replace(
            self,
            none=none if none is None else NoneOfThese(none.label, none.probability[some]),
            several=None if self.several is None else self.several[some],
            labelable=known if known is None else Labelable(known.has_words[some], known.has_text[some]),
            confirmed=None if self.confirmed is None else self.confirmed[some],
            unknown=None if self.unknown is None else self.unknown[some],
        )

    def with_texts(self, has_text: NDArray[np.bool_]) -> Extras:
        """Return which documents have a text."""
        known = self.labelable or Labelable.by_words(np.ones(len(has_text), dtype=bool))
        return replace(self, labelable=known.with_texts(has_text))

    def labelled(self, n_documents: int) -> NDArray[np.bool_]:
        """Return which documents have a label."""
        if self.labelable is None:
            return np.ones(n_documents, dtype=bool)
        return self.labelable.labelled(none_label=self.none is not None)


NO_EXTRAS = Extras()


def added_columns(existing: Collection[Any], also: Sequence[str] = ()) -> list[str]:
    """Return the names of the columns that labelling adds, none of which is in the input already."""
    added = (*ADDED, *also)
    prefix = ""
    while any(prefix + name in existing for name in added):
        prefix += "seedtopic_"  # more than once for a file that was labelled twice
    return [prefix + name for name in added]


def label_values(
    classes: Sequence[Any],
    probabilities: NDArray[np.floating[Any]],
    min_probability: float = 0.0,
    extras: Extras = NO_EXTRAS,
) -> Iterator[tuple[Any, ...]]:
    """Yield the values of the added columns, one document at a time."""
    nothing = (*[None] * (len(ADDED) - 1), NO_LABEL, *[None] * len(extras.columns))
    labelled = extras.labelled(len(probabilities))
    for place, (first, most, second, more) in enumerate(zip(*two_largest(probabilities), strict=True)):
        if not labelled[place]:
            yield nothing
            continue
        best = (classes[first], most)
        runner_up, next_best = (None, None) if second is None else (classes[second], more)
        margin = None if next_best is None else best[1] - next_best
        outside = 0.0 if extras.none is None else float(extras.none.probability[place])
        if extras.none is not None and outside > 0.5:
            (runner_up, next_best), best, margin = best, (extras.none.label, outside), None
        label = best[0] if best[1] >= min_probability else None
        two_best = (label, _rounded(best[1]), runner_up, _rounded(next_best), _rounded(margin))
        yield (*two_best, _source(extras, place, label), *_beside(extras, place, label, outside))


def two_largest(
    probabilities: NDArray[np.floating[Any]],
) -> tuple[list[int], list[float], Sequence[int | None], Sequence[float | None]]:
    """Return positions and values of the largest and second largest of each row, of equals the first."""
    rows = np.arange(len(probabilities))
    first = probabilities.argmax(axis=1) if len(rows) else rows
    largest = probabilities[rows, first].astype(np.float64)
    if probabilities.shape[1] == 1:
        nothing = [None] * len(rows)
        return first.tolist(), largest.tolist(), nothing, nothing
    others = probabilities.astype(np.float64)
    others[rows, first] = -np.inf
    second = others.argmax(axis=1) if len(rows) else rows
    return first.tolist(), largest.tolist(), second.tolist(), others[rows, second].tolist()


def _source(extras: Extras, place: int, label: Any) -> str:
    if label is None:
        return NO_LABEL
    return CONFIRMED if extras.confirmed is not None and extras.confirmed[place] else LABELLED


def _beside(extras: Extras, place: int, label: Any, outside: float) -> Iterator[Any]:
    if extras.paths is not None:
        yield extras.paths.get(label)
    if extras.none is not None:
        yield _rounded(outside)
    if extras.several is not None:
        yield extras.several[place]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS)


def check_min_probability(value: Any) -> None:
    """Raise an error if a value is not a probability."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value <= 1:
        raise InputError(f"min_probability is {value!r}: give a number from 0 to 1.")


Array = NDArray[np.float64]


def or_none(labels: NDArray[Any], none_label: str | None, none_probability: Array) -> NDArray[Any]:
    """Return `none_label` to the documents that more likely than not belong to no category.

    Categories that are numbers stay numbers, in an array of objects.
    """
    if none_label is None:
        return labels
    if labels.dtype.kind != "U":
        labels = labels.astype(object)
    return np.where(none_probability > 0.5, none_label, labels)


def all_labels(several: Mask, posterior: NDArray[np.floating[Any]], none_probability: Array) -> Mask:
    """Add the most probable label to several; a document that belongs to no category has none."""
    first: Mask = np.arange(posterior.shape[1]) == posterior.argmax(axis=1)[:, None]
    return (first | several) & (none_probability <= 0.5)[:, None]


def check_none_label(none_label: Any, seeds: Seeds) -> None:
    """Refuse a name for documents of no category that is not a name, or that a category already has."""
    if none_label is None:
        return
    if not isinstance(none_label, str) or not none_label.strip():
        raise InputError(f"none_label is {none_label!r}: use a name such as 'other', or None.")
    if none_label in map(str, (*seeds.names, *seeds.tree.nodes)):
        raise InputError(f"none_label is {none_label!r}, which is the name of a category: use another name.")
