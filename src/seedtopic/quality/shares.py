"""Shares of the categories in groups of documents, with 95 % intervals.

The share of a category is the share of documents with its label, and its probabilities say how far it may be
off; docs/howto/shares.md has the formulas, and how an audit corrects the groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import hypot, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.wording import number_of
from seedtopic.io.predictions import Predictions
from seedtopic.quality.audit import Audit
from seedtopic.quality.dates import Period, chosen_period, dates_in, period_name
from seedtopic.quality.intervals import NOT_KNOWN, Estimate, Z, wilson

Array = NDArray[np.float64]

MOST_GROUPS = 20  # the most frequent ones; the others are one group together
MOST_PERIODS = 400  # more cannot be shown
NO_DATE, NO_VALUE, OTHERS = "(no date)", "(no value)", "(other groups)"
DOUBT = 2.0  # how many times the expected errors the labels of a category may be off
DOUBT_OF_A_GROUP = 1.5  # the same for one group, where an audit tells the errors of all
ALL, NONE = "(all)", "(none of these)"
COLUMNS = ("by", "group", "documents", "category", "labelled", "share", "low", "high")


@dataclass(frozen=True)
class Groups:
    """Documents in groups by one column.

    Attributes
    ----------
    column : str
        The name of the column.
    period : str or None
        What the groups are if the column holds dates: ``"day"``, ``"week"``, ``"month"``, ``"quarter"`` or
        ``"year"``.
    names : list of str
        The groups: periods in the order of time, other values by their frequency. Documents without a value
        and those of rare values are groups of their own, at the end.
    of : ndarray of int, shape (n_documents,)
        The group of each document.
    """

    column: str
    period: Period | None
    names: list[str]
    of: NDArray[np.intp]


def grouped(
    values: Iterable[str], column: str, *, period: Period | None = None, most: int = MOST_GROUPS
) -> Groups:
    """Put documents into groups.

    Parameters
    ----------
    values : iterable of str
        What each document has in the column.
    column : str
        Its name.
    period : str, optional
        The period, if the column holds dates; chosen automatically when left out.
    most : int
        How many groups there are at most for a column that does not hold dates.

    Examples
    --------
    >>> groups = grouped(["web", "mail", "web", ""], "team")
    >>> groups.names, groups.of.tolist()
    (['web', 'mail', '(no value)'], [0, 1, 0, 2])
    >>> grouped(["2024-03-05", "1 April 2024", ""], "day", period="month").names
    ['2024-03', '2024-04', '(no date)']
    """
    cells = [value.strip() for value in values]
    if (dates := dates_in(cells, f"the column {column!r}")) is not None:
        of_dates = period or chosen_period(dates)
        periods = ["" if day is None else period_name(day, of_dates) for day in dates.tolist()]
        names = sorted({*periods} - {""})
        if len(names) > MOST_PERIODS:
            raise InputError(
                f"the column {column!r} has dates of {len(names):,} periods (--period {of_dates}), more than "
                f"{MOST_PERIODS}: choose a longer period."
            )
        number = {name: place for place, name in enumerate([*names, ""])}
        names += [NO_DATE] * ("" in periods)
        return Groups(column, of_dates, names, np.array([number[name] for name in periods], dtype=np.intp))
    counts = Counter(cells)
    without = counts.pop("", 0)
    by_frequency = sorted(counts, key=lambda name: (-counts[name], name))
    frequent = by_frequency if len(by_frequency) <= most else by_frequency[: most - 1]
    number = {name: min(place, len(frequent)) for place, name in enumerate(by_frequency)}
    names = list(frequent)
    for name, there in ((OTHERS, len(frequent) < len(by_frequency)), (NO_VALUE, without)):
        while name in frequent:
            name = f"({name})"
        names += [name] * bool(there)
    number[""] = len(names) - 1
    return Groups(column, None, names, np.array([number[cell] for cell in cells], dtype=np.intp))


@dataclass(frozen=True)
class Share:
    """The share of a category in a group.

    Attributes
    ----------
    category : str
    labelled : int
        How many documents have its label.
    share : Estimate
        The share of the documents that belong to it.
    """

    category: str
    labelled: int
    share: Estimate


@dataclass(frozen=True)
class GroupShares:
    """The shares of all categories in a group.

    Attributes
    ----------
    name : str
    documents : int
        Those that have a label; the shares are among these.
    without_label : int
    shares : list of Share
        In the order of the categories.
    """

    name: str
    documents: int
    without_label: int
    shares: list[Share]


@dataclass(frozen=True)
class Breakdown:
    """The groups of one column."""

    column: str
    period: str | None  # what the groups are, if the column holds dates
    groups: list[GroupShares]


@dataclass(frozen=True)
class Shares:
    """The shares of the categories in all documents, and in groups of them.

    Attributes
    ----------
    all : GroupShares
    by : list of Breakdown
        One for each column.
    checked : int or None
        How many documents of an audit the shares are corrected by.
    """

    all: GroupShares
    by: list[Breakdown]
    checked: int | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each category of each group, all documents first."""
        parts = [("", self.all), *((part.column, group) for part in self.by for group in part.groups)]
        for column, group in parts:
            for share in group.shares:
                about = (column, group.name, group.documents, share.category, share.labelled)
                numbers = (share.share.value, share.share.low, share.share.high)
                rounded = (None if number is None else round(number, 6) for number in numbers)
                yield dict(zip(COLUMNS, (*about, *rounded), strict=True))


def estimate_shares(
    categories: Sequence[str],
    labels: NDArray[np.integer[Any]],
    probabilities: Array,
    groups: Sequence[Groups] = (),
    audit: Audit | None = None,
) -> Shares:
    """Estimate the shares of the categories in all documents and in groups.

    Parameters
    ----------
    categories : sequence of str
    labels : ndarray of int, shape (n_documents,)
        The category of each document by its number; -1 for a document without a label.
    probabilities : ndarray, shape (n_documents, n_categories)
        How likely each document belongs to each category.
    groups : sequence of Groups
    audit : Audit, optional
        What checked documents say of the same labels, with the same categories. Documents that belong to none
        of them are a category more, if none has a name for them.

    Returns
    -------
    Shares

    Examples
    --------
    >>> from seedtopic.quality.shares import grouped
    >>> labels, sure = np.array([0] * 60 + [1] * 40), np.array([[0.9, 0.1]] * 60 + [[0.2, 0.8]] * 40)
    >>> shares = estimate_shares(["oil", "gold"], labels, sure, [grouped(["a", "b"] * 50, "site")])
    >>> print(shares.all.shares[0].share)
    60.0% (43.1% to 79.6%)
    >>> [(group.name, group.documents) for group in shares.by[0].groups]
    [('a', 50), ('b', 50)]
    """
    n_documents = len(labels)
    if probabilities.shape != (n_documents, len(categories)):
        raise InputError(
            f"the probabilities have the shape {probabilities.shape} for "
            f"{number_of(n_documents, 'label')} and {number_of(len(categories), 'category')}: give one "
            "row per document and one column per category."
        )
    for group in groups:
        if len(group.of) != n_documents:
            raise InputError(
                f"the column {group.column!r} has {number_of(len(group.of), 'value')} for "
                f"{number_of(n_documents, 'document')}: give one for each."
            )
    if audit is not None and len(audit.categories) > len(categories):  # it knows documents of none of them
        categories = [*categories, NONE]
        probabilities = np.column_stack([probabilities, np.zeros(n_documents)])
    whole = _Errors.of(labels, probabilities)
    corrections = None
    all_of_it = whole.shares(ALL, categories)
    if audit is not None:
        audited = [category.share for category in audit.categories]
        shares = [replace(share, share=of) for share, of in zip(all_of_it.shares, audited, strict=True)]
        all_of_it = replace(all_of_it, shares=shares)
        corrections = _Corrections(audited, whole)
    by = []
    for group in groups:
        order = np.argsort(group.of, kind="stable")
        ends = np.searchsorted(group.of[order], np.arange(len(group.names) + 1))
        parts = []
        for name, first, behind in zip(group.names, ends, ends[1:], strict=False):
            rows = order[first:behind]
            errors = _Errors.of(labels[rows], probabilities[rows])
            parts.append(errors.shares(name, categories, corrections))
        by.append(Breakdown(group.column, group.period, parts))
    return Shares(all_of_it, by, None if audit is None else audit.checked)


@dataclass(frozen=True)
class _Errors:
    """The labels of some documents and the errors that their probabilities lead to expect."""

    documents: int
    without_label: int
    labelled: NDArray[np.intp]  # (n_categories,)
    false: Array  # (n_categories,)
    missed: Array  # (n_categories,)
    chance: Array  # (n_categories,), the variance of the share because each label is right by chance

    @classmethod
    def of(cls, labels: NDArray[np.integer[Any]], probabilities: Array) -> _Errors:
        has_label = labels >= 0
        sure, numbers = probabilities[has_label], labels[has_label]
        n_documents, n_categories = sure.shape
        n = max(n_documents, 1)
        of_label = sure[np.arange(n_documents), numbers]
        sums = np.bincount(numbers, of_label, minlength=n_categories)
        labelled = np.bincount(numbers, minlength=n_categories)
        return cls(
            n_documents,
            int((~has_label).sum()),
            labelled,
            (labelled - sums) / n,
            np.maximum(sure.sum(axis=0) - sums, 0.0) / n,
            (sure * (1 - sure)).sum(axis=0) / n**2,
        )

    def shares(
        self, name: str, categories: Sequence[str], corrections: _Corrections | None = None
    ) -> GroupShares:
        shares = [
            Share(category, int(self.labelled[k]), self._share(k, corrections))
            for k, category in enumerate(categories)
        ]
        return GroupShares(name, self.documents, self.without_label, shares)

    def _share(self, k: int, corrections: _Corrections | None) -> Estimate:
        if not self.documents:
            return NOT_KNOWN
        share = int(self.labelled[k]) / self.documents
        below, above, doubt = 0.0, 0.0, DOUBT
        if corrections is not None:
            doubt = DOUBT_OF_A_GROUP
            low, middle, high = corrections.of(k, share, float(self.false[k]), float(self.missed[k]))
            share, below, above = middle, middle - low, high - middle
        chance = Z * sqrt(self.chance[k])
        drawn = wilson(share, 1 / self.documents)
        return Estimate(
            share,
            max(share - hypot(share - drawn.low, chance, doubt * float(self.false[k]), below), 0.0),
            min(share + hypot(drawn.high - share, chance, doubt * float(self.missed[k]), above), 1.0),
        )


@dataclass(frozen=True)
class _Corrections:
    """What an audit says of the shares of all documents, and the errors that were expected of them."""

    audited: list[Estimate]
    whole: _Errors

    def of(self, k: int, share: float, false: float, missed: float) -> tuple[float, ...]:
        """Return the share of a group, between its bounds, corrected in proportion to its expected errors."""
        audited, labelled = self.audited[k], int(self.whole.labelled[k]) / max(self.whole.documents, 1)
        assert audited.value is not None  # an audit estimates the share of every category
        corrected = []
        for value in (audited.low, audited.value, audited.high):
            off = value - labelled
            own, of_all = (false, self.whole.false[k]) if off < 0 else (missed, self.whole.missed[k])
            part = off * own / float(of_all) if of_all > 0 else off
            corrected.append(min(max(share + part, 0.0), 1.0))
        return tuple(corrected)


def numbered_labels(predictions: Predictions) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the number of each document's label, and the probabilities of all labels that there are."""
    probabilities = predictions.probabilities
    if predictions.none_label is not None:
        outside = predictions.none_probability
        probabilities = np.column_stack([probabilities * (1 - outside)[:, None], outside])
    return predictions.numbers, probabilities
