"""What the seeds say about each document before any learning: the Dirichlet prior (Eqs. 1, 4-7)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.signals.shares import shares

Array = NDArray[np.float64]

PROTOTYPE_BASE = np.e - 1  # b of Eq. 7


def seed_prior(seed_count: Array, eta: float = 10.0, alpha0: float = 0.01) -> Array:
    """Compute LapSWTM's prior alpha (Eq. 1): the seeds alone."""
    # 0/0 for a document without seeds: no share, so alpha0 for every category.
    return eta * shares(seed_count) + alpha0


def seed_frequency(word_totals: Array, membership: sp.csr_array) -> Array:
    """Estimate how frequent each category is from the occurrences of its seeds (F_k, Eq. 5)."""
    occurrences = np.asarray(membership @ word_totals)
    return shares(occurrences, axis=0)


def prototypes(cooccurrence: Array, seed_totals: Array) -> Array:
    """Compute the prototype vector of each category (c_kv, Eq. 7)."""
    n_categories = len(cooccurrence)
    categories_met = (cooccurrence > 0).sum(axis=0)  # CF_v
    # Eq. 7 for a word that meets no seed at all would be ln(K/0): such a word says nothing.
    spread = np.where(categories_met > 0, np.log(n_categories / np.maximum(categories_met, 1)), 0.0)
    # A category without seeds in the corpus (0/0) has exponent 0, as if no word had met it.
    exponent = cooccurrence / np.maximum(seed_totals, 1.0)[:, None]
    # b^0 = 1 is kept for words that never meet this category: without it the scheme falls apart.
    return np.asarray(PROTOTYPE_BASE**exponent * spread)


def prototype_similarity(counts: sp.csr_array, prototype: Array) -> Array:
    """Cosine between each document's term frequencies and each prototype, shape (D, K)."""
    length = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1), dtype=np.float64))
    norm = length[:, None] * np.linalg.norm(prototype, axis=1)[None, :]
    product = np.asarray(counts.astype(np.float64) @ prototype.T)
    cosine: Array = np.divide(product, norm, out=np.zeros_like(product), where=norm > 0)
    return cosine


def nearest_categories(similarity: Array, P: int) -> NDArray[np.bool_]:
    """Mark the P nearest categories of each document (Omega_d); the first wins a tie."""
    nearest = np.zeros(similarity.shape, dtype=bool)
    best = np.argsort(-similarity, axis=1, kind="stable")[:, :P]
    np.put_along_axis(nearest, best, True, axis=1)
    return nearest & (similarity > 0).any(axis=1, keepdims=True)


def membership_degree(seed_count: Array, nearest: NDArray[np.bool_], tau: float = 0.1) -> Array:
    """Combine seed shares with the nearest prototypes (M_dk, Eq. 4).

    Documents without seeds rely on the prototypes with full weight, as in the paper's Table 4; with P = 0
    they have no membership, and the others the seed shares alone.
    """
    share = shares(seed_count)  # 0/0 for a document without seeds: no share
    n_nearest = nearest.sum(axis=1, keepdims=True)
    pointed = nearest / np.maximum(n_nearest, 1)  # I(k in Omega_d) / P
    weight = np.where(n_nearest == 0, 0.0, np.where(share.any(axis=1, keepdims=True), tau, 1.0))
    return np.asarray((1.0 - weight) * share + weight * pointed)


def category_prior(
    degree: Array, frequency: Array, eta: float | Array = 10.0, rho: float = 0.9, alpha0: float = 0.01
) -> Array:
    """Compute WSPTM's prior alpha' (Eq. 6) from memberships and label frequencies."""
    return np.asarray(eta * ((1.0 - rho) * degree + rho * frequency[None, :]) + alpha0)
