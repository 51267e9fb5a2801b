"""How many words of documents a model does not know, and how many to expect in new documents.

In the documents of a fit nearly all words are known, since the vocabulary was taken from them. What a new
document like these will have is told by leaving each of them out in turn: a word in just as many documents as
a word needs would not be in the vocabulary without this one.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.text.counts import Counts

Array = NDArray[np.float64]


def unknown_shares(
    counts: sp.csr_array, left_out: NDArray[np.floating[Any]] | None, n_words: int
) -> Array | None:
    """Give the share of each document's words that a model does not know; 0 for a document without words.

    Parameters
    ----------
    counts : csr_array, shape (n_documents, n_columns)
        The words of the model, and after them others that it knows by their meaning alone.
    left_out : ndarray, shape (n_documents,), or None
        How many tokens of each document are in no column, beside stop words.
    n_words : int
        How many columns are words of the model.

    Examples
    --------
    >>> unknown_shares(sp.csr_array([[2.0, 1.0], [0.0, 0.0]]), np.array([1.0, 0.0]), 1).tolist()
    [0.5, 0.0]
    """
    if left_out is None:
        return None
    all_known = np.asarray(counts.sum(axis=1), dtype=np.float64)
    known: NDArray[Any] = all_known
    if counts.shape[1] > n_words:
        of_model = counts.indices < n_words
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        known = np.bincount(rows[of_model], counts.data[of_model], counts.shape[0])
    return _shares(all_known - known + left_out, all_known + left_out)


def expected_unknown(counts: Counts, least: int, kept: Collection[str]) -> Array | None:
    """Give mean and standard deviation of the share of unknown words to expect in new documents.

    Parameters
    ----------
    counts : Counts
        Of the documents of a fit.
    least : int
        In how many documents a word must be.
    kept : collection of str
        Words that are known in any case.

    Returns
    -------
    ndarray of shape (2,), or None
        None if it is not known which words were left out.

    Examples
    --------
    >>> counts = Counts(sp.csr_array([[1.0, 1.0], [1.0, 0.0]]), ["gold", "mine"], np.array([2.0, 0.0]))
    >>> expected_unknown(counts, 1, ()).tolist()  # 3 of 4 words of the first, and none of the second
    [0.375, 0.375]
    """
    if counts.left_out is None:
        return None
    matrix = counts.matrix
    frequency = np.bincount(matrix.indices, minlength=matrix.shape[1])
    rare = (frequency <= least) & ~np.array([word in kept for word in counts.vocabulary], dtype=bool)
    shares = _shares(
        matrix @ rare.astype(np.float64) + counts.left_out,
        np.asarray(matrix.sum(axis=1), dtype=np.float64) + counts.left_out,
    )
    return np.array([shares.mean(), shares.std()])


def _shares(part: NDArray[Any], whole: NDArray[Any]) -> Array:
    shares: Array = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    return shares
