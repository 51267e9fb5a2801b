"""LapSWTM: the Laplacian seed word topic model (Li, Li, Chi, Ouyang and Li, CIKM 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checkpoint import Checkpoint
from seedtopic.base.checks import check_number
from seedtopic.base.memory import MaxMemory
from seedtopic.base.progress import Progress
from seedtopic.learning.signals.seeds import seed_counts, seed_prior
from seedtopic.learning.topics import em
from seedtopic.learning.topics.kernels import KernelName
from seedtopic.model.estimator import SeedModel, SeedsLike
from seedtopic.model.evidence import Evidence, folded_evidence
from seedtopic.model.fit import Fit
from seedtopic.model.folder import Learned
from seedtopic.model.paper_topics import FORMS, Engine, cooccurrence_of
from seedtopic.model.reading import NewDocuments
from seedtopic.model.training import TrainingSet
from seedtopic.seeds import BoundSeeds
from seedtopic.text.counts import MinDf
from seedtopic.text.tokens import StopWords, Tokenizer


@dataclass(frozen=True)
class SeedPrior:
    """The prior of Eq. 1: the seed words of a document, and nothing that has to be learned."""

    seeds: BoundSeeds
    eta: float
    alpha0: float

    def __call__(self, counts: sp.csr_array) -> NDArray[np.float64]:
        """Give the Dirichlet parameters alpha of each document."""
        found = seed_counts(counts, self.seeds.membership, self.seeds.exclusion)
        return seed_prior(found, self.eta, self.alpha0)


class LapSWTM(SeedModel):
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
        How the E-step is computed, up to rounding with the same result; "auto" is "c" where that was built,
        else "numpy".
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

    _learned: ClassVar[Mapping[str, Learned]] = {**SeedModel._learned, **FORMS}

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

    def _learn(self, training_set: TrainingSet, progress: Progress, checkpoint: Checkpoint) -> Fit:
        prior = self._prior(training_set.seeds)
        return Engine.of(self).learn(training_set, cooccurrence_of(training_set), prior, progress, checkpoint)

    def _infer(self, documents: NewDocuments) -> NDArray[np.floating[Any]]:
        return em.fold_in(*self._folding(documents.counts))

    def _evidence(self, documents: NewDocuments, label: int, rival: int) -> Evidence:
        return folded_evidence(self._folding(documents.counts), label, rival)

    def _folding(self, counts: sp.csr_array) -> em.Folding:
        return Engine.of(self).folding(self, counts, self._prior(self.seeds_.bind(self.vocabulary_)))

    def _prior(self, seeds: BoundSeeds) -> SeedPrior:
        return SeedPrior(seeds, self.eta, self.alpha0)

    def _check_parameters(self) -> None:
        check_number("eta", self.eta, least=0)
        check_number("alpha0", self.alpha0, above=0)
        Engine.of(self).check()
