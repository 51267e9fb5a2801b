"""Posteriors whose class marginals are held: self-training may move documents, not the sizes of classes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

Array = NDArray[np.float64]

LEAST_SHARE = 1e-9  # of a class, so that no logarithm is infinite


def anchoring_bias(log_scores: Array, marginals: Array, n_rounds: int = 8) -> Array:
    """Find the bias b for which softmax(log_scores + b) has the given class marginals on average."""
    return bias_by(lambda bias: marginal_sums(log_scores, bias) / len(log_scores), marginals, n_rounds)


def bias_by(found: Callable[[Array], Array], marginals: Array, n_rounds: int = 8) -> Array:
    """Find the bias as `anchoring_bias` does, from a function that gives the marginals found with one."""
    wanted = np.log(np.maximum(marginals, LEAST_SHARE))
    bias = np.zeros(len(marginals))
    for _ in range(n_rounds):
        bias += wanted - np.log(np.maximum(found(bias), LEAST_SHARE))
    return bias


def marginal_sums(log_scores: Array, bias: Array) -> Array:
    """Add up the posteriors of documents with a bias.

    Examples
    --------
    >>> marginal_sums(np.zeros((3, 2)), np.zeros(2)).tolist()
    [1.5, 1.5]
    """
    return np.asarray(softmax(log_scores + bias, axis=1).sum(axis=0))
