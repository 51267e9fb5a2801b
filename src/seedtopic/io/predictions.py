"""All that is said of documents, and the columns that labelling adds: to files, to frames, in the API."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.io.columns import has_text
from seedtopic.seeds import Name, Seeds
from seedtopic.seeds.names import NONE_OF_THESE, Label
from seedtopic.text.identity import identity

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

ADDED = ("predicted", "probability", "runner_up", "runner_up_probability", "margin", "source")
# In tables that people edit: what they say of a document, and what `predicted` was when it was written, so
# that a change of it is an answer, too.
CHECKED, WAS_PREDICTED = "checked", "was_predicted"
NONE = "none"  # what people write of a document that belongs to no category
DECIMALS = 6
# What the column `source` says: a person gave the label, the model did, or there is none.
CONFIRMED, LABELLED, NO_LABEL = "confirmed", "labelled", "none"
UNLABELLED = -1  # the number of the label of a document without one
# The columns of labelled files, and the names of the corresponding lists in a response.
LISTS = {
    "predicted": "labels",
    "probability": "probabilities",
    "runner_up": "runners_up",
    "runner_up_probability": "runner_up_probabilities",
    "margin": "margins",
    "source": "sources",
    "path": "paths",
    "none_probability": "none_probabilities",
    "labels": "all_labels",
}


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a model says of documents, in their order; every array has a row for each of them.

    Examples
    --------
    >>> predictions = Predictions.of(["sports", "money"], np.array([[0.9, 0.1], [0.5, 0.5]]))
    >>> list(predictions.rows(0.8))
    [('sports', 0.9, 'money', 0.1, 0.8, 'labelled'), (None, 0.5, 'money', 0.5, 0.0, 'none')]
    """

    classes: tuple[Name, ...]  # the categories, in the order of the columns of `probabilities`
    probabilities: Array  # (n_documents, n_classes)
    has_text: Mask  # (n_documents,), whether a document has a text, as far as is known
    # (n_documents,), whether the model knows a word of it: if not, it has no label but `none_label`
    has_words: Mask
    confirmed: Mask  # (n_documents,), whether a person gave its label
    none_probability: Array  # (n_documents,), how likely it belongs to no category
    none_label: str | None = None  # if that is likelier than not; adds a column ``none_probability``
    # (n_documents, n_classes), all labels, or a list of them for each document; adds a column ``labels``
    several: NDArray[Any] | None = None
    paths: Mapping[Any, str] | None = None  # to each category of a tree; adds a column ``path``
    unknown: Array | None = None  # (n_documents,), the share of its words that the fit did not know

    @classmethod
    def of(cls, classes: Iterable[Name], probabilities: Array, **known: Any) -> Predictions:
        """Take probabilities; if no more is known, documents have texts and words, and none is confirmed."""
        n_documents = len(probabilities)
        usual = {
            "has_text": np.ones(n_documents, bool),
            "has_words": np.ones(n_documents, bool),
            "confirmed": np.zeros(n_documents, bool),
            "none_probability": np.zeros(n_documents),
        }
        return cls(tuple(classes), probabilities, **usual | known)

    @classmethod
    def joined(cls, parts: Sequence[Predictions]) -> Predictions:
        """Put predictions of the same model one after the other."""
        arrays: dict[str, Any] = {
            name: np.concatenate([vars(part)[name] for part in parts]) for name in parts[0]._arrays
        }
        return replace(parts[0], **arrays)

    def __len__(self) -> int:
        return len(self.probabilities)

    def __getitem__(self, rows: slice | NDArray[Any]) -> Predictions:
        return replace(self, **{name: vars(self)[name][rows] for name in self._arrays})

    @property
    def _arrays(self) -> list[str]:
        names = (field.name for field in fields(self))
        return [name for name in names if isinstance(vars(self)[name], np.ndarray)]

    def with_texts(self, has_text: Mask) -> Predictions:
        """Return what is said once it is known which documents have a text."""
        return replace(self, has_text=self.has_text & has_text)

    @property
    def names(self) -> tuple[Name, ...]:
        """All labels that documents can have."""
        return (*self.classes, *(() if self.none_label is None else (self.none_label,)))

    @property
    def refused(self) -> Mask:
        """Which documents a person has said to belong to no category, where there is no label for that."""
        return self.confirmed & (self.none_probability > 0.5) & (self.none_label is None)

    @property
    def labelled(self) -> Mask:
        """Which documents have a label."""
        return self.has_text & (self.has_words | (self.none_label is not None)) & ~self.refused

    def with_answers(
        self, labels: Mapping[int, Name | tuple[Name, ...]], none: Collection[int]
    ) -> Predictions:
        """Return what is said once it is known what people say of some documents."""
        if not labels and not none:
            return self
        column_of = {name: column for column, name in enumerate(self.classes)}
        arrays = {name: vars(self)[name].copy() for name in ("probabilities", "has_words", "confirmed")}
        none_probability = self.none_probability.astype(np.float64)
        several = None if self.several is None else self.several.copy()
        for place in (*labels, *none):
            answer = labels.get(place, ())
            columns = [column_of[name] for name in (answer if isinstance(answer, tuple) else (answer,))]
            arrays["confirmed"][place] = arrays["has_words"][place] = True
            none_probability[place] = float(not columns)
            if columns:
                arrays["probabilities"][place] = np.arange(len(self.classes)) == columns[0]
            if several is not None:
                several[place] = [self.classes[k] for k in columns] if several.dtype == object else False
                if several.dtype != object:
                    several[place, columns] = True
        return replace(self, **arrays, none_probability=none_probability, several=several)

    def with_answers_to(self, texts: Iterable[str], answers: Mapping[str, Label]) -> Predictions:
        """Return what is said once it is known what people say of texts, by `identity`."""
        if not answers:
            return self
        verdicts = {place: answers.get(identity(text)) for place, text in enumerate(texts)}
        none = {place for place, label in verdicts.items() if label == NONE_OF_THESE}
        labels = {
            place: label for place, label in verdicts.items() if label is not None and place not in none
        }
        return self.with_answers(labels, none)

    @property
    def without_text(self) -> int:
        """The number of documents without a text."""
        return int((~self.has_text).sum())

    @property
    def without_known_word(self) -> int:
        """The number of documents that have a text, but no word that the model knows."""
        return int((self.has_text & ~self.has_words).sum())

    @cached_property
    def outside(self) -> Mask:
        """Which documents more likely than not belong to no category, where there is a label for that."""
        return self.none_probability > 0.5 if self.none_label is not None else np.zeros(len(self), bool)

    @cached_property
    def numbers(self) -> NDArray[np.intp]:
        """The place of each document's label in `names`, or -1."""
        best = self.probabilities.argmax(axis=1)
        return np.where(self.labelled, np.where(self.outside, len(self.classes), best), UNLABELLED)

    @cached_property
    def certainty(self) -> Array:
        """The probability of the most probable label."""
        return np.where(
            self.outside, self.none_probability, self.probabilities.max(axis=1, initial=0.0)
        ).astype(np.float64)

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each document: a class, `none_label`, or None."""
        return np.array([*self.names, None], dtype=object)[self.numbers]

    @property
    def all_labels(self) -> list[list[Name]] | None:
        """All labels of each document; `none_label` alone where it belongs to no category."""
        if self.several is None:
            return None
        if self.several.dtype == object:  # in the order in which a person has given them
            listed: list[list[Name]] = self.several.tolist()
            return listed
        without: list[Name] = [] if self.none_label is None else [self.none_label]
        return [[self.classes[place] for place in np.flatnonzero(row)] or without for row in self.several]

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are added to a table."""
        return self.columns_in()

    def columns_in(self, *, cells: bool = False) -> list[str]:
        """Name the columns that are added to a table; one of `cells` may be edited by a person."""
        optional = {"path": self.paths, "none_probability": self.none_label, "labels": self.several}
        edited = (CHECKED, WAS_PREDICTED) if cells else ()
        return [*ADDED, *(name for name, value in optional.items() if value is not None), *edited]

    def rows(self, min_probability: float = 0.0, *, cells: bool = False) -> Iterator[tuple[Any, ...]]:
        """Yield the values of `columns_in`; in `cells`, all labels of a document are one text."""
        all_labels: Sequence[Any] | None = self.all_labels
        if cells and all_labels is not None:
            all_labels = ["; ".join(map(str, labels)) for labels in all_labels]
        nothing, refused = (
            tuple(source if name == "source" else None for name in self.columns_in(cells=cells))
            for source in (NO_LABEL, CONFIRMED)
        )
        is_refused = self.refused.tolist()
        labelled, confirmed = self.labelled.tolist(), self.confirmed.tolist()
        outside = self.none_probability.tolist()
        for place, (first, most, second, more) in enumerate(
            zip(*two_largest(self.probabilities), strict=True)
        ):
            if not labelled[place]:
                yield refused if is_refused[place] else nothing
                continue
            best: tuple[Any, float] = (self.classes[first], most)
            runner_up = (None, None) if second is None else (self.classes[second], more)
            margin = None if more is None else most - more
            if self.none_label is not None and outside[place] > 0.5:
                best, runner_up, margin = (self.none_label, outside[place]), best, None
            label = best[0] if best[1] >= min_probability else None
            source = NO_LABEL if label is None else CONFIRMED if confirmed[place] else LABELLED
            beside: list[Any] = [] if self.paths is None else [self.paths.get(label)]
            if self.none_label is not None:
                beside.append(round(outside[place], DECIMALS))
            if all_labels is not None:
                beside.append(all_labels[place])
            if cells:
                beside += (None, label)
            numbers = (best[1], runner_up[1], margin)
            sure, *others = (None if value is None else round(value, DECIMALS) for value in numbers)
            yield (label, sure, runner_up[0], *others, source, *beside)

    def lists(self, *, all_probabilities: bool = False) -> dict[str, list[Any]]:
        """Return the labels as lists for the API, with None for a document that cannot be labelled."""
        columns = list(zip(*self.rows(), strict=True)) if len(self) else [()] * len(self.columns)
        lists: dict[str, list[Any]] = {
            LISTS[name]: list(values)
            for name, values in zip(self.columns, columns, strict=True)
            if name in LISTS
        }
        for name in ("labels", "runners_up"):  # the name of a category may be a number
            lists[name] = [None if label is None else str(label) for label in lists[name]]
        if self.several is not None:
            lists["all_labels"] = [
                None if labels is None else list(map(str, labels)) for labels in lists["all_labels"]
            ]
        if all_probabilities:
            lists["categories"] = list(map(str, self.classes))
            pairs = zip(self.probabilities.round(DECIMALS).tolist(), self.labelled, strict=True)
            lists["all_probabilities"] = [row if labelled else None for row, labelled in pairs]
        return lists

    def summary(self, min_probability: float = 0.0) -> Summary:
        """Count the documents of each label."""
        n_classes, labelled = len(self.classes), self.labelled
        sure = (self.certainty >= min_probability) & labelled
        label, probability = self.numbers[sure], self.certainty[sure]
        return Summary(
            np.bincount(label, minlength=n_classes + 1),
            np.bincount(label, weights=probability, minlength=n_classes + 1).astype(np.float64),
            float(probability[label < n_classes].sum()),
            int(labelled.sum()),
            int((labelled & ~sure).sum()),
            self.without_text,
            self.without_known_word,
        )


@dataclass(frozen=True, eq=False)
class Summary:
    """Counts of labelled documents, and sums over them: they take the same memory however many there are."""

    sizes: NDArray[np.int64]  # (n_classes + 1,), the last of the label for no category
    probabilities: Array  # (n_classes + 1,), the sums of the probabilities of these labels
    probability: float = 0.0  # the sum over all categories
    labelable: int = 0  # documents that can be labelled
    left_empty: int = 0  # those whose label is less likely than was asked for
    without_text: int = 0
    without_known_word: int = 0

    @classmethod
    def nothing(cls, n_classes: int) -> Summary:
        """Begin to count."""
        return cls(np.zeros(n_classes + 1, np.int64), np.zeros(n_classes + 1))

    def __add__(self, other: Summary) -> Summary:
        return Summary(
            *(own + more for own, more in zip(vars(self).values(), vars(other).values(), strict=True))
        )


def texts_there(texts: Iterable[str]) -> Mask:
    """Return which texts are more than blank."""
    return np.array([has_text(text) for text in texts], dtype=bool)


def added_columns(existing: Collection[Any], added: Sequence[str] = ADDED) -> list[str]:
    """Return the names of the columns that labelling adds, or renews in a table that was labelled before."""
    if (prefix := written_with(existing)) is None:
        prefix = ""
        while any(prefix + name in existing for name in added if name != CHECKED):
            prefix += "seedtopic_"
    return [name if name == CHECKED else prefix + name for name in added]


def written_with(existing: Collection[Any]) -> str | None:
    """Return what begins the names of the columns that labelling has written; None if it has not."""
    for name in existing:
        prefix = str(name).removesuffix(ADDED[0])
        is_whole = prefix + WAS_PREDICTED in existing or all(prefix + one in existing for one in ADDED)
        if prefix.replace("seedtopic_", "") == "" and is_whole:
            return prefix
    return None


def with_labels(own: Mapping[str, Any], names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Return a row with what is said of it; what a person has written about it stays, while it counts."""
    row = {**own, **dict(zip(names, values, strict=True))}
    checked = own.get(CHECKED)
    if CHECKED in own and (
        CONFIRMED not in values or str(checked).strip().casefold() == str(values[0]).casefold()
    ):
        row[CHECKED] = checked
    return row


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


def check_min_probability(value: Any) -> None:
    """Raise an error if a value is not a probability."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value <= 1:
        raise InputError(f"min_probability is {value!r}: give a number from 0 to 1.")


def or_none(labels: NDArray[Any], none_label: str | None, none_probability: Array) -> NDArray[Any]:
    """Return `none_label` to the documents that more likely than not belong to no category."""
    if none_label is None:
        return labels
    if labels.dtype.kind != "U":  # categories that are numbers stay numbers
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
