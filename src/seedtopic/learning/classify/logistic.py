"""Multinomial logistic regression on soft labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.classify.lbfgs import minimise
from seedtopic.parallel.products import Design, times

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Regression:
    """Weights of words, shape (n_words, n_classes), and intercepts, shape (n_classes,)."""

    weights: Floats
    intercept: Floats

    @classmethod
    def zero(cls, n_words: int, n_classes: int) -> Regression:
        """Every class alike: where fitting starts."""
        return cls(np.zeros((n_words, n_classes), np.float32), np.zeros(n_classes, np.float32))

    def log_odds(self, vectors: sp.csr_array) -> NDArray[np.float64]:
        """Give x.W + b, the logarithm of the posterior up to a constant per document."""
        return times(vectors, self.weights).astype(np.float64, copy=False) + self.intercept


def penalty(n_documents: int) -> float:
    """Give the weight of the penalty beside the mean cross-entropy: that of one document in many.

    Of a small collection it would leave nothing but the sizes of the classes, so it is never more than that
    of one document in ten thousand.

    Examples
    --------
    >>> penalty(20_000), penalty(300)
    (5e-05, 0.0001)
    """
    return 1.0 / max(n_documents, 10_000)


def loss_and_gradient(
    design: Design, targets: Floats, regression: Regression, l2: float, document_weights: Floats | None = None
) -> tuple[float, Regression]:
    """Compute the mean cross-entropy + ``l2 / 2 |W|^2`` and its gradient; the intercept is free.

    Rows of `targets` sum to 1; the precision is that of the design. A document of weight 2 counts as two.
    """
    n_documents, weights = len(targets), regression.weights
    log_odds = design.times(weights) + regression.intercept
    log_odds -= log_odds.max(axis=1, keepdims=True)
    odds = np.exp(log_odds)
    total = odds.sum(axis=1, keepdims=True)
    excess = (odds / total - targets) / n_documents
    if document_weights is None:
        cross_entropy = np.log(total).sum(dtype=np.float64) - np.sum(targets * log_odds, dtype=np.float64)
    else:
        of_documents = np.log(total[:, 0]) - np.sum(targets * log_odds, axis=1)
        cross_entropy = np.sum(document_weights * of_documents, dtype=np.float64)
        excess *= document_weights[:, None]
    gradient = Regression(design.transposed_times(excess) + l2 * weights, excess.sum(axis=0))
    penalty = 0.5 * l2 * np.sum(weights * weights, dtype=np.float64)
    return float(cross_entropy / n_documents + penalty), gradient


def fit(
    vectors: sp.csr_array,
    targets: Floats,
    l2: float,
    start: Regression,
    max_iter: int,
    document_weights: Floats | None = None,
) -> Regression:
    """Fit a regression to soft labels, in float32.

    Parameters
    ----------
    vectors : csr_array, shape (n_documents, n_words)
    targets : ndarray, shape (n_documents, n_classes)
        Soft labels; each row sums to 1.
    l2 : float
        Weight of the penalty beside the mean cross-entropy.
    start : Regression
        Where to start; near the solution, few iterations are enough.
    max_iter : int
    document_weights : ndarray, shape (n_documents,), optional
        How many documents each one counts for.

    Examples
    --------
    >>> vectors, targets = sp.csr_array([[1.0, 0.0], [0.0, 1.0]]), np.eye(2)
    >>> fitted = fit(vectors, targets, 0.01, Regression.zero(2, 2), max_iter=20)
    >>> fitted.log_odds(vectors).argmax(axis=1).tolist()
    [0, 1]
    """
    n_words, n_classes = start.weights.shape
    design, targets = Design(vectors.astype(np.float32)), targets.astype(np.float32)

    def unpacked(flat: Floats) -> Regression:
        return Regression(flat[n_classes:].reshape(n_words, n_classes), flat[:n_classes])

    def packed(regression: Regression) -> Floats:
        return np.concatenate((regression.intercept, regression.weights.ravel()))

    def objective(flat: Floats) -> tuple[float, Floats]:
        loss, gradient = loss_and_gradient(design, targets, unpacked(flat), l2, document_weights)
        return loss, packed(gradient)

    return unpacked(minimise(objective, packed(start), max_iter))
