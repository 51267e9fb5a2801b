"""PL-DNB: dataless naive Bayes with pseudo-labels (Li and Yang, COLING 2018), reconstructed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checks import check_number
from seedtopic.base.engine import Blocks
from seedtopic.base.memory import MaxMemory
from seedtopic.base.threads import threads_here
from seedtopic.learning.graph.neighbours import kept_graph, neighbor_graph
from seedtopic.learning.signals.seeds import seed_counts
from seedtopic.learning.signals.words import shares
from seedtopic.model.estimator import SeedClassifier, SeedsLike
from seedtopic.model.fit import Learner
from seedtopic.model.run import ModelOptions, Run
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.stage import WHOLE, Stage, likely, stored
from seedtopic.text.counts import MinDf
from seedtopic.text.tokens import StopWords, Tokenizer

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PLDNBOptions(ModelOptions):
    """The parameters of the model; see `PLDNB` for each."""

    mu: float
    nu: float
    unlabelled_weight: float
    laplace: float
    n_neighbors: int
    max_iter: int
    tolerance: float

    def check(self) -> None:
        """Refuse settings out of range."""
        for name in ("mu", "nu", "tolerance"):
            check_number(name, getattr(self, name), least=0, most=1)
        check_number("unlabelled_weight", self.unlabelled_weight, least=0)
        check_number("laplace", self.laplace, above=0)
        check_number("n_neighbors", self.n_neighbors, least=0, whole=True)
        check_number("max_iter", self.max_iter, least=1, whole=True)


@dataclass(frozen=True)
class PseudoLabels(Stage):
    """Multinomial naive Bayes, fitted to pseudo-labels."""

    class_prior: Array = stored(likely("classes"))
    topic_word: Array = stored(likely("classes words"))
    n_iter: int = stored(WHOLE)

    replaces: ClassVar[bool] = True

    @classmethod
    def learn(cls, run: Run) -> tuple[Self, Blocks]:
        """Mix pseudo-labels and fit the model to them, in turn."""
        options, counts, seeds, progress = run.options, run.training.counts, run.seeds, run.progress
        seed_share = shares(seed_counts(counts, seeds.membership, seeds.exclusion))  # s_d
        has_seed = seed_share.sum(axis=1) > 0  # D_L
        weight = np.where(has_seed, 1.0, options.unlabelled_weight)
        progress("finding neighbours", 0, 1)
        n_neighbors = options.n_neighbors if options.nu else 0
        graph = kept_graph(run.checkpoint, lambda: neighbor_graph(counts, n_neighbors, threads_here()))
        progress("finding neighbours", 1, 1)

        bayes = _Bayes.fitted(counts, seed_share, options.laplace)  # the start: documents with seeds alone
        posterior = bayes.posterior(counts)
        n_iter = 0
        for done in range(options.max_iter):
            progress("learning", done, options.max_iter)
            by_seeds = (1 - options.mu) * seed_share + options.mu * posterior
            pseudo_label = smoothed(np.where(has_seed[:, None], by_seeds, posterior), graph, options.nu)
            bayes = _Bayes.fitted(counts, weight[:, None] * pseudo_label, options.laplace)
            before, posterior = posterior, bayes.posterior(counts)
            n_iter = done + 1
            if (before.argmax(axis=1) != posterior.argmax(axis=1)).mean() < options.tolerance:
                break
        progress("learning", options.max_iter, options.max_iter)
        return cls(bayes.class_prior, bayes.topic_word, n_iter), run.labelled(posterior)

    def apply(self, documents: Documents, posterior: Array) -> Array:
        """Return P(c|d) of new documents."""
        return _Bayes(self.class_prior, self.topic_word).posterior(documents.counts)


class PLDNB(SeedClassifier):
    """Naive Bayes that learns from pseudo-labels: seed words, its own posteriors and neighbours.

    Documents with seeds start it. Then, in turn, every document's pseudo-label is mixed from its seeds, the
    model's posterior and the same of its nearest neighbours, and the model is fitted to the pseudo-labels.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category; a path names a TOML or JSON file.
    mu : float
        Share of the posterior, against the seeds, in the pseudo-label of a document that has seeds.
    nu : float
        Share of the neighbours in a pseudo-label, from 0 to 1; 0 switches the graph off.
    unlabelled_weight : float
        Weight of a document without seeds when the model is fitted; one with seeds counts 1.
    laplace : float
        What is added to every count of the model.
    n_neighbors : int
        Nearest documents each document is joined with.
    max_iter : int
        Most iterations.
    tolerance : float
        The model is ready when a smaller share of the documents than this changes its label.
    vocabulary, tokenizer, stop_words, min_df, strict, n_threads, max_memory
        See `LapSWTM`.
    random_state : ignored
        Nothing here is random.

    Attributes
    ----------
    classes_ : ndarray of str
        The categories in the order of the seeds.
    transduction_ : ndarray of str
        The labels of the fitted documents.
    label_distributions_ : ndarray, shape (n_documents, n_categories)
        Their probabilities: the posterior of the fitted model.
    class_prior_ : ndarray, shape (n_categories,)
        P(c).
    topic_word_ : ndarray, shape (n_categories, n_words)
        P(v|c).
    vocabulary_ : list of str
    n_iter_ : int

    Notes
    -----
    A reconstruction: the paper's abstract tells what the pseudo-labels are mixed from, and this model is the
    plain way to mix it. The shares are set in advance at the middle of what is sensible; `laplace` and
    `unlabelled_weight` were chosen by labels of train parts.

    References
    ----------
    X. Li, B. Yang. A pseudo label based dataless naive Bayes algorithm for text classification with seed
    words. COLING 2018.

    Examples
    --------
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = PLDNB({"sports": ["game", "team"], "money": ["bank"]}).fit(texts)
    >>> model.transduction_.tolist()
    ['sports', 'sports', 'money', 'money']
    >>> model.predict(["which rate?"]).tolist()
    ['money']
    """

    def __init__(
        self,
        seeds: SeedsLike | None = None,
        *,
        mu: float = 0.5,
        nu: float = 0.5,
        unlabelled_weight: float = 0.1,
        laplace: float = 0.01,
        n_neighbors: int = 5,
        max_iter: int = 20,
        tolerance: float = 0.001,
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
        self.mu = mu
        self.nu = nu
        self.unlabelled_weight = unlabelled_weight
        self.laplace = laplace
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tolerance = tolerance
        self.vocabulary = vocabulary
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.min_df = min_df
        self.strict = strict
        self.n_threads = n_threads
        self.random_state = random_state
        self.max_memory = max_memory

    def _learner(self) -> Learner:
        return Learner(options=PLDNBOptions.of(self), pipeline=(PseudoLabels,))


@dataclass(frozen=True)
class _Bayes:
    """Multinomial naive Bayes: P(c) and P(v|c)."""

    class_prior: Array
    topic_word: Array

    @classmethod
    def fitted(cls, counts: sp.csr_array, label_weight: Array, laplace: float) -> _Bayes:
        """Fit to soft labels, shape (n_documents, n_categories)."""
        words = (counts.astype(np.float64).T @ label_weight).T + laplace
        return cls(shares(label_weight.sum(axis=0) + laplace, axis=0), shares(words))

    def posterior(self, counts: sp.csr_array) -> Array:
        """P(c|d), proportional to P(c) prod_v P(v|c)^n_dv."""
        log_joint = np.log(self.class_prior) + counts.astype(np.float64) @ np.log(self.topic_word.T)
        return shares(np.exp(log_joint - log_joint.max(axis=1, keepdims=True)))


def smoothed(labels: Array, graph: sp.csr_array, share: float) -> Array:
    """Mix each document's label with the mean of its neighbours'; without neighbours it stays.

    Examples
    --------
    >>> labels = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> pair = sp.csr_array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> smoothed(labels, pair, 0.25).tolist()
    [[0.75, 0.25], [0.25, 0.75], [0.0, 1.0]]
    """
    degree = np.diff(graph.indptr)[:, None]
    neighbours = (graph @ labels) / degree.clip(1)
    return np.asarray(np.where(degree > 0, (1 - share) * labels + share * neighbours, labels))
