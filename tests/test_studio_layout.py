"""The frame of the map: a few outliers do not squash the others, and nobody changes sides."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from seedtopic.io.rows import Rows
from seedtopic.learning.graph.neighbours import similarity_graph
from seedtopic.learning.signals.words import unit_rows
from seedtopic.web.studio import map as layout
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.map import document_map, framed, places

PLACES = arrays(np.float64, st.tuples(st.integers(2, 60), st.just(2)), elements=st.floats(-1e6, 1e6))


@given(PLACES)
def test_all_are_inside_and_keep_their_order(points: np.ndarray) -> None:
    scaled = framed(points)
    assert np.abs(scaled).max() <= 1.0
    for axis in (0, 1):
        assert np.all(np.diff(scaled[np.argsort(points[:, axis], kind="stable"), axis]) >= -1e-12)


@given(st.floats(2.0, 1e9), st.floats(2.0, 1e9))
def test_outliers_do_not_squash_the_others(right: float, down: float) -> None:
    crowd = np.random.default_rng(0).uniform(-1.0, 1.0, size=(400, 2))
    far = np.repeat([[right, 0.0], [0.0, -down]], 8, axis=0)
    scaled = framed(np.vstack([crowd, far]))
    assert np.ptp(scaled[:400], axis=0).min() > 1.5


def test_a_crowd_beside_much_empty_space_is_widened() -> None:
    random = np.random.default_rng(1)
    crowd, far = random.normal(0.0, 0.1, (300, 2)), random.normal(10.0, 0.1, (100, 2))
    scaled = framed(np.vstack([crowd, far]))
    assert np.ptp(scaled[:300], axis=0).min() > 0.5  # by distance alone it would have 0.1 of 2
    assert scaled[:300].max(axis=0).max() < scaled[300:].min(axis=0).min() - 0.5  # and stays apart


def test_documents_like_no_other_do_not_squash_the_map() -> None:
    subjects = ["goal match striker", "oven butter recipe", "rain snow storm", "guitar concert singer"]
    texts = [f"{subject} {subject.split()[number % 3]}" for number in range(40) for subject in subjects]
    odd = [f"lonely{number} strange{number} single{number}" for number in range(6)]
    texts = [*texts, *odd]
    collection = Collection(Rows(texts=texts, rows=[{"text": text} for text in texts]), vectors=None)
    _, x, y = document_map(collection)
    assert min(np.ptp(x[:160]), np.ptp(y[:160])) > 1.25


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10_000), st.integers(2, 40))
def test_c_puts_documents_where_python_does(seed: int, n_documents: int) -> None:
    counts = np.random.default_rng(seed).poisson(0.3, (n_documents, 12)).astype(float)
    vectors = unit_rows(sp.csr_array(counts))
    similarity = similarity_graph(vectors, 4)
    in_c = places(vectors, similarity)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(layout, "_nearest", None)
        assert places(vectors, similarity).tobytes() == in_c.tobytes()


def test_arrays_of_a_map_that_do_not_belong_together_are_refused() -> None:
    points, heads, strength = np.zeros((2, 2)), np.array([0], np.int32), np.ones(1)
    layout._nearest.settle(0, 4, points, heads, heads + 1, strength)
    for wrong in ((heads, heads + 2, strength), (heads - 1, heads, strength), (heads, heads, strength[:0])):
        with pytest.raises(ValueError, match="do not belong together"):
            layout._nearest.settle(1, 4, points, *wrong)
