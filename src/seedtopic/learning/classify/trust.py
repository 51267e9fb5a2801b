"""How far seeds and confirmed labels can be trusted: each is judged by the documents of the others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax

from seedtopic.base.engine import Blocks, Engine
from seedtopic.learning.classify import logistic
from seedtopic.learning.classify.naive_bayes import log_distributions, log_scores
from seedtopic.learning.classify.self_training import SoftTargets

Array = NDArray[np.float64]

ROUNDS = 2  # the second judges by seeds that were weighed in the first
SHARPENING = 2.0  # power of the weights
# From which log-odds of another category a confirmed label is named. Of mistakes planted among 20 and 60
# labels, in train parts of five collections with two seed lists each, it names three of four, and of the
# right labels one in sixty.
LEAST_LOG_ODDS = 1.0
ITERATIONS = 20


def seed_weights(counts: sp.csr_array, vectors: sp.csr_array, membership: sp.csr_array) -> Array:
    """Weigh each seed by the documents it occurs in, as naive Bayes sees them without it.

    Naive Bayes learns from the documents of all other seeds, and labels the documents of the one in question
    with that word struck out. The mean probability of its category, relative to the best seed of the
    category, is its weight: `exchange` speaks less of currencies where most of its documents, but for this
    word, look like takeovers. The only seed of a category cannot be judged, and has weight 1.
    """
    n_categories = membership.shape[0]
    category = np.repeat(np.arange(n_categories), np.diff(membership.indptr))
    word = membership.indices
    tokens = sp.csc_array(counts[:, word].astype(np.float64))  # a column for each seed
    occurs = np.diff(tokens.indptr) > 0
    n_occurring = np.bincount(category[occurs], minlength=n_categories)
    in_order = np.argsort(word, kind="stable")
    equal = np.searchsorted(word[in_order], word, "left"), np.searchsorted(word[in_order], word, "right")
    of_category = sp.csr_array(
        (np.ones(len(word)), (np.arange(len(word)), category)), shape=(len(word), n_categories)
    )
    weights = np.ones(len(word))
    for _ in range(ROUNDS):
        weighed = sp.csr_array(tokens @ sp.diags_array(weights))
        total = np.asarray(weighed.sum(axis=1))
        scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        share = sp.csc_array(sp.diags_array(scale) @ weighed)
        mass = np.asarray((vectors.T @ (share @ of_category)).todense(), dtype=np.float64)
        log_words = log_distributions(mass)
        of_all = log_scores(vectors, log_words)
        weights = np.ones(len(word))
        for seed in np.flatnonzero(occurs & (n_occurring[category] > 1)):
            own, documents = word[seed], tokens.indices[tokens.indptr[seed] : tokens.indptr[seed + 1]]
            containing, scores, own_log = vectors[documents], of_all[documents], log_words[[own]]
            # Take away what the word has added to its categories.
            for same in in_order[equal[0][seed] : equal[1][seed]]:
                column = [category[same]]
                added = np.asarray(containing.T @ share[:, [same]][documents].toarray(), dtype=np.float64)
                without = log_distributions(np.maximum(mass[:, column] - added, 0.0))
                scores[:, column], own_log[:, column] = log_scores(containing, without), without[[own]]
            scores -= log_scores(containing[:, [own]], own_log)  # strike the word out
            scores[:, n_occurring == 0] = -np.inf
            weights[seed] = softmax(scores, axis=1)[:, category[seed]].mean()
    best = np.zeros(n_categories)
    np.maximum.at(best, category[occurs], weights[occurs])
    relative = np.divide(weights, best[category], out=np.ones_like(weights), where=occurs)
    return np.asarray(relative**SHARPENING)


def contradictions(engine: Engine, blocks: Blocks) -> Callable[[SoftTargets], tuple[NDArray[np.intp], Array]]:
    """Learn to say which category the other documents would give each confirmed one, and how surely.

    A regression learns from the labels of all documents but the confirmed ones: none of these has a say in
    its own case, and a mistake in one is not an argument for another.
    """
    n_documents, n_words, sizes = engine.tree(_sizes, blocks)
    known = sizes > 1.0  # nothing can be said of a category without other documents
    if len(known) < 2:
        return _nothing
    start = logistic.Regression.zero(n_words // len(blocks), len(known))
    examples = engine.map(_others, blocks)
    l2 = logistic.penalty(n_documents)
    regression = logistic.fit_blocks(engine, examples, n_documents, l2, start, ITERATIONS)
    return partial(_contradicted, regression=regression, known=known)


def _nothing(block: SoftTargets) -> tuple[NDArray[np.intp], Array]:
    return np.full(len(block.labels), -1, np.intp), np.zeros(len(block.labels))


def _other_weights(block: SoftTargets) -> NDArray[np.float32]:
    others = np.ones(len(block.labels), np.float32)
    others[block.confirmed.documents] = 0.0
    return others


def _sizes(block: SoftTargets) -> tuple[int, int, Array]:
    return len(block.labels), block.vectors.shape[1], _other_weights(block) @ block.labels


def _others(block: SoftTargets) -> logistic.Examples:
    return logistic.Examples(block.design, block.labels.astype(np.float32), _other_weights(block))


def _contradicted(
    block: SoftTargets, regression: logistic.Regression, known: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], Array]:
    category, log_odds = _nothing(block)
    confirmed = block.confirmed
    scores = regression.log_odds(block.vectors[confirmed.documents])
    places = np.arange(len(confirmed))
    own = scores[places, confirmed.categories]
    scores[places, confirmed.categories] = -np.inf
    scores[:, ~known] = -np.inf
    best = scores.argmax(axis=1)
    odds = np.where(known[confirmed.categories], scores[places, best] - own, -np.inf)
    named = odds > LEAST_LOG_ODDS
    category[confirmed.documents[named]], log_odds[confirmed.documents[named]] = best[named], odds[named]
    return category, log_odds
