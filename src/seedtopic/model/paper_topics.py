"""The topic model of LapSWTM and WSPTM: category and background topics, relevance, graph, generalised EM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checks import check_choice, check_number, debugging
from seedtopic.base.engine import Blocks
from seedtopic.base.threads import threads_here
from seedtopic.learning.graph.neighbours import kept_graph, neighbor_graph
from seedtopic.learning.graph.smoothing import Manifold, ManifoldPrior
from seedtopic.learning.signals.seeds import seed_cooccurrence, seed_counts, seed_prior
from seedtopic.learning.signals.words import log_weights, shares, word_relevance
from seedtopic.learning.topics import em
from seedtopic.learning.topics.em import Expectation, cut
from seedtopic.learning.topics.kernels import KernelName, get_kernel, resolve_kernel
from seedtopic.learning.topics.kernels.interface import Parameters
from seedtopic.model.evidence import Evidence, folded_evidence
from seedtopic.model.run import ModelOptions, Run
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.stage import WHOLE, Form, Stage, likely, linked, stored, weight
from seedtopic.seeds import BoundSeeds

Array = NDArray[np.float64]
Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class PaperOptions(ModelOptions):
    """The parameters of the topic model; see `LapSWTM` for each."""

    eta: float
    alpha0: float
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

    def check(self) -> None:
        """Refuse settings out of range."""
        check_number("eta", self.eta, least=0)
        check_number("alpha0", self.alpha0, above=0)
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

    def settings(self) -> em.Settings:
        """Return the constants of the topic model."""
        return em.Settings(
            bayes=self.estep == "bayes",
            alpha_background=self.alpha_background,
            beta=self.beta,
            beta_background=self.beta_background,
            max_iter=self.max_iter,
        )


@dataclass(frozen=True)
class PaperTopics(Stage):
    """The topic model whose prior of a document counts its seed words (Eq. 1)."""

    seeds: BoundSeeds = linked(lambda model: model.seeds)
    options: Any = linked(lambda model: model.options)
    topic_word: Floats = stored(likely("classes words"))  # phi
    background_word: Floats = stored(likely("background words"))  # phi-hat
    relevance: Array = stored(weight("words classes"))  # gamma
    word_weights: Array = stored(weight("words"))  # pi of Eq. 8
    objective: Array = stored(Form("steps"))  # Eq. 9 before each iteration
    n_iter: int = stored(WHOLE)

    replaces: ClassVar[bool] = True

    @classmethod
    def measured(cls, run: Run, cooccurrence: Array) -> dict[str, Array]:
        """Return what the prior of a document is made of, beside the seeds."""
        return {}

    @classmethod
    def prior(cls, counts: sp.csr_array, seeds: BoundSeeds, options: Any, **measured: Array) -> Array:
        """Return the Dirichlet parameters alpha of each document."""
        return seed_prior(seed_counts(counts, seeds.membership, seeds.exclusion), options.eta, options.alpha0)

    def prior_of(self, counts: sp.csr_array) -> Array:
        """Return the Dirichlet parameters of new documents."""
        return self.prior(counts, self.seeds, self.options)

    @classmethod
    def learn(cls, run: Run) -> tuple[Self, Blocks]:
        """Fit the topic model (Algorithm 2)."""
        options, counts, seeds, progress = run.options, run.training.counts, run.seeds, run.progress
        cooccurrence = seed_cooccurrence(counts, seeds.membership, seeds.exclusion)
        measured = cls.measured(run, cooccurrence)
        word_totals = np.asarray(counts.sum(axis=0), dtype=np.float64)
        relevance = word_relevance(cooccurrence, options.epsilon, seeds.exclusion)
        weights = log_weights(word_totals) if options.weighting == "log" else np.ones_like(word_totals)
        alpha = cls.prior(counts, seeds, options, **measured)
        progress("finding neighbours", 0, 1)
        n_neighbors = options.n_neighbors if options.lam else 0
        graph = kept_graph(run.checkpoint, lambda: neighbor_graph(counts, n_neighbors, threads_here()))
        progress("finding neighbours", 1, 1)
        smoothed = ManifoldPrior(
            alpha, Manifold.of(graph), options.lam, options.kappa, options.max_smoothing_steps
        )
        fitted = em.run(
            Expectation(cut(_weighted(counts, weights)), get_kernel(options.kernel)),
            relevance.astype(np.float32),
            _start(run, alpha),
            options.settings(),
            smoothed.update,
            log_prior=smoothed.log_density if options.track_objective or debugging() else None,
            rises=em.is_exact(options.settings(), relevance, options.lam),
            on_iteration=lambda done, total: progress("learning", done, total),
            checkpoint=run.checkpoint,
        )
        stage = cls.within(
            run,
            topic_word=np.ascontiguousarray(fitted.parameters.word_topic.T),
            background_word=np.ascontiguousarray(fitted.parameters.word_background.T),
            relevance=relevance,
            word_weights=weights,
            objective=np.array(fitted.objective if options.track_objective else []),
            n_iter=options.max_iter,
            **measured,
        )
        return stage, run.labelled(fitted.parameters.doc_topic)

    def apply(self, documents: Documents, posterior: Array) -> Array:
        """Return theta of new documents."""
        return np.asarray(em.fold_in(self.folding(documents.counts)), np.float64)

    def evidence(
        self, documents: Documents, posterior: Array, so_far: Evidence, label: int, rival: int
    ) -> Evidence:
        """Split ln(theta_label / theta_rival) of one document into its words and the prior."""
        return folded_evidence(self.folding(documents.counts), label, rival)

    def folding(self, counts: sp.csr_array) -> em.Folding:
        """Return what inferring theta of new documents needs."""
        return em.Folding(
            _weighted(counts, self.word_weights),
            self.prior_of(counts),
            self.relevance.astype(np.float32),
            np.ascontiguousarray(self.topic_word.T),
            np.ascontiguousarray(self.background_word.T),
            self.options.settings(),
            get_kernel(self.options.kernel),
        )


def _start(run: Run, alpha: Array) -> Parameters:
    options, counts, seeds = run.options, run.training.counts, run.seeds
    n_background = 3 * len(run.classes) if options.n_background is None else options.n_background
    if options.init == "random":
        return em.start_random(counts.shape[1], alpha, n_background, run.rng)
    if options.init == "prior":
        return em.start_prior(counts.shape[1], alpha, n_background, run.rng)
    seed_words = np.asarray(counts.T @ shares(seed_counts(counts, seeds.membership, seeds.exclusion)))
    return em.start_seed(counts.shape[1], alpha, n_background, run.rng, seed_words, options.beta)


def _weighted(counts: sp.csr_array, word_weights: Array) -> sp.csr_array:
    """Turn counts into soft counts a_dv = n_dv pi(v)."""
    weights = word_weights[counts.indices]
    return sp.csr_array((counts.data * weights, counts.indices, counts.indptr), shape=counts.shape)
