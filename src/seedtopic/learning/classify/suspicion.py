"""Confirmed labels that look wrong: what all other documents say of a document that a person has labelled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks, Engine
from seedtopic.learning.classify import logistic
from seedtopic.learning.classify.self_training import Taught

Array = NDArray[np.float64]

# From which log-odds of another category a confirmed label is named. Of mistakes planted among 20 and 60
# labels, in train parts of five collections with two seed lists each, it names three of four, and of the
# right labels one in sixty.
LEAST_LOG_ODDS = 1.0
ITERATIONS = 20


def contradictions(engine: Engine, blocks: Blocks) -> Callable[[Taught], tuple[NDArray[np.intp], Array]]:
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
    said = logistic.fit_blocks(engine, examples, n_documents, l2, start, ITERATIONS)
    return partial(_contradicted, said=said, known=known)


def _nothing(block: Taught) -> tuple[NDArray[np.intp], Array]:
    return np.full(len(block.labels), -1, np.intp), np.zeros(len(block.labels))


def _other_weights(block: Taught) -> NDArray[np.float32]:
    others = np.ones(len(block.labels), np.float32)
    others[block.confirmed.documents] = 0.0
    return others


def _sizes(block: Taught) -> tuple[int, int, Array]:
    return len(block.labels), block.vectors.shape[1], _other_weights(block) @ block.labels


def _others(block: Taught) -> logistic.Examples:
    return logistic.Examples(block.design, block.labels.astype(np.float32), _other_weights(block))


def _contradicted(
    block: Taught, said: logistic.Regression, known: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], Array]:
    category, log_odds = _nothing(block)
    confirmed = block.confirmed
    scores = said.log_odds(block.vectors[confirmed.documents])
    places = np.arange(len(confirmed))
    own = scores[places, confirmed.categories]
    scores[places, confirmed.categories] = -np.inf
    scores[:, ~known] = -np.inf
    best = scores.argmax(axis=1)
    odds = np.where(known[confirmed.categories], scores[places, best] - own, -np.inf)
    named = odds > LEAST_LOG_ODDS
    category[confirmed.documents[named]], log_odds[confirmed.documents[named]] = best[named], odds[named]
    return category, log_odds
