"""Confirmed labels that look wrong: what all other documents say of a document that a person has labelled."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.classify import logistic
from seedtopic.learning.signals.confirmed import Confirmed

Array = NDArray[np.float64]

# From which log-odds of another category a confirmed label is named. Of mistakes planted among 20 and 60
# labels, in train parts of five collections with two seed lists each, it names three of four, and of the
# right labels one in sixty.
LEAST_LOG_ODDS = 1.0
ITERATIONS = 20


def contradictions(
    vectors: sp.csr_array, posterior: Array, confirmed: Confirmed
) -> tuple[NDArray[np.intp], Array]:
    """Say which category the other documents would give each confirmed one, and how surely.

    A regression learns from the labels of all documents but the confirmed ones: none of these has a say in
    its own case, and a mistake in one is not an argument for another.

    Parameters
    ----------
    vectors : csr_array, shape (n_documents, n_words)
    posterior : ndarray, shape (n_documents, n_categories)
        The labels of a fit.
    confirmed : Confirmed

    Returns
    -------
    category : ndarray of int, shape (n_documents,)
        The best other category where the odds of it are large enough to name the label, -1 elsewhere.
    log_odds : ndarray, shape (n_documents,)
        Of that category against the confirmed one; 0 elsewhere.

    Examples
    --------
    >>> vectors = sp.csr_array(np.repeat(np.eye(2), 3, axis=0))
    >>> posterior = np.repeat(np.eye(2), 3, axis=0)
    >>> posterior[0] = [0.0, 1.0]  # a person's mistake
    >>> contradictions(vectors, posterior, Confirmed(np.array([0, 5]), np.array([1, 1])))[0].tolist()
    [0, -1, -1, -1, -1, -1]
    """
    n_documents, n_categories = posterior.shape
    category, log_odds = np.full(n_documents, -1, np.intp), np.zeros(n_documents)
    if not len(confirmed) or n_categories < 2:
        return category, log_odds
    others = np.ones(n_documents, np.float32)
    others[confirmed.documents] = 0.0
    known = others @ posterior > 1.0  # nothing can be said of a category without other documents
    start = logistic.Regression.zero(vectors.shape[1], n_categories)
    penalty = logistic.penalty(n_documents)
    said = logistic.fit(vectors, posterior, penalty, start, ITERATIONS, document_weights=others)
    scores = said.log_odds(vectors[confirmed.documents])
    places = np.arange(len(confirmed))
    own = scores[places, confirmed.categories]
    scores[places, confirmed.categories] = -np.inf
    scores[:, ~known] = -np.inf
    best = scores.argmax(axis=1)
    odds = np.where(known[confirmed.categories], scores[places, best] - own, -np.inf)
    named = odds > LEAST_LOG_ODDS
    category[confirmed.documents[named]], log_odds[confirmed.documents[named]] = best[named], odds[named]
    return category, log_odds
