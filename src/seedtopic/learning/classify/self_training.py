"""Self-training: a classifier is fitted to a first guess, and then to what it and the neighbours say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax

from seedtopic.learning.classify import logistic
from seedtopic.learning.classify.anchoring import LEAST_SHARE, anchoring_bias
from seedtopic.learning.signals.confirmed import NOTHING_CONFIRMED, Confirmed
from seedtopic.learning.signals.shares import shares
from seedtopic.storage.checkpoint import NO_CHECKPOINT, Checkpoint

Array = NDArray[np.float64]

FIRST_SHARPENING = 2.0  # power by which the first guess is sharpened
SHARPENING = 3.0  # power by which each later one is
NEIGHBORS_SHARE = 0.25  # of the neighbours in a pseudo-label
ITERATIONS = (40, 20)  # of the first fit, and of each later one


def self_train(
    vectors: sp.csr_array,
    guess: Array,
    averaging: sp.csr_array,
    n_rounds: int,
    on_round: Callable[[int, int], None] = lambda done, total: None,
    confirmed: Confirmed = NOTHING_CONFIRMED,
    checkpoint: Checkpoint = NO_CHECKPOINT,
    iterations: tuple[int, int] = ITERATIONS,
    start: tuple[int, logistic.Regression] | None = None,
    observe: Callable[[int, logistic.Regression], None] = lambda done, regression: None,
) -> logistic.Regression:
    """Fit a logistic regression to a guess, then in rounds to its own sharpened and smoothed posterior.

    Parameters
    ----------
    vectors : csr_array, shape (n_documents, n_words)
    guess : ndarray, shape (n_documents, n_classes)
        Label distributions to start from; the class marginals are held at its mean.
    averaging : csr_array, shape (n_documents, n_documents)
        Gives the average over the neighbours, see `seedtopic.learning.graph.smoothing.Manifold`.
    n_rounds : int
    on_round : callable
        Told the number of fits done and in all.
    confirmed : Confirmed
        Documents whose labels are held.
    checkpoint : Checkpoint
        Where the rounds done are kept, and gone on from.
    iterations : (int, int)
        Of the first fit, and of each later one.
    start : (int, Regression), optional
        Rounds that are done already, and the regression after them; left out, the first fit is made here.
    observe : callable
        Given the number of rounds done, and the regression after them.
    """
    n_documents, n_classes = guess.shape
    l2 = logistic.penalty(n_documents)
    marginals = guess.mean(axis=0)
    first, later = iterations
    weights = confirmed.weights(n_documents)
    reached = _recalled(checkpoint) or start
    if reached is None:
        targets = first_targets(guess, confirmed)
        nothing = logistic.Regression.zero(vectors.shape[1], n_classes)
        fitted = logistic.fit(vectors, targets, l2, nothing, max_iter=first, document_weights=weights)
        _keep(checkpoint, 0, n_rounds, fitted)
        reached = 0, fitted
    rounds_done, regression = reached
    observe(rounds_done, regression)
    for done in range(rounds_done, n_rounds):
        on_round(done + 1, n_rounds + 1)
        posterior = confirmed.hold(softmax(regression.log_odds(vectors), axis=1))
        mixed = (1 - NEIGHBORS_SHARE) * posterior + NEIGHBORS_SHARE * (averaging @ posterior)
        sharpened = SHARPENING * np.log(np.maximum(mixed, LEAST_SHARE))
        targets = confirmed.hold(softmax(sharpened + anchoring_bias(sharpened, marginals), axis=1))
        regression = logistic.fit(vectors, targets, l2, regression, max_iter=later, document_weights=weights)
        _keep(checkpoint, done + 1, n_rounds, regression)
        observe(done + 1, regression)
    on_round(n_rounds + 1, n_rounds + 1)
    return regression


def first_targets(guess: Array, confirmed: Confirmed = NOTHING_CONFIRMED) -> Array:
    """Sharpen the first guess, and hold what was confirmed: what the first fit is fitted to.

    Examples
    --------
    >>> first_targets(np.array([[0.75, 0.25]])).tolist()
    [[0.9, 0.1]]
    """
    return confirmed.hold(shares(guess**FIRST_SHARPENING))


def _keep(checkpoint: Checkpoint, done: int, total: int, regression: logistic.Regression) -> None:
    checkpoint.keep("refining", {**vars(regression), "done": np.array(done)}, last=done == total)


def _recalled(checkpoint: Checkpoint) -> tuple[int, logistic.Regression] | None:
    kept = checkpoint.recall("refining")
    return None if kept is None else (int(kept.pop("done")), logistic.Regression(**kept))
