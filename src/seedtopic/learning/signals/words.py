"""What a word is worth: how much an occurrence counts (pi), and how much it says of a category (gamma)."""

from __future__ import annotations

from typing import Any

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
    """Return (1 + ln tf) * weight: a word that is repeated says little more than a word that is there."""
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


def unit_vectors(dense: NDArray[Any]) -> NDArray[Any]:
    """Scale every row of a dense matrix to length 1; a row of zeros stays, or nearly of zeros."""
    vectors = dense if dense.dtype.kind == "f" else dense.astype(np.float64)
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    length[length < 10 * np.finfo(length.dtype).eps] = 1.0
    return vectors / length[:, None]  # type: ignore[no-any-return]


def squared_lengths(matrix: sp.csr_array) -> Array:
    """Sum the squares of every row, without making a matrix of them, which takes longer for few rows."""
    filled = np.flatnonzero(np.diff(matrix.indptr))
    sums = np.zeros(matrix.shape[0], matrix.dtype)
    if len(filled):
        sums[filled] = np.add.reduceat(matrix.data * matrix.data, matrix.indptr[filled])
    return sums


def shares(values: NDArray[np.float64], axis: int = 1) -> NDArray[np.float64]:
    """Divide values by their sum along an axis; where the sum is 0 the shares are 0."""
    total = values.sum(axis=axis, keepdims=True)
    return np.asarray(np.divide(values, total, out=np.zeros_like(values), where=total > 0))


def log_weights(word_totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weigh words by their information content: pi(v) = -ln p(v) (Eq. 8, natural logarithm)."""
    return np.asarray(-np.log(np.maximum(word_totals, 1.0) / max(word_totals.sum(), 1.0)))


def word_relevance(
    cooccurrence: NDArray[np.float64], epsilon: float = 0.01, exclusion: sp.csr_array | None = None
) -> NDArray[np.float64]:
    """Compute gamma from co-occurrences with the seeds (the display between Eqs. 1 and 2)."""
    if exclusion is not None and exclusion.nnz:
        cooccurrence = np.where(exclusion.toarray() > 0, 0.0, cooccurrence)
    of_categories = shares(cooccurrence, axis=0)  # SC_vk / sum_i SC_vi; 0/0 = 0: the word meets no seed
    above_chance = np.maximum(of_categories - 1.0 / len(cooccurrence), 0.0)  # u_vk
    per_category = shares(above_chance, axis=1)  # u_vk / sum_v' u_v'k; 0/0 = 0: a category without words
    return np.asarray(np.maximum(shares(per_category, axis=0), epsilon).T)  # 0/0 = 0 leaves epsilon
