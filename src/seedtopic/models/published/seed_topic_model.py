"""The engine of LapSWTM and WSPTM: category and background topics, relevance, graph, generalised EM."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from seedtopic.debug import debugging
from seedtopic.explain import Evidence
from seedtopic.learning.graph.neighbours import neighbor_graph
from seedtopic.learning.graph.smoothing import Manifold, ManifoldPrior
from seedtopic.learning.signals.seed_matches import seed_cooccurrence, seed_counts
from seedtopic.learning.signals.shares import shares
from seedtopic.learning.signals.word_weights import log_weights, word_relevance
from seedtopic.learning.topics import em
from seedtopic.learning.topics.kernels import KernelName, Parameters, get_kernel, resolve_kernel
from seedtopic.learning.topics.runners import expectation
from seedtopic.memory import MaxMemory
from seedtopic.models.evidence import folded_evidence
from seedtopic.models.learned import WHOLE, Learned, likely, weight
from seedtopic.models.parameters import check_choice, check_number
from seedtopic.models.seed_model import SeedModel, SeedsLike
from seedtopic.parallel.threads import resolve_threads, thread_limit
from seedtopic.progress import Progress
from seedtopic.seeds import BoundSeeds
from seedtopic.storage.checkpoint import Checkpoint, RandomState
from seedtopic.text.counts import MinDf
from seedtopic.text.tokens import StopWords, Tokenizer

Array = NDArray[np.float64]


class SeedTopicModel(SeedModel):
    """Category topics, background topics and a document graph, fitted by generalised EM.

    The models of this family differ in the prior of each document alone: see `LapSWTM` and `WSPTM`.

    Parameters
    ----------
    eta : float
        Concentration of the prior.
    alpha0 : float
        Smoothing of the prior.
    epsilon : float
        Least relevance gamma of any word to any category.
    n_neighbors : int
        Nearest documents each document is joined with.
    lam : float
        Weight of the manifold regulariser; 0 switches the graph off.
    kappa : float
        Step size of the smoothing (Eq. 16).
    max_smoothing_steps : int
        Most smoothing steps in one iteration.
    n_background : int, optional
        Background topics G; three for each category when left out.
    alpha_background, beta, beta_background : float
        Dirichlet parameters alpha-hat, beta and beta-hat.
    weighting : "log" or None
        Whether an occurrence counts by the word's information content (Eq. 8) or as one.
    estep : "paper" or "bayes"
        Whether p(c=1) keeps its prior value, as Eqs. 10-11 print, or is the Bayes posterior.
    init : "random", "prior" or "seed"
        Start: everything at random; theta at its prior; theta at its prior and phi at the words of
        seed-bearing documents.
    max_iter : int
        Iterations of EM.
    track_objective : bool
        Whether to compute the objective (Eq. 9) in each iteration.
    kernel : "auto", "c", "numba" or "numpy"
        How the E-step is computed, up to rounding with the same result; "auto" is "c" where that was built,
        else "numba".
    """

    _learned: ClassVar[Mapping[str, Learned]] = {
        **SeedModel._learned,
        "topic_word_": likely("classes words"),
        "background_word_": likely("background words"),
        "relevance_": weight("words classes"),
        "word_weights_": weight("words"),
        "objective_": Learned("steps"),
        "n_iter_": WHOLE,
    }

    def __init__(
        self,
        seeds: SeedsLike | None = None,
        *,
        eta: float = 10.0,
        alpha0: float = 0.01,
        epsilon: float = 0.01,
        n_neighbors: int = 5,
        lam: float = 150.0,
        kappa: float = 0.1,
        max_smoothing_steps: int = 200,
        n_background: int | None = None,
        alpha_background: float = 0.1,
        beta: float = 0.1,
        beta_background: float = 0.1,
        weighting: Literal["log"] | None = None,
        estep: Literal["paper", "bayes"] = "paper",
        init: Literal["random", "prior", "seed"] = "prior",
        max_iter: int = 30,
        track_objective: bool = True,
        kernel: KernelName = "auto",
        vocabulary: Sequence[str] | None = None,
        tokenizer: Tokenizer | None = None,
        stop_words: StopWords = "english",
        min_df: MinDf = "auto",
        strict: bool = False,
        n_threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        max_memory: MaxMemory = None,
    ) -> None:
        super().__init__(
            seeds,
            vocabulary=vocabulary,
            tokenizer=tokenizer,
            stop_words=stop_words,
            min_df=min_df,
            strict=strict,
            n_threads=n_threads,
            random_state=random_state,
            max_memory=max_memory,
        )
        self.eta = eta
        self.alpha0 = alpha0
        self.epsilon = epsilon
        self.n_neighbors = n_neighbors
        self.lam = lam
        self.kappa = kappa
        self.max_smoothing_steps = max_smoothing_steps
        self.n_background = n_background
        self.alpha_background = alpha_background
        self.beta = beta
        self.beta_background = beta_background
        self.weighting = weighting
        self.estep = estep
        self.init = init
        self.max_iter = max_iter
        self.track_objective = track_objective
        self.kernel = kernel

    @abstractmethod
    def _learn_prior(self, counts: sp.csr_array, seeds: BoundSeeds, cooccurrence: Array) -> None:
        """Keep what the prior needs to know of the collection."""

    @abstractmethod
    def _prior(self, counts: sp.csr_array, seeds: BoundSeeds) -> Array:
        """Give the Dirichlet parameters of each document, shape (n_documents, n_categories)."""

    def _learn(
        self, counts: sp.csr_array, seeds: BoundSeeds, progress: Progress, checkpoint: Checkpoint
    ) -> NDArray[np.floating[Any]]:
        n_threads = resolve_threads(self.n_threads)
        word_totals = np.asarray(counts.sum(axis=0), dtype=np.float64)
        cooccurrence = seed_cooccurrence(counts, seeds.membership, seeds.exclusion)
        self.relevance_ = word_relevance(cooccurrence, self.epsilon, seeds.exclusion)
        self.word_weights_ = (
            log_weights(word_totals) if self.weighting == "log" else np.ones_like(word_totals)
        )
        self._learn_prior(counts, seeds, cooccurrence)
        alpha = self._prior(counts, seeds)
        progress("finding neighbours", 0, 1)
        n_neighbors = self.n_neighbors if self.lam else 0
        graph = checkpoint.graph(lambda: neighbor_graph(counts, n_neighbors, n_threads))
        progress("finding neighbours", 1, 1)

        prior = ManifoldPrior(alpha, Manifold.of(graph), self.lam, self.kappa, self.max_smoothing_steps)
        with thread_limit(n_threads):
            fitted = em.run(
                expectation("local", self._weighted(counts), self.kernel),
                self.relevance_.astype(np.float32),
                self._start(counts, alpha, seeds, checkpoint.random_state(self.random_state)),
                self._settings(),
                prior.update,
                log_prior=prior.log_density if self.track_objective or debugging() else None,
                rises=em.is_exact(self._settings(), self.relevance_, self.lam),
                on_iteration=lambda done, total: progress("learning", done, total),
                checkpoint=checkpoint,
            )
        self.topic_word_ = np.ascontiguousarray(fitted.parameters.word_topic.T)
        self.background_word_ = np.ascontiguousarray(fitted.parameters.word_background.T)
        self.objective_ = np.array(fitted.objective if self.track_objective else [])
        self.n_iter_ = self.max_iter
        return fitted.parameters.doc_topic

    def _infer(self, counts: sp.csr_array) -> NDArray[np.floating[Any]]:
        with thread_limit(resolve_threads(self.n_threads)):
            return em.fold_in(*self._folding(counts))

    def _evidence(self, counts: sp.csr_array, label: int, rival: int) -> Evidence:
        return folded_evidence(self._folding(counts), label, rival)

    def _folding(self, counts: sp.csr_array) -> em.Folding:
        """Give what folding documents in needs."""
        seeds = self.seeds_.bind(self.vocabulary_)
        return em.Folding(
            self._weighted(counts),
            self._prior(counts, seeds),
            self.relevance_.astype(np.float32),
            np.ascontiguousarray(self.topic_word_.T),
            np.ascontiguousarray(self.background_word_.T),
            self._settings(),
            get_kernel(self.kernel),
        )

    def _weighted(self, counts: sp.csr_array) -> sp.csr_array:
        """Turn counts into soft counts a_dv = n_dv pi(v)."""
        weights = self.word_weights_[counts.indices]
        return sp.csr_array((counts.data * weights, counts.indices, counts.indptr), shape=counts.shape)

    def _start(
        self, counts: sp.csr_array, alpha: Array, seeds: BoundSeeds, random_state: RandomState
    ) -> Parameters:
        n_background = 3 * len(seeds.seeds.names) if self.n_background is None else self.n_background
        rng = check_random_state(random_state)
        if self.init == "random":
            return em.start_random(counts.shape[1], alpha, n_background, rng)
        if self.init == "prior":
            return em.start_prior(counts.shape[1], alpha, n_background, rng)
        seed_words = counts.T @ shares(seed_counts(counts, seeds.membership, seeds.exclusion))
        return em.start_seed(counts.shape[1], alpha, n_background, rng, np.asarray(seed_words), self.beta)

    def _settings(self) -> em.Settings:
        return em.Settings(
            bayes=self.estep == "bayes",
            alpha_background=self.alpha_background,
            beta=self.beta,
            beta_background=self.beta_background,
            max_iter=self.max_iter,
        )

    def _check_parameters(self) -> None:
        for name in ("eta", "lam"):
            check_number(name, getattr(self, name), least=0)
        for name in ("n_neighbors", "max_smoothing_steps"):
            check_number(name, getattr(self, name), least=0, whole=True)
        for name in ("alpha0", "epsilon", "alpha_background", "beta", "beta_background"):
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
