"""Posteriors whose class marginals are held: self-training may move documents, not the sizes of classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

Array = NDArray[np.float64]

LEAST_SHARE = 1e-9  # of a class, so that no logarithm is infinite


def anchoring_bias(log_scores: Array, marginals: Array, n_rounds: int = 8) -> Array:
    """Find the bias b for which softmax(log_scores + b) has the given class marginals on average.

    Each round adds the logarithm of what a class lacks; few rounds come close, and none overshoots far.

    Parameters
    ----------
    log_scores : ndarray, shape (n_documents, n_classes)
    marginals : ndarray, shape (n_classes,)
        Shares that sum to 1.
    n_rounds : int

    Returns
    -------
    ndarray, shape (n_classes,)

    Examples
    --------
    >>> scores = np.log(np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]]))
    >>> bias = anchoring_bias(scores, np.array([0.5, 0.5]), n_rounds=50)
    >>> softmax(scores + bias, axis=1).mean(axis=0).round(3).tolist()
    [0.5, 0.5]
    """
    wanted = np.log(np.maximum(marginals, LEAST_SHARE))
    bias = np.zeros(len(marginals))
    for _ in range(n_rounds):
        found = softmax(log_scores + bias, axis=1).mean(axis=0)
        bias += wanted - np.log(np.maximum(found, LEAST_SHARE))
    return bias
