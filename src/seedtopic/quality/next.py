"""Which documents to check next: those whose labels stand for the most that is uncertain.

A document is worth checking if many uncertain documents are like it, in what they say and in what they may
be: the answer then says something about all of them. docs/howto/next.md has the formula.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import svds

from seedtopic.base.errors import InputError

Array = NDArray[np.float64]
Probabilities = NDArray[np.floating[Any]]
Vectors = NDArray[np.floating[Any]] | sp.csr_array

MOST_COMPARED = 3_000  # uncertain documents that stand for all, so that each can be compared with each
# Chosen, with the measures of uncertainty and likeness, on train parts of five collections and on others.
N_DIMENSIONS = 64  # in which they are compared: in fewer than their words, so that like subjects are near
STEEPNESS = 3.0  # power of the cosine: what a document says of others falls off steeply with their distance
TOLERANCE = 0.01  # of these dimensions: which of two almost equal ones comes last does not matter
ALIKE = 0.1  # likeness from which a document is said to be like another, a cosine of about a half


@dataclass(frozen=True)
class Queue:
    """Documents to check, the best first."""

    rows: NDArray[np.intp]
    stands_for: NDArray[np.intp]  # about how many uncertain documents are like each, itself included


def next_documents(
    probabilities: Probabilities, vectors: Vectors, n: int, *, known: NDArray[np.integer[Any]] | None = None
) -> NDArray[np.intp]:
    """Return the documents whose labels should be checked next."""
    return queue(probabilities, vectors, n, known=known).rows


def queue(
    probabilities: Probabilities, vectors: Vectors, n: int, *, known: NDArray[np.integer[Any]] | None = None
) -> Queue:
    """Return documents as `next_documents` does, and for how many others each stands."""
    if probabilities.ndim != 2 or probabilities.shape[0] != vectors.shape[0]:
        raise InputError(
            f"the probabilities have the shape {probabilities.shape} and the vectors {vectors.shape}: give a "
            "row of each for every document."
        )
    taken = np.zeros(len(probabilities), bool)
    if known is not None:
        taken[known] = True
    sizes: Any = abs(vectors)
    empty = np.asarray(sizes.sum(axis=1) == 0).ravel()
    wrong = np.asarray(1.0 - probabilities.max(axis=1, initial=0.0), np.float64)
    doubt = np.where(taken | empty, 0.0, wrong)  # how likely the best category of each document is wrong
    pool = _drawn(doubt)
    compared = np.concatenate((pool, np.flatnonzero(taken)[-MOST_COMPARED:]))
    likeness = _likeness(vectors[compared], probabilities[compared], len(pool))
    among, covered = likeness[:, : len(pool)], likeness[:, len(pool) :].max(axis=1, initial=0.0)
    if not (chosen := _greedy(among, doubt[pool], covered, n)):
        return Queue(np.empty(0, np.intp), np.empty(0, np.intp))
    # The documents of the pool that are most like each of the chosen ones, and like it at all, for all.
    own = among[:, chosen]
    nearest = own.argmax(axis=1)[own.max(axis=1) >= ALIKE]
    of_all = doubt.sum() / max(doubt[pool].sum(), np.finfo(float).tiny)
    stands_for = np.maximum((np.bincount(nearest, minlength=len(chosen)) * of_all).round(), 1)
    return Queue(np.asarray(pool[chosen], np.intp), np.asarray(stands_for, np.intp))


def _drawn(doubt: Array) -> NDArray[np.intp]:
    """Return rows, drawn as likely as they are uncertain, none twice; all that are if there are few."""
    uncertain = np.flatnonzero(doubt > 0)
    if len(uncertain) <= MOST_COMPARED:
        return uncertain
    draw = np.random.default_rng(0)  # the same documents give the same queue
    # Exponential races: the first to arrive are a weighted sample without replacement.
    arrival = draw.exponential(size=len(uncertain)) / doubt[uncertain]
    return np.sort(uncertain[np.argpartition(arrival, MOST_COMPARED)[:MOST_COMPARED]])


def _likeness(vectors: Vectors, probabilities: Probabilities, n_first: int) -> NDArray[np.float32]:
    """Return how far the label of one document tells that of another: of the first ones, to all."""
    if min(vectors.shape) > N_DIMENSIONS + 1:
        start = np.ones(min(vectors.shape))
        left, sizes, _ = svds(vectors.astype(np.float64), k=N_DIMENSIONS, v0=start, tol=TOLERANCE)
        dense = left * sizes
    else:
        dense = np.asarray(vectors.toarray() if isinstance(vectors, sp.csr_array) else vectors, np.float64)
    lengths = np.linalg.norm(dense, axis=1, keepdims=True)
    about = np.asarray(dense / np.maximum(lengths, np.finfo(float).tiny), np.float32)
    roots = np.sqrt(probabilities.astype(np.float32))
    # Both must be about the same, and may belong to the same categories (the affinity of Bhattacharyya).
    cosine = np.maximum(about[:n_first] @ about.T, 0.0)
    return np.asarray(cosine**STEEPNESS * (roots[:n_first] @ roots.T), np.float32)


def _greedy(likeness: NDArray[np.float32], weight: Array, covered: NDArray[np.float32], n: int) -> list[int]:
    """Return rows, each chosen by what it adds to the weight that is covered."""
    chosen: list[int] = []
    free = np.ones(len(weight), bool)
    weight = weight.astype(np.float32)
    while len(chosen) < n and free.any():
        gain = weight @ np.maximum(likeness - covered[:, None], 0.0)
        gain[~free] = -1.0
        best = int(gain.argmax())
        chosen.append(best)
        free[best] = False
        covered = np.maximum(covered, likeness[:, best])
    return chosen


def sampled_texts(texts: Iterable[str], most: int, random_state: int) -> tuple[list[tuple[int, str]], int]:
    """Return a fair sample of texts with their places, and the number of all, which are read once."""
    draw, total = np.random.default_rng(random_state), 0
    sample: list[tuple[int, str]] = []
    for text in texts:
        total += 1
        if len(sample) < most:
            sample.append((total, text))
        elif (at := int(draw.integers(total))) < most:
            sample[at] = (total, text)
    return sample, total
