"""Self-training: a classifier is fitted to a first guess, and then to what it and the neighbours say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax

from seedtopic import logistic
from seedtopic.anchoring import LEAST_SHARE, anchoring_bias
from seedtopic.feedback import NOTHING_CONFIRMED, Confirmed
from seedtopic.shares import shares

Array = NDArray[np.float64]

FIRST_SHARPENING = 2.0  # power by which the first guess is sharpened
SHARPENING = 3.0  # power by which each later one is
NEIGHBORS_SHARE = 0.25  # of the neighbours in a pseudo-label


def self_train(
    vectors: sp.csr_array,
    guess: Array,
    averaging: sp.csr_array,
    n_rounds: int,
    on_round: Callable[[int, int], None] = lambda done, total: None,
    confirmed: Confirmed = NOTHING_CONFIRMED,
) -> logistic.Regression:
    """Fit a logistic regression to a guess, then in rounds to its own sharpened and smoothed posterior.

    Parameters
    ----------
    vectors : csr_array, shape (n_documents, n_words)
    guess : ndarray, shape (n_documents, n_classes)
        Label distributions to start from; the class marginals are held at its mean.
    averaging : csr_array, shape (n_documents, n_documents)
        Gives the average over the neighbours, see `seedtopic.manifold.Manifold`.
    n_rounds : int
    on_round : callable
        Told the number of fits done and in all.
    confirmed : Confirmed
        Documents whose labels are held.
    """
    n_documents, n_classes = guess.shape
    l2 = 1.0 / n_documents
    marginals = guess.mean(axis=0)
    start = logistic.Regression.zero(vectors.shape[1], n_classes)
    weights = confirmed.weights(n_documents)
    targets = confirmed.hold(shares(guess**FIRST_SHARPENING))
    regression = logistic.fit(vectors, targets, l2, start, max_iter=40, document_weights=weights)
    for done in range(n_rounds):
        on_round(done + 1, n_rounds + 1)
        posterior = confirmed.hold(softmax(regression.log_odds(vectors), axis=1))
        mixed = (1 - NEIGHBORS_SHARE) * posterior + NEIGHBORS_SHARE * (averaging @ posterior)
        sharpened = SHARPENING * np.log(np.maximum(mixed, LEAST_SHARE))
        targets = confirmed.hold(softmax(sharpened + anchoring_bias(sharpened, marginals), axis=1))
        regression = logistic.fit(vectors, targets, l2, regression, max_iter=20, document_weights=weights)
    on_round(n_rounds + 1, n_rounds + 1)
    return regression
