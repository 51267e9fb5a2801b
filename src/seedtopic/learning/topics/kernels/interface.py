"""What goes into an E-step and what comes out of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

Floats = NDArray[np.floating[Any]]
Made = TypeVar("Made")

DELTA_MARGIN = 1e-6  # delta stays this far from 0 and 1, so that no posterior is 0/0 in float32
TINY = 1e-30  # keeps a denominator positive where every probability has underflowed
VECTOR_BYTES = 32  # that the C code adds up at a time


@dataclass(frozen=True)
class Parameters:
    """The latent variables of the model, words along the rows so that a word's values lie together."""

    doc_topic: Floats  # (n_documents, n_categories), theta
    doc_background: Floats  # (n_documents, n_background), theta-hat
    word_topic: Floats  # (n_words, n_categories), phi, transposed
    word_background: Floats  # (n_words, n_background), phi-hat, transposed


@dataclass(frozen=True)
class Shard:
    """Weighted counts a_dv = n_dv pi(v) of some documents, in CSR form."""

    data: Floats  # data, indices and indptr as in `scipy.sparse.csr_array`
    indices: NDArray[np.int32]
    indptr: NDArray[np.int64]
    n_words: int

    @classmethod
    def of(cls, weighted: sp.csr_array, dtype: type[np.floating[Any]] = np.float32) -> Shard:
        """Take the arrays of a CSR matrix."""
        return cls(
            np.ascontiguousarray(weighted.data, dtype),
            weighted.indices.astype(np.int32, copy=False),
            weighted.indptr.astype(np.int64, copy=False),
            weighted.shape[1],
        )

    @property
    def n_documents(self) -> int:
        """How many documents the shard holds."""
        return len(self.indptr) - 1

    @cached_property
    def by_word(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """The same non-zeros word by word: word pointers, documents, positions in `data`."""
        documents = np.repeat(np.arange(self.n_documents, dtype=np.int32), np.diff(self.indptr))
        positions = np.argsort(self.indices, kind="stable")
        pointers = np.concatenate(([0], np.cumsum(np.bincount(self.indices, minlength=self.n_words))))
        return pointers.astype(np.int64), documents[positions], positions.astype(np.int32)


class Statistics(NamedTuple):
    """Expected counts under the current parameters; those of several shards are summed.

    `doc_topic` is m_dk = sum_v a_dv N_dvk, `word_topic` is sum_d a_dv N_dvk, and so on for the background.
    The word statistics are None, and the log-likelihood nan, where they were not asked for.
    """

    doc_topic: Floats  # (n_documents, n_categories)
    doc_background: Floats  # (n_documents, n_background)
    word_topic: Floats | None  # (n_words, n_categories)
    word_background: Floats | None  # (n_words, n_background)
    log_likelihood: float


class Scratch:
    """Arrays that one E-step leaves to the next, so that memory is asked for once in a fit."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, np.dtype[Any]], NDArray[Any]] = {}
        self._made: dict[str, tuple[tuple[Any, ...], Any]] = {}

    def empty(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return an array with anything in it; what was given under this name before is lost."""
        size, key = math.prod(shape), (name, np.dtype(dtype))
        if key not in self._held or len(self._held[key]) < size:
            self._held[key] = np.empty(size, dtype)
        return self._held[key][:size].reshape(shape)

    def once(self, name: str, sources: tuple[Any, ...], make: Callable[[], Made]) -> Made:
        """Return what was made last under this name if it was made from these very objects, or make it."""
        before, made = self._made.get(name, ((), None))
        if len(before) != len(sources) or any(a is not b for a, b in zip(before, sources, strict=True)):
            made = make()
            self._made[name] = (sources, made)
        return cast(Made, made)

    def forget(self) -> None:
        """Make everything anew that `once` is asked for, in the arrays that are there."""
        self._made.clear()


def log_likelihood(data: Floats, evidence: Floats) -> float:
    """Return sum_dv a_dv ln p(v | d) from p(v | d): apart from the loops, in one fixed order."""
    return float((data * np.log(evidence + TINY)).sum(dtype=np.float64))


# One E-step over one shard, with the arguments of `numpy_kernel.estep`, which is the definition.
Kernel = Callable[..., Statistics]
