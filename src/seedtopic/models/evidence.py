"""How a score is parted into words: exactly where it is linear, and by shares where words are folded in."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.explain import Evidence, log_odds_of_sums
from seedtopic.learning.topics import em

Array = NDArray[np.float64]
Floats = NDArray[np.floating[Any]]


def linear_evidence(
    vectors: sp.csr_array, weights: Floats, bias: Floats, rarity: Array, label: int, rival: int
) -> Evidence:
    """Part x.W + b, of one document, into the terms of its words and the bias.

    Parameters
    ----------
    vectors : csr_array, shape (1, n_words)
        x; a document without anything in it has even odds.
    weights : ndarray, shape (n_categories, n_words)
    bias : ndarray, shape (n_categories,)
    rarity : ndarray, shape (n_words,)
        By which a word weighs in x.
    label, rival : int

    Examples
    --------
    >>> vectors, weights = sp.csr_array([[0.6, 0.8]]), np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> found = linear_evidence(vectors, weights, np.array([0.1, 0.0]), np.ones(2), 0, 1)
    >>> found.words.tolist(), found.prior
    ([0.6, -1.6], 0.1)
    """
    difference = np.asarray(weights[label], np.float64) - np.asarray(weights[rival], np.float64)
    told = bool(np.any(vectors.data))
    return Evidence(
        words=vectors.data * difference[vectors.indices],
        prior=float(bias[label]) - float(bias[rival]) if told else 0.0,
        pull=difference * rarity,
    )


def folded_evidence(folding: em.Folding, label: int, rival: int) -> Evidence:
    """Part ln(theta_label / theta_rival), of one document, into what its words and alpha give to theta."""
    given = em.fold_in_by_word(*folding)
    parts = np.vstack((given, folding.alpha))
    terms = log_odds_of_sums(parts[:, label], parts[:, rival])
    word_topic = folding.word_topic.astype(np.float64)
    return Evidence(
        words=terms[:-1],
        prior=float(terms[-1]),
        pull=np.log(word_topic[:, label]) - np.log(word_topic[:, rival]),
    )


def tempered(evidence: Evidence, temperature: float) -> Evidence:
    """Divide log-odds by a temperature.

    Examples
    --------
    >>> tempered(Evidence(np.array([1.0]), 3.0, np.array([1.0])), 2.0).prior
    1.5
    """
    return Evidence(evidence.words / temperature, evidence.prior / temperature, evidence.pull)
