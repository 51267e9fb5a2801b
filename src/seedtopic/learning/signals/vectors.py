"""Documents as vectors of length 1: sublinear TF-IDF, for the fitted documents and for new ones alike."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]


def word_rarity(counts: sp.csr_array) -> Array:
    """Compute ln(D / df) of each word."""
    n_documents, n_words = counts.shape
    document_frequency = np.bincount(counts.indices, minlength=n_words)
    return np.log(n_documents / np.maximum(document_frequency, 1))


def sublinear(counts: sp.csr_array, word_weights: Array) -> sp.csr_array:
    """Give (1 + ln tf) * weight: a word that is repeated says little more than a word that is there."""
    frequency = counts.data.astype(np.float64)
    damped = np.where(frequency > 1.0, 1.0 + np.log(np.maximum(frequency, 1.0)), frequency)
    return sp.csr_array(
        (damped * word_weights[counts.indices], counts.indices, counts.indptr), shape=counts.shape
    )


def unit_rows(matrix: sp.csr_array) -> sp.csr_array:
    """Scale every row to length 1; a row of zeros stays."""
    length = np.sqrt(squared_lengths(matrix))
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    scaled = matrix.data * np.repeat(scale, np.diff(matrix.indptr))
    return sp.csr_array((scaled, matrix.indices, matrix.indptr), shape=matrix.shape)


def squared_lengths(matrix: sp.csr_array) -> Array:
    """Sum the squares of every row, without making a matrix of them, which takes longer for few rows."""
    filled = np.flatnonzero(np.diff(matrix.indptr))
    sums = np.zeros(matrix.shape[0], matrix.dtype)
    if len(filled):
        sums[filled] = np.add.reduceat(matrix.data * matrix.data, matrix.indptr[filled])
    return sums
