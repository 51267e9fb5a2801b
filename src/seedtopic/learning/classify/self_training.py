"""Self-training: a regression is fitted to a first guess, then in rounds to its own smoothed posterior.

Between the rounds a bias holds the sizes of the classes: large ones would swallow small ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax

from seedtopic.base.checkpoint import NO_CHECKPOINT, Checkpoint
from seedtopic.base.engine import Blocks, Engine
from seedtopic.base.products import Design
from seedtopic.learning.classify import logistic
from seedtopic.learning.signals.answers import NOTHING_CONFIRMED, Confirmed
from seedtopic.learning.signals.words import shares

Array = NDArray[np.float64]

LEAST_SHARE = 1e-9  # of a class, so that no logarithm is infinite
FIRST_SHARPENING = 2.0  # power by which the first guess is sharpened
SHARPENING = 3.0  # power by which each later one is
NEIGHBORS_SHARE = 0.25  # of the neighbours in a pseudo-label
ITERATIONS = (40, 20)  # of the first fit, and of each later one


@dataclass(frozen=True, eq=False)
class SoftTargets:
    """The documents of a block, as classifiers that train themselves see them."""

    vectors: sp.csr_array  # (n_documents, n_words)
    design: Design  # the same in float32
    averaging: sp.csr_array  # (n_documents, n_documents), gives the average over the neighbours
    confirmed: Confirmed  # documents whose labels are held
    labels: Array  # (n_documents, n_classes), the label distributions reached so far

    @classmethod
    def of(
        cls,
        vectors: sp.csr_array,
        averaging: sp.csr_array,
        labels: Array,
        confirmed: Confirmed = NOTHING_CONFIRMED,
    ) -> Self:
        """Take documents and their label distributions."""
        return cls(vectors, Design.single(vectors), averaging, confirmed, labels)

    @property
    def weights(self) -> NDArray[np.float32] | None:
        """The weights of the documents, None where all weigh alike."""
        return self.confirmed.weights(len(self.labels))


def self_train(
    engine: Engine,
    blocks: Blocks,
    n_rounds: int,
    on_round: Callable[[int, int], None] = lambda done, total: None,
    checkpoint: Checkpoint = NO_CHECKPOINT,
) -> logistic.Regression:
    """Fit a logistic regression to a guess, then in rounds to its own sharpened and smoothed posterior."""
    n_documents, n_words, total = engine.tree(_sizes, blocks)
    n_words //= len(blocks)
    l2 = logistic.penalty(n_documents)
    marginals = total / n_documents
    first, later = ITERATIONS

    def keep(done: int, regression: logistic.Regression) -> None:
        arrays = {**vars(regression), "done": np.array(done)}
        checkpoint.keep("refining", arrays, last=done == n_rounds)

    rounds_done = 0
    stored = checkpoint.recall("refining")
    if stored is None:
        nothing = logistic.Regression.zero(n_words, len(marginals))
        examples = engine.map(_first_examples, blocks)
        regression = logistic.fit_blocks(engine, examples, n_documents, l2, nothing, max_iter=first)
        keep(0, regression)
    else:
        rounds_done, regression = int(stored.pop("done")), logistic.Regression(**stored)
    for done in range(rounds_done, n_rounds):
        on_round(done + 1, n_rounds + 1)
        sharpened = engine.map(_sharpened, blocks, engine.broadcast(regression))
        bias = anchored(engine, sharpened, n_documents, marginals)
        examples = engine.map(_later_examples, sharpened, bias)
        regression = logistic.fit_blocks(engine, examples, n_documents, l2, regression, max_iter=later)
        keep(done + 1, regression)
    on_round(n_rounds + 1, n_rounds + 1)
    return regression


def _sizes(block: SoftTargets) -> tuple[int, int, Array]:
    return len(block.labels), block.vectors.shape[1], block.labels.sum(axis=0)


def _first_examples(block: SoftTargets) -> logistic.Examples:
    targets = block.confirmed.hold(shares(block.labels**FIRST_SHARPENING))
    return logistic.Examples(block.design, targets.astype(np.float32), block.weights)


def _sharpened(block: SoftTargets, regression: logistic.Regression) -> SoftTargets:
    """Return the logarithms of the posterior, averaged with the neighbours' and sharpened, as labels."""
    posterior = block.confirmed.hold(softmax(regression.log_odds(block.vectors), axis=1))
    mixed = (1 - NEIGHBORS_SHARE) * posterior + NEIGHBORS_SHARE * (block.averaging @ posterior)
    return replace(block, labels=SHARPENING * np.log(np.maximum(mixed, LEAST_SHARE)))


def anchored(engine: Engine, blocks: Blocks, n_documents: int, marginals: Array) -> Array:
    """Find the bias that holds the class marginals, of blocks whose labels are logarithms of scores."""
    return bias_by(lambda bias: engine.tree(_marginals, blocks, bias) / n_documents, marginals)


def bias_by(measure: Callable[[Array], Array], marginals: Array, n_rounds: int = 8) -> Array:
    """Find the bias b for which softmax(log_scores + b) has these class marginals on average.

    `measure` returns the marginals with a bias. Each round adds the logarithm of what a class lacks.
    """
    requested = np.log(np.maximum(marginals, LEAST_SHARE))
    bias = np.zeros(len(marginals))
    for _ in range(n_rounds):
        bias += requested - np.log(np.maximum(measure(bias), LEAST_SHARE))
    return bias


def _marginals(block: SoftTargets, bias: Array) -> Array:
    return np.asarray(softmax(block.labels + bias, axis=1).sum(axis=0))


def _later_examples(block: SoftTargets, bias: Array) -> logistic.Examples:
    targets = block.confirmed.hold(softmax(block.labels + bias, axis=1))
    return logistic.Examples(block.design, targets.astype(np.float32), block.weights)
