"""How a score is parted into words: exactly where it is linear, and by shares where words are folded in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.explain import Evidence, log_odds_of_sums
from seedtopic.learning.topics import em

if TYPE_CHECKING:
    from seedtopic.models.stages.word_space import DocumentView

Array = NDArray[np.float64]
Floats = NDArray[np.floating[Any]]


def linear_evidence(
    documents: DocumentView, weights: Floats, bias: Floats, label: int, rival: int
) -> Evidence:
    """Part x.W + b, and what the meaning adds to it, of one document, into its words and the rest.

    Parameters
    ----------
    documents : DocumentView
        One document, of which x is the TF-IDF vector; without anything in it, it has even odds.
    weights : ndarray, shape (n_categories, n_words)
    bias : ndarray, shape (n_categories,)
    label, rival : int

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from seedtopic.models.stages.word_space import DocumentView, WordSpace
    >>> document = DocumentView(sp.csr_array([[1.0, 1.0]]), WordSpace(np.array([3.0, 4.0]), np.ones(2)))
    >>> weights = np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> found = linear_evidence(document, weights, np.array([0.1, 0.0]), 0, 1)
    >>> found.words.round(3).tolist(), found.prior
    ([0.6, -1.6], 0.1)
    """
    difference = np.asarray(weights[label], np.float64) - np.asarray(weights[rival], np.float64)
    words = documents.among_all_words(documents.vectors.data * difference[documents.vectors.indices])
    prior = float(bias[label]) - float(bias[rival]) if documents.has_words[0] else 0.0
    by_word, constant, sentence = documents.meaning_evidence(label, rival)
    return Evidence(
        words=words + by_word,
        prior=prior + constant,
        pull=difference * documents.space.rarity,
        sentence=sentence,
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
    return replace(
        evidence,
        words=evidence.words / temperature,
        prior=evidence.prior / temperature,
        sentence=evidence.sentence / temperature,
    )
