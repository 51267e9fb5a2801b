"""Which categories are confused: by the true labels, and as far as that can be told without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.model.estimator import SeedClassifier
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.stages.reliability import shared_among_rivals
from seedtopic.text.counts import Counts

if TYPE_CHECKING:
    from seedtopic.report.content import Report

Array = NDArray[np.float64]

OTHER = "(another label)"
MOST_PAIRS = 20


@dataclass(frozen=True)
class Confusions:
    """Counts of true labels (rows, the last for labels that are not a category) by predicted label."""

    rows: list[str]
    counts: list[list[int]]


def suspected_confusions(
    model: SeedClassifier, counts: sp.csr_array, probabilities: Array, predicted: NDArray[np.intp]
) -> list[list[float]]:
    """Return for the documents of each label the share that may belong to each category.

    A model with a first guess shares what speaks against a label as `shared_among_rivals` does; of others the
    probabilities are taken as they are.
    """
    guess = model.fitted_.get(FirstGuess)
    if guess is not None:
        documents = model.fitted_.view(Counts(counts, []))
        probabilities = shared_among_rivals(probabilities, documents, guess)
    return mean_by_label(probabilities, predicted)


def mean_by_label(probabilities: Array, predicted: NDArray[np.intp]) -> list[list[float]]:
    """Return the mean probabilities of the documents of each label; zeros for a label without documents.

    Examples
    --------
    >>> mean_by_label(np.array([[0.75, 0.25], [0.5, 0.5]]), np.array([0, 0]))
    [[0.625, 0.375], [0.0, 0.0]]
    """
    rows = []
    for category in range(probabilities.shape[1]):
        own = probabilities[predicted == category]
        rows.append(own.mean(axis=0).tolist() if len(own) else [0.0] * probabilities.shape[1])
    return rows


def true_confusions(true: list[str], predicted: NDArray[np.intp], names: list[str]) -> Confusions:
    """Count the true labels of the documents of each label.

    Examples
    --------
    >>> true_confusions(["tea", "tea", "ink"], np.array([0, 1, 1]), ["tea", "hats"])
    Confusions(rows=['tea', 'hats', '(another label)'], counts=[[1, 1], [0, 0], [0, 1]])
    """
    place = {name: row for row, name in enumerate(names)}
    counts = np.zeros((len(names) + 1, len(names)), dtype=int)
    for label, guess in zip(true, predicted.tolist(), strict=True):
        counts[place.get(label, len(names)), guess] += 1
    rows = [*names, OTHER]
    if not counts[-1].any():
        rows, counts = names, counts[:-1]
    return Confusions(list(rows), counts.tolist())


class Pair(NamedTuple):
    """Documents with one label that belong, or may belong, to another category, and their share."""

    label: str
    other: str
    documents: float
    share: float


def suspected_pairs(report: Report) -> list[Pair]:
    """Return the pairs of categories that are most likely confused, by the number of documents expected."""
    names = [category.name for category in report.categories]
    sizes = np.array([category.documents for category in report.categories], dtype=float)
    return _largest(sizes[:, None] * np.array(report.suspected), names, names, sizes)


def true_pairs(report: Report) -> list[Pair]:
    """Return the pairs of categories that are confused most, by the true labels."""
    if report.confusions is None:
        return []
    counts = np.array(report.confusions.counts, dtype=float).T
    names = [category.name for category in (*report.categories, report.none) if category is not None]
    return _largest(counts, names, report.confusions.rows, counts.sum(axis=1))


def _largest(counts: Array, labels: list[str], others: list[str], sizes: Array) -> list[Pair]:
    """Return the largest numbers beside the diagonal that are not rounded to 0."""
    np.fill_diagonal(counts, 0)
    order = np.argsort(-counts, axis=None, kind="stable")[:MOST_PAIRS]
    places = [
        (int(row), int(column)) for row, column in zip(*np.unravel_index(order, counts.shape), strict=True)
    ]
    return [
        Pair(labels[row], others[column], float(counts[row, column]), float(counts[row, column] / sizes[row]))
        for row, column in places
        if counts[row, column] >= 0.5
    ]
