"""STM: the seed-guided topic model (Li, Xing, Sun and Ma, CIKM 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checks import check_number
from seedtopic.base.engine import Blocks
from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory
from seedtopic.learning.signals.seeds import seed_cooccurrence, seed_counts
from seedtopic.learning.signals.words import shares, word_relevance
from seedtopic.model.estimator import SeedClassifier, SeedsLike
from seedtopic.model.fit import Learner
from seedtopic.model.run import ModelOptions, Run
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.stage import WHOLE, Form, Stage, linked, probability, stored, weight
from seedtopic.seeds import BoundSeeds
from seedtopic.text.counts import MinDf
from seedtopic.text.tokens import StopWords, Tokenizer
from seedtopic_lab.generators import generator_state, set_generator_state
from seedtopic_lab.stm_kernel import (
    Concentrations,
    counts_of,
    draw_document,
    start,
    sweep,
    tokens_of,
    topic_counts,
)

Array = NDArray[np.float64]
Counted = NDArray[np.int32]

INFERENCE_SWEEPS = 10  # draws of a new document, the second half of which count


def document_relevance(
    counts: sp.csr_array,
    membership: sp.csr_array,
    n_seeds: NDArray[np.integer[Any]],
    epsilon: float = 0.01,
    exclusion: sp.csr_array | None = None,
) -> Array:
    """Compute the category-word relevance tau, by the documents that words share with seeds (Doc-Rel).

    Parameters
    ----------
    counts : csr_array, shape (n_documents, n_words)
    membership : csr_array, shape (n_categories, n_words)
        The weight of each seed of the category.
    n_seeds : ndarray of int, shape (n_categories,)
        How many seeds each category was given, ``|S_c|``; those that do not occur count in the mean, with 0.
    epsilon : float
        The least relevance of any word to any category.
    exclusion : csr_array, shape (n_categories, n_words), optional
        1 where a word speaks against the category.

    Returns
    -------
    ndarray, shape (n_words, n_categories)

    Examples
    --------
    >>> counts = sp.csr_array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> membership = sp.csr_array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> document_relevance(counts, membership, np.array([1, 1])).tolist()
    [[1.0, 0.01], [1.0, 0.01], [0.01, 1.0]]
    """
    presence = counts.astype(bool).astype(np.float64)
    document_frequency = np.asarray(presence.sum(axis=0))
    # sum over s in S_c of [s in d] / (|S_c| df(s)), so that one product gives the mean of p(w|s)
    seed_weight = sp.csr_array(membership / document_frequency.clip(1.0)[None, :] / n_seeds[:, None])
    mean_share = seed_cooccurrence(counts, seed_weight, exclusion)  # rel(w,c)
    return word_relevance(mean_share, epsilon, exclusion)


def switch_probability(relevance: Array, rho: float = 0.85) -> Array:
    """Compute delta, the probability that a word is drawn from its document's category (x = 0).

    Examples
    --------
    >>> switch_probability(np.array([0.0, 1.0])).tolist()
    [0.0, 0.85]
    """
    return rho * relevance / (1.0 - rho + rho * relevance)


def document_prior(seed_count: Array, smoothing: float = 0.01) -> Array:
    """Compute the prior eta of each document's category from the seeds in it.

    Examples
    --------
    >>> document_prior(np.array([[0.0, 0.0], [3.0, 3.0]])).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    return shares(np.log1p(seed_count) + smoothing)


@dataclass(frozen=True)
class STMOptions(ModelOptions):
    """The parameters of the model; see `STM` for each."""

    n_general: int | None
    n_sweeps: int
    rho: float
    epsilon: float
    smoothing: float
    alpha0: float | None
    alpha2: float
    beta0: float
    beta1: float

    def check(self) -> None:
        """Refuse settings out of range."""
        check_number("n_sweeps", self.n_sweeps, least=1, whole=True)
        if self.n_general is not None:
            check_number("n_general", self.n_general, least=1, whole=True)
        if self.alpha0 is not None:
            check_number("alpha0", self.alpha0, above=0)
        for name in ("epsilon", "smoothing", "alpha2", "beta0", "beta1"):
            check_number(name, getattr(self, name), above=0)
        check_number("rho", self.rho, above=0, most=1)
        if self.rho == 1:
            raise InputError("rho is 1: use a number above 0 and below 1.")

    def concentrations(self, n_general: int) -> Concentrations:
        """Return the Dirichlet parameters of the sampler."""
        alpha0 = 50.0 / n_general if self.alpha0 is None else self.alpha0
        return Concentrations(float(alpha0), float(self.alpha2), float(self.beta0), float(self.beta1))


@dataclass(frozen=True)
class SeedGuidedTopics(Stage):
    """The topics of the categories and general topics, as counts of tokens after the last sweep."""

    seeds: BoundSeeds = linked(lambda model: model.seeds)
    options: STMOptions = linked(lambda model: model.options)
    topic_word: Array = stored(probability("classes words"))
    relevance: Array = stored(weight("words classes"))  # tau
    category_word_count: Counted = stored(Form("classes words", "i", least=0))  # n_cw
    general_word_count: Counted = stored(Form("general words", "i", least=0))  # n_bw
    category_general_count: Counted = stored(Form("classes general", "i", least=0))  # n_cb
    n_iter: int = stored(WHOLE)

    replaces: ClassVar[bool] = True

    @classmethod
    def learn(cls, run: Run) -> tuple[Self, Blocks]:
        """Draw categories and topics in sweeps over all tokens."""
        counts, seeds, options = run.training.counts, run.seeds, run.options
        tokens = tokens_of(counts)
        rng = np.random.default_rng(run.rng.randint(2**31 - 1))
        membership = seeds.membership
        n_categories, n_words = membership.shape
        n_general = 3 * n_categories if options.n_general is None else options.n_general
        relevance = document_relevance(
            counts, membership, seeds.n_seeds.clip(1), options.epsilon, seeds.exclusion
        )
        delta = switch_probability(relevance, options.rho)
        eta = document_prior(seed_counts(counts, membership, seeds.exclusion), options.smoothing)
        recalled = run.checkpoint.recall("learning")
        if recalled is None:
            n_done, mean = 0, np.zeros_like(eta)
            labels, assignments = start(tokens, eta, membership.toarray() > 0, n_general, options.rho, rng)
        else:
            n_done, mean = int(recalled["done"]), recalled["mean"]
            labels, assignments = recalled["labels"], recalled["assignments"]
            set_generator_state(rng, recalled["random"])
        topics = counts_of(tokens, labels, assignments, (n_words, n_categories, n_general))

        posterior = np.empty_like(eta)
        for done in range(n_done, options.n_sweeps):
            run.progress("learning", done, options.n_sweeps)
            sweep(
                tokens.words, tokens.starts, labels, assignments, delta, np.log(eta),
                topics, options.concentrations(n_general), rng, posterior,
            )  # fmt: skip
            if done >= options.n_sweeps // 2:
                mean += posterior
            reached: dict[str, NDArray[Any]] = {
                "labels": labels,
                "assignments": assignments,
                "mean": mean,
                "random": generator_state(rng),
                "done": np.array(done + 1),
            }
            run.checkpoint.keep("learning", reached, last=done + 1 == options.n_sweeps)
        run.progress("learning", options.n_sweeps, options.n_sweeps)
        stage = cls.within(
            run,
            topic_word=shares(topics.word_category.T + options.beta0),
            relevance=relevance,
            category_word_count=_whole(topics.word_category.T),
            general_word_count=_whole(topics.word_general.T),
            category_general_count=_whole(topics.category_general),
            n_iter=options.n_sweeps,
        )
        return stage, run.labelled(mean)

    def apply(self, documents: Documents, posterior: Array) -> Array:
        """Draw the category of each new document against the counts of the fitted ones."""
        counts, seeds, options = documents.counts, self.seeds, self.options
        n_categories, n_general = self.category_general_count.shape
        tokens = tokens_of(counts)
        delta = switch_probability(self.relevance, options.rho)
        eta = document_prior(seed_counts(counts, seeds.membership, seeds.exclusion), options.smoothing)
        topics = topic_counts(
            _working(self.category_word_count.T),
            _working(self.general_word_count.T),
            _working(self.category_general_count),
        )
        is_seed = seeds.membership.toarray() > 0
        drawn_posterior, mean = np.empty(n_categories), np.zeros_like(eta)
        for d in range(len(eta)):
            document = tokens.only(d)
            # The same draws for every document: what is said of one does not depend on the others.
            rng = np.random.default_rng(0)
            _, assignment = start(document, eta[d : d + 1], is_seed, n_general, options.rho, rng)
            drawn = np.empty((n_categories, len(assignment)), assignment.dtype)
            log_eta = np.log(eta[d])
            for done in range(INFERENCE_SWEEPS):
                draw_document(
                    document.words, assignment, delta, log_eta,
                    topics, options.concentrations(n_general), rng, drawn, drawn_posterior,
                )  # fmt: skip
                if done >= INFERENCE_SWEEPS // 2:
                    mean[d] += drawn_posterior
        return mean


class STM(SeedClassifier):
    """Seed-guided topic model, by Gibbs sampling.

    A document has one category. Each of its words is drawn from that category's topic or from general
    topics, whose mixture depends on the category; how likely a word is to be a category word comes from the
    documents that it shares with seeds.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category; a path names a TOML or JSON file.
    n_general : int, optional
        General topics B; three for each category when left out.
    n_sweeps : int
        Sweeps of the sampler.
    rho : float
        Greatest probability that a word belongs to its document's category, above 0 and below 1.
    epsilon : float
        Least relevance of any word to any category.
    smoothing : float
        Smoothing gamma of the documents' prior.
    alpha0 : float, optional
        Concentration of a category's mixture of general topics; 50 / B when left out.
    alpha2 : float
        Concentration of a document's mixture of general topics around its category's.
    beta0, beta1 : float
        Dirichlet parameters of category topics and general topics.
    vocabulary, tokenizer, stop_words, min_df, strict, random_state, max_memory
        See `LapSWTM`.
    n_threads : int, optional
        Not used: the sampler is sequential.

    Attributes
    ----------
    classes_ : ndarray of str
        The categories in the order of the seeds.
    transduction_ : ndarray of str
        The labels of the fitted documents.
    label_distributions_ : ndarray, shape (n_documents, n_categories)
        Their probabilities: the mean over the second half of the sweeps.
    topic_word_ : ndarray, shape (n_categories, n_words)
        Word distributions of the categories.
    relevance_ : ndarray, shape (n_words, n_categories)
        tau.
    category_word_count_, general_word_count_, category_general_count_ : ndarray of int
        Tokens in each topic after the last sweep: n_cw, n_bw, n_cb.
    vocabulary_ : list of str
    n_iter_ : int

    Notes
    -----
    The paper takes the category drawn in the last sweep as the label. Here it is the most probable one by
    the sampler's own probabilities, averaged over the second half of the sweeps: the same answer but for
    documents that waver, with less noise, and with probabilities that are not all 0 or 1. New documents are
    drawn in the same way against the counts of the fitted ones, which stay as they are.

    As in the paper's Eq. 3, the probability of the switches x themselves has no part in a category's score.

    References
    ----------
    C. Li, J. Xing, A. Sun, Z. Ma. Effective document labeling with very few seed words: a topic model
    approach. CIKM 2016.

    C. Li, S. Chen, J. Xing, A. Sun, Z. Ma. Seed-guided topic model for document filtering and
    classification. ACM Transactions on Information Systems 37(1), 2018.

    Examples
    --------
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = STM({"sports": ["game", "team"], "money": ["bank"]}, random_state=0).fit(texts)
    >>> model.transduction_.tolist()
    ['sports', 'sports', 'money', 'money']
    >>> model.predict(["which rate?"]).tolist()
    ['money']
    """

    def __init__(
        self,
        seeds: SeedsLike | None = None,
        *,
        n_general: int | None = None,
        n_sweeps: int = 20,
        rho: float = 0.85,
        epsilon: float = 0.01,
        smoothing: float = 0.01,
        alpha0: float | None = None,
        alpha2: float = 100.0,
        beta0: float = 0.01,
        beta1: float = 0.01,
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
        self.n_general = n_general
        self.n_sweeps = n_sweeps
        self.rho = rho
        self.epsilon = epsilon
        self.smoothing = smoothing
        self.alpha0 = alpha0
        self.alpha2 = alpha2
        self.beta0 = beta0
        self.beta1 = beta1
        self.vocabulary = vocabulary
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.min_df = min_df
        self.strict = strict
        self.n_threads = n_threads
        self.random_state = random_state
        self.max_memory = max_memory

    def _learner(self) -> Learner:
        return Learner(options=STMOptions.of(self), pipeline=(SeedGuidedTopics,))


def _whole(counts: Array) -> Counted:
    return np.ascontiguousarray(counts, dtype=np.int32)


def _working(counts: Counted) -> Array:
    return np.ascontiguousarray(counts, dtype=np.float64)
