"""Word-category relevance gamma: how much a word, once seen, speaks of a category at all."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.signals.shares import shares


def word_relevance(
    cooccurrence: NDArray[np.float64], epsilon: float = 0.01, exclusion: sp.csr_array | None = None
) -> NDArray[np.float64]:
    """Compute gamma from co-occurrences with the seeds (the display between Eqs. 1 and 2).

    Parameters
    ----------
    cooccurrence : ndarray, shape (n_categories, n_words)
        SC, see `seedtopic.learning.signals.cooccurrence.seed_cooccurrence`.
    epsilon : float
        The least relevance of any word to any category.
    exclusion : csr_array, shape (n_categories, n_words), optional
        1 where a word speaks against the category, and so has the least relevance to it.

    Returns
    -------
    ndarray, shape (n_words, n_categories)

    Examples
    --------
    >>> word_relevance(np.array([[4.0, 0.0], [0.0, 0.0]])).tolist()
    [[1.0, 0.01], [0.01, 0.01]]
    """
    if exclusion is not None and exclusion.nnz:
        cooccurrence = np.where(exclusion.toarray() > 0, 0.0, cooccurrence)
    of_categories = shares(cooccurrence, axis=0)  # SC_vk / sum_i SC_vi; 0/0 = 0: the word meets no seed
    above_chance = np.maximum(of_categories - 1.0 / len(cooccurrence), 0.0)  # u_vk
    per_category = shares(above_chance, axis=1)  # u_vk / sum_v' u_v'k; 0/0 = 0: a category without words
    return np.asarray(np.maximum(shares(per_category, axis=0), epsilon).T)  # 0/0 = 0 leaves epsilon
