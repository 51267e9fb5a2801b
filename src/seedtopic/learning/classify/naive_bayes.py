"""Multinomial naive Bayes on document vectors: word distributions of classes, and scores by them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.products import times

Array = NDArray[np.float64]

SMOOTHING = 0.01  # what is added to every word of a class
# A vector of length 1 stands for this many words: enough to decide, too few for a long text to be sure of
# itself by its length alone.
STRENGTH = 6.0


def log_word_probabilities(vectors: sp.csr_array, labels: Array, smoothing: float = SMOOTHING) -> Array:
    """Estimate ln p(word | class) from documents with soft labels."""
    return log_distributions(np.asarray(vectors.T @ labels, dtype=np.float64), smoothing)


def log_distributions(mass: Array, smoothing: float = SMOOTHING) -> Array:
    """Turn what each class (a column) has of each word into ln p(word | class).

    Examples
    --------
    >>> np.exp(log_distributions(np.array([[1.0], [2.0]]), 1.0)).round(2).tolist()
    [[0.4], [0.6]]
    """
    smoothed = mass + smoothing
    log_words: Array = np.log(smoothed) - np.log(smoothed.sum(axis=0))
    return log_words


def log_scores(vectors: sp.csr_array, log_words: Array, strength: float = STRENGTH) -> Array:
    """Give strength * ln p(document | class), of shape (n_documents, n_classes)."""
    return strength * times(vectors, log_words).astype(np.float64, copy=False)
