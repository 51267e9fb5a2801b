"""Which documents to check next: those whose labels stand for the most that is uncertain.

A document is worth checking if many uncertain documents are like it, in what they say and in what they may
be: the answer then says something about all of them. Documents are chosen one by one, each for what those
before it do not cover yet (weighted facility location; the greedy choice is within 1 - 1/e of the best,
Nemhauser, Wolsey and Fisher 1978). A copy of a chosen document covers nothing new, and so the chosen ones are
spread over all that is uncertain, and over all that may be confused.

References
----------
G. L. Nemhauser, L. A. Wolsey, M. L. Fisher: An analysis of approximations for maximizing submodular set
functions. Mathematical Programming 14, 1978.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import svds

from seedtopic.base.errors import InputError

Array = NDArray[np.float64]
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
    probabilities: NDArray[np.floating[Any]],
    vectors: Vectors,
    n: int,
    *,
    known: NDArray[np.integer[Any]] | None = None,
) -> NDArray[np.intp]:
    """Choose the documents whose labels should be checked next."""
    return queue(probabilities, vectors, n, known=known).rows


def queue(
    probabilities: NDArray[np.floating[Any]],
    vectors: Vectors,
    n: int,
    *,
    known: NDArray[np.integer[Any]] | None = None,
) -> Queue:
    """Choose documents as `next_documents` does, and say for how many others each stands."""
    if probabilities.ndim != 2 or probabilities.shape[0] != vectors.shape[0]:
        raise InputError(
            f"the probabilities have the shape {probabilities.shape} and the vectors {vectors.shape}: give a "
            "row of each for every document."
        )
    taken = np.zeros(len(probabilities), bool)
    if known is not None:
        taken[known] = True
    doubt = np.where(taken | ~_any_feature(vectors), 0.0, uncertainty(probabilities))
    pool = _drawn(doubt, MOST_COMPARED)
    compared = np.concatenate((pool, np.flatnonzero(taken)[-MOST_COMPARED:]))
    likeness = _likeness(vectors[compared], probabilities[compared], len(pool))
    among, covered = likeness[:, : len(pool)], likeness[:, len(pool) :].max(axis=1, initial=0.0)
    chosen = _greedy(among, doubt[pool], covered, n)
    of_all = doubt.sum() / max(doubt[pool].sum(), np.finfo(float).tiny)
    return Queue(np.asarray(pool[chosen], np.intp), _fellows(among[:, chosen], of_all))


def uncertainty(probabilities: NDArray[np.floating[Any]]) -> Array:
    """Return how likely the best category of each document is wrong."""
    return np.asarray(1.0 - probabilities.max(axis=1, initial=0.0), np.float64)


def _any_feature(vectors: Vectors) -> NDArray[np.bool_]:
    if sp.issparse(vectors):
        return np.asarray(abs(vectors).sum(axis=1) > 0).ravel()
    return np.asarray(vectors.any(axis=1))


def _drawn(doubt: Array, most: int) -> NDArray[np.intp]:
    """Draw rows as likely as they are uncertain, none twice; all that are if there are no more."""
    uncertain = np.flatnonzero(doubt > 0)
    if len(uncertain) <= most:
        return uncertain
    draw = np.random.default_rng(0)  # the same documents give the same queue
    # Exponential races: the first to arrive are a weighted sample without replacement.
    arrival = draw.exponential(size=len(uncertain)) / doubt[uncertain]
    return np.sort(uncertain[np.argpartition(arrival, most)[:most]])


def _likeness(
    vectors: Vectors, probabilities: NDArray[np.floating[Any]], n_first: int
) -> NDArray[np.float32]:
    """Return how far the label of one document tells that of another: of the first ones, to all.

    Both must be about the same (the cosine) and may belong to the same categories (the affinity of their
    distributions, Bhattacharyya 1946).
    """
    about = _reduced(vectors)
    roots = np.sqrt(probabilities.astype(np.float32))
    cosine = np.maximum(about[:n_first] @ about.T, 0.0)
    return np.asarray(cosine**STEEPNESS * (roots[:n_first] @ roots.T), np.float32)


def _reduced(vectors: Vectors) -> NDArray[np.float32]:
    """Return documents in few dimensions, as rows of length 1."""
    if min(vectors.shape) > N_DIMENSIONS + 1:
        start = np.ones(min(vectors.shape))
        left, sizes, _ = svds(vectors.astype(np.float64), k=N_DIMENSIONS, v0=start, tol=TOLERANCE)
        found = left * sizes
    else:
        found = np.asarray(vectors.toarray() if isinstance(vectors, sp.csr_array) else vectors, np.float64)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray(found / np.maximum(lengths, np.finfo(float).tiny), np.float32)


def _greedy(likeness: NDArray[np.float32], weight: Array, covered: NDArray[np.float32], n: int) -> list[int]:
    """Choose, one by one, what adds most to the weight that is covered."""
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


def _fellows(likeness: NDArray[np.float32], of_all: float) -> NDArray[np.intp]:
    """Count the documents that are most like each of the chosen ones, and like it at all."""
    if not likeness.shape[1]:
        return np.empty(0, np.intp)
    nearest = likeness.argmax(axis=1)[likeness.max(axis=1) >= ALIKE]
    counts = np.bincount(nearest, minlength=likeness.shape[1]) * of_all
    return np.asarray(np.maximum(counts.round(), 1), np.intp)
