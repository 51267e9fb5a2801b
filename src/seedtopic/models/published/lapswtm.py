"""LapSWTM: the Laplacian seed word topic model (Li, Li, Chi, Ouyang and Li, CIKM 2018)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.signals.prior import seed_prior
from seedtopic.learning.signals.seed_matches import seed_counts
from seedtopic.models.published.seed_topic_model import SeedTopicModel
from seedtopic.seeds import BoundSeeds


class LapSWTM(SeedTopicModel):
    """Laplacian seed word topic model: the prior of a document counts its seed words (Eq. 1).

    The engine is that of `WSPTM`; the original paper's settings are not public, and those chosen for WSPTM
    are taken, so that the two differ in the prior and in the weights of words alone.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category; a path names a TOML or JSON file.
    eta, alpha0, epsilon, n_neighbors, lam, kappa, max_smoothing_steps, n_background, alpha_background, \
beta, beta_background, weighting, estep, init, max_iter, track_objective, kernel
        See `seedtopic.models.published.seed_topic_model.SeedTopicModel`.
    vocabulary, tokenizer, stop_words, min_df, strict, n_threads, random_state, max_memory
        See `SeedModel` and `TextClassifier`.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, topic_word_, background_word_, relevance_, word_weights_, \
vocabulary_, objective_, n_iter_
        As of `WSPTM`.

    References
    ----------
    X. Li, C. Li, J. Chi, J. Ouyang, C. Li. Dataless text classification: a topic modeling approach with
    document manifold. CIKM 2018, as described in the paper of `WSPTM`.

    Examples
    --------
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = LapSWTM({"sports": ["game", "team"], "money": ["bank"]}, random_state=0).fit(texts)
    >>> model.transduction_.tolist()
    ['sports', 'sports', 'money', 'money']
    """

    def _learn_prior(
        self, counts: sp.csr_array, seeds: BoundSeeds, cooccurrence: NDArray[np.float64]
    ) -> None:
        """Nothing to learn: the prior of a document depends on the document alone."""

    def _prior(self, counts: sp.csr_array, seeds: BoundSeeds) -> NDArray[np.float64]:
        return seed_prior(seed_counts(counts, seeds.membership, seeds.exclusion), self.eta, self.alpha0)
