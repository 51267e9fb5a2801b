"""Multinomial logistic regression on soft labels, in one piece or over blocks, by L-BFGS in float32."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks, Engine
from seedtopic.base.products import Design, times

Floats = NDArray[np.floating[Any]]
Array = NDArray[np.float64]

SUFFICIENT = 1e-4  # share of the decrease that the slope promises (Armijo)
SMALLEST_STEP = 1e-6


def minimise(
    function: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    max_iter: int,
    memory: int = 5,
    tol: float = 1e-6,
) -> Floats:
    """Minimise a function from a start, by the two-loop recursion and a backtracking search.

    Written here because scipy's keeps float64 and calls BLAS, whose threads cost more than they give on
    vectors of this length: this one is twice as fast in float32, and the same on any number of threads.
    """
    point = start
    value, gradient = function(point)
    pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=memory)
    spare = np.empty_like(point)  # with many categories, new memory takes longer than the arithmetic
    for _ in range(max_iter):
        if max(gradient.max(), -gradient.min()) <= tol:
            break
        direction = _descent(gradient, pairs, spare)
        slope, length = _dot(gradient, direction), 1.0
        while True:
            ahead = point + np.multiply(direction, point.dtype.type(length), out=spare)
            value_ahead, gradient_ahead = function(ahead)
            if value_ahead <= value + SUFFICIENT * length * slope:
                break
            length /= 2
            if length < SMALLEST_STEP:  # as low as the precision allows
                return point
        step, change = ahead - point, gradient_ahead - gradient
        curvature = _dot(step, change)
        if curvature > 0:
            pairs.append((step, change, curvature))
        point, value, gradient = ahead, value_ahead, gradient_ahead
    return point


def _descent(gradient: Floats, pairs: deque[tuple[Floats, Floats, float]], spare: Floats) -> Floats:
    """Multiply the gradient by minus the inverse Hessian, estimated from pairs of steps and changes."""
    real = gradient.dtype.type
    direction = -gradient
    if not pairs:
        return np.asarray(direction / max(real(1.0), np.abs(gradient).sum()))
    weights = []
    for step, change, curvature in reversed(pairs):
        weight = _dot(step, direction) / curvature
        direction -= np.multiply(change, real(weight), out=spare)
        weights.append(weight)
    _, change, curvature = pairs[-1]
    direction *= real(curvature / _dot(change, change))
    for (step, change, curvature), weight in zip(pairs, reversed(weights), strict=True):
        factor = real(weight - _dot(change, direction) / curvature)
        direction += np.multiply(step, factor, out=spare)
    return direction


def _dot(left: Floats, right: Floats) -> float:
    # Not a BLAS product: see `minimise`.
    return float(np.einsum("i,i->", left, right))


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
        """Return x.W + b, the logarithm of the posterior up to a constant per document."""
        return times(vectors, self.weights).astype(np.float64, copy=False) + self.intercept


def penalty(n_documents: int) -> float:
    """Return the weight of the penalty beside the mean cross-entropy: that of one document in many.

    Of a small collection it would leave nothing but the sizes of the classes, so it is never more than that
    of one document in ten thousand.
    """
    return 1.0 / max(n_documents, 10_000)


@dataclass(frozen=True, eq=False)
class Examples:
    """Some of the documents that a regression is fitted to."""

    design: Design  # their vectors; its precision is that of the fit
    targets: Floats  # (n_documents, n_classes), soft labels; each row sums to 1
    weights: Floats | None = None  # (n_documents,), how many documents each one counts for


def loss_parts(
    examples: Examples, regression: Regression, n_documents: int
) -> tuple[np.float64, Floats, Floats]:
    """Return what some documents add to the sum of cross-entropies, and to the gradient of their mean."""
    targets, weights = examples.targets, regression.weights
    # In float64, and the gradient is rounded: where nearly all is right, float32 has hardly a digit left of
    # what is wrong, and last digits, which depend on the processor, would lead to other regressions.
    log_odds = (examples.design.times(weights) + regression.intercept).astype(np.float64)
    log_odds -= log_odds.max(axis=1, keepdims=True)
    cross_entropies = -np.einsum("ij,ij->i", targets, log_odds)
    odds = np.exp(log_odds, out=log_odds)
    total = odds.sum(axis=1, keepdims=True)
    cross_entropies += np.log(total[:, 0])
    odds /= total
    odds -= targets
    odds *= (1.0 if examples.weights is None else examples.weights[:, None]) / n_documents
    if examples.weights is not None:
        cross_entropies *= examples.weights
    of_weights = examples.design.transposed_times(odds.astype(targets.dtype))
    return cross_entropies.sum(), of_weights, odds.sum(axis=0).astype(targets.dtype)


def fit(
    vectors: sp.csr_array,
    targets: Floats,
    l2: float,
    start: Regression,
    max_iter: int,
    document_weights: Floats | None = None,
) -> Regression:
    """Fit a regression to soft labels, in float32."""
    examples = Examples(Design.single(vectors), targets.astype(np.float32), document_weights)
    n_documents = len(targets)
    return _minimised(lambda at: loss_parts(examples, at, n_documents), n_documents, l2, start, max_iter)


def fit_blocks(
    engine: Engine, blocks: Blocks, n_documents: int, l2: float, start: Regression, max_iter: int
) -> Regression:
    """Fit a regression to the documents of blocks of `Examples`: each adds its part to loss and gradient."""

    def parts(at: Regression) -> Any:
        return engine.tree(loss_parts, blocks, engine.broadcast(at), n_documents)

    return _minimised(parts, n_documents, l2, start, max_iter)


def _minimised(
    parts: Callable[[Regression], tuple[np.float64, Floats, Floats]],
    n_documents: int,
    l2: float,
    start: Regression,
    max_iter: int,
) -> Regression:
    n_words, n_classes = start.weights.shape

    def unpacked(flat: Floats) -> Regression:
        return Regression(flat[n_classes:].reshape(n_words, n_classes), flat[:n_classes])

    def objective(flat: Floats) -> tuple[float, Floats]:
        at = unpacked(flat)
        cross_entropy, of_weights, of_intercept = parts(at)
        gradient = at.weights * at.weights
        penalty = 0.5 * l2 * np.sum(gradient, dtype=np.float64)
        np.multiply(at.weights, l2, out=gradient)
        gradient += of_weights
        loss = float(cross_entropy / n_documents + penalty)
        return loss, np.concatenate((of_intercept, gradient.ravel()))

    return unpacked(minimise(objective, np.concatenate((start.intercept, start.weights.ravel())), max_iter))


def softmax(scores: Array) -> Array:
    """Turn the scores of each row into probabilities."""
    odds: Array = np.exp(scores - scores.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    return odds


def log_sum_exp(scores: Array) -> Array:
    """Return ln sum exp of each row; -inf for a row of nothing else."""
    largest = scores.max(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        is_largest = scores == largest
        others = np.exp(scores - largest)
        others[is_largest] = 0.0
        n_largest = np.add.reduce(is_largest, axis=1, dtype=np.float64)
        total = np.log1p(others.sum(axis=1) / n_largest) + np.log(n_largest) + largest[:, 0]
    return np.where(np.isneginf(largest[:, 0]), -np.inf, total)
