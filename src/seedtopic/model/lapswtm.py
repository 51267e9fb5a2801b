"""LapSWTM: the Laplacian seed word topic model (Li, Li, Chi, Ouyang and Li, CIKM 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from seedtopic.base.memory import MaxMemory
from seedtopic.learning.topics.kernels import KernelName
from seedtopic.model.estimator import SeedClassifier, SeedsLike
from seedtopic.model.fit import Learner
from seedtopic.model.paper_topics import PaperOptions, PaperTopics
from seedtopic.text.counts import MinDf
from seedtopic.text.tokens import StopWords, Tokenizer


class LapSWTM(SeedClassifier):
    """Laplacian seed word topic model: the prior of a document counts its seed words (Eq. 1).

    The engine is that of `WSPTM`; the original paper's settings are not public, and those chosen for WSPTM
    are taken, so that the two differ in the prior, the weights of words and the start alone.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category; a path names a TOML or JSON file.
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
    kernel : "auto", "c" or "numpy"
        How the E-step is computed, with the same result; "auto" is "c" where that was built,
        else "numpy".
    vocabulary, tokenizer, stop_words, min_df, strict, n_threads, random_state, max_memory
        See `SeedClassifier`.

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
        init: Literal["random", "prior", "seed"] = "seed",
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
        self.vocabulary = vocabulary
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.min_df = min_df
        self.strict = strict
        self.n_threads = n_threads
        self.random_state = random_state
        self.max_memory = max_memory

    def _learner(self) -> Learner:
        return Learner(options=PaperOptions.of(self), pipeline=(PaperTopics,))
