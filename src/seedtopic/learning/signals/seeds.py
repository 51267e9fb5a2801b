"""What seeds say before anything is learned: counts, co-occurrences, prototypes, and priors by them.

The equations are those of WSPTM and LapSWTM; below them is the first guess of the default model.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax

from seedtopic.learning.signals.words import shares, sublinear

Array = NDArray[np.float64]

PROTOTYPE_BASE = np.e - 1  # b of Eq. 7
PROTOTYPE_STRENGTH = 2.0  # weight of the prototypes' standardised similarities
MEANING_STRENGTH = 4.0  # and of those by meaning
MEANING_EXAMPLE = 0.5  # of a document with a seed, in what a document without any adds by its meaning
SEED_TRUST = 0.7  # share of its own seed words in the membership of a document that has any
PRIOR_MASS = 0.1  # of the prior, for each word of a document
ALPHA0 = 0.01  # what every category has in every document
SPREADING_STEPS, SPREADING = 5, 0.5  # how far, and how strongly, seed shares reach over the graph


def not_excluded(counts: sp.csr_array, exclusion: sp.csr_array | None) -> NDArray[np.bool_] | None:
    """Return for which categories a document's seeds count: none of its words speaks against them."""
    if exclusion is None or exclusion.nnz == 0:
        return None
    presence = counts.astype(bool).astype(np.float64)
    return np.asarray((presence @ exclusion.T).todense() == 0, dtype=bool)


def seed_counts(
    counts: sp.csr_array, membership: sp.csr_array, exclusion: sp.csr_array | None = None
) -> Array:
    """Count the seed tokens of each category in each document (DF_dk of Eq. 1), each by its weight."""
    tokens = np.asarray((counts.astype(np.float64) @ membership.T).todense())
    allowed = not_excluded(counts, exclusion)
    return tokens if allowed is None else np.where(allowed, tokens, 0.0)


def seed_evidence(
    counts: sp.csr_array, membership: sp.csr_array, exclusion: sp.csr_array | None = None
) -> Array:
    """Return how strongly the seeds of each category speak in each document: the sum of their 1 + ln tf."""
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
    allowed = not_excluded(counts, exclusion)
    if allowed is not None:
        seeds_present = sp.csr_array(seeds_present.multiply(allowed))
    return np.asarray((seeds_present.T @ presence).todense())


def seed_prior(seed_count: Array, eta: float = 10.0, alpha0: float = 0.01) -> Array:
    """Compute LapSWTM's prior alpha (Eq. 1): the seeds alone."""
    # 0/0 for a document without seeds: no share, so alpha0 for every category.
    return eta * shares(seed_count) + alpha0


def seed_frequency(word_totals: Array, membership: sp.csr_array) -> Array:
    """Estimate how frequent each category is from the occurrences of its seeds (F_k, Eq. 5)."""
    return shares(np.asarray(membership @ word_totals), axis=0)


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
    return np.asarray(np.divide(product, norm, out=np.zeros_like(product), where=norm > 0))


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


def spread_seeds(seed_share: Array, averaging: sp.csr_array) -> Array:
    """Let documents near seed-bearing ones have a part in their seeds."""
    for _ in range(SPREADING_STEPS):
        seed_share = seed_share + SPREADING * (averaging @ seed_share)
    return seed_share


def standardised(similarity: Array) -> Array:
    """Return each document's similarities in its own standard deviations from its own mean."""
    spread = np.maximum(similarity.std(axis=1, ddof=1, keepdims=True), 1e-9)
    return np.asarray((similarity - similarity.mean(axis=1, keepdims=True)) / spread)


def guess_category(
    similarity: Array, log_likelihood: Array, seeded: NDArray[np.bool_], by_meaning: Array | None = None
) -> Array:
    """Multiply what prototypes, naive Bayes and the meaning say of each document."""
    log_guess = PROTOTYPE_STRENGTH * standardised(similarity) + log_likelihood
    if by_meaning is not None:
        log_guess = log_guess + MEANING_STRENGTH * by_meaning
    return np.asarray(softmax(np.where(seeded, log_guess, -np.inf), axis=1))


def taught_by_meaning(examples: Array, by_meaning: Array) -> Array:
    """Let documents without a seed teach, too: a little, the categories that they are near to in meaning."""
    without = ~examples.any(axis=1, keepdims=True)
    return np.asarray(np.where(without, MEANING_EXAMPLE * softmax(2.0 * by_meaning, axis=1), examples))


def guess_prior(seed_share: Array, guess: Array, frequency: Array, rho: float, length: Array) -> Array:
    """Join seed words, guess and label frequency to a Dirichlet prior, as strong as the document is long.

    Eq. 6 of WSPTM with another membership degree, and with a mass that grows with the document.
    """
    has_seed = seed_share.any(axis=1, keepdims=True)
    degree = np.where(has_seed, SEED_TRUST * seed_share + (1 - SEED_TRUST) * guess, guess)
    return category_prior(degree, frequency, PRIOR_MASS * length[:, None], rho, ALPHA0)
