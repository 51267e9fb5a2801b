"""What a model says of one document, and the explanation made of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.explain.counterfactual import Infer, Label, Trial, logarithm
from seedtopic.explain.explanation import Explanation, WordShare
from seedtopic.text.positions import Span

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """The evidence of a model for one document, as log-odds of a label against its rival.

    Attributes
    ----------
    words : ndarray
        What each word of the document adds, in the order of its row of counts.
    prior : float
        What does not depend on the words.
    pull : ndarray, shape (n_vocabulary,)
        How strongly each known word speaks for the label rather than the rival, on any scale.
    sentence : float
        What an encoder makes of the text as a whole, which no single word says.
    """

    words: Array
    prior: float
    pull: Array
    sentence: float = 0.0


def explain(
    text: str,
    counts: sp.csr_array,
    classes: Sequence[Label],
    vocabulary: Sequence[str],
    membership: sp.csr_array,
    infer: Infer,
    evidence: Callable[[sp.csr_array, int, int], Evidence],
    spans: Callable[[Sequence[str]], dict[str, list[Span]]],
    fitted: Array | None = None,
) -> Explanation:
    """Make an explanation from the evidence of a model.

    Parameters
    ----------
    text : str
    counts : csr_array, shape (1, n_words)
        The counts of its words.
    classes, vocabulary : sequences
    membership : csr_array, shape (n_categories, n_words)
        Above 0 if a word is a seed of a category.
    infer : callable
        Computes probabilities from counts, without neighbours.
    evidence : callable
        Takes the counts, a label and a rival; returns the evidence for the first against the second.
    spans : callable
        Finds words in the text.
    fitted : ndarray, shape (n_categories,), optional
        The probabilities of the document in the fit, which include its neighbours.
    """
    by_words = logarithm(infer(counts)[0])
    final = by_words if fitted is None else logarithm(fitted)
    label, rival = (int(place) for place in np.argsort(-final, kind="stable")[:2])
    found = evidence(counts, label, rival)
    alone = float(by_words[label] - by_words[rival])
    log_odds = float(final[label] - final[rival])
    from_words = fsum(found.words.tolist())

    trial = Trial(counts, infer, final - by_words, classes, vocabulary, label)
    return Explanation(
        text=text,
        label=classes[label],
        probability=float(np.exp(final[label])),
        runner_up=classes[rival],
        runner_up_probability=float(np.exp(final[rival])),
        log_odds=log_odds,
        words=word_shares(counts, found, classes, vocabulary, membership, spans),
        prior=found.prior,
        neighbours=log_odds - alone,
        sentence_meaning=found.sentence,
        limit=alone - from_words - found.prior - found.sentence,
        without=trial.without(found.words),
        with_=trial.with_(found.pull),
    )


def word_shares(
    counts: sp.csr_array,
    evidence: Evidence,
    classes: Sequence[Label],
    vocabulary: Sequence[str],
    membership: sp.csr_array,
    spans: Callable[[Sequence[str]], dict[str, list[Span]]],
) -> tuple[WordShare, ...]:
    """Name the words of the evidence, the strongest first; the parameters are those of `explain`."""
    known = [vocabulary[column] for column in counts.indices.tolist()]
    places = spans(known)
    seed_of = sp.csc_array(membership)[:, counts.indices].toarray() > 0
    words = [
        WordShare(
            word,
            float(weight),
            tuple(classes[category] for category in np.flatnonzero(seed_of[:, place]).tolist()),
            tuple(places.get(word, ())),
        )
        for place, (word, weight) in enumerate(zip(known, evidence.words.tolist(), strict=True))
        if weight != 0
    ]
    return tuple(sorted(words, key=lambda share: -abs(share.log_odds)))


def log_odds_of_sums(label: Array, rival: Array) -> Array:
    """Split ln(sum of one / sum of the other) into one term for each part of the sums.

    The logarithm of the ratio of two numbers is their difference divided by their logarithmic mean. Each term
    is the difference of two parts, divided by that mean.

    Examples
    --------
    >>> terms = log_odds_of_sums(np.array([3.0, 1.0]), np.array([1.0, 1.0]))
    >>> terms.round(3).tolist(), bool(np.isclose(terms.sum(), np.log(4 / 2)))
    ([0.693, 0.0], True)
    """
    one, other = (max(float(parts.sum()), 1e-12) for parts in (label, rival))
    mean = one if np.isclose(one, other, rtol=1e-12) else (one - other) / (np.log(one) - np.log(other))
    return np.asarray((label - rival) / mean)
