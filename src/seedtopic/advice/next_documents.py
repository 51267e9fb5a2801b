"""Which documents to check next: those whose labels stand for the most that is uncertain.

A document is worth checking if many uncertain documents are like it: the answer then says something about all
of them. Documents are chosen one by one, each for what those before it do not cover yet (weighted facility
location; the greedy choice is within 1 - 1/e of the best, Nemhauser, Wolsey and Fisher 1978). A copy of a
chosen document covers nothing new, and so the chosen ones are spread over all that is uncertain.

References
----------
G. L. Nemhauser, L. A. Wolsey, M. L. Fisher: An analysis of approximations for maximizing submodular set
functions. Mathematical Programming 14, 1978.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import svds

from seedtopic.errors import InputError

Array = NDArray[np.float64]
Vectors = NDArray[np.floating[Any]] | sp.csr_array

MOST_COMPARED = 4_000  # uncertain documents that stand for all, so that each can be compared with each
N_DIMENSIONS = 64  # in which they are compared: in fewer than their words, so that like subjects are near
STEEPNESS = 3.0  # power of the cosine: what a document says of others falls off steeply with their distance


def next_documents(
    probabilities: NDArray[np.floating[Any]],
    vectors: Vectors,
    n: int,
    *,
    known: NDArray[np.integer[Any]] | None = None,
) -> NDArray[np.intp]:
    """Choose the documents whose labels should be checked next.

    Parameters
    ----------
    probabilities : ndarray, shape (n_documents, n_categories)
        Of the categories of each document.
    vectors : csr_array or ndarray, shape (n_documents, n_features)
        The documents as rows of length 1, such as TF-IDF; one without any feature is never chosen.
    n : int
        How many to choose.
    known : ndarray of int, optional
        Rows that have been checked already: they are not chosen again, nor are documents much like them.

    Returns
    -------
    ndarray of int
        The rows to check, the best first; fewer than n if there are no more.

    Examples
    --------
    Two pairs of similar documents, and one pair of which the model is sure:

    >>> unsure, sure = [0.5, 0.5], [1.0, 0.0]
    >>> vectors = np.repeat(np.eye(3), 2, axis=0)
    >>> rows = next_documents(np.array([unsure, unsure, unsure, unsure, sure, sure]), vectors, 2)
    >>> sorted(row // 2 for row in rows.tolist())
    [0, 1]
    """
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
    asked = np.flatnonzero(taken)[-MOST_COMPARED:]
    both = _reduced(vectors[np.concatenate((pool, asked))])
    candidates, checked = both[: len(pool)], both[len(pool) :]
    likeness = _likeness(candidates, candidates)
    covered = _likeness(candidates, checked).max(axis=1, initial=0.0)
    weight = np.maximum(doubt[pool], np.finfo(float).tiny)
    return np.asarray(pool[_greedy(likeness, weight, covered, n)], np.intp)


def uncertainty(probabilities: NDArray[np.floating[Any]]) -> Array:
    """Give how near the second best category of each document comes to the best, from 0 to 1.

    Examples
    --------
    >>> uncertainty(np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    if probabilities.shape[1] < 2:
        return np.zeros(len(probabilities))
    best = np.partition(probabilities, -2, axis=1)[:, -2:]
    return np.asarray(1.0 - (best[:, 1] - best[:, 0]), np.float64)


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


def _reduced(vectors: Vectors) -> NDArray[np.float32]:
    """Give documents in few dimensions, as rows of length 1."""
    wanted = min(N_DIMENSIONS, min(vectors.shape) - 1)
    if wanted >= 1 and vectors.shape[1] > N_DIMENSIONS:
        start = np.ones(min(vectors.shape))
        left, sizes, _ = svds(vectors.astype(np.float64), k=wanted, v0=start)
        found = left * sizes
    else:
        found = np.asarray(vectors.toarray() if isinstance(vectors, sp.csr_array) else vectors, np.float64)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray(found / np.maximum(lengths, np.finfo(float).tiny), np.float32)


def _likeness(some: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(np.maximum(some @ others.T, 0.0) ** STEEPNESS)


def _greedy(likeness: NDArray[np.float32], weight: Array, covered: Array, n: int) -> list[int]:
    """Choose, one by one, what adds most to the weight that is covered."""
    chosen: list[int] = []
    free = np.ones(len(weight), bool)
    while len(chosen) < n and free.any():
        gain = weight @ np.maximum(likeness - covered[:, None], 0.0)
        gain[~free] = -1.0
        best = int(gain.argmax())
        chosen.append(best)
        free[best] = False
        covered = np.maximum(covered, likeness[:, best])
    return chosen
