"""Documents in blocks of about equal size in which near documents are together.

The documents are halved again and again. The halves of a sample of them begin as those of the line on which
they differ most; then each document goes where most of its neighbours in the sample are, and theirs, until
few edges are cut. A linear regression on the halves tells all other documents which side they are on, and the
cut is made there where few documents are. A graph that is cut into such blocks keeps most of its edges, of
random blocks it keeps few; two means alone, without the neighbours, cut half as many edges again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.threads import threads_here
from seedtopic.learning.graph.neighbours import similarity_graph
from seedtopic.learning.graph.smoothing import Manifold
from seedtopic.learning.signals.words import sublinear, unit_rows
from seedtopic.text.counts import WordTotals, fingerprints, lots, n_blocks_for

Array = NDArray[np.float64]

SAMPLED = 40_000  # documents that cells are made of, about: with half as many, more edges are cut
ROWS = 50_000  # documents that are given their cell at a time
MOST_WORDS = 5_000  # with a part in the direction between two means
STEPS = 8  # of the power method
ROUNDS = 3  # in which the two means of the halves give the direction
N_NEIGHBORS = 10  # of a document of the sample
MOVES = 20  # of documents to their neighbours' half, at the most
OWN_HALF = 1e-3  # what the half a document is in counts beside the average of its neighbours
RIDGE = 1.0
DESCENTS = 10  # of the regression on the halves
LEAST_LENGTH = 1e-12  # squared, of a gradient
SLACK = 0.05  # of the documents of a cell, by which a half may be larger than the other


@dataclass(frozen=True, eq=False)
class Cells:
    """A tree of halvings; the cells at its ends are the blocks."""

    n_blocks: int  # under this node
    direction: NDArray[np.float32]  # (n_words,)
    threshold: float = 0.0  # documents whose product with the direction is less are below
    below: Cells | None = None  # None at the end
    above: Cells | None = None  # None at the end

    @classmethod
    def of(cls, vectors: sp.csr_array, n_blocks: int) -> Cells:
        """Halve a sample of the documents until there are enough cells."""
        nothing = np.zeros(0, np.float32)
        if n_blocks == 1 or vectors.shape[0] < 2:
            return cls(1, nothing)
        n_below = n_blocks // 2
        share = n_below / n_blocks
        direction = _between(vectors, _near_together(vectors, _two_means(vectors, share), share))
        along = vectors @ direction
        threshold = _gap(along, share)
        below = along < threshold
        return cls(
            n_blocks,
            direction.astype(np.float32),
            threshold,
            cls.of(vectors[below], n_below),
            cls.of(vectors[~below], n_blocks - n_below),
        )

    def blocks(self, vectors: sp.csr_array) -> NDArray[np.intp]:
        """Return the block of each document, from 0."""
        numbers = np.zeros(vectors.shape[0], np.intp)
        self._number(vectors, np.arange(len(numbers)), 0, numbers)
        return numbers

    def _number(
        self, vectors: sp.csr_array, rows: NDArray[np.intp], first: int, numbers: NDArray[np.intp]
    ) -> None:
        if self.below is None or self.above is None:
            numbers[rows] = first
            return
        below = vectors[rows] @ self.direction.astype(np.float64) < self.threshold
        self.below._number(vectors, rows[below], first, numbers)
        self.above._number(vectors, rows[~below], first + self.below.n_blocks, numbers)


def _two_means(vectors: sp.csr_array, share: float) -> NDArray[np.bool_]:
    """Halve documents so that each is on the side of the nearer mean; return which are below."""
    centre = _mean(vectors)
    direction = np.random.default_rng(0).standard_normal(vectors.shape[1])
    for _ in range(STEPS):  # the direction in which documents differ most, by the power method
        along = vectors @ direction - centre @ direction
        direction = vectors.T @ along - along.sum() * centre
        direction /= max(float(np.linalg.norm(direction)), 1e-30)
    for _ in range(ROUNDS):
        along = vectors @ direction
        below = along < _gap(along, share)
        direction = _shortened(_mean(vectors[~below]) - _mean(vectors[below]))
    along = vectors @ direction
    return np.asarray(along < _gap(along, share))


def _near_together(vectors: sp.csr_array, below: NDArray[np.bool_], share: float) -> NDArray[np.bool_]:
    """Let documents go to the half in which their neighbours are, and the neighbours of these."""
    directed = similarity_graph(vectors, N_NEIGHBORS, threads_here(), "exact")
    averaging = Manifold.of(sp.csr_array((directed + directed.T) / 2)).averaging
    for _ in range(MOVES):
        side = np.where(below, -1.0, 1.0)
        near = averaging @ side
        drawn = near + averaging @ near + OWN_HALF * side
        moved = np.asarray(drawn < _gap(drawn, share))
        if (moved == below).all():
            break
        below = moved
    return below


def _between(vectors: sp.csr_array, below: NDArray[np.bool_]) -> Array:
    """Return the direction of a ridge regression on two halves, by conjugate gradients."""
    # Sums are numpy's and scipy's own: those of BLAS may depend on its threads.
    side = np.where(below, -1.0, 1.0)
    left = vectors.T @ (side - side.mean())  # of the gradient
    direction, descent = np.zeros(vectors.shape[1]), left
    length = float(np.sum(left * left))
    for _ in range(DESCENTS):
        if length < LEAST_LENGTH:
            break
        along = vectors @ descent
        slope = vectors.T @ (along - along.mean()) + RIDGE * descent
        step = length / float(np.sum(descent * slope))
        direction = direction + step * descent
        left = left - step * slope
        before, length = length, float(np.sum(left * left))
        descent = left + length / before * descent
    return np.asarray(direction)


def _mean(vectors: sp.csr_array) -> Array:
    return np.asarray(vectors.sum(axis=0), np.float64) / max(vectors.shape[0], 1)


def _shortened(direction: Array) -> Array:
    """Leave the words with the largest parts alone in a direction."""
    if len(direction) > MOST_WORDS:
        least = np.partition(np.abs(direction), -MOST_WORDS)[-MOST_WORDS]
        direction = np.where(np.abs(direction) >= least, direction, 0.0)
    return direction


def _gap(along: Array, share: float) -> float:
    """Return a threshold with about this share of numbers below it, where few numbers are near."""
    low, high = np.quantile(along, [max(share - SLACK, 0.0), min(share + SLACK, 1.0)])
    if low == high:
        return float(low)
    counts, edges = np.histogram(along, bins=20, range=(low, high))
    fewest = int(counts.argmin())
    return float((edges[fewest] + edges[fewest + 1]) / 2)


def block_order(counts: sp.csr_array, totals: WordTotals) -> tuple[NDArray[np.intp], list[int]]:
    """Return the canonical order of the documents block by block, and the size of each block."""
    n_blocks = n_blocks_for(totals.n_documents)
    fingerprint = fingerprints(counts)
    if n_blocks == 1:
        return np.argsort(fingerprint, kind="stable"), [counts.shape[0]]
    chosen = np.flatnonzero(is_sampled(fingerprint, totals.n_documents))
    chosen = chosen[np.argsort(fingerprint[chosen], kind="stable")]
    cells = Cells.of(as_vectors(counts[chosen], totals), n_blocks)
    block = blocks_in(counts, cells, totals)
    order = np.lexsort((fingerprint, block))  # stable: equal documents stay as they came
    return order, np.bincount(block, minlength=n_blocks).tolist()


def blocks_in(counts: sp.csr_array, cells: Cells, totals: WordTotals) -> NDArray[np.intp]:
    """Return the block of each counted document."""
    return np.concatenate(
        [
            cells.blocks(as_vectors(counts[first : first + ROWS], totals))
            for first in range(0, max(1, counts.shape[0]), ROWS)
        ]
    )


def is_sampled(fingerprint: NDArray[np.float64], n_documents: int) -> NDArray[np.bool_]:
    """Return which documents are in the sample that cells are made of, by what they say alone."""
    return np.asarray(lots(fingerprint, -(-n_documents // SAMPLED)) == 0)


def as_vectors(counts: sp.csr_array, totals: WordTotals) -> sp.csr_array:
    """Return documents as TF-IDF vectors of length 1."""
    return unit_rows(sublinear(sp.csr_array(counts), totals.rarity))
