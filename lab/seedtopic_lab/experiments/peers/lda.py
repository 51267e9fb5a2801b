"""LDA by Gibbs sampling with seeds in the prior, from the package tomotopy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from seedtopic.base.threads import resolve_threads
from seedtopic.model.estimator import SeedsLike
from seedtopic.seeds import Seeds
from seedtopic_lab.experiments.peers.packages import require


@dataclass
class SeededLDA:
    """One topic per category, with a high prior for its seeds, and as many background topics.

    A document's label is the category whose topic has the largest share in it.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category.
    vocabulary : sequence of str
        The words of the columns.
    word_prior : float
        Prior of a seed in the topics of its categories; every other prior is the package's.
    iterations : int
        Rounds of sampling.
    n_threads : int, optional
        Workers; with more than one the result may differ from run to run.
    random_state : int, optional
        Seed of the sampler.
    """

    seeds: SeedsLike
    vocabulary: Sequence[str]
    word_prior: float = 10.0
    iterations: int = 200
    n_threads: int | None = None
    random_state: int | None = None

    def fit(self, counts: sp.csr_array) -> Self:
        """Label the documents."""
        tomotopy = require("tomotopy", "SeededLDA")
        seeds = Seeds.of(self.seeds)
        n_categories = len(seeds.names)
        model = tomotopy.LDAModel(k=2 * n_categories, seed=self.random_state)
        words = np.array(self.vocabulary)
        filled = np.flatnonzero(np.diff(counts.indptr))  # the package does not accept documents without words
        for row in filled:
            inside = slice(counts.indptr[row], counts.indptr[row + 1])
            times = counts.data[inside].astype(np.intp)
            model.add_doc(np.repeat(words[counts.indices[inside]], times).tolist())
        for word in seeds.words:
            owners = (k for k, listed in enumerate(seeds.categories.values()) if word in listed)
            model.set_word_prior(word, dict.fromkeys(owners, self.word_prior))
        model.train(self.iterations, workers=resolve_threads(self.n_threads))
        share = np.zeros((counts.shape[0], n_categories))
        share[filled] = [document.get_topic_dist()[:n_categories] for document in model.docs]
        self.transduction_ = np.array(seeds.names)[share.argmax(axis=1)]
        return self
