"""Scores of predicted labels against true labels, for evaluation only; no model uses them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from seedtopic.base.checks import check_as_many
from seedtopic.base.errors import InputError


@dataclass(frozen=True)
class CategoryScore:
    """Precision, recall and F1 of one category, and its number of true documents.

    Attributes
    ----------
    category : str
    precision, recall, f1 : float
        0 if the category is never predicted, or never true.
    support : int
        Number of documents that truly belong to it.
    """

    category: str
    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True)
class Scores:
    """Micro-F1 (accuracy, with one label per document), macro-F1, and the scores of each category.

    A category that is never predicted, or never true, contributes 0 to macro-F1. Labels that the model does
    not know are counted in `unknown` and as errors, but have no row of their own.

    Attributes
    ----------
    micro_f1, macro_f1 : float
    categories : list of CategoryScore
        In the order of the categories.
    unknown : dict
        Number of documents of each unknown label.
    """

    micro_f1: float
    macro_f1: float
    categories: list[CategoryScore]
    unknown: dict[str, int]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


def evaluate(true: Sequence[str], predicted: Sequence[str], classes: Sequence[str]) -> Scores:
    """Score predictions.

    Parameters
    ----------
    true : sequence of str
        The true label of each document.
    predicted : sequence of str
        The predicted label of each document.
    classes : sequence of str
        The categories, in the order of the output.

    Examples
    --------
    >>> scores = evaluate(["a", "a", "b"], ["a", "b", "b"], ["a", "b"])
    >>> round(scores.micro_f1, 3), round(scores.macro_f1, 3)
    (0.667, 0.667)
    """
    check_as_many(len(true), "true label", len(predicted), "prediction")
    if len(true) == 0:
        raise InputError("there are no documents to score.")
    true, predicted, classes = list(true), list(predicted), list(classes)
    known = set(classes)
    unknown = Counter(label for label in true if label not in known)
    if sum(unknown.values()) == len(true):
        raise InputError(
            f"none of the labels is one of the model's categories: got {', '.join(list(unknown)[:5])}; "
            f"the categories are {', '.join(classes[:10])}."
        )
    right = Counter(a for a, b in zip(true, predicted, strict=True) if a == b)
    n_true, n_predicted = Counter(true), Counter(predicted)
    rows = [
        CategoryScore(
            name,
            right[name] / max(n_predicted[name], 1),
            right[name] / max(n_true[name], 1),
            2 * right[name] / max(n_true[name] + n_predicted[name], 1),
            n_true[name],
        )
        for name in classes
    ]
    return Scores(
        micro_f1=right.total() / len(true),
        macro_f1=float(np.mean([row.f1 for row in rows])),
        categories=rows,
        unknown=dict(unknown),
    )


def expected_calibration_error(confidence: ArrayLike, right: ArrayLike, n_bins: int = 15) -> float:
    """Return the mean difference between confidence and accuracy, over bins of similar confidence.

    Parameters
    ----------
    confidence : array-like of float
        The probability of each predicted label.
    right : array-like of bool
        Whether each label is correct.
    n_bins : int
        Bins of equal width between 0 and 1.

    Examples
    --------
    >>> expected_calibration_error([0.75, 0.75, 0.75, 0.75], [True, True, True, False])
    0.0
    >>> expected_calibration_error([1.0, 1.0], [True, False])
    0.5
    """
    sure, hit = np.asarray(confidence, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if len(sure) == 0:
        raise InputError("there are no documents to score.")
    bin_of = np.minimum((sure * n_bins).astype(int), n_bins - 1)
    gap = np.bincount(bin_of, sure - hit, n_bins)  # of sums: the size of the bin cancels out
    return float(np.abs(gap).sum() / len(sure))
