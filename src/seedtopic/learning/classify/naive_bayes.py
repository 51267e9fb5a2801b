"""Multinomial naive Bayes on document vectors, and a mixture of it fitted by EM along the neighbours."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import entr, softmax

from seedtopic.base.engine import Blocks, Engine
from seedtopic.base.products import times
from seedtopic.learning.classify.self_training import SoftTargets, anchored
from seedtopic.learning.signals.answers import TRAINING_WEIGHT

Array = NDArray[np.float64]

SMOOTHING = 0.01  # what is added to every word of a class
# A vector of length 1 stands for this many words: enough to decide, too few for a long text to be sure of
# itself by its length alone.
STRENGTH = 6.0
LEAST_MARGINAL = 1e-6
NEIGHBORS_SHARE = 0.5  # of the neighbours in a posterior
LEAST_BALANCE = 0.97  # of the sizes of classes, for the mixture
LEAST_AGREEMENT = 0.88  # of neighbours, for the mixture
STRONGEST = 5  # edges of a document that are asked


def log_distributions(mass: Array, smoothing: float = SMOOTHING) -> Array:
    """Turn what each class (a column) has of each word into ln p(word | class)."""
    smoothed = mass + smoothing
    return np.asarray(np.log(smoothed) - np.log(smoothed.sum(axis=0)))


def log_scores(vectors: sp.csr_array, log_words: Array, strength: float = STRENGTH) -> Array:
    """Return strength * ln p(document | class), of shape (n_documents, n_classes)."""
    return strength * times(vectors, log_words).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Mixture:
    """ln p(word | class), shape (n_words, n_classes), and the bias that holds the class marginals."""

    log_words: Array
    bias: Array

    def posterior(self, vectors: sp.csr_array, log_odds: Array | float = 0.0) -> Array:
        """Return p(class | document), without any neighbours; with log-odds from elsewhere added."""
        return np.asarray(softmax(log_scores(vectors, self.log_words) + self.bias + log_odds, axis=1))


def fit_mixture(engine: Engine, blocks: Blocks, marginals: Array, n_iter: int = 8) -> tuple[Mixture, Blocks]:
    """Fit the mixture by EM from soft labels, each posterior averaged with the neighbours'."""
    marginals = np.maximum(marginals, LEAST_MARGINAL)
    n_documents = engine.tree(_size, blocks)
    for _ in range(n_iter):
        log_words = log_distributions(engine.tree(_mass, blocks))
        scored = engine.map(_scored, blocks, engine.broadcast(log_words))
        bias = anchored(engine, scored, n_documents, marginals)
        blocks = engine.map(_averaged, scored, bias)
    return Mixture(log_words, bias), blocks


def _size(block: SoftTargets) -> int:
    return len(block.labels)


def _mass(block: SoftTargets) -> Array:
    """Return what each class has of each word."""
    labels = block.confirmed.hold(block.labels.copy(), TRAINING_WEIGHT)
    return np.asarray(block.vectors.T @ labels, dtype=np.float64)


def _scored(block: SoftTargets, log_words: Array) -> SoftTargets:
    return replace(block, labels=log_scores(block.vectors, log_words))


def _averaged(block: SoftTargets, bias: Array) -> SoftTargets:
    posterior = block.confirmed.hold(softmax(block.labels + bias, axis=1))
    near = block.averaging @ posterior
    return replace(block, labels=(1 - NEIGHBORS_SHARE) * posterior + NEIGHBORS_SHARE * near)


def mixture_helps(marginals: Array, agreed: float) -> bool:
    """Return, without any label, whether the mixture is likely to help.

    It does where classes are of like sizes and near documents are of one class; elsewhere it lets large
    classes swallow small ones, or follows edges that lead astray.
    """
    return balance(marginals) > LEAST_BALANCE and agreed > LEAST_AGREEMENT


def balance(marginals: Array) -> float:
    """Return the entropy of class sizes as a share of the most there can be."""
    return float(entr(marginals).sum() / np.log(len(marginals)))


def edge_weights(similarity: sp.csr_array, posterior: Array) -> tuple[np.float64, np.float64]:
    """Weigh the edges that join documents of one label, and all edges; only the strongest of each count."""
    rows = np.repeat(np.arange(similarity.shape[0]), np.diff(similarity.indptr))
    by_strength = np.lexsort((-similarity.data, rows))  # row by row, the strongest first
    rank = np.arange(len(rows)) - similarity.indptr[rows]
    strongest = by_strength[rank < STRONGEST]
    here, there = rows[strongest], similarity.indices[strongest]
    label, confidence = posterior.argmax(axis=1), posterior.max(axis=1)
    weight = similarity.data[strongest] * confidence[here] * confidence[there]
    return weight[label[here] == label[there]].sum(dtype=np.float64), weight.sum(dtype=np.float64)
