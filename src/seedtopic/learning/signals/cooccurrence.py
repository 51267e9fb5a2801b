"""How often words meet the seeds of each category in one document (SC of the paper, and its SF)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.signals.exclusion import heard


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
