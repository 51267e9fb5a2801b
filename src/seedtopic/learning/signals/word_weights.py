"""What a word is worth: how much an occurrence counts (pi), and how much it says of a category (gamma)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.signals.shares import shares


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
