r"""What checked documents say of all: accuracy, precision of the categories, and their true shares.

The labels of the unchecked documents count, too. The strata weigh the checks, and the share of a category is
its known share of the labels, corrected by the errors that were found, as in prediction-powered inference
(Angelopoulos et al. 2023): a part of the documents with a label belongs to the category, and so does a part
of the others.

References
----------
- A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic: Prediction-powered inference. Science
  382, 2023.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seedtopic.audit.intervals import Counts, Estimate, added, stratified, weighted
from seedtopic.audit.sampling import checked_probabilities, strata_of
from seedtopic.base.errors import InputError


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
    >>> from seedtopic.audit import draw
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
