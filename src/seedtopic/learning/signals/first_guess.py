"""A first guess of each document's category, and the Dirichlet prior made of it."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax

from seedtopic.learning.signals.prior import category_prior

Array = NDArray[np.float64]

PROTOTYPE_STRENGTH = 2.0  # weight of the prototypes' standardised similarities
MEANING_STRENGTH = 4.0  # and of those by meaning
MEANING_EXAMPLE = 0.5  # of a document with a seed, in what a document without any teaches by its meaning
SEED_TRUST = 0.7  # share of its own seed words in the membership of a document that has any
PRIOR_MASS = 0.1  # of the prior, for each word of a document
ALPHA0 = 0.01  # what every category has in every document
SPREADING_STEPS, SPREADING = 5, 0.5  # how far, and how strongly, seed shares reach over the graph


def spread_seeds(seed_share: Array, averaging: sp.csr_array) -> Array:
    """Let documents near seed-bearing ones have a part in their seeds.

    Examples
    --------
    >>> pair = sp.csr_array([[0.0, 1.0], [1.0, 0.0]])
    >>> spread_seeds(np.array([[1.0], [0.0]]), pair).tolist()
    [[3.8125], [3.78125]]
    """
    for _ in range(SPREADING_STEPS):
        seed_share = seed_share + SPREADING * (averaging @ seed_share)
    return seed_share


def standardised(similarity: Array) -> Array:
    """Give each document's similarities in its own standard deviations from its own mean."""
    spread = np.maximum(similarity.std(axis=1, ddof=1, keepdims=True), 1e-9)
    return np.asarray((similarity - similarity.mean(axis=1, keepdims=True)) / spread)


def guess_category(
    similarity: Array, log_likelihood: Array, seeded: NDArray[np.bool_], by_meaning: Array | None = None
) -> Array:
    """Multiply what prototypes, naive Bayes and the meaning say of each document."""
    log_guess = PROTOTYPE_STRENGTH * standardised(similarity) + log_likelihood
    if by_meaning is not None:
        log_guess = log_guess + MEANING_STRENGTH * by_meaning
    guess: Array = softmax(np.where(seeded, log_guess, -np.inf), axis=1)
    return guess


def taught_by_meaning(examples: Array, by_meaning: Array) -> Array:
    """Let documents without a seed teach, too: a little, the categories that they are near to in meaning.

    Examples
    --------
    >>> taught_by_meaning(np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[-1.0, 1.0], [-1.0, 1.0]])).round(3)
    array([[1.   , 0.   ],
           [0.009, 0.491]])
    """
    without = ~examples.any(axis=1, keepdims=True)
    return np.asarray(np.where(without, MEANING_EXAMPLE * softmax(2.0 * by_meaning, axis=1), examples))


def guess_prior(seed_share: Array, guess: Array, frequency: Array, rho: float, length: Array) -> Array:
    """Join seed words, guess and label frequency to a Dirichlet prior, as strong as the document is long.

    Eq. 6 of WSPTM with another membership degree, and with a mass that grows with the document.
    """
    has_seed = seed_share.any(axis=1, keepdims=True)
    degree = np.where(has_seed, SEED_TRUST * seed_share + (1 - SEED_TRUST) * guess, guess)
    return category_prior(degree, frequency, PRIOR_MASS * length[:, None], rho, ALPHA0)
