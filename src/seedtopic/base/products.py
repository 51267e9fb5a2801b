"""Products that are the same everywhere: of sparse matrices in several threads, and of dense ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.threads import walk_in_threads

try:
    from seedtopic.base import _products
except ImportError:  # installed without a compiler
    _products = None  # type: ignore[assignment]

Floats = NDArray[np.floating[Any]]

ROWS = 4096  # of a dense matrix that are in float64 at a time


@dataclass(frozen=True)
class Design:
    """A sparse matrix for many products; each entry of a product is summed by one thread in a fixed order."""

    matrix: sp.csr_array

    @classmethod
    def single(cls, matrix: sp.csr_array) -> Self:
        """Take a matrix in float32; where its entries stand is not copied."""
        data = matrix.data.astype(np.float32, copy=False)
        return cls(sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape))

    @cached_property
    def _transposed(self) -> sp.csr_array:
        return sp.csr_array(self.matrix.T)

    def times(self, dense: Floats) -> Floats:
        """Multiply by a dense matrix of the same precision."""
        return _product(self.matrix, dense)

    def transposed_times(self, dense: Floats) -> Floats:
        """Multiply the transpose by a dense matrix of the same precision."""
        return _product(self._transposed, dense)


def times(matrix: sp.csr_array, dense: Floats) -> Floats:
    """Multiply a sparse matrix with few rows once by a large dense matrix."""
    # Which scipy would copy if its memory order differs: for one document far longer than the product takes.
    if matrix.nnz * 4 > matrix.shape[1]:
        return np.asarray(matrix @ dense)
    # A row for each entry, not for each word: finding out which words occur twice takes longer than the rest.
    place = np.arange(matrix.nnz, dtype=matrix.indices.dtype)
    narrow = sp.csr_array((matrix.data, place, matrix.indptr), shape=(matrix.shape[0], matrix.nnz))
    return np.asarray(narrow @ dense[matrix.indices])


def rounded_product(left: Floats, right: Floats) -> NDArray[np.float32]:
    """Multiply dense matrices in float64, whose last digits depend on the processor, and round to float32."""
    product = np.empty((len(left), right.shape[1]), np.float32)
    right = right.astype(np.float64)
    for start in range(0, len(left), ROWS):
        product[start : start + ROWS] = left[start : start + ROWS].astype(np.float64) @ right
    return product


def _product(matrix: sp.csr_array, dense: Floats) -> Floats:
    product = np.zeros((matrix.shape[0], dense.shape[1]), dense.dtype)
    dense = np.ascontiguousarray(dense)
    pointers = matrix.indptr.astype(np.int64, copy=False)
    columns = matrix.indices.astype(np.int32, copy=False) if matrix.shape[1] < 2**31 else matrix.indices

    n_columns = dense.shape[1]
    known_to_c = matrix.dtype == dense.dtype in (np.float32, np.float64) and columns.dtype == np.int32

    def rows(first: int, last: int) -> None:
        product[first:last] = matrix[first:last] @ dense

    def rows_in_c(first: int, last: int) -> None:
        data = matrix.data
        _products.multiply(first, last, dense.itemsize, n_columns, data, columns, pointers, dense, product)

    walk_in_threads(rows_in_c if _products is not None and known_to_c and n_columns else rows, pointers)
    return product
