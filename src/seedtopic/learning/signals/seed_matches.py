"""Where seeds stand: how many a document has, which words they meet, and what silences them (DF, SC, SF)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.signals.vectors import sublinear

Array = NDArray[np.float64]


def heard(counts: sp.csr_array, exclusion: sp.csr_array | None) -> NDArray[np.bool_] | None:
    """Tell for which categories a document's seeds count: none of its words speaks against them.

    Parameters
    ----------
    counts : csr_array, shape (n_documents, n_words)
    exclusion : csr_array, shape (n_categories, n_words), or None
        1 where the word speaks against the category.

    Returns
    -------
    ndarray of bool, shape (n_documents, n_categories), or None
        None where no word speaks against anything, so that nothing need be done.

    Examples
    --------
    >>> heard(sp.csr_array([[1.0, 0.0], [1.0, 2.0]]), sp.csr_array([[0.0, 1.0], [0.0, 0.0]])).tolist()
    [[True, True], [False, True]]
    """
    if exclusion is None or exclusion.nnz == 0:
        return None
    presence = counts.astype(bool).astype(np.float64)
    return np.asarray((presence @ exclusion.T).todense() == 0, dtype=bool)


def seed_counts(
    counts: sp.csr_array, membership: sp.csr_array, exclusion: sp.csr_array | None = None
) -> Array:
    """Count the seed tokens of each category in each document (DF_dk of Eq. 1), each by its weight.

    None is counted for a category that a word of the document speaks against, see
    `seedtopic.learning.signals.seed_matches`.

    Examples
    --------
    >>> seed_counts(sp.csr_array([[2.0, 1.0], [0.0, 0.0]]), sp.csr_array([[1.0, 0.0], [0.0, 1.0]])).tolist()
    [[2.0, 1.0], [0.0, 0.0]]
    """
    found = np.asarray((counts.astype(np.float64) @ membership.T).todense())
    allowed = heard(counts, exclusion)
    return found if allowed is None else np.where(allowed, found, 0.0)


def seed_evidence(
    counts: sp.csr_array, membership: sp.csr_array, exclusion: sp.csr_array | None = None
) -> Array:
    """Tell how strongly the seeds of each category speak in each document: the sum of their 1 + ln tf.

    A document with several seeds of a category, or with one that is repeated, is a better example of it than
    one that mentions a seed in passing.

    Examples
    --------
    >>> seed_evidence(sp.csr_array([[1.0, 2.0]]), sp.csr_array([[1.0, 1.0], [0.0, 1.0]])).round(2).tolist()
    [[2.69, 1.69]]
    """
    return seed_counts(sublinear(counts, np.ones(counts.shape[1])), membership, exclusion)


def seed_cooccurrence(
    counts: sp.csr_array, membership: sp.csr_array, exclusion: sp.csr_array | None = None
) -> NDArray[np.float64]:
    """Count, for each category and word, the documents shared with each of the category's seeds.

    SF_kv = sum over s in S_k of #{d : v in d and s in d}. A seed shares all its documents with itself.

    Parameters
    ----------
    counts : csr_array, shape (n_documents, n_words)
    membership : csr_array, shape (n_categories, n_words)
        The weight of each seed.
    exclusion : csr_array, shape (n_categories, n_words), optional
        1 where a word speaks against the category: the documents with it do not count.

    Returns
    -------
    ndarray, shape (n_categories, n_words)

    Examples
    --------
    >>> counts = sp.csr_array([[2.0, 1.0, 0.0], [1.0, 0.0, 3.0]])
    >>> seed_cooccurrence(counts, sp.csr_array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])).tolist()
    [[2.0, 1.0, 1.0], [1.0, 0.0, 1.0]]
    """
    presence = counts.astype(bool).astype(np.float64)
    # (D x K): how many different seeds of k a document has; then each of its words meets that many.
    seeds_present = presence @ membership.T
    allowed = heard(counts, exclusion)
    if allowed is not None:
        seeds_present = sp.csr_array(seeds_present.multiply(allowed))
    return np.asarray((seeds_present.T @ presence).todense())
