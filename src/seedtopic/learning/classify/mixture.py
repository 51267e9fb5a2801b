"""A tied mixture, one class per document: naive Bayes by EM on a graph, and when it is worth using."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import entr, softmax

from seedtopic.learning.classify.anchoring import anchoring_bias
from seedtopic.learning.classify.naive_bayes import log_scores, log_word_probabilities
from seedtopic.learning.signals.confirmed import NOTHING_CONFIRMED, TRAINING_WEIGHT, Confirmed

Array = NDArray[np.float64]

LEAST_MARGINAL = 1e-6
NEIGHBORS_SHARE = 0.5  # of the neighbours in a posterior
LEAST_BALANCE = 0.97
LEAST_AGREEMENT = 0.88
STRONGEST = 5  # edges of a document that are asked


@dataclass(frozen=True)
class Mixture:
    """ln p(word | class), shape (n_words, n_classes), and the bias that holds the class marginals."""

    log_words: Array
    bias: Array

    def posterior(self, vectors: sp.csr_array, log_odds: Array | float = 0.0) -> Array:
        """Give p(class | document), without any neighbours; with log-odds from elsewhere added."""
        scores: Array = softmax(log_scores(vectors, self.log_words) + self.bias + log_odds, axis=1)
        return scores


def fit_mixture(
    vectors: sp.csr_array,
    labels: Array,
    marginals: Array,
    averaging: sp.csr_array,
    n_iter: int = 8,
    confirmed: Confirmed = NOTHING_CONFIRMED,
) -> tuple[Mixture, Array]:
    """Fit the mixture by EM from soft labels, each posterior averaged with the neighbours'.

    Parameters
    ----------
    vectors : csr_array, shape (n_documents, n_words)
    labels : ndarray, shape (n_documents, n_classes)
    marginals : ndarray, shape (n_classes,)
        Sizes of the classes, held throughout.
    averaging : csr_array, shape (n_documents, n_documents)
        Gives the average over the neighbours, see `seedtopic.learning.graph.smoothing.Manifold`.
    n_iter : int
    confirmed : Confirmed
        Documents whose labels are held.

    Returns
    -------
    mixture : Mixture
    posterior : ndarray, shape (n_documents, n_classes)
        Averaged with the neighbours'.
    """
    marginals = np.maximum(marginals, LEAST_MARGINAL)
    for _ in range(n_iter):
        log_words = log_word_probabilities(vectors, confirmed.hold(labels.copy(), TRAINING_WEIGHT))
        mixture = Mixture(log_words, anchoring_bias(log_scores(vectors, log_words), marginals))
        posterior = confirmed.hold(mixture.posterior(vectors))
        labels = (1 - NEIGHBORS_SHARE) * posterior + NEIGHBORS_SHARE * (averaging @ posterior)
    return mixture, labels


def mixture_helps(similarity: sp.csr_array, marginals: Array, posterior: Array) -> bool:
    """Tell, without any label, whether the mixture is likely to help.

    It does where classes are of like sizes and near documents are of one class; elsewhere it lets large
    classes swallow small ones, or follows edges that lead astray.
    """
    return balance(marginals) > LEAST_BALANCE and agreement(similarity, posterior) > LEAST_AGREEMENT


def balance(marginals: Array) -> float:
    """Give the entropy of class sizes as a share of the most there can be.

    Examples
    --------
    >>> balance(np.array([0.5, 0.5])), round(balance(np.array([0.9, 0.1])), 3)
    (1.0, 0.469)
    """
    return float(entr(marginals).sum() / np.log(len(marginals)))


def agreement(similarity: sp.csr_array, posterior: Array) -> float:
    """Give the share of edges that join documents of one label, 0 where there are no edges.

    Only the strongest edges of each document count, by similarity times the confidence of both ends.

    Examples
    --------
    >>> edges = sp.csr_array([[0.0, 0.5, 0.0], [0.5, 0.0, 0.0], [0.5, 0.0, 0.0]])
    >>> round(agreement(edges, np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])), 3)
    0.667
    """
    rows = np.repeat(np.arange(similarity.shape[0]), np.diff(similarity.indptr))
    by_strength = np.lexsort((-similarity.data, rows))  # row by row, the strongest first
    rank = np.arange(len(rows)) - similarity.indptr[rows]
    kept = by_strength[rank < STRONGEST]
    here, there = rows[kept], similarity.indices[kept]
    label, confidence = posterior.argmax(axis=1), posterior.max(axis=1)
    weight = similarity.data[kept] * confidence[here] * confidence[there]
    total = float(weight.sum())
    return float(weight[label[here] == label[there]].sum()) / total if total else 0.0
