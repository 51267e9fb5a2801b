"""The engine of LapSWTM and WSPTM: category and background topics, relevance, graph, generalised EM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from seedtopic.base.checkpoint import Checkpoint, RandomState
from seedtopic.base.checks import check_choice, check_number, debugging
from seedtopic.base.progress import Progress
from seedtopic.base.threads import resolve_threads, thread_limit
from seedtopic.learning.graph.neighbours import kept_graph, neighbor_graph
from seedtopic.learning.graph.smoothing import Manifold, ManifoldPrior
from seedtopic.learning.signals.seeds import seed_cooccurrence, seed_counts
from seedtopic.learning.signals.words import log_weights, shares, word_relevance
from seedtopic.learning.topics import em
from seedtopic.learning.topics.em import Expectation, cut
from seedtopic.learning.topics.kernels import KernelName, get_kernel, resolve_kernel
from seedtopic.learning.topics.kernels.interface import Parameters
from seedtopic.model.fit import Fit
from seedtopic.model.folder import WHOLE, Learned, likely, weight
from seedtopic.model.training import TrainingSet

if TYPE_CHECKING:
    from seedtopic.model.estimator import SeedModel


Array = NDArray[np.float64]

# The arrays of a model of this family that are saved, beside those of its prior.
FORMS: Mapping[str, Learned] = {
    "topic_word_": likely("classes words"),
    "background_word_": likely("background words"),
    "relevance_": weight("words classes"),
    "word_weights_": weight("words"),
    "objective_": Learned("steps"),
    "n_iter_": WHOLE,
}


class Prior(Protocol):
    """The prior of a document, in which the models of this family differ."""

    def __call__(self, counts: sp.csr_array) -> Array:
        """Give the Dirichlet parameters of each document, shape (n_documents, n_categories)."""
        ...


@dataclass(frozen=True)
class Engine:
    """The settings of the topic model, and what is done with them.

    Attributes
    ----------
    epsilon, n_neighbors, lam, kappa, max_smoothing_steps, n_background, alpha_background, beta, \
beta_background, weighting, estep, init, max_iter, track_objective, kernel, n_threads, random_state
        See `LapSWTM`.
    """

    epsilon: float
    n_neighbors: int
    lam: float
    kappa: float
    max_smoothing_steps: int
    n_background: int | None
    alpha_background: float
    beta: float
    beta_background: float
    weighting: Literal["log"] | None
    estep: Literal["paper", "bayes"]
    init: Literal["random", "prior", "seed"]
    max_iter: int
    track_objective: bool
    kernel: KernelName
    n_threads: int | None
    random_state: RandomState

    @classmethod
    def of(cls, model: SeedModel) -> Self:
        """Take the settings from an estimator with parameters of the same names."""
        return cls(**{setting.name: getattr(model, setting.name) for setting in fields(cls)})

    def check(self) -> None:
        """Refuse settings out of range."""
        check_number("lam", self.lam, least=0)
        for name in ("n_neighbors", "max_smoothing_steps"):
            check_number(name, getattr(self, name), least=0, whole=True)
        for name in ("epsilon", "alpha_background", "beta", "beta_background"):
            check_number(name, getattr(self, name), above=0)
        check_number("kappa", self.kappa, least=0, most=1)
        check_number("max_iter", self.max_iter, least=1, whole=True)
        if self.n_background is not None:
            check_number("n_background", self.n_background, least=1, whole=True)
        check_choice("weighting", self.weighting, ("log", None))
        check_choice("estep", self.estep, ("paper", "bayes"))
        check_choice("init", self.init, ("random", "prior", "seed"))
        check_choice("track_objective", self.track_objective, (True, False))
        resolve_kernel(self.kernel)

    def learn(
        self,
        training_set: TrainingSet,
        cooccurrence: Array,
        prior: Prior,
        progress: Progress,
        checkpoint: Checkpoint,
    ) -> Fit:
        """Fit the topic model (Algorithm 2).

        Parameters
        ----------
        training_set : TrainingSet
        cooccurrence : ndarray, shape (n_categories, n_words)
            SC, see `cooccurrence_of`.
        prior : callable
            The prior of documents.
        progress, checkpoint
            See `SeedModel.fit`.
        """
        n_threads = resolve_threads(self.n_threads)
        counts, seeds = training_set.counts, training_set.seeds
        word_totals = np.asarray(counts.sum(axis=0), dtype=np.float64)
        relevance = word_relevance(cooccurrence, self.epsilon, seeds.exclusion)
        weights = log_weights(word_totals) if self.weighting == "log" else np.ones_like(word_totals)
        alpha = prior(counts)
        progress("finding neighbours", 0, 1)
        n_neighbors = self.n_neighbors if self.lam else 0
        graph = kept_graph(checkpoint, lambda: neighbor_graph(counts, n_neighbors, n_threads))
        progress("finding neighbours", 1, 1)
        smoothed = ManifoldPrior(alpha, Manifold.of(graph), self.lam, self.kappa, self.max_smoothing_steps)
        with thread_limit(n_threads):
            fitted = em.run(
                Expectation(cut(_weighted(counts, weights)), get_kernel(self.kernel)),
                relevance.astype(np.float32),
                self._start(training_set, alpha, checkpoint.random_state(self.random_state)),
                self.settings(),
                smoothed.update,
                log_prior=smoothed.log_density if self.track_objective or debugging() else None,
                rises=em.is_exact(self.settings(), relevance, self.lam),
                on_iteration=lambda done, total: progress("learning", done, total),
                checkpoint=checkpoint,
            )
        attributes = {
            "topic_word_": np.ascontiguousarray(fitted.parameters.word_topic.T),
            "background_word_": np.ascontiguousarray(fitted.parameters.word_background.T),
            "relevance_": relevance,
            "word_weights_": weights,
            "objective_": np.array(fitted.objective if self.track_objective else []),
            "n_iter_": self.max_iter,
        }
        return Fit(fitted.parameters.doc_topic, attributes)

    def folding(self, model: Any, counts: sp.csr_array, prior: Prior) -> em.Folding:
        """Give what folding new documents into a fitted model needs."""
        return em.Folding(
            _weighted(counts, model.word_weights_),
            prior(counts),
            model.relevance_.astype(np.float32),
            np.ascontiguousarray(model.topic_word_.T),
            np.ascontiguousarray(model.background_word_.T),
            self.settings(),
            get_kernel(self.kernel),
        )

    def _start(self, training_set: TrainingSet, alpha: Array, random_state: RandomState) -> Parameters:
        counts, seeds = training_set.counts, training_set.seeds
        n_background = 3 * len(seeds.seeds.names) if self.n_background is None else self.n_background
        rng = check_random_state(random_state)
        if self.init == "random":
            return em.start_random(counts.shape[1], alpha, n_background, rng)
        if self.init == "prior":
            return em.start_prior(counts.shape[1], alpha, n_background, rng)
        seed_words = counts.T @ shares(seed_counts(counts, seeds.membership, seeds.exclusion))
        return em.start_seed(counts.shape[1], alpha, n_background, rng, np.asarray(seed_words), self.beta)

    def settings(self) -> em.Settings:
        """Give the constants of the topic model."""
        return em.Settings(
            bayes=self.estep == "bayes",
            alpha_background=self.alpha_background,
            beta=self.beta,
            beta_background=self.beta_background,
            max_iter=self.max_iter,
        )


def cooccurrence_of(training_set: TrainingSet) -> Array:
    """Count how often words meet the seeds of each category."""
    seeds = training_set.seeds
    return seed_cooccurrence(training_set.counts, seeds.membership, seeds.exclusion)


def _weighted(counts: sp.csr_array, word_weights: Array) -> sp.csr_array:
    """Turn counts into soft counts a_dv = n_dv pi(v)."""
    weights = word_weights[counts.indices]
    return sp.csr_array((counts.data * weights, counts.indices, counts.indptr), shape=counts.shape)
