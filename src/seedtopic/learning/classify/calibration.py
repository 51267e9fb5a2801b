"""Probabilities of categories, tempered so that a document is as sure as it may be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedtopic.learning.classify.rows import softmax

Array = NDArray[np.float64]

LEAST_PROBABILITY = np.finfo(np.float64).tiny
COLDEST, HOTTEST = 1e-4, 1e4  # temperatures tried
N_STEPS = 40


def temper(posterior: Array, temperature: float | Array) -> Array:
    """Raise probabilities to the power 1 / temperature; the order of the classes stays."""
    logs = np.log(np.maximum(posterior, LEAST_PROBABILITY))
    return softmax(logs / np.reshape(temperature, (-1, 1)))


def temperatures_for(posterior: Array, confidence: Array) -> Array:
    """Find the temperature at which each document is as sure of its label as wanted."""
    # How far every class is ahead of the best one, so at most 0: 1 / confidence is the sum of
    # exp(ahead / temperature).
    logs = np.log(np.maximum(posterior, LEAST_PROBABILITY))
    ahead, wanted = logs - logs.max(axis=1, keepdims=True), 1.0 / confidence
    low, high = np.full(len(posterior), np.log(COLDEST)), np.full(len(posterior), np.log(HOTTEST))
    # Written in place: for a few documents, new arrays take longer than the rest.
    terms, middle, heat = np.empty_like(ahead), np.empty_like(low), np.empty((len(low), 1))
    total, too_sure = np.empty_like(low), np.empty(len(low), bool)
    for _ in range(N_STEPS):
        np.add(low, high, out=middle)
        np.divide(middle, 2, out=middle)
        np.exp(middle, out=heat[:, 0])
        np.divide(ahead, heat, out=terms)
        np.add.reduce(np.exp(terms, out=terms), axis=1, out=total)
        np.less(total, wanted, out=too_sure)
        np.copyto(low, middle, where=too_sure)
        np.copyto(high, middle, where=np.logical_not(too_sure, out=too_sure))
    return np.asarray(np.exp((low + high) / 2))
