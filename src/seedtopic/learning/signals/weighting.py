"""Word weights: how much an occurrence of a word counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def log_weights(word_totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weigh words by their information content: pi(v) = -ln p(v) (Eq. 8, natural logarithm).

    A word that never occurs weighs as much as one that occurs once.

    Examples
    --------
    >>> log_weights(np.array([1.0, 3.0])).round(3).tolist()
    [1.386, 0.288]
    """
    return np.asarray(-np.log(np.maximum(word_totals, 1.0) / max(word_totals.sum(), 1.0)))
