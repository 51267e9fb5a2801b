"""Blocks of near documents: few edges of the neighbour graph are cut, whatever the threads."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from seedtopic.base.threads import thread_limit
from seedtopic.learning.graph import blocks as cells
from seedtopic.learning.graph.blocks import Cells
from seedtopic.learning.graph.neighbours import similarity_graph, tf_idf


@pytest.fixture(scope="module")
def vectors() -> sp.csr_array:
    """Documents of 40 subjects of uneven sizes: four words of the subject, and a dozen that all share."""
    rng = np.random.default_rng(0)
    n_documents, n_subjects, words_each = 3000, 40, 25
    size = 1.0 / np.arange(3, n_subjects + 3)
    subject = rng.choice(n_subjects, n_documents, p=size / size.sum())
    of_subject = subject[:, None] * words_each + rng.integers(0, words_each, (n_documents, 4))
    shared = n_subjects * words_each + (300 * rng.random((n_documents, 12)) ** 3).astype(int)
    words = np.hstack([of_subject, shared]).ravel()
    rows = np.repeat(np.arange(n_documents), 16)
    shape = (n_documents, n_subjects * words_each + 300)
    return tf_idf(sp.csr_array((np.ones(len(rows)), (rows, words)), shape=shape)).astype(np.float64)


def share_kept(vectors: sp.csr_array, block: np.ndarray) -> float:
    """Give the share of the edges of the neighbour graph that join documents of one block."""
    edges = sp.coo_array(similarity_graph(vectors, 10))
    return float(np.mean(block[edges.row] == block[edges.col]))


def test_fewer_edges_are_cut_than_between_two_means(
    vectors: sp.csr_array, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = vectors[::2]  # the other half is not in the sample
    kept = share_kept(vectors, Cells.of(new, 8).blocks(vectors))
    monkeypatch.setattr(cells, "MOVES", 0)
    without_moves = share_kept(vectors, Cells.of(new, 8).blocks(vectors))
    assert kept > without_moves + 0.2
    assert kept > 0.8


@pytest.mark.parametrize("n_blocks", [2, 5, 8])
def test_blocks_are_of_about_equal_size(n_blocks: int, vectors: sp.csr_array) -> None:
    sizes = np.bincount(Cells.of(vectors, n_blocks).blocks(vectors), minlength=n_blocks)
    even = len(vectors.indptr) / n_blocks
    assert sizes.min() > 0.6 * even
    assert sizes.max() < 1.6 * even


def test_cells_do_not_depend_on_the_threads(vectors: sp.csr_array) -> None:
    found = []
    for n_threads in (1, 3):
        with thread_limit(n_threads):
            found.append(Cells.of(vectors, 4))
    one, three = found
    assert np.array_equal(one.direction, three.direction)
    assert np.array_equal(one.blocks(vectors), three.blocks(vectors))


def test_the_direction_is_that_of_a_ridge_regression() -> None:
    rng = np.random.default_rng(0)
    vectors, below = rng.random((40, 6)), rng.random(40) < 0.4
    centred, side = vectors - vectors.mean(axis=0), np.where(below, -1.0, 1.0)
    expected = np.linalg.solve(
        centred.T @ centred + cells.RIDGE * np.eye(6), centred.T @ (side - side.mean())
    )
    assert cells._between(sp.csr_array(vectors), below) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("dense", [np.zeros((9, 4)), np.tile([1.0, 0, 0, 0], (9, 1)), np.eye(9)])
def test_documents_that_say_nothing_of_one_another_have_blocks_too(dense: np.ndarray) -> None:
    vectors = sp.csr_array(dense)
    block = Cells.of(vectors, 4).blocks(vectors)
    assert ((block >= 0) & (block < 4)).all()
