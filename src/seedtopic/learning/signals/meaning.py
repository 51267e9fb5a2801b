"""Documents as directions of meaning, how near they are to each category, and weak seeds by meaning."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.products import rounded_product

Array = NDArray[np.float64]
Vectors = NDArray[np.float32]

FREQUENT = 1e-3  # a word that is this share of all running text weighs half of what a rare word does
CENTRING = 0.5  # share of the mean document that is taken off; all of it would make categories equally large
WEAK_SEEDS = 15  # of a category, at most
WEAK_WEIGHT = 0.5  # of a weak seed that means just what its category does
LEAST_COSINE = 0.35  # of a weak seed and its category


def meaning_weights(document_frequency: Array, n_documents: int, frequency: Array) -> Array:
    """Weigh words in the direction of a document: rare in the collection, and rare in the language."""
    rarity = np.log1p(n_documents / np.maximum(document_frequency, 1.0))
    return np.asarray(rarity * FREQUENT / (FREQUENT + frequency))


def weak_seeds(words: Vectors, categories: Vectors, taken: NDArray[np.bool_]) -> sp.csr_array:
    """Find the words that mean nearly what one category means, and more than any other.

    They also stand for a category none of whose own seeds occurs.
    """
    cosine = rounded_product(words, categories.T)
    best, highest = cosine.argmax(axis=1), cosine.max(axis=1)
    free = np.flatnonzero((highest > LEAST_COSINE) & ~taken)
    free = free[np.argsort(-highest[free], kind="stable")]
    weak = np.concatenate([free[best[free] == k][:WEAK_SEEDS] for k in range(len(categories))])
    weight = WEAK_WEIGHT * highest[weak].astype(np.float64) ** 2
    membership = sp.csr_array((weight, (best[weak], weak)), shape=cosine.T.shape)
    membership.sort_indices()
    return membership


def joined(seeds: sp.csr_array, weak: sp.csr_array) -> sp.csr_array:
    """Put weak seeds beside the seeds; no word is both."""
    both = sp.csr_array(seeds + weak)
    both.sort_indices()
    return both


def values_at(matrix: sp.csr_array, pattern: sp.csr_array) -> NDArray[Any]:
    """Return the values of one matrix where another one has entries, in the order of the latter."""
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    return np.asarray(matrix[rows, pattern.indices]).ravel() if len(rows) else np.zeros(0)
