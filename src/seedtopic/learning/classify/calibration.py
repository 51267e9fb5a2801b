"""Probabilities that mean something, without labels: as sure, on average, as labels can be repeated."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax

from seedtopic.learning.classify import logistic

Array = NDArray[np.float64]

LEAST_PROBABILITY = 1e-12
ORDER = 1e-9  # share of what is below that floor which is kept, so that the order of the classes is
POWER, POWER_SMOOTHED = 1.75, 2.5
COLDEST, HOTTEST = 0.05, 50.0  # temperatures tried


def repeatability(vectors: sp.csr_array, posterior: Array, rng: np.random.RandomState) -> float:
    """Give the share of labels that the other half of the documents, by itself, would have given.

    A regression fitted to the labels of one half labels the other half, and the other way round.

    Parameters
    ----------
    vectors : csr_array, shape (n_documents, n_words)
    posterior : ndarray, shape (n_documents, n_classes)
    rng : RandomState
        Draws the halves.
    """
    n_documents, n_classes = posterior.shape
    order = rng.permutation(n_documents)
    label = posterior.argmax(axis=1)
    start = logistic.Regression.zero(vectors.shape[1], n_classes)
    same = 0
    for half in (0, 1):
        seen, unseen = np.sort(order[half::2]), np.sort(order[1 - half :: 2])
        fitted = logistic.fit(vectors[seen], posterior[seen], logistic.penalty(len(seen)), start, max_iter=30)
        same += int((fitted.log_odds(vectors[unseen]).argmax(axis=1) == label[unseen]).sum())
    # All labels repeated by few documents prove little: as if one more, unseen, were not (Laplace).
    return float(min(same / n_documents, (n_documents + 1) / (n_documents + 2)))


def believable_confidence(
    vectors: sp.csr_array, posterior: Array, rng: np.random.RandomState, *, smoothed: bool
) -> float:
    """Estimate, without labels, the share of labels that are right: a power of the repeatability r.

    Labels passed on from one half to the other keep the share r. From the truth to the labels, by way of the
    seeds, they are taken to have lost about as much once before; more where the posterior was averaged with
    the neighbours', which makes labels easier to repeat, not truer. The powers were chosen on the labels of
    train parts and other collections, where r itself is 7 points too sure on average. Seeds that mislead are
    not found out this way: then the labels are wrong and easily repeated.

    Parameters
    ----------
    vectors, posterior, rng
        See `repeatability`.
    smoothed : bool
        Whether the posterior was averaged with the neighbours'.
    """
    power = POWER_SMOOTHED if smoothed else POWER
    return float(repeatability(vectors, posterior, rng) ** power)


def temperature_for(posterior: Array, confidence: float, n_steps: int = 30) -> float:
    """Find the temperature at which the mean confidence of a posterior is the one wanted.

    Examples
    --------
    >>> sure = np.array([[0.99, 0.01], [0.02, 0.98]])
    >>> tempered = temper(sure, temperature_for(sure, 0.8))
    >>> round(float(tempered.max(axis=1).mean()), 3)
    0.8
    """
    low, high = np.log(COLDEST), np.log(HOTTEST)
    for _ in range(n_steps):
        middle = (low + high) / 2
        too_sure = temper(posterior, np.exp(middle)).max(axis=1).mean() > confidence
        low, high = (middle, high) if too_sure else (low, middle)
    return float(np.exp((low + high) / 2))


def temper(posterior: Array, temperature: float) -> Array:
    """Raise probabilities to the power 1 / temperature; the order of the classes stays.

    Examples
    --------
    >>> temper(np.array([[0.8, 0.2]]), 2.0).round(3).tolist()
    [[0.667, 0.333]]
    """
    floored = np.log(np.maximum(posterior, LEAST_PROBABILITY))
    below = np.log(np.maximum(posterior, np.finfo(np.float64).tiny)) - floored
    tempered: Array = softmax((floored + ORDER * below) / temperature, axis=1)
    return tempered
