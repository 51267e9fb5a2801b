"""Witnesses of the category of a document, weighed by the answers that they were not told.

Seeds are one witness. The others learn from answers, and from what is thought of all other documents: naive
Bayes, the mean direction of a category, the neighbours. Of a document with an answer each says what it would
say without that answer, so that the answers can weigh them: the weights, and an offset for each category, are
the most likely ones given the answers and a prior, which decides where answers are few. A regression then
learns from the answers what the pool still has wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks, Engine
from seedtopic.base.products import Design, rounded_product
from seedtopic.learning.classify.logistic import log_sum_exp, minimise, softmax
from seedtopic.learning.classify.naive_bayes import SMOOTHING, STRENGTH, log_distributions, log_scores
from seedtopic.learning.signals.answers import Confirmed

Array = NDArray[np.float64]
Vectors = NDArray[np.float32]
Floats = NDArray[np.floating[Any]]

# All chosen on the train parts of seven collections with two seed lists each, 10 to 1,000 answers.
ROUNDS = 3  # in each the witnesses learn from what the pool gave before
# The weights without any answers, of seeds, meaning, naive Bayes, directions and neighbours.
PRIOR = np.array([0.5, 0.0, 0.1, 0.3, 0.3])
N_UNTAUGHT = 2  # of them do not learn from answers
SPREAD = 0.2  # how far the answers may easily move a weight
OFFSET_SPREAD = 0.25  # and the offset of a category, in log-odds
EXAMPLE = 10.0  # documents that one with an answer counts for
ERROR = 0.02  # of the answers may be wrong, so that one against all witnesses says little of them
LEAST = 1e-6  # probability by the seeds
LEAST_NEAR = 0.02  # what is added to the shares of the neighbours
PER_COSINE = 10.0  # log-odds
PENALTY = 0.1  # of the regression, beside the sum of the cross-entropies
ITERATIONS = (50, 40)  # of the weights, and of the regression


@dataclass(frozen=True, eq=False)
class Witnessed:
    """The documents of a block, and what is thought of them."""

    vectors: sp.csr_array  # (n_documents, n_words)
    averaging: sp.csr_array  # (n_documents, n_documents), gives the average over the neighbours
    directions: Vectors  # (n_documents, n_dims), of length 1 or zeros; no dims where no meaning is known
    untaught: Array  # (2, n_documents, n_categories), what seeds and meaning say, in log-odds
    confirmed: Confirmed
    labels: Array  # (n_documents, n_categories), the label distributions reached so far
    log_odds: Array  # (n_documents, n_categories), the same before the answers are held
    # (n_confirmed, n_categories), labels of those with an answer as they were before others learned from it
    unheard: Array | None = None
    testimony: Array | None = None  # (n_witnesses, n_documents, n_categories), in log-odds

    @classmethod
    def of(
        cls,
        vectors: sp.csr_array,
        averaging: sp.csr_array,
        directions: Vectors,
        by_seeds: Array,
        nearness: Array | None,
        confirmed: Confirmed,
    ) -> Witnessed:
        """Take documents, their distributions by seeds alone, and how near they are to categories."""
        of_meaning = np.zeros(by_seeds.shape) if nearness is None else centred(nearness)
        untaught = np.stack((centred(np.log(np.maximum(by_seeds, LEAST))), of_meaning))
        # A document without neighbours has itself.
        near = sp.csr_array(averaging - sp.diags_array(averaging.diagonal()))
        labels = confirmed.hold(by_seeds.copy())
        return cls(vectors, near, directions, untaught, confirmed, labels, untaught[0])


def stacked(engine: Engine, blocks: Blocks) -> Blocks:
    """Return the blocks with the labels that all witnesses together give."""
    for _ in range(ROUNDS):
        lesson = engine.tree(taught, blocks)
        witnesses = engine.map(consulted, blocks, engine.broadcast(lesson))
        testimony, categories = zip(*engine.gather(_answered, witnesses), strict=True)
        weights, offsets = weigh(np.concatenate(testimony, axis=1), np.concatenate(categories))
        blocks = engine.map(_pooled, witnesses, weights, offsets)
    features, log_odds = zip(*engine.gather(_examples, blocks), strict=True)
    examples = Design(sp.csr_array(sp.vstack(features, format="csr")))
    correction = correct(examples, np.concatenate(log_odds), np.concatenate(categories))
    return engine.map(_corrected, blocks, engine.broadcast(correction))


def weigh(testimony: Array, categories: NDArray[np.intp]) -> tuple[Array, Array]:
    """Weigh witnesses, and find an offset for each category, by what they say of documents with answers."""
    n_witnesses, n_answers, n_categories = testimony.shape
    right = np.arange(n_answers), categories

    def objective(point: Floats) -> tuple[float, Floats]:
        weights, offsets = point[:n_witnesses], point[n_witnesses:]
        wrong = softmax(_weighed(testimony, weights) + offsets)
        true = (1.0 - ERROR) * wrong[right]  # and the answer given, beside one at random
        given = true + ERROR / n_categories
        loss = -np.log(given).sum()
        wrong[right] -= 1.0
        wrong *= (true / given)[:, None]
        off = weights - PRIOR
        gradient = [(testimony * wrong).sum(axis=(1, 2)) + off / SPREAD**2]
        gradient.append(wrong.sum(axis=0) + offsets / OFFSET_SPREAD**2)
        loss += 0.5 * ((off**2).sum() / SPREAD**2 + (offsets**2).sum() / OFFSET_SPREAD**2)
        return float(loss) / n_answers, np.concatenate(gradient) / n_answers

    best = minimise(objective, np.concatenate((PRIOR, np.zeros(n_categories))), ITERATIONS[0])
    rounded: Array = best.astype(np.float32).astype(np.float64)  # last digits depend on the processor
    weights = rounded[:n_witnesses]
    # What learned from answers is never turned against them: a few wrong ones would turn all documents.
    weights[N_UNTAUGHT:] = np.maximum(weights[N_UNTAUGHT:], 0.0)
    return weights, rounded[n_witnesses:]


def correct(examples: Design, log_odds: Array, categories: NDArray[np.intp]) -> Vectors:
    """Learn what to add to log-odds of documents with answers: weights, shape (n_features, n_categories)."""
    shape = examples.matrix.shape[1], log_odds.shape[1]
    right = np.arange(len(categories)), categories

    def objective(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(shape)
        reached = log_odds + examples.times(weights)
        loss = log_sum_exp(reached).sum() - reached[right].sum()
        loss += 0.5 * PENALTY * np.square(weights, dtype=np.float64).sum()
        wrong = softmax(reached)
        wrong[right] -= 1.0
        gradient = examples.transposed_times(wrong.astype(np.float32)) + np.float32(PENALTY) * weights
        return float(loss) / len(categories), gradient.ravel() / np.float32(len(categories))

    best = minimise(objective, np.zeros(shape[0] * shape[1], np.float32), ITERATIONS[1])
    return np.asarray(best.reshape(shape), np.float32)


def centred(scores: Array) -> Array:
    """Take off the mean of each row."""
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))


def taught(block: Witnessed) -> tuple[Array, Vectors, Array]:
    """Return what the documents teach of the words and directions of categories, and the sizes of these."""
    labels = block.confirmed.hold(block.labels.copy(), EXAMPLE)
    mass = np.asarray(block.vectors.T @ labels, np.float64)
    return mass, rounded_product(block.directions.T, labels), block.labels.sum(axis=0)


def consulted(block: Witnessed, lesson: tuple[Array, Vectors, Array]) -> Witnessed:
    """Let the witnesses say what they think of each document; of one with an answer, without this answer."""
    mass, directions, sizes = lesson
    near = np.log(block.averaging @ block.labels + LEAST_NEAR)
    by_words = _by_words(block, mass) + np.log(np.maximum(sizes, 1.0))
    learned = [by_words, _by_direction(block, directions.astype(np.float64)), near]
    return replace(block, testimony=np.concatenate((block.untaught, [centred(one) for one in learned])))


def _by_words(block: Witnessed, mass: Array) -> Array:
    """Return what naive Bayes says, of a document with an answer without it."""
    log_odds = log_scores(block.vectors, log_distributions(mass))
    documents, categories = block.confirmed.documents, block.confirmed.categories
    own = block.vectors[documents]
    category = np.repeat(categories, np.diff(own.indptr))
    others = np.maximum(mass[own.indices, category] - EXAMPLE * own.data, 0.0) + SMOOTHING
    lengths = own.sum(axis=1)
    total = (mass + SMOOTHING).sum(axis=0)[categories] - EXAMPLE * lengths
    logs = sp.csr_array((own.data * np.log(others), own.indices, own.indptr), shape=own.shape)
    log_odds[documents, categories] = STRENGTH * (logs.sum(axis=1) - lengths * np.log(total))
    return np.asarray(log_odds)


def _by_direction(block: Witnessed, directions: Array) -> Array:
    """Return how near documents are to the mean directions; to its own, one with an answer without it."""

    def unit(rows: Array) -> Array:
        return np.asarray(rows / np.maximum(np.sqrt(np.square(rows).sum(axis=1, keepdims=True)), 1e-9))

    documents, categories = block.confirmed.documents, block.confirmed.categories
    log_odds = np.einsum("nd,kd->nk", block.directions, unit(directions.T), dtype=np.float64)
    own = block.directions[documents].astype(np.float64)
    others = unit(directions.T[categories] - EXAMPLE * own)
    log_odds[documents, categories] = np.einsum("nd,nd->n", own, others)
    return np.asarray(PER_COSINE * log_odds)


def _answered(block: Witnessed) -> tuple[Array, NDArray[np.intp]]:
    assert block.testimony is not None
    return block.testimony[:, block.confirmed.documents], block.confirmed.categories


def _weighed(testimony: Array, weights: Floats) -> Array:
    return np.asarray(sum(weight * one for weight, one in zip(weights, testimony, strict=True)))


def _pooled(block: Witnessed, weights: Array, offsets: Array) -> Witnessed:
    assert block.testimony is not None
    return _reached(block, _weighed(block.testimony, weights) + offsets)


def _corrected(block: Witnessed, correction: Vectors) -> Witnessed:
    n_words = block.vectors.shape[1]
    by_words = Design.single(block.vectors).times(correction[:n_words])
    by_direction = rounded_product(block.directions, correction[n_words:])
    return _reached(block, block.log_odds + by_words + by_direction)


def _reached(block: Witnessed, log_odds: Array) -> Witnessed:
    labels = softmax(log_odds)
    unheard = labels[block.confirmed.documents] if block.unheard is None else block.unheard
    labels = block.confirmed.hold(labels)
    return replace(block, labels=labels, log_odds=log_odds, testimony=None, unheard=unheard)


def _examples(block: Witnessed) -> tuple[sp.csr_array, Array]:
    documents = block.confirmed.documents
    directions = sp.csr_array(block.directions[documents])
    features: Any = sp.hstack([block.vectors[documents].astype(np.float32), directions], format="csr")
    return sp.csr_array(features), block.log_odds[documents]
