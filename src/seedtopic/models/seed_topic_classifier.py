"""SeedTopicClassifier: our own model, the one to pick; one setting for every corpus."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.utils import check_random_state

from seedtopic import em
from seedtopic.calibration import believable_confidence, temper, temperature_for
from seedtopic.cooccurrence import seed_cooccurrence
from seedtopic.corpus import MinDf
from seedtopic.first_guess import guess_category, guess_prior, spread_seeds
from seedtopic.graph import similarity_graph
from seedtopic.kernels import KernelName, Shard, get_kernel, resolve_kernel
from seedtopic.kernels.threads import resolve_threads, thread_limit
from seedtopic.logistic import Regression
from seedtopic.manifold import Manifold, SmoothedTheta
from seedtopic.mixture import LEAST_BALANCE, Mixture, balance, fit_mixture, mixture_helps
from seedtopic.models.base import SeedModel, SeedsLike
from seedtopic.models.parameters import check_choice, check_number
from seedtopic.naive_bayes import log_scores, log_word_probabilities
from seedtopic.prior import prototype_similarity, prototypes, seed_counts, seed_frequency
from seedtopic.progress import Progress
from seedtopic.relevance import word_relevance
from seedtopic.seeds import BoundSeeds
from seedtopic.self_training import self_train
from seedtopic.shares import shares
from seedtopic.text import StopWords, Tokenizer
from seedtopic.vectors import sublinear, unit_rows, word_rarity
from seedtopic.weighting import log_weights

Array = NDArray[np.float64]

EPSILON = 0.01  # least relevance of any word
BETA = 0.01  # of the word distributions of all topics
ALPHA_BACKGROUND = 0.1


class SeedTopicClassifier(SeedModel):
    """Seed words, a topic model, a document graph and a classifier that trains itself.

    1. A first guess for each document, from its seed words, from prototypes of the categories (WSPTM's
       Eq. 7) and from naive Bayes fitted to the documents near seeds.
    2. A topic model with background topics (the E-step of WSPTM, as the Bayes posterior), smoothed along the
       graph, in which the relevance of words follows what has been learned.
    3. A logistic regression on TF-IDF, fitted to the result and then to its own and the neighbours' answer,
       with the sizes of the categories held.
    4. Where categories are of like sizes and neighbours agree, a mixture with one category per document.

    What follows the topic model, and each addition to it, can be switched off by its parameter. The defaults
    are one setting for every corpus.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category; a path names a TOML or JSON file.
    n_neighbors : int
        Nearest documents each document is joined with; 0 switches the graph off.
    naive_bayes_start : bool
        Whether naive Bayes has a say in the first guess beside the prototypes.
    n_background : int
        Background topics.
    max_iter : int
        Iterations of the topic model.
    refresh_relevance : int
        Iterations after which the relevance of words is computed anew; 0 leaves it at the seeds'.
    smoothing_steps : int
        Steps by which topic shares are smoothed along the graph in each iteration; 0 switches this off.
    refine : bool
        Whether the regression follows the topic model.
    self_training_rounds : int
        Rounds in which the regression learns from itself, where the categories are of like sizes; 0 fits it
        to the topic model alone.
    mixture : "auto", True or False
        Whether the mixture ends the work; "auto" decides by the sizes of the categories and by the agreement
        of neighbours, without labels.
    calibrate : bool
        Whether probabilities are tempered so that their mean confidence is a guess, made without labels, of
        the share that is right; see `seedtopic.calibration`. The labels do not change.
    kernel : "auto", "c", "numba" or "numpy"
        How the E-step is computed, up to rounding with the same result; "auto" is "c" where that was built,
        else "numba".
    vocabulary, tokenizer, stop_words, min_df, strict, n_threads, random_state
        See `LapSWTM`.

    Attributes
    ----------
    classes_ : ndarray of str
        The categories in the order of the seeds.
    transduction_ : ndarray of str
        The labels of the fitted documents.
    label_distributions_ : ndarray, shape (n_documents, n_categories)
        Their probabilities; even for a document without a word that tells anything.
    topic_word_, background_word_ : ndarray
        Word distributions of the topic model, a topic a row.
    relevance_ : ndarray, shape (n_words, n_categories)
        gamma, after the last iteration.
    coef_, intercept_ : ndarray, shapes (n_categories, n_words) and (n_categories,)
        The regression; of size 0 where `refine` is off.
    mixture_word_, mixture_bias_ : ndarray, shapes (n_categories, n_words) and (n_categories,)
        ln p(word | category) of the mixture, and its bias; of size 0 where it was not used.
    temperature_ : float
        By which the probabilities of new documents are tempered.
    vocabulary_ : list of str
    objective_ : ndarray
        Empty: the steps do not share one objective.
    n_iter_ : int

    References
    ----------
    B. Wang, Y. Wang, X. Li, J. Ouyang. Weakly supervised prototype topic model with discriminative seed
    words: modifying the category prior by self-exploring supervised signals. Soft Computing 27, 2023.
    The prototypes, the relevance of words and the topic model with background topics are theirs; the graph,
    the first guess and steps 3 and 4 are ours.

    Examples
    --------
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0)
    >>> model.fit(texts).transduction_.tolist()
    ['sports', 'sports', 'money', 'money']
    >>> model.predict(["which rate?"]).tolist()
    ['money']
    """

    _learned = (
        *SeedModel._learned,
        "topic_word_", "background_word_", "relevance_", "word_weights_", "rarity_", "prototype_",
        "start_word_", "seed_frequency_", "coef_", "intercept_", "mixture_word_", "mixture_bias_",
        "temperature_", "objective_", "n_iter_",
    )  # fmt: skip

    def __init__(
        self,
        seeds: SeedsLike | None = None,
        *,
        n_neighbors: int = 10,
        naive_bayes_start: bool = True,
        n_background: int = 40,
        max_iter: int = 30,
        refresh_relevance: int = 5,
        smoothing_steps: int = 3,
        refine: bool = True,
        self_training_rounds: int = 3,
        mixture: Literal["auto"] | bool = "auto",
        calibrate: bool = True,
        kernel: KernelName = "auto",
        vocabulary: Sequence[str] | None = None,
        tokenizer: Tokenizer | None = None,
        stop_words: StopWords = "english",
        min_df: MinDf = "auto",
        strict: bool = False,
        n_threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
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
        )
        self.n_neighbors = n_neighbors
        self.naive_bayes_start = naive_bayes_start
        self.n_background = n_background
        self.max_iter = max_iter
        self.refresh_relevance = refresh_relevance
        self.smoothing_steps = smoothing_steps
        self.refine = refine
        self.self_training_rounds = self_training_rounds
        self.mixture = mixture
        self.calibrate = calibrate
        self.kernel = kernel

    def _learn(
        self, counts: sp.csr_array, seeds: BoundSeeds, progress: Progress
    ) -> NDArray[np.floating[Any]]:
        n_threads = resolve_threads(self.n_threads)
        rng = check_random_state(self.random_state)
        self.rarity_ = word_rarity(counts)
        vectors = self._vectors(counts)
        progress("finding neighbours", 0, 1)
        similarity = similarity_graph(vectors, self.n_neighbors, n_threads)
        averaging = Manifold.of(sp.csr_array((similarity + similarity.T) / 2)).averaging
        progress("finding neighbours", 1, 1)

        self._learn_prior(counts, vectors, seeds, averaging)
        with thread_limit(n_threads):
            theta = self._learn_topics(counts, seeds, averaging, rng, progress)
        posterior = self._refined(vectors, theta, averaging, similarity, progress)
        self.temperature_ = 1.0
        if self.calibrate:
            progress("calibrating", 0, 1)
            confidence = believable_confidence(vectors, posterior, rng)
            self.temperature_ = temperature_for(self._from_words(counts, vectors), confidence)
            posterior = temper(posterior, temperature_for(posterior, confidence))
            progress("calibrating", 1, 1)
        return _even_without_evidence(posterior, vectors)

    def _infer(self, counts: sp.csr_array) -> NDArray[np.floating[Any]]:
        vectors = self._vectors(counts)
        tempered = temper(self._from_words(counts, vectors), float(self.temperature_))
        return _even_without_evidence(tempered, vectors)

    def _from_words(self, counts: sp.csr_array, vectors: sp.csr_array) -> Array:
        """Label documents from their words alone, by the last step that was taken."""
        if self.mixture_word_.size:
            return Mixture(self.mixture_word_.T, self.mixture_bias_).posterior(vectors)
        if self.coef_.size:
            return np.asarray(softmax(Regression(self.coef_.T, self.intercept_).log_odds(vectors), axis=1))
        with thread_limit(resolve_threads(self.n_threads)):
            theta = em.fold_in(
                self._weighted(counts),
                self._prior(counts, self.seeds_.bind(self.vocabulary_).membership),
                self.relevance_.astype(np.float32),
                np.ascontiguousarray(self.topic_word_.T),
                np.ascontiguousarray(self.background_word_.T),
                self._settings(),
                get_kernel(self.kernel),
            )
        return theta.astype(np.float64)

    def _vectors(self, counts: sp.csr_array) -> sp.csr_array:
        """Sublinear TF-IDF: what the graph, naive Bayes and the regression see."""
        return unit_rows(sublinear(counts, self.rarity_))

    def _weighted(self, counts: sp.csr_array) -> sp.csr_array:
        """Damped counts times pi(v): what the topic model sees."""
        return sublinear(counts, self.word_weights_)

    def _learn_prior(
        self, counts: sp.csr_array, vectors: sp.csr_array, seeds: BoundSeeds, averaging: sp.csr_array
    ) -> None:
        """Keep what the first guess needs to know of the collection."""
        word_totals = np.asarray(counts.sum(axis=0), dtype=np.float64)
        cooccurrence = seed_cooccurrence(counts, seeds.membership)
        self.word_weights_ = log_weights(word_totals)
        self.relevance_ = word_relevance(cooccurrence, EPSILON)
        self.prototype_ = prototypes(cooccurrence, np.asarray(seeds.membership @ word_totals))
        self.seed_frequency_ = seed_frequency(word_totals, seeds.membership)
        near_seeds = spread_seeds(shares(seed_counts(counts, seeds.membership)), averaging)
        self.start_word_ = log_word_probabilities(vectors, near_seeds).T

    def _prior(self, counts: sp.csr_array, membership: sp.csr_array) -> Array:
        """Give the Dirichlet parameters of each document."""
        similarity = prototype_similarity(counts, self.prototype_)
        say = float(self.naive_bayes_start)
        naive_bayes = say * log_scores(self._vectors(counts), self.start_word_.T)
        guess = guess_category(similarity, naive_bayes, self.seed_frequency_ > 0)
        length = np.asarray(self._weighted(counts).sum(axis=1), dtype=np.float64)
        return guess_prior(shares(seed_counts(counts, membership)), guess, length)

    def _learn_topics(
        self,
        counts: sp.csr_array,
        seeds: BoundSeeds,
        averaging: sp.csr_array,
        rng: np.random.RandomState,
        progress: Progress,
    ) -> Array:
        """Fit the topic model; give theta."""
        shard = Shard.of(self._weighted(counts))
        alpha = self._prior(counts, seeds.membership)
        theta_step = SmoothedTheta(alpha, averaging, self.smoothing_steps)
        documents_of_word = sp.csr_array(counts.astype(bool).astype(np.float64).T)

        def refreshed(iteration: int, theta: NDArray[np.floating[Any]]) -> NDArray[np.float32] | None:
            if not self.refresh_relevance or iteration == 0 or iteration % self.refresh_relevance:
                return None
            met = np.asarray(documents_of_word @ theta.astype(np.float64))
            met[:, self.seed_frequency_ == 0] = 0.0  # a category without a seed must not feed on itself
            return word_relevance(np.ascontiguousarray(met.T), EPSILON).astype(np.float32)

        fitted = em.run(
            shard,
            self.relevance_.astype(np.float32),
            em.start_prior(shard, alpha, self.n_background, rng),
            self._settings(),
            get_kernel(self.kernel),
            theta_step.update,
            refresh=refreshed,
            on_iteration=partial(progress, "learning"),
        )
        self.relevance_ = fitted.relevance.astype(np.float64)
        self.topic_word_ = np.ascontiguousarray(fitted.parameters.word_topic.T)
        self.background_word_ = np.ascontiguousarray(fitted.parameters.word_background.T)
        self.objective_ = np.array(fitted.objective)
        self.n_iter_ = self.max_iter
        return fitted.parameters.doc_topic.astype(np.float64)

    def _refined(
        self,
        vectors: sp.csr_array,
        theta: Array,
        averaging: sp.csr_array,
        similarity: sp.csr_array,
        progress: Progress,
    ) -> Array:
        """Let the regression, and the mixture where it is wanted, follow the topic model."""
        nothing, marginals, posterior = np.empty((theta.shape[1], 0)), theta.mean(axis=0), theta
        self.coef_: NDArray[np.floating[Any]] = nothing
        self.intercept_: NDArray[np.floating[Any]] = nothing
        self.mixture_word_, self.mixture_bias_ = nothing, nothing
        if self.refine:
            told = partial(progress, "refining")
            # Where a few categories hold most documents, self-training starves the small ones.
            rounds = self.self_training_rounds if balance(marginals) > LEAST_BALANCE else 0
            regression = self_train(vectors, theta, averaging, rounds, told)
            self.coef_, self.intercept_ = regression.weights.T, regression.intercept
            posterior = np.asarray(softmax(regression.log_odds(vectors), axis=1))
        wanted = mixture_helps(similarity, marginals, posterior) if self.mixture == "auto" else self.mixture
        if wanted:
            fitted, posterior = fit_mixture(vectors, posterior, marginals, averaging)
            self.mixture_word_, self.mixture_bias_ = fitted.log_words.T, fitted.bias
        return posterior

    def _settings(self) -> em.Settings:
        return em.Settings(
            bayes=True,
            alpha_background=ALPHA_BACKGROUND,
            beta=BETA,
            beta_background=BETA,
            max_iter=self.max_iter,
        )

    def _check_parameters(self) -> None:
        for name in ("n_background", "max_iter"):
            check_number(name, getattr(self, name), least=1, whole=True)
        for name in ("n_neighbors", "refresh_relevance", "smoothing_steps", "self_training_rounds"):
            check_number(name, getattr(self, name), least=0, whole=True)
        for name in ("naive_bayes_start", "refine", "calibrate"):
            check_choice(name, getattr(self, name), (True, False))
        check_choice("mixture", self.mixture, ("auto", True, False))
        resolve_kernel(self.kernel)


def _even_without_evidence(posterior: Array, vectors: sp.csr_array) -> Array:
    """Give every class alike to a document without a word that tells anything."""
    told = np.asarray(vectors.multiply(vectors).sum(axis=1)) > 0
    return np.where(told[:, None], posterior, 1.0 / posterior.shape[1])
