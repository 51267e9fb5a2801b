"""Where seeds stand: how many a document has, which words they meet, and what silences them (DF, SC, SF)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.signals.vectors import sublinear

Array = NDArray[np.float64]


def heard(counts: sp.csr_array, exclusion: sp.csr_array | None) -> NDArray[np.bool_] | None:
    """Tell for which categories a document's seeds count: none of its words speaks against them."""
    if exclusion is None or exclusion.nnz == 0:
        return None
    presence = counts.astype(bool).astype(np.float64)
    return np.asarray((presence @ exclusion.T).todense() == 0, dtype=bool)


def seed_counts(
    counts: sp.csr_array, membership: sp.csr_array, exclusion: sp.csr_array | None = None
) -> Array:
    """Count the seed tokens of each category in each document (DF_dk of Eq. 1), each by its weight."""
    found = np.asarray((counts.astype(np.float64) @ membership.T).todense())
    allowed = heard(counts, exclusion)
    return found if allowed is None else np.where(allowed, found, 0.0)


def seed_evidence(
    counts: sp.csr_array, membership: sp.csr_array, exclusion: sp.csr_array | None = None
) -> Array:
    """Tell how strongly the seeds of each category speak in each document: the sum of their 1 + ln tf."""
    return seed_counts(sublinear(counts, np.ones(counts.shape[1])), membership, exclusion)


def seed_cooccurrence(
    counts: sp.csr_array, membership: sp.csr_array, exclusion: sp.csr_array | None = None
) -> NDArray[np.float64]:
    """Count, for each category and word, the documents shared with each of the category's seeds.

    SF_kv = sum over s in S_k of #{d : v in d and s in d}. A seed shares all its documents with itself.
    """
    presence = counts.astype(bool).astype(np.float64)
    # (D x K): how many different seeds of k a document has; then each of its words meets that many.
    seeds_present = presence @ membership.T
    allowed = heard(counts, exclusion)
    if allowed is not None:
        seeds_present = sp.csr_array(seeds_present.multiply(allowed))
    return np.asarray((seeds_present.T @ presence).todense())
