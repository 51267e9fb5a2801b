"""WSPTM: the weakly supervised prototype topic model (Wang, Wang, Li and Ouyang, Soft Computing 2023)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from seedtopic.base.checkpoint import Checkpoint
from seedtopic.base.checks import check_number
from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory
from seedtopic.base.progress import Progress
from seedtopic.learning.signals.seeds import (
    category_prior,
    membership_degree,
    nearest_categories,
    prototype_similarity,
    prototypes,
    seed_counts,
    seed_frequency,
)
from seedtopic.learning.topics import em
from seedtopic.learning.topics.kernels import KernelName
from seedtopic.model.estimator import SeedModel, SeedsLike
from seedtopic.model.evidence import Evidence, folded_evidence
from seedtopic.model.fit import Fit
from seedtopic.model.folder import Learned, probability, weight
from seedtopic.model.paper_topics import FORMS, Engine, cooccurrence_of
from seedtopic.model.reading import NewDocuments
from seedtopic.model.training import TrainingSet
from seedtopic.seeds import BoundSeeds
from seedtopic.text.counts import MinDf
from seedtopic.text.tokens import StopWords, Tokenizer

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PrototypePrior:
    """The prior of Eqs. 4-7: seed words, nearest prototypes and label frequency."""

    seeds: BoundSeeds
    prototype: Array
    label_frequency: Array
    P: int
    tau: float
    rho: float
    eta: float
    alpha0: float

    def __call__(self, counts: sp.csr_array) -> Array:
        """Give the Dirichlet parameters alpha' of each document (Eq. 6)."""
        nearest = nearest_categories(prototype_similarity(counts, self.prototype), self.P)
        found = seed_counts(counts, self.seeds.membership, self.seeds.exclusion)
        degree = membership_degree(found, nearest, self.tau)
        return category_prior(degree, self.label_frequency, self.eta, self.rho, self.alpha0)


class WSPTM(SeedModel):
    """Weakly supervised prototype topic model.

    Each document's prior joins its seed words, the categories whose prototypes are nearest to it, and how
    frequent each category is (Eqs. 4-7). The defaults are the paper's; where it gives none, those chosen
    in `experiments/` on the labels of train parts.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category; a path names a TOML or JSON file.
    eta : float
        Concentration of the prior.
    alpha0 : float
        Smoothing of the prior.
    P : int
        Nearest prototypes that count; 0 switches the prototype scheme off.
    rho : float
        Share of the label frequency in the prior, from 0 to 1.
    tau : float
        Share of the prototypes in the membership of documents that have seeds, from 0 to 1.
    label_frequency : "seeds", "uniform" or array of shape (n_categories,)
        How frequent the categories are: from the occurrences of their seeds (Eq. 5), all the same, or as
        given. True frequencies given here make the oracle ablation, which is no longer dataless.
    epsilon, n_neighbors, lam, kappa, max_smoothing_steps, n_background, alpha_background, beta, \
beta_background, weighting, estep, init, max_iter, track_objective, kernel
        See `LapSWTM`; `weighting` is "log" here (Eq. 8).
    vocabulary, tokenizer, stop_words, min_df, strict, n_threads, random_state, max_memory
        See `LapSWTM`.

    Attributes
    ----------
    classes_ : ndarray of str
        The categories in the order of the seeds.
    transduction_ : ndarray of str
        The labels of the fitted documents.
    label_distributions_ : ndarray, shape (n_documents, n_categories)
        Their probabilities.
    topic_word_, background_word_ : ndarray
        Word distributions phi and phi-hat, a topic a row.
    prototype_ : ndarray, shape (n_categories, n_words)
        Prototype vectors (Eq. 7).
    label_frequency_ : ndarray, shape (n_categories,)
        F of Eq. 5.
    relevance_ : ndarray, shape (n_words, n_categories)
        gamma.
    word_weights_ : ndarray, shape (n_words,)
        pi of Eq. 8.
    vocabulary_ : list of str
    objective_ : ndarray
        Eq. 9 before each iteration.
    n_iter_ : int

    References
    ----------
    B. Wang, Y. Wang, X. Li, J. Ouyang. Weakly supervised prototype topic model with discriminative seed
    words: modifying the category prior by self-exploring supervised signals. Soft Computing 27, 2023.

    Examples
    --------
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = WSPTM({"sports": ["game", "team"], "money": ["bank"]}, random_state=0).fit(texts)
    >>> model.transduction_.tolist()
    ['sports', 'sports', 'money', 'money']
    >>> model.predict(["the rate of the bank"]).tolist()
    ['money']
    """

    _learned: ClassVar[Mapping[str, Learned]] = {
        **SeedModel._learned,
        **FORMS,
        "prototype_": weight("classes words"),
        "label_frequency_": probability("classes"),
    }

    def __init__(
        self,
        seeds: SeedsLike | None = None,
        *,
        eta: float = 10.0,
        alpha0: float = 0.01,
        P: int = 1,
        rho: float = 0.9,
        tau: float = 0.1,
        label_frequency: Literal["seeds", "uniform"] | ArrayLike = "seeds",
        epsilon: float = 0.01,
        n_neighbors: int = 5,
        lam: float = 150.0,
        kappa: float = 0.1,
        max_smoothing_steps: int = 200,
        n_background: int | None = None,
        alpha_background: float = 0.1,
        beta: float = 0.1,
        beta_background: float = 0.1,
        weighting: Literal["log"] | None = "log",
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
        self.P = P
        self.rho = rho
        self.tau = tau
        self.label_frequency = label_frequency

    def _learn(self, training_set: TrainingSet, progress: Progress, checkpoint: Checkpoint) -> Fit:
        seeds = training_set.seeds
        word_totals = np.asarray(training_set.counts.sum(axis=0), dtype=np.float64)
        cooccurrence = cooccurrence_of(training_set)
        prototype = prototypes(cooccurrence, np.asarray(seeds.membership @ word_totals))
        prior = self._prior(seeds, prototype, self._frequency(word_totals, seeds))
        fit = Engine.of(self).learn(training_set, cooccurrence, prior, progress, checkpoint)
        learned = {"prototype_": prior.prototype, "label_frequency_": prior.label_frequency}
        return replace(fit, attributes={**fit.attributes, **learned})

    def _infer(self, documents: NewDocuments) -> NDArray[np.floating[Any]]:
        return em.fold_in(*self._folding(documents.counts))

    def _evidence(self, documents: NewDocuments, label: int, rival: int) -> Evidence:
        return folded_evidence(self._folding(documents.counts), label, rival)

    def _folding(self, counts: sp.csr_array) -> em.Folding:
        prior = self._prior(self.seeds_.bind(self.vocabulary_), self.prototype_, self.label_frequency_)
        return Engine.of(self).folding(self, counts, prior)

    def _prior(self, seeds: BoundSeeds, prototype: Array, label_frequency: Array) -> PrototypePrior:
        return PrototypePrior(
            seeds, prototype, label_frequency, self.P, self.tau, self.rho, self.eta, self.alpha0
        )

    def _frequency(self, word_totals: Array, seeds: BoundSeeds) -> Array:
        n_categories = len(seeds.seeds.names)
        if isinstance(self.label_frequency, str):
            if self.label_frequency == "seeds":
                return seed_frequency(word_totals, seeds.membership)
            if self.label_frequency == "uniform":
                return np.full(n_categories, 1.0 / n_categories)
            raise InputError(
                f"label_frequency is {self.label_frequency!r}: "
                "use 'seeds', 'uniform' or one number a category."
            )
        try:
            given = np.asarray(self.label_frequency, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.empty(0)
        if (
            given.shape != (n_categories,)
            or not np.isfinite(given).all()
            or not (given >= 0).all()
            or not given.sum() > 0
        ):
            raise InputError(
                f"label_frequency must hold {n_categories} numbers from 0 on, one a category, not all 0; "
                f"got shape {given.shape}."
            )
        return np.asarray(given / given.sum())

    def _check_parameters(self) -> None:
        check_number("eta", self.eta, least=0)
        check_number("alpha0", self.alpha0, above=0)
        Engine.of(self).check()
        check_number("rho", self.rho, least=0, most=1)
        check_number("tau", self.tau, least=0, most=1)
        check_number("P", self.P, least=0, whole=True)
