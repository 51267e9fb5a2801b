"""Generalised EM (Algorithm 2): starts, E-step over shards, M-step, and folding in with fixed words.

`run` is the loop of the models of the papers. The default model brings a loop over blocks of its own, of the
same starts and updates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checkpoint import NO_CHECKPOINT, Checkpoint
from seedtopic.base.checks import check_objective, debugging
from seedtopic.learning.signals.words import shares
from seedtopic.learning.topics.kernels.interface import Floats, Kernel, Parameters, Scratch, Shard, Statistics

Array = NDArray[np.float64]

SHARD_DOCUMENTS = 8_192  # of the smallest shard


def cut(weighted: sp.csr_array) -> list[Shard]:
    """Cut documents into shards, the last one being what is left.

    Both their size and their number grow with the square root of the number of documents: many shards can be
    spread over many workers, but the statistics of all words come back from each.
    """
    n_documents = weighted.shape[0]
    size = max(SHARD_DOCUMENTS, math.isqrt(SHARD_DOCUMENTS * n_documents))
    return [Shard.of(weighted[start : start + size]) for start in range(0, n_documents, size)]


@dataclass(frozen=True)
class Expectation:
    """An E-step over all documents."""

    shards: Sequence[Shard]  # see `cut`
    kernel: Kernel
    scratch: Scratch = field(default_factory=Scratch)  # memory that the shards take turns to use

    def __call__(
        self, parameters: Parameters, relevance: Floats, *, bayes: bool, want_likelihood: bool = False
    ) -> Statistics:
        """Compute expected counts, and add up those of words in the order of the shards.

        A shard is done with before the next one begins, so that the kernel may use its arrays again and the
        statistics of words are in memory once, not once a shard.
        """
        doc_topic = np.empty_like(parameters.doc_topic, order="C")
        doc_background = np.empty_like(parameters.doc_background, order="C")
        word_topic: Floats | None = None
        word_background: Floats | None = None
        log_likelihood, start = 0.0, 0
        for shard in self.shards:
            rows = slice(start, start + shard.n_documents)
            own = (parameters.doc_topic[rows], parameters.doc_background[rows])
            part = self.kernel(
                shard, Parameters(*own, parameters.word_topic, parameters.word_background), relevance,
                bayes=bayes, want_likelihood=want_likelihood, scratch=self.scratch,
            )  # fmt: skip
            doc_topic[rows], doc_background[rows] = part.doc_topic, part.doc_background
            word_topic = _added(word_topic, part.word_topic)
            word_background = _added(word_background, part.word_background)
            log_likelihood += part.log_likelihood
            start = rows.stop
        return Statistics(doc_topic, doc_background, word_topic, word_background, log_likelihood)


def _added(total: Floats | None, part: Floats | None) -> Floats | None:
    if total is None or part is None:
        return None if part is None else part.copy()
    total += part
    return total


@dataclass(frozen=True)
class Settings:
    """The constants of the model, by their symbols in the paper."""

    bayes: bool  # whether the E-step is the Bayes posterior or Eqs. 10-11 as printed
    alpha_background: float  # alpha-hat
    beta: float
    beta_background: float  # beta-hat
    max_iter: int  # number of iterations


# The M-step of theta, in which the models differ, from expected counts m_dk and the theta they are from.
ThetaUpdate = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True)
class Fitted:
    """Parameters after the last iteration, and Eq. 9 before each (empty when not tracked)."""

    parameters: Parameters
    objective: list[float]


def run(
    expectation: Expectation,
    relevance: Floats,
    start: Parameters,
    settings: Settings,
    update_theta: ThetaUpdate,
    *,
    log_prior: Callable[[Array], float] | None = None,
    rises: bool = False,
    on_iteration: Callable[[int, int], None] = lambda done, total: None,
    checkpoint: Checkpoint = NO_CHECKPOINT,
) -> Fitted:
    """Maximise Eq. 9 from a start."""
    parameters, objective, done = start, [], 0
    stored = checkpoint.recall("learning")
    if stored is not None:
        done, objective = int(stored.pop("done")), stored.pop("objective").tolist()
        parameters = Parameters(**stored)
    for iteration in range(done, settings.max_iter):
        statistics = expectation(
            parameters, relevance, bayes=settings.bayes, want_likelihood=log_prior is not None
        )
        if log_prior is not None:
            objective.append(log_posterior(statistics.log_likelihood, parameters, log_prior, settings))
            if debugging():
                check_objective(objective, rises=rises)
        parameters = mstep(statistics, parameters.doc_topic, update_theta, settings)
        progress = {"done": np.array(iteration + 1), "objective": np.array(objective)}
        is_last = iteration + 1 == settings.max_iter
        checkpoint.keep("learning", {**vars(parameters), **progress}, last=is_last)
        on_iteration(iteration + 1, settings.max_iter)
    return Fitted(parameters, objective)


def is_exact(settings: Settings, relevance: Floats, lam: float) -> bool:
    """Return whether these updates are EM proper, by which Eq. 9 never falls.

    It is where the E-step is the Bayes posterior, theta is not smoothed along a graph, and delta does not
    depend on theta because a word is as relevant to all categories.
    """
    return settings.bayes and lam == 0 and bool((relevance == relevance[:, :1]).all())


def mstep(statistics: Statistics, theta: Floats, update_theta: ThetaUpdate, settings: Settings) -> Parameters:
    """Update every latent variable from expected counts (Eqs. 12-16)."""
    if statistics.word_topic is None or statistics.word_background is None:
        raise TypeError("the M-step needs the word statistics: call the kernel with want_words=True")
    return Parameters(
        update_theta(statistics.doc_topic, theta).astype(statistics.doc_topic.dtype),
        background_shares(statistics.doc_background, settings),
        *word_distributions(statistics.word_topic, statistics.word_background, settings),
    )


def background_shares(expected: Floats, settings: Settings) -> Floats:
    """Update theta-hat from expected counts (Eq. 12)."""
    return _distributions(expected, settings.alpha_background, axis=1)


def word_distributions(topic: Floats, background: Floats, settings: Settings) -> tuple[Floats, Floats]:
    """Update phi and phi-hat from expected counts (Eqs. 13 and 14)."""
    return (
        _distributions(topic, settings.beta, axis=0),
        _distributions(background, settings.beta_background, axis=0),
    )


def log_posterior(
    log_likelihood: float, parameters: Parameters, log_prior: Callable[[Array], float], settings: Settings
) -> float:
    """Compute Eq. 9 up to a constant: likelihood, prior of theta, Dirichlet priors of the rest."""
    value = log_likelihood + log_prior(parameters.doc_topic.astype(np.float64))
    for distribution, exponent in (
        (parameters.doc_background, settings.alpha_background),
        (parameters.word_topic, settings.beta),
        (parameters.word_background, settings.beta_background),
    ):
        value += exponent * float(np.log(distribution).sum(dtype=np.float64))
    return value


class Folding(NamedTuple):
    """New documents, and the words of a fitted model by which their theta is inferred."""

    weighted: sp.csr_array
    alpha: Array
    relevance: Floats
    word_topic: Floats
    word_background: Floats
    settings: Settings
    estep: Kernel

    def expected(self, weighted: sp.csr_array, theta: Floats, theta_hat: Floats) -> Statistics:
        """Return the expected counts of documents, without those of words."""
        current = Parameters(theta, theta_hat, self.word_topic, self.word_background)
        bayes = self.settings.bayes
        return self.estep(Shard.of(weighted), current, self.relevance, bayes=bayes, want_words=False)

    def start(self) -> tuple[Floats, Floats]:
        """Return theta at the mean of its prior, and theta-hat even."""
        shape, dtype = (len(self.alpha), self.word_background.shape[1]), self.word_topic.dtype
        return shares(self.alpha).astype(dtype), np.full(shape, 1.0 / shape[1], dtype)


def fold_in(folding: Folding, max_iter: int = 50, tol: float = 1e-4) -> Floats:
    """Infer theta of new documents with phi and phi-hat fixed and without a graph.

    A document is done when no entry of its theta moves by more than `tol`, whatever the others do: its
    answer does not depend on the company it came in.
    """
    result, theta_hat = folding.start()
    moving = np.arange(len(result))
    theta = result.copy()  # not the result itself, which is written before the two are compared
    for _ in range(max_iter):
        statistics = folding.expected(folding.weighted[moving], theta, theta_hat)
        before, theta = theta, shares(statistics.doc_topic + folding.alpha[moving]).astype(theta.dtype)
        theta_hat = background_shares(statistics.doc_background, folding.settings)
        result[moving] = theta
        still = np.abs(theta - before).max(axis=1, initial=0.0) > tol
        moving, theta, theta_hat = moving[still], theta[still], theta_hat[still]
        if len(moving) == 0:
            break
    return result


def fold_in_by_word(folding: Folding, max_iter: int = 50, tol: float = 1e-4) -> Array:
    """Fold one document in as `fold_in` does, and return what each of its words gives to each topic."""
    weighted, n_words = folding.weighted, folding.weighted.nnz
    each_alone = sp.csr_array(
        (weighted.data, weighted.indices, np.arange(n_words + 1)), shape=(n_words, weighted.shape[1])
    )
    theta, theta_hat = folding.start()
    of_words = np.zeros((n_words, theta.shape[1]))
    for _ in range(max_iter):
        repeated = (np.repeat(theta, n_words, axis=0), np.repeat(theta_hat, n_words, axis=0))
        statistics = folding.expected(each_alone, *repeated)
        of_words = statistics.doc_topic.astype(np.float64)
        total = of_words.sum(axis=0, keepdims=True) + folding.alpha
        before, theta = theta, shares(total).astype(theta.dtype)
        background = statistics.doc_background.sum(axis=0, keepdims=True)
        theta_hat = background_shares(background, folding.settings)
        if np.abs(theta - before).max() <= tol:
            break
    return of_words


def start_random(n_words: int, alpha: Array, n_background: int, rng: np.random.RandomState) -> Parameters:
    """Start everything at random, as Algorithm 2 says."""
    start = start_prior(n_words, alpha, n_background, rng)
    theta = shares(rng.standard_exponential(alpha.shape)).astype(np.float32)
    return replace(start, doc_topic=theta)


def start_prior(n_words: int, alpha: Array, n_background: int, rng: np.random.RandomState) -> Parameters:
    """Start theta at the mean of its prior, phi and phi-hat at random, theta-hat even."""
    words = start_words(n_words, alpha.shape[1], n_background, rng)
    return Parameters(*start_documents(alpha, n_background), *words)


def start_documents(alpha: Array, n_background: int) -> tuple[Floats, Floats]:
    """Start theta at the mean of its prior, theta-hat even."""
    even = np.full((len(alpha), n_background), 1.0 / n_background, np.float32)
    return shares(alpha).astype(np.float32), even


def start_words(
    n_words: int, n_topics: int, n_background: int, rng: np.random.RandomState
) -> tuple[Floats, Floats]:
    """Start phi and phi-hat at random."""
    return _random_words(n_words, n_topics, rng), _random_words(n_words, n_background, rng)


def start_seed(
    n_words: int, alpha: Array, n_background: int, rng: np.random.RandomState, seed_words: Array, beta: float
) -> Parameters:
    """Start phi at the words of seed-bearing documents, the rest as `start_prior`."""
    start = start_prior(n_words, alpha, n_background, rng)
    return replace(start, word_topic=_distributions(seed_words.astype(np.float32), beta, axis=0))


def _distributions(expected: Floats, prior: float, axis: int) -> Floats:
    """Posterior mean of a multinomial under a symmetric Dirichlet; the sum is made in float64."""
    total = expected.sum(axis=axis, keepdims=True, dtype=np.float64) + expected.shape[axis] * prior
    return np.asarray((expected + prior) * (1.0 / total).astype(expected.dtype))


def _random_words(n_words: int, n_topics: int, rng: np.random.RandomState) -> Floats:
    """Nearly even word distributions: enough to break the tie between topics, not to drown the prior."""
    draws = rng.gamma(100.0, 0.01, size=(n_words, n_topics))
    return np.asarray(draws / draws.sum(axis=0), dtype=np.float32)
