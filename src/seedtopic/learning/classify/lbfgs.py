"""L-BFGS: a smooth function of many variables is minimised from its values and gradients."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

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
    """Multiply the gradient by minus the inverse Hessian that the kept pairs tell of."""
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
