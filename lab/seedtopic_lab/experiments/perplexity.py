"""How well a fitted seed topic model predicts the words of unseen documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.signals.words import shares
from seedtopic.learning.topics.kernels.interface import Parameters, Shard
from seedtopic.model import WSPTM, LapSWTM
from seedtopic.model.paper_topics import PaperTopics

FOLD_IN_STEPS = 50


@dataclass(frozen=True)
class Unigram:
    """The baseline that every topic model should beat: one word distribution for all documents."""

    probabilities: NDArray[np.float64]

    @classmethod
    def of(cls, counts: sp.csr_array) -> Unigram:
        """Estimate the distribution from training counts, all of whose words occur."""
        totals = np.asarray(counts.sum(axis=0), dtype=np.float64)
        return cls(totals / totals.sum())

    def log_likelihood(self, seen: sp.csr_array, scored: sp.csr_array) -> float:
        """Score words; the seen part of their documents has no effect."""
        return float(np.asarray(scored.sum(axis=0), dtype=np.float64) @ np.log(self.probabilities))


@dataclass(frozen=True)
class Folded:
    """A fitted model with phi and phi-hat frozen; theta and theta-hat are inferred, without the graph."""

    model: WSPTM | LapSWTM

    def log_likelihood(self, seen: sp.csr_array, scored: sp.csr_array) -> float:
        """Score words (raw tokens) of documents whose `seen` part is known.

        ln p(w) = sum_n ln[delta_n sum_k theta_k phi_kw + (1 - delta_n) sum_g thetahat_g phihat_gw]
        """
        model = self.model
        weighted, alpha, relevance, phi, phi_hat, _, estep = model.fitted_[PaperTopics].folding(seen)
        n_background = phi_hat.shape[1]
        current = Parameters(
            shares(alpha).astype(np.float32),
            np.full((seen.shape[0], n_background), 1.0 / n_background, np.float32),
            phi,
            phi_hat,
        )
        shard, bayes = Shard.of(weighted), model.estep == "bayes"
        for _ in range(FOLD_IN_STEPS):
            expected = estep(shard, current, relevance, bayes=bayes, want_words=False)
            current = Parameters(
                shares(expected.doc_topic + alpha).astype(np.float32),
                shares(expected.doc_background.astype(np.float64) + model.alpha_background).astype(
                    np.float32
                ),
                phi,
                phi_hat,
            )
        statistics = estep(
            Shard.of(scored), current, relevance, bayes=bayes, want_words=False, want_likelihood=True
        )
        return float(statistics.log_likelihood)


def perplexities(model: Unigram | Folded, counts: sp.csr_array, random_state: int) -> dict[str, float]:
    """Score unseen documents as in the paper, and without showing the model the words it predicts.

    Returns
    -------
    dict
        `whole`: theta is fitted to the same words that are scored; `completion`: to a random half of each
        document's tokens, and the other half is scored.
    """
    halves = np.random.default_rng(random_state).binomial(counts.data.astype(np.int64), 0.5)
    seen, hidden = counts.copy(), counts.copy()
    seen.data[:], hidden.data[:] = halves, counts.data - halves
    for half in (seen, hidden):
        half.eliminate_zeros()
    return {"whole": _perplexity(model, counts, counts), "completion": _perplexity(model, seen, hidden)}


def _perplexity(model: Unigram | Folded, seen: sp.csr_array, scored: sp.csr_array) -> float:
    return float(np.exp(-model.log_likelihood(seen, scored) / float(scored.sum(dtype=np.float64))))
