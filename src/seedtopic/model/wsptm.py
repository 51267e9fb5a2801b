"""WSPTM: the weakly supervised prototype topic model (Wang, Wang, Li and Ouyang, Soft Computing 2023)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from seedtopic.base.checks import check_number
from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory
from seedtopic.learning.signals.seeds import (
    category_prior,
    membership_degree,
    nearest_categories,
    prototype_similarity,
    prototypes,
    seed_counts,
    seed_frequency,
)
from seedtopic.learning.topics.kernels import KernelName
from seedtopic.model.estimator import SeedClassifier, SeedsLike
from seedtopic.model.fit import Learner
from seedtopic.model.paper_topics import PaperOptions, PaperTopics
from seedtopic.model.run import Run
from seedtopic.model.stages.stage import probability, stored, weight
from seedtopic.seeds import BoundSeeds
from seedtopic.text.counts import MinDf
from seedtopic.text.tokens import StopWords, Tokenizer

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PrototypeOptions(PaperOptions):
    """The parameters of the topic model and of its prior; see `WSPTM` for each."""

    P: int
    rho: float
    tau: float
    label_frequency: Literal["seeds", "uniform"] | ArrayLike

    def check(self) -> None:
        """Refuse settings out of range."""
        super().check()
        check_number("rho", self.rho, least=0, most=1)
        check_number("tau", self.tau, least=0, most=1)
        check_number("P", self.P, least=0, whole=True)


@dataclass(frozen=True)
class PrototypeTopics(PaperTopics):
    """The topic model with the prior of Eqs. 4-7: seed words, nearest prototypes and label frequency."""

    prototype: Array = stored(weight("classes words"))  # prototype vectors (Eq. 7)
    label_frequency: Array = stored(probability("classes"))  # F of Eq. 5

    @classmethod
    def measured(cls, run: Run, cooccurrence: Array) -> dict[str, Array]:
        """Return the prototypes, and how frequent the categories are."""
        word_totals = np.asarray(run.training.counts.sum(axis=0), dtype=np.float64)
        return {
            "prototype": prototypes(cooccurrence, np.asarray(run.seeds.membership @ word_totals)),
            "label_frequency": _frequency(run.options.label_frequency, word_totals, run.seeds),
        }

    @classmethod
    def prior(cls, counts: sp.csr_array, seeds: BoundSeeds, options: Any, **measured: Array) -> Array:
        """Return the Dirichlet parameters alpha' of each document (Eq. 6)."""
        nearest = nearest_categories(prototype_similarity(counts, measured["prototype"]), options.P)
        in_text = seed_counts(counts, seeds.membership, seeds.exclusion)
        degree = membership_degree(in_text, nearest, options.tau)
        return category_prior(degree, measured["label_frequency"], options.eta, options.rho, options.alpha0)

    def prior_of(self, counts: sp.csr_array) -> Array:
        """Return the Dirichlet parameters of new documents."""
        measured = {"prototype": self.prototype, "label_frequency": self.label_frequency}
        return self.prior(counts, self.seeds, self.options, **measured)


def _frequency(label_frequency: Any, word_totals: Array, seeds: BoundSeeds) -> Array:
    """Return how frequent the categories are (Eq. 5), or as they are given."""
    n_categories = len(seeds.seeds.names)
    if isinstance(label_frequency, str):
        if label_frequency == "seeds":
            return seed_frequency(word_totals, seeds.membership)
        if label_frequency == "uniform":
            return np.full(n_categories, 1.0 / n_categories)
        raise InputError(
            f"label_frequency is {label_frequency!r}: use 'seeds', 'uniform' or one number a category."
        )
    try:
        given = np.asarray(label_frequency, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    in_range = np.isfinite(given).all() and (given >= 0).all() and given.sum() > 0
    if given.shape != (n_categories,) or not in_range:
        raise InputError(
            f"label_frequency must hold {n_categories} numbers from 0 on, one a category, not all 0; "
            f"got shape {given.shape}."
        )
    return np.asarray(given / given.sum())


class WSPTM(SeedClassifier):
    """Weakly supervised prototype topic model.

    Each document's prior joins its seed words, the categories whose prototypes are nearest to it, and how
    frequent each category is (Eqs. 4-7). The defaults are the paper's; where it gives none, those chosen
    in `experiments/` on the labels of train parts.

    Parameters
    ----------
    P : int
        Nearest prototypes that count; 0 switches the prototype scheme off.
    rho : float
        Share of the label frequency in the prior, from 0 to 1.
    tau : float
        Share of the prototypes in the membership of documents that have seeds, from 0 to 1.
    label_frequency : "seeds", "uniform" or array of shape (n_categories,)
        How frequent the categories are: from the occurrences of their seeds (Eq. 5), all the same, or as
        given. True frequencies given here make the oracle ablation, which is no longer dataless.
    seeds, eta, alpha0, epsilon, n_neighbors, lam, kappa, max_smoothing_steps, n_background, \
alpha_background, beta, beta_background, weighting, estep, init, max_iter, track_objective, kernel
        See `LapSWTM`; `weighting` is "log" here (Eq. 8).
    vocabulary, tokenizer, stop_words, min_df, strict, n_threads, random_state, max_memory
        See `SeedClassifier`.

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
        self.seeds = seeds
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
        self.vocabulary = vocabulary
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.min_df = min_df
        self.strict = strict
        self.n_threads = n_threads
        self.random_state = random_state
        self.max_memory = max_memory

    def _learner(self) -> Learner:
        return Learner(options=PrototypeOptions.of(self), pipeline=(PrototypeTopics,))
