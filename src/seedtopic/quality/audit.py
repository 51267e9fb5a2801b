"""Which documents to check: a random sample in each of a few strata of similar probability.

Errors are more frequent among labels of low probability, so more of these are checked. If a label of
probability p is right with probability p, its correctness has the standard deviation s = sqrt(p (1 - p)). The
strata are cut so that the sum of s is the same in each (Dalenius and Hodges 1959), and get the same number of
checks, which would be Neyman's optimal allocation if s had no floor (Cochran 1977, sections 5.5 and 5A.7).
The probabilities only decide where to look: an estimate is valid whatever they are worth.

References
----------
- W. G. Cochran: Sampling Techniques, 3rd edition. Wiley, 1977.
- T. Dalenius, J. L. Hodges: Minimum variance stratification. Journal of the American Statistical
  Association 54, 1959.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seedtopic.answers.resolve import CHECKED, NONE_OF_THESE, numbered_rows
from seedtopic.answers.sheet import COLUMNS, Labelled
from seedtopic.base.errors import InputError
from seedtopic.io.source import Row, as_before, listed
from seedtopic.quality.intervals import Counts, Estimate, added, stratified, weighted

# Chosen by simulated audits of five corpora. More strata are narrower, but with fifty checks the numbers of
# errors found in each are so small that intervals hold too often in one collection and too seldom in another.
N_STRATA = 2
# No label counts as more certain than one of probability .8, for the same reason.
LEAST_DEVIATION = 0.4
LEAST_CHECKS = 10  # with fewer, a stratum could be left without any
DECIMALS = 6  # of the probabilities, as they are written to files


@dataclass(frozen=True)
class Sample:
    """Documents to check.

    Attributes
    ----------
    documents : ndarray of int
        Their positions, in random order, so that the first of them are a random part of each stratum.
    strata : ndarray of int
        The stratum of each of them, from 1 (the least probable labels).
    """

    documents: NDArray[np.intp]
    strata: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.documents)


def draw(probabilities: ArrayLike, n: int = 50, *, random_state: int = 0) -> Sample:
    """Draw the documents to check.

    Parameters
    ----------
    probabilities : array-like of float
        The probability of each document's label.
    n : int
        How many documents to check; all of them if there are not more.
    random_state : int
        Source of the random numbers.

    Returns
    -------
    Sample

    Examples
    --------
    >>> sample = draw([0.99] * 600 + [0.6] * 400, 20)
    >>> len(sample), int((sample.documents < 600).sum())
    (20, 11)
    """
    if n < LEAST_CHECKS:
        raise InputError(f"n is {n}: check at least {LEAST_CHECKS} documents.")
    strata = strata_of(probabilities)
    weights: NDArray[np.float64] = np.bincount(strata, _deviations(probabilities)).astype(np.float64)
    random = np.random.default_rng(random_state)
    members = [np.flatnonzero(strata == stratum) for stratum in range(1, len(weights))]
    counts = allocated(n, weights[1:], np.array([len(found) for found in members]))
    chosen = [random.permutation(found)[:count] for found, count in zip(members, counts, strict=True)]
    documents = random.permutation(np.concatenate(chosen))
    return Sample(documents, strata[documents])


def strata_of(probabilities: ArrayLike) -> NDArray[np.intp]:
    """Give the stratum of each document, from 1 for the least probable labels; equal ones share a stratum."""
    values, value_of, counts = np.unique(
        checked_probabilities(probabilities), return_inverse=True, return_counts=True
    )
    reached = np.cumsum(_deviations(values) * counts)
    part = reached[-1] / N_STRATA
    nearest = np.abs(reached[:, None] - part * np.arange(1, N_STRATA)).argmin(axis=0)
    cuts, begin = [], 0.0
    for cut in np.unique(nearest):
        # Many equal probabilities can make a stratum so small that it would get no check.
        if min(reached[cut] - begin, reached[-1] - reached[cut]) >= part / 2:
            cuts.append(cut)
            begin = reached[cut]
    return np.searchsorted(np.array(cuts), value_of.reshape(-1)) + 1


def allocated(
    n: int, weights: NDArray[np.floating[Any]], sizes: NDArray[np.integer[Any]]
) -> NDArray[np.intp]:
    """Share out n checks in proportion to weights, to no stratum more than it has documents."""
    if n >= sizes.sum():
        return sizes.astype(np.intp)
    full = np.zeros(len(sizes), dtype=bool)
    quota = weights * n / weights.sum()
    while (quota > sizes)[~full].any():  # what a full stratum leaves goes to the others
        full |= quota > sizes
        left = np.where(full, 0.0, weights)
        quota = np.where(full, sizes, left * (n - sizes[full].sum()) / left.sum())
    given: NDArray[np.intp] = np.floor(quota).astype(np.intp)
    given[np.argsort(given - quota, kind="stable")[: n - given.sum()]] += 1  # the largest remainders
    return given


def checked_probabilities(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Return probabilities as an array, rounded as in files, and refuse other numbers."""
    sure = np.asarray(probabilities, dtype=np.float64)
    if sure.ndim != 1 or not len(sure):
        raise InputError(
            f"the probabilities have the shape {sure.shape}: give the probability of each document's label."
        )
    wrong = np.flatnonzero(~((sure >= 0) & (sure <= 1)))
    if len(wrong):
        raise InputError(
            f"the probability of document {wrong[0]} is {sure[wrong[0]]:g}: give numbers from 0 to 1."
        )
    return sure.round(DECIMALS)


def _deviations(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Return the standard deviation of the correctness of labels, as far as their probabilities are right."""
    sure = np.asarray(probabilities, dtype=np.float64)
    return np.maximum(np.sqrt(sure * (1 - sure)), LEAST_DEVIATION)


@dataclass(frozen=True)
class CategoryAudit:
    """What is known of one category.

    Attributes
    ----------
    category : str or None
        Its name; None for documents that belong to none of the categories, where this has no name.
    checked : int
        How many documents with this label were checked.
    labelled : float
        The share of the documents that have this label.
    precision : Estimate
        The share of the documents with this label that belong to it.
    share : Estimate
        The share of all documents that belong to it.
    """

    category: str | None
    checked: int
    labelled: float
    precision: Estimate
    share: Estimate


@dataclass(frozen=True)
class Audit:
    """What checked documents say of all.

    Attributes
    ----------
    documents : int
        How many documents there are.
    checked : int
        How many of them were checked.
    accuracy : Estimate
        The share of labels that are right.
    categories : list of CategoryAudit
        In the order of the categories; the last is for documents that belong to none of them.
    """

    documents: int
    checked: int
    accuracy: Estimate
    categories: list[CategoryAudit]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


def estimate(
    labels: Sequence[str],
    probabilities: ArrayLike,
    checked: Mapping[int, str | None],
    classes: Sequence[str] | None = None,
    none_label: str | None = None,
) -> Audit:
    """Estimate how good labels are from documents that `draw` has chosen and a person has checked.

    Parameters
    ----------
    labels : sequence of str
        The label of every document.
    probabilities : array-like of float
        The probability of every label, as `draw` was given.
    checked : mapping from int to str or None
        The true category of the checked documents by their position, None if it is none of these. Documents
        of the sample that were not checked are left out; the others must be a random part of each stratum.
    classes : sequence of str, optional
        The categories, in the order of the output; those that occur as labels when left out.
    none_label : str, optional
        Which of the categories is for documents that belong to none of the others, if there is one.

    Returns
    -------
    Audit

    Examples
    --------
    >>> from seedtopic.quality.audit import draw
    >>> labels, probabilities = ["oil"] * 700 + ["gold"] * 300, [0.95] * 600 + [0.6] * 400
    >>> true = ["oil"] * 650 + ["gold"] * 350
    >>> answers = {document: true[document] for document in draw(probabilities, 50).documents}
    >>> audit = estimate(labels, probabilities, answers)
    >>> print(audit.accuracy)
    94.5% (86.6% to 98.1%)
    >>> print(audit.categories[0].precision)
    100.0% (80.5% to 100.0%)
    """
    names: list[str | None] = list(dict.fromkeys(sorted(set(labels)) if classes is None else classes))
    if none_label not in names:
        names.append(none_label)
    number = {name: k for k, name in enumerate(names)}
    given = np.array([_numbered(label, number, "has the label") for label in labels], dtype=np.intp)
    sure = checked_probabilities(probabilities)
    if len(given) != len(sure):
        raise InputError(f"there are {len(given):,} labels but {len(sure):,} probabilities.")
    places = _places(checked, len(given))
    answers = (checked[place] for place in places.tolist())
    true = [none_label if answer is None else answer for answer in answers]
    found = np.array([_numbered(answer, number, "was checked as") for answer in true], dtype=np.intp)
    strata = strata_of(sure)
    population = Population.of(strata, given, len(names))
    return estimate_population(names, population, strata[places], given[places], found)


@dataclass(frozen=True)
class Population:
    """What an estimate must know of all documents, checked or not."""

    sizes: Counts  # (n_strata,), how many documents each stratum has
    labelled: Counts  # (n_categories,), how many documents have each label

    @classmethod
    def of(cls, strata: Counts, given: Counts, n_categories: int) -> Population:
        """Count documents by their strata, from 1, and by the numbers of their labels, from 0."""
        return cls(np.bincount(strata)[1:], np.bincount(given, minlength=n_categories))


def estimate_population(
    names: Sequence[str | None], population: Population, strata: Counts, given: Counts, true: Counts
) -> Audit:
    """Estimate how good the labels of a population are."""
    sample = _Sample.of(strata, population.sizes, given, true)
    total = int(population.sizes.sum())
    accuracy = stratified(sample.count(sample.given == sample.true), sample.drawn, sample.sizes)
    labelled = population.labelled / total
    categories = []
    for k, name in enumerate(names):
        precision = sample.share(sample.given == k, k)
        share = _true_share(precision, sample.share(sample.given != k, k), float(labelled[k]), accuracy)
        count = int((sample.given == k).sum())
        categories.append(CategoryAudit(name, count, float(labelled[k]), precision, share))
    return Audit(total, len(given), accuracy, _adding_up(categories))


@dataclass(frozen=True)
class _Sample:
    """The checked documents, in strata of which each has at least one."""

    stratum: Counts
    given: Counts
    true: Counts
    drawn: Counts
    sizes: Counts

    @classmethod
    def of(cls, strata: Counts, sizes: Counts, given: Counts, true: Counts) -> _Sample:
        # A stratum without a check is joined to the one below it, or above it if there is none.
        numbers = np.arange(1, len(sizes) + 1)
        joined = np.maximum(np.searchsorted(np.unique(strata), numbers, side="right") - 1, 0)
        stratum = joined[strata - 1]
        all_of = np.bincount(joined, weights=sizes).astype(np.intp)
        return cls(stratum, given, true, np.bincount(stratum, minlength=len(all_of)), all_of)

    def count(self, which: NDArray[np.bool_]) -> Counts:
        """Count checked documents in each stratum."""
        return np.bincount(self.stratum[which], minlength=len(self.sizes))

    def share(self, among: NDArray[np.bool_], category: int) -> Estimate:
        """Estimate which share of some documents belongs to a category."""
        right = self.count(among & (self.true == category))
        return weighted(right, self.count(among), self.drawn, self.sizes)


def _true_share(precision: Estimate, missed: Estimate, labelled: float, accuracy: Estimate) -> Estimate:
    """Add up the documents of a category that have its label and those that have another."""
    if precision.value is None:
        precision = replace(precision, value=accuracy.value)
    if missed.value is None:
        missed = replace(missed, value=0.0)
    return added(_times(precision, labelled), _times(missed, 1 - labelled))


def _times(share: Estimate, factor: float) -> Estimate:
    assert share.value is not None
    return Estimate(share.value * factor, share.low * factor, share.high * factor)


def _adding_up(categories: list[CategoryAudit]) -> list[CategoryAudit]:
    """Scale the shares so that their sum is 1."""
    values = [category.share.value or 0.0 for category in categories]
    scaled = [value / sum(values) for value in values]
    return [
        replace(found, share=Estimate(value, min(found.share.low, value), max(found.share.high, value)))
        for found, value in zip(categories, scaled, strict=True)
    ]


def _places(checked: Mapping[int, str | None], n_documents: int) -> NDArray[np.intp]:
    if not checked:
        raise InputError("no document is checked: check at least one.")
    places = np.array(sorted(checked), dtype=np.intp)
    outside = places[(places < 0) | (places >= n_documents)]
    if len(outside):
        raise InputError(
            f"document {outside[0]} is checked, but there are {n_documents:,} documents, counted from 0."
        )
    return places


def _numbered(label: str | None, number: Mapping[str | None, int], how: str) -> int:
    if label not in number:
        shown = ", ".join(str(name) for name in list(number)[:10] if name is not None)
        raise InputError(f"a document {how} {label!r}, which is not a category: the categories are {shown}.")
    return number[label]


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
