"""keyATM, the keyword-assisted topic model (Eshima, Imai & Sasaki, AJPS 2024), from its mathematics."""

# ruff: noqa: NPY002 - inside compiled code these are numba's own random numbers, not numpy's global state

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.model.estimator import SeedsLike
from seedtopic.seeds import Seeds
from seedtopic_lab.compiled import jit

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

BETA, BETA_KEYWORD = 0.01, 0.1  # Dirichlet priors of a word in a topic: beyond the keywords, among them
GAMMA = 1.0  # both numbers of the Beta prior of a topic's share of keywords
# Shape of the Gamma prior of alpha, whose rate is 1: of topics with keywords, and of those without.
SHAPE_KEYWORD, SHAPE_OTHER = 1.0, 2.0
STEP = 0.2  # of the slice sampler of log alpha; changes its speed alone
NOTHING = 1e-9  # what is left of a weighted count of 0 after additions and subtractions


@dataclass
class KeyATM:
    """The base model by collapsed Gibbs sampling, a topic per category and some without keywords.

    A token comes from its topic's keywords or from its topic's other distribution over all words. Counts are
    weighted by the information of their word, -log2 of its share of all tokens. A document's label is the
    category whose topic has the largest share in it after the last round.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category.
    vocabulary : sequence of str
        The words of the columns.
    n_other : int
        Topics without keywords.
    iterations : int
        Rounds of sampling; 1,500 is the default of the authors' package.
    random_state : int, optional
        Seed of the sampler.

    Examples
    --------
    >>> counts = sp.csr_array([[3.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 2.0], [0.0, 3.0, 0.0, 0.0]])
    >>> peer = KeyATM({"sports": ["game"], "money": ["bank"]}, ["game", "goal", "bank", "rate"],
    ...              n_other=0, iterations=100, random_state=0)
    >>> peer.fit(counts).transduction_.tolist()
    ['sports', 'money', 'sports']
    """

    seeds: SeedsLike
    vocabulary: Sequence[str]
    n_other: int = 5
    iterations: int = 1500
    random_state: int | None = None

    def fit(self, counts: sp.csr_array) -> Self:
        """Label the documents."""
        seeds = Seeds.of(self.seeds)
        membership = seeds.bind(self.vocabulary).membership.toarray() > 0
        is_keyword = np.zeros((counts.shape[1], len(seeds.names) + self.n_other), dtype=np.bool_)
        is_keyword[:, : len(seeds.names)] = membership.T
        times = counts.data.astype(np.int64)
        tokens = np.repeat(counts.indices.astype(np.int64), times)
        starts = np.concatenate([[0], np.cumsum(times)])[counts.indptr]  # of each document's tokens
        seed = int(np.random.default_rng(self.random_state).integers(2**32))
        document_topic, alpha = _sample(
            tokens, starts, word_information(tokens, counts.shape[1]), is_keyword, self.iterations, seed
        )
        share = (document_topic + alpha)[:, : len(seeds.names)]
        self.transduction_ = np.array(seeds.names)[share.argmax(axis=1)]
        return self


def word_information(tokens: Integers, n_words: int) -> Array:
    """Return the bits of information of each word.

    Examples
    --------
    >>> word_information(np.array([0, 0, 1, 2]), 3).tolist()
    [1.0, 2.0, 2.0]
    """
    share = np.maximum(np.bincount(tokens, minlength=n_words), 1) / max(len(tokens), 1)
    information: Array = -np.log2(share)
    return information


@jit(error_model="numpy")
def _log_gamma(x: float) -> float:
    if x > 10.0:  # Stirling's series, exact to 1e-9 here and three times as fast
        y = 1.0 / (x * x)
        return (x - 0.5) * math.log(x) - x + 0.9189385332046727 + (1 / 12 - y * (1 / 360 - y / 1260)) / x
    return math.lgamma(x)


@jit(error_model="numpy")
def _log_posterior(
    topic: int, log_value: float, alpha: Array, document_topic: Array, lengths: Array, shape: float
) -> float:
    """Return the log density of log alpha of a topic, up to a constant."""
    value = math.exp(log_value)
    total = alpha.sum() - alpha[topic] + value
    result = shape * log_value - value  # Gamma(shape, 1), and the change from alpha to its logarithm
    of_total, of_value = _log_gamma(total), _log_gamma(value)
    for document in range(len(lengths)):
        result += of_total - _log_gamma(lengths[document] + total)
        count = document_topic[document, topic]
        if count > NOTHING:
            result += _log_gamma(count + value) - of_value
    return result


@jit(error_model="numpy")
def _draw_alpha(alpha: Array, document_topic: Array, lengths: Array, shapes: Array) -> None:
    """Draw each alpha by Neal's slice sampler on its logarithm, with stepping out."""
    for topic in range(len(alpha)):
        start = math.log(alpha[topic])
        level = _log_posterior(topic, start, alpha, document_topic, lengths, shapes[topic])
        level += math.log(1.0 - np.random.random())
        left = start - STEP * np.random.random()
        right = left + STEP
        while _log_posterior(topic, left, alpha, document_topic, lengths, shapes[topic]) > level:
            left -= STEP
        while _log_posterior(topic, right, alpha, document_topic, lengths, shapes[topic]) > level:
            right += STEP
        while True:
            drawn = left + (right - left) * np.random.random()
            if _log_posterior(topic, drawn, alpha, document_topic, lengths, shapes[topic]) >= level:
                break
            if drawn < start:
                left = drawn
            else:
                right = drawn
        alpha[topic] = math.exp(drawn)


@jit(error_model="numpy")
def _factor(n_other: Array, n_keyword: Array, topic: int, has_keywords: bool, n_words: int) -> float:
    """Return the part of a token's weight that all tokens of a topic share if not from its keywords."""
    factor = 1.0 / (n_words * BETA + n_other[topic])
    if has_keywords:
        factor *= (GAMMA + n_other[topic]) / (2 * GAMMA + n_other[topic] + n_keyword[topic])
    return float(factor)


@jit(error_model="numpy")
def _sample(
    tokens: Integers,
    starts: Integers,
    weights: Array,
    is_keyword: NDArray[np.bool_],
    rounds: int,
    seed: int,
    draws_alpha: bool = True,
) -> tuple[Array, Array]:
    """Return the weighted tokens of each document by topic after the last round, and alpha.

    The topic z of a token is drawn given whether it is from the keywords (s), then s given z.
    """
    np.random.seed(seed)
    (n_words, n_topics), n_documents = is_keyword.shape, len(starts) - 1
    n_keywords = is_keyword.sum(axis=0)
    shapes = np.where(n_keywords > 0, SHAPE_KEYWORD, SHAPE_OTHER)
    alpha = np.full(n_topics, 1.0 / n_topics)
    other_word, keyword_word = np.zeros((n_words, n_topics)), np.zeros((n_words, n_topics))
    n_other, n_keyword = np.zeros(n_topics), np.zeros(n_topics)
    document_topic = np.zeros((n_documents, n_topics))
    topic_of = np.empty(len(tokens), dtype=np.int64)
    from_keywords = np.zeros(len(tokens), dtype=np.bool_)
    listed = is_keyword.sum(axis=1) > 0

    for document in range(n_documents):  # at random; a keyword starts in one of its topics
        for token in range(starts[document], starts[document + 1]):
            word, weight = tokens[token], weights[tokens[token]]
            topic = np.random.randint(n_topics)
            if listed[word]:
                owners = np.flatnonzero(is_keyword[word])
                topic = owners[np.random.randint(len(owners))]
                from_keywords[token] = np.random.random() < 0.5
            topic_of[token] = topic
            document_topic[document, topic] += weight
            if from_keywords[token]:
                keyword_word[word, topic] += weight
                n_keyword[topic] += weight
            else:
                other_word[word, topic] += weight
                n_other[topic] += weight

    lengths = document_topic.sum(axis=1)
    factors, cumulated = np.empty(n_topics), np.empty(n_topics)
    for _ in range(rounds):
        for topic in range(n_topics):
            factors[topic] = _factor(n_other, n_keyword, topic, n_keywords[topic] > 0, n_words)
        for document in range(n_documents):
            in_document = document_topic[document]
            for token in range(starts[document], starts[document + 1]):
                word, weight, topic = tokens[token], weights[tokens[token]], topic_of[token]
                in_document[topic] -= weight
                if from_keywords[token]:
                    keyword_word[word, topic] -= weight
                    n_keyword[topic] -= weight
                else:
                    other_word[word, topic] -= weight
                    n_other[topic] -= weight
                factors[topic] = _factor(n_other, n_keyword, topic, n_keywords[topic] > 0, n_words)

                total = 0.0
                if from_keywords[token]:
                    for k in range(n_topics):
                        if is_keyword[word, k]:
                            share = (GAMMA + n_keyword[k]) / (2 * GAMMA + n_other[k] + n_keyword[k])
                            within = BETA_KEYWORD + keyword_word[word, k]
                            within /= n_keywords[k] * BETA_KEYWORD + n_keyword[k]
                            total += share * within * (in_document[k] + alpha[k])
                        cumulated[k] = total
                else:
                    of_word = other_word[word]
                    for k in range(n_topics):
                        total += (BETA + of_word[k]) * factors[k] * (in_document[k] + alpha[k])
                        cumulated[k] = total
                drawn = np.random.random() * total
                topic = 0
                while cumulated[topic] <= drawn and topic < n_topics - 1:
                    topic += 1

                chosen = False
                if is_keyword[word, topic]:
                    plain = (BETA + other_word[word, topic]) / (n_words * BETA + n_other[topic])
                    plain *= GAMMA + n_other[topic]
                    special = BETA_KEYWORD + keyword_word[word, topic]
                    special /= n_keywords[topic] * BETA_KEYWORD + n_keyword[topic]
                    special *= GAMMA + n_keyword[topic]
                    chosen = np.random.random() * (plain + special) < special
                topic_of[token], from_keywords[token] = topic, chosen
                in_document[topic] += weight
                if chosen:
                    keyword_word[word, topic] += weight
                    n_keyword[topic] += weight
                else:
                    other_word[word, topic] += weight
                    n_other[topic] += weight
                factors[topic] = _factor(n_other, n_keyword, topic, n_keywords[topic] > 0, n_words)
        if draws_alpha:
            _draw_alpha(alpha, document_topic, lengths, shapes)
    return document_topic, alpha
