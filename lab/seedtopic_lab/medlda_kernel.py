"""The Gibbs sampler of MedLDA: topics of tokens, weights of classes, augmentation variables.

The topics theta and phi are integrated out. With s = eta_i . C_d (the counts of the document's topics), the
hinge loss of document d for class i enters a token's topic through a quadratic in s, so that the sum over the
classes is one quadratic form per document: `sweep_tokens` builds its K x K matrix once per document and pays
O(K) for a token, whatever the number of classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.signals.words import shares
from seedtopic_lab.compiled import jit

Array = NDArray[np.float64]

# Least distance from the margin: at the margin itself the mean of an augmentation rate is infinite.
_LEAST_SLACK = 1e-6
# A document's log-likelihood has settled when it changes by less than this share.
SETTLED = 1e-4

_jit = jit(fastmath=True, error_model="numpy")


@dataclass(frozen=True)
class Tokens:
    """Documents as lists of tokens: those of document d are ``words[starts[d]:starts[d + 1]]``."""

    words: NDArray[np.int32]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, counts: sp.csr_array) -> Self:
        """Write every word as often as it is counted; a fraction of an occurrence is rounded, up to one.

        Examples
        --------
        >>> Tokens.of(sp.csr_array([[2.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.3, 0.0]]))
        Tokens(words=array([0, 0, 2, 1], dtype=int32), starts=array([0, 3, 3, 4]))
        """
        times = np.maximum(np.rint(counts.data), 1).astype(np.int64)
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(times)])
        return cls(np.repeat(counts.indices, times).astype(np.int32), ends[counts.indptr])

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of tokens N_d of each document."""
        return np.diff(self.starts)


@dataclass(frozen=True)
class Settings:
    """The hyper-parameters of MedLDA; alpha is that of one topic."""

    n_topics: int
    alpha: float
    beta: float
    c: float
    ell: float
    nu2: float
    n_sweeps: int


def sample(
    tokens: Tokens,
    signs: Array,
    n_words: int,
    settings: Settings,
    rng: np.random.Generator,
    progress: Callable[[int, int], None],
) -> tuple[Array, Array]:
    """Run the sampler; return the topics phi and the weights eta.

    Their shapes are (n_topics, n_words) and (n_classes, n_topics). The shape of `signs` is (n_documents,
    n_classes): y_d^i, +1 where document d is of class i, else -1.
    """
    n_documents, n_classes = signs.shape
    n_topics = settings.n_topics
    topics = rng.integers(n_topics, size=len(tokens.words), dtype=np.int32)  # z
    documents = np.repeat(np.arange(n_documents), tokens.lengths)
    doc_topic = tally_pairs(documents, topics, n_documents, n_topics)
    word_topic = tally_pairs(tokens.words, topics, n_words, n_topics)
    per_token = 1.0 / np.maximum(tokens.lengths, 1)[:, None]
    eta = np.zeros((n_classes, n_topics))
    rates = np.full(signs.shape, settings.c**2)  # c^2 / lambda, lambda = 1
    for done in range(settings.n_sweeps):
        progress(done, settings.n_sweeps)
        linear = signs * (settings.c + settings.ell * rates)
        sweep_tokens(
            tokens.words, tokens.starts, topics, doc_topic, word_topic, word_topic.sum(axis=0),
            linear, rates, eta, settings.alpha, settings.beta, rng.integers(2**64, dtype=np.uint64),
        )  # fmt: skip
        zbar = doc_topic * per_token
        eta = draw_weights(zbar, linear, rates, settings.nu2, rng)
        slack = settings.ell - signs * (zbar @ eta.T)  # zeta
        rates = draw_rates(slack, settings.c, rng)
    progress(settings.n_sweeps, settings.n_sweeps)
    return shares((word_topic + settings.beta).T.copy()), eta


def draw_rates(slack: Array, c: float, rng: np.random.Generator) -> Array:
    """Draw c^2 / lambda ~ ``InverseGaussian(mean c / |zeta|, shape c^2)`` for every document and class.

    Michael, Schucany and Haas's transformation, the smaller root written without a difference.
    """
    mean = c / np.maximum(np.abs(slack), _LEAST_SLACK)
    half = mean * rng.standard_normal(slack.shape) ** 2 / (2.0 * c**2)
    root = mean / (1.0 + half + np.sqrt(half * (2.0 + half)))
    smaller = rng.random(slack.shape) * (mean + root) <= mean
    return np.where(smaller, root, mean * (mean / root))


def draw_weights(zbar: Array, linear: Array, rates: Array, nu2: float, rng: np.random.Generator) -> Array:
    """Draw the weights eta_i of every class from their Gaussian, given z-bar and the rates c^2 / lambda.

    The precision is I / nu^2 + sum_d (c^2 / lambda_d) zbar_d zbar_d^T and the precision times the mean is
    sum_d y_d (c + c^2 ell / lambda_d) zbar_d, whose factor is `linear`.
    """
    n_topics, n_classes = zbar.shape[1], rates.shape[1]
    precision = np.tile(np.eye(n_topics) / nu2, (n_classes, 1, 1))
    _add_precision(zbar, rates, precision)
    upper = np.linalg.cholesky(precision).transpose(0, 2, 1)
    mean = np.linalg.solve(precision, (linear.T @ zbar)[:, :, None])
    noise = np.linalg.solve(upper, rng.standard_normal((n_classes, n_topics, 1)))
    return np.asarray((mean + noise)[:, :, 0])


def fold_in(
    tokens: Tokens, topic_word: Array, alpha: float, streams: NDArray[np.uint64], n_samples: int
) -> Array:
    """Give the mean topic shares z-bar of new documents, shape (n_documents, n_topics), the topics fixed.

    Each document meets the same random numbers, one stream for each sweep: the last `n_samples` streams
    are for the samples, those before for the burn-in. So its shares do not depend on its company.
    """
    zbar = np.zeros((len(tokens.starts) - 1, topic_word.shape[0]))
    word_topic = np.ascontiguousarray(topic_word.T)
    _fold_in(tokens.words, tokens.starts, word_topic, alpha, streams, n_samples, zbar)
    return zbar


def tally_pairs(rows: NDArray[Any], columns: NDArray[Any], n_rows: int, n_columns: int) -> Array:
    flat = rows.astype(np.int64) * n_columns + columns
    return np.bincount(flat, minlength=n_rows * n_columns).reshape(n_rows, n_columns).astype(np.float64)


@_jit
def uniform(stream: Any, position: Any) -> Any:  # pragma: no cover - compiled
    """Give number `position` of a random stream (SplitMix64), from 0 to below 1."""
    x = np.uint64(stream) + (np.uint64(position) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = x ^ (x >> np.uint64(31))
    return np.float64(x >> np.uint64(11)) * 2.0**-53


@_jit
def _choose(cumulative: Any, level: Any) -> Any:  # pragma: no cover - compiled
    """Give the first topic whose cumulative weight exceeds the level."""
    k = 0
    while k < len(cumulative) - 1 and cumulative[k] <= level:
        k += 1
    return k


@_jit
def _add_precision(zbar: Any, rates: Any, precision: Any) -> None:  # pragma: no cover - compiled
    """Add sum_d rate_di zbar_d zbar_d^T to the matrix of each class; most topics of a document are empty."""
    for d in range(zbar.shape[0]):
        used = np.flatnonzero(zbar[d])
        for i in range(rates.shape[1]):
            for k in used:
                scaled = rates[d, i] * zbar[d, k]
                for j in used:
                    precision[i, k, j] += scaled * zbar[d, j]


@_jit
def sweep_tokens(  # pragma: no cover - compiled
    words: Any, starts: Any, topics: Any, doc_topic: Any, word_topic: Any, topic_totals: Any,
    linear: Any, rates: Any, eta: Any, alpha: float, beta: float, stream: Any,
) -> None:  # fmt: skip
    """Draw the topic of every token in turn, given all others."""
    n_classes, n_topics = eta.shape
    n_words = word_topic.shape[0]
    gram = np.empty((n_topics, n_topics))
    base, pull, exponent = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    weight, cumulative = np.empty(n_topics), np.empty(n_topics)
    inverse = 1.0 / (topic_totals + n_words * beta)
    for d in range(len(starts) - 1):
        length = starts[d + 1] - starts[d]
        if length == 0:
            continue
        counts = doc_topic[d]
        # gram = sum_i (c^2 / lambda_i) eta_i eta_i^T / N^2;  base_k = sum_i linear_i eta_ik / N - gram_kk / 2
        gram[:] = 0.0
        base[:] = 0.0
        for i in range(n_classes):
            for k in range(n_topics):
                scaled = rates[d, i] / (length * length) * eta[i, k]
                base[k] += linear[d, i] / length * eta[i, k]
                for j in range(n_topics):
                    gram[k, j] += scaled * eta[i, j]
        pull[:] = 0.0  # gram @ counts, the current token left out when one is drawn
        for k in range(n_topics):
            base[k] -= 0.5 * gram[k, k]
            for j in range(n_topics):
                pull[j] += counts[k] * gram[k, j]
        for n in range(starts[d], starts[d + 1]):
            w, z = words[n], topics[n]
            counts[z] -= 1.0
            word_topic[w, z] -= 1.0
            topic_totals[z] -= 1.0
            inverse[z] = 1.0 / (topic_totals[z] + n_words * beta)
            highest = base[0] - pull[0] + gram[z, 0]
            for k in range(n_topics):
                pull[k] -= gram[z, k]
                exponent[k] = base[k] - pull[k]
                highest = max(highest, exponent[k])
            for k in range(n_topics):
                weight[k] = np.exp(exponent[k] - highest)
            for k in range(n_topics):
                weight[k] *= (word_topic[w, k] + beta) * inverse[k] * (counts[k] + alpha)
            total = 0.0
            for k in range(n_topics):
                total += weight[k]
                cumulative[k] = total
            z = _choose(cumulative, uniform(stream, n) * total)
            topics[n] = z
            counts[z] += 1.0
            word_topic[w, z] += 1.0
            topic_totals[z] += 1.0
            inverse[z] = 1.0 / (topic_totals[z] + n_words * beta)
            for k in range(n_topics):
                pull[k] += gram[z, k]


@_jit
def _fold_in(  # pragma: no cover - compiled
    words: Any, starts: Any, phi: Any, alpha: float, streams: Any, n_samples: int, zbar: Any
) -> None:
    n_topics = phi.shape[1]
    burn_in = len(streams) - n_samples
    cumulative = np.empty(n_topics)
    for d in range(len(starts) - 1):
        first, length = starts[d], starts[d + 1] - starts[d]
        if length == 0:
            continue
        topics = np.full(length, -1)
        counts = np.zeros(n_topics)
        s, before = 0, 0.0
        while s < len(streams):
            likelihood = 0.0
            for n in range(length):
                if topics[n] >= 0:
                    counts[topics[n]] -= 1.0
                total = 0.0
                for k in range(n_topics):
                    total += phi[words[first + n], k] * (counts[k] + alpha)
                    cumulative[k] = total
                topics[n] = _choose(cumulative, uniform(streams[s], n) * total)
                counts[topics[n]] += 1.0
                if s < burn_in:
                    likelihood += np.log(total)
            if s >= burn_in:
                zbar[d] += counts / (length * n_samples)
            elif s > 0 and abs(likelihood - before) < SETTLED * abs(before):
                s = burn_in - 1  # settled: on to the samples
            before = likelihood
            s += 1
