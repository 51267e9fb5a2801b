"""The typical words of each category."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]

SMOOTHING = 0.5  # documents added to each count of a word in a category


def typical_words(
    counts: sp.csr_array, probabilities: Array, vocabulary: Sequence[str], count: int
) -> list[list[str]]:
    """Rank words, for each category, by p(word | category) ln(p(word | category) / p(word)).

    Examples
    --------
    >>> counts = sp.csr_array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    >>> typical_words(counts, np.eye(2), ["the", "goal", "bank"], 1)
    [['goal'], ['bank']]
    """
    met = np.asarray(counts.astype(bool).astype(np.float64).T @ probabilities) + SMOOTHING
    share = met / met.sum(axis=0)
    overall = met.sum(axis=1) / met.sum()
    score = share * np.log(share / overall[:, None])
    order = np.argsort(-score, axis=0, kind="stable")[:count]
    return [
        [vocabulary[word] for word in order[:, category].tolist() if score[word, category] > 0]
        for category in range(probabilities.shape[1])
    ]
