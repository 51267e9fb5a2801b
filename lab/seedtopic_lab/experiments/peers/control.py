"""The control: seeds and textbook naive Bayes, nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

from seedtopic.learning.classify.naive_bayes import STRENGTH, log_distributions, log_scores
from seedtopic.learning.signals.seeds import seed_counts
from seedtopic.learning.signals.words import shares, sublinear, unit_rows, word_rarity
from seedtopic.model.estimator import SeedsLike
from seedtopic.seeds import Seeds


@dataclass
class SeedControl:
    """Naive Bayes on sublinear TF-IDF, started from the shares of seed words and repeated by EM.

    Documents without seeds start without a label.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category.
    vocabulary : sequence of str
        The words of the columns.
    rounds : int
        Rounds of EM.
    strength : float
        How many words a document counts for, however long it is.

    Examples
    --------
    >>> counts = sp.csr_array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0]])
    >>> control = SeedControl({"sports": ["game"], "money": ["bank"]}, ["game", "goal", "bank", "rate"])
    >>> control.fit(counts).transduction_.tolist()
    ['sports', 'money', 'sports']
    """

    seeds: SeedsLike
    vocabulary: Sequence[str]
    rounds: int = 10
    strength: float = STRENGTH

    def fit(self, counts: sp.csr_array) -> Self:
        """Label the documents."""
        seeds = Seeds.of(self.seeds)
        vectors = unit_rows(sublinear(counts, word_rarity(counts)))
        labels = shares(seed_counts(counts, seeds.bind(self.vocabulary).membership))
        for _ in range(self.rounds):
            labels = softmax(
                log_scores(
                    vectors, log_distributions(np.asarray(vectors.T @ labels, np.float64)), self.strength
                ),
                axis=1,
            )
        self.transduction_ = np.array(seeds.names)[labels.argmax(axis=1)]
        return self
