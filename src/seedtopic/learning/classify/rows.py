"""Functions of rows of scores, for a few documents as quick as the arithmetic in them.

Those of scipy take any kind of array, and to find out which one it is takes longer than the rest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def softmax(scores: Array) -> Array:
    """Turn the scores of each row into probabilities."""
    odds: Array = np.exp(scores - scores.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    return odds


def log_sum_exp(scores: Array) -> Array:
    """Give ln sum exp of each row; -inf for a row of nothing else."""
    largest = scores.max(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        is_largest = scores == largest
        others = np.exp(scores - largest)
        others[is_largest] = 0.0
        n_largest = np.add.reduce(is_largest, axis=1, dtype=np.float64)
        total = np.log1p(others.sum(axis=1) / n_largest) + np.log(n_largest) + largest[:, 0]
    return np.where(np.isneginf(largest[:, 0]), -np.inf, total)
