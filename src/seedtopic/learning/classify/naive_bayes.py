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
    """Estimate ln p(word | class) from documents with soft labels.

    Parameters
    ----------
    vectors : csr_array, shape (n_documents, n_words)
    labels : ndarray, shape (n_documents, n_classes)
        How much of each document belongs to each class; a row need not sum to 1.
    smoothing : float

    Returns
    -------
    ndarray, shape (n_words, n_classes)
        A class without documents has an even distribution.

    Examples
    --------
    >>> log_words = log_word_probabilities(sp.csr_array([[1.0, 2.0]]), np.array([[1.0, 0.0]]), 1.0)
    >>> np.exp(log_words).round(2).tolist()
    [[0.4, 0.5], [0.6, 0.5]]
    """
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
    """Give strength * ln p(document | class), of shape (n_documents, n_classes).

    Examples
    --------
    >>> log_scores(sp.csr_array([[0.0, 1.0]]), np.array([[-3.0, -1.0], [-2.0, -4.0]]), 2.0).tolist()
    [[-4.0, -8.0]]
    """
    return strength * times(vectors, log_words).astype(np.float64, copy=False)
