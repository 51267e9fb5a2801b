"""Products in C against those of scipy, and arrays that do not belong together."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from seedtopic.base import products
from seedtopic.base.products import Design
from seedtopic.base.threads import thread_limit


def sparse(rng: np.random.Generator, shape: tuple[int, int], density: float) -> sp.csr_array:
    return sp.csr_array(rng.random(shape) * (rng.random(shape) < density))


@given(
    st.integers(1, 70), st.integers(0, 40), st.integers(1, 30), st.sampled_from([np.float32, np.float64]),
    st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_c_gives_what_numpy_does(n_columns: int, n_rows: int, n_words: int, dtype: type, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = sparse(rng, (n_rows, n_words), 0.3).astype(dtype)
    dense = rng.normal(size=(n_words, n_columns)).astype(dtype)
    assert Design(matrix).times(dense) == pytest.approx(matrix @ dense, rel=1e-4, abs=1e-5)
    back = rng.normal(size=(n_rows, n_columns)).astype(dtype)
    assert Design(matrix).transposed_times(back) == pytest.approx(matrix.T @ back, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("n_columns", [1, 4, 7, 8, 10, 17, 33])
def test_neither_the_threads_nor_the_compiler_change_a_bit(
    n_columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    matrix = sparse(rng, (4000, 300), 0.1).astype(np.float32)
    dense = rng.normal(size=(300, n_columns)).astype(np.float32)
    found = []
    for n_threads in (1, 3):
        with thread_limit(n_threads):
            found.append(Design(matrix).times(dense))
    assert np.array_equal(*found)
    monkeypatch.setattr(products, "_products", None)
    # A processor without fused multiply-add rounds once more.
    assert found[0] == pytest.approx(Design(matrix).times(dense), rel=1e-5, abs=1e-5)


def test_arrays_that_do_not_belong_together_are_refused() -> None:
    multiply = products._products.multiply
    data, indices = np.ones(2, np.float32), np.array([0, 1], np.int32)
    pointers, dense, product = np.array([0, 1, 2]), np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
    multiply(0, 2, 4, 3, data, indices, pointers, dense, product)
    assert product.tolist() == [[1.0, 1.0, 1.0]] * 2
    for wrong in (
        (0, 3, 4, 3, data, indices, pointers, dense, product),  # a row too many
        (0, 2, 4, 3, data, indices + 1, pointers, dense, product),  # a word that is not there
        (0, 2, 4, 3, data, -indices, pointers, dense, product),
        (0, 2, 4, 3, data[:1], indices, pointers, dense, product),
        (0, 2, 4, 3, data, indices, pointers[::-1].copy(), dense, product),
        (0, 2, 4, 2, data, indices, pointers, dense, product),
        (0, 2, 2, 3, data, indices, pointers, dense, product),
    ):
        with pytest.raises(ValueError, match="do not belong together"):
            multiply(*wrong)
