from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from seedtopic.learning.graph.neighbours import neighbor_graph, tf_idf
from seedtopic.learning.graph.smoothing import Manifold, smooth


def naive_graph(counts: np.ndarray, n_neighbors: int) -> np.ndarray:
    """All cosines, sorted: the obvious way."""
    vectors = tf_idf(sp.csr_array(counts)).toarray()
    cosine = vectors @ vectors.T
    joined = np.zeros_like(cosine)
    for i, row in enumerate(cosine):
        others = [j for j in np.argsort(-row, kind="stable") if j != i and row[j] > 1e-7]
        joined[i, others[:n_neighbors]] = 1
    return np.maximum(joined, joined.T)


def test_graph_equals_the_obvious_way() -> None:
    counts = np.random.default_rng(0).poisson(0.7, (40, 30)).astype(np.float32)
    for n_neighbors in (1, 3, 5):
        found = neighbor_graph(sp.csr_array(counts), n_neighbors).toarray()
        assert np.array_equal(found, naive_graph(counts, n_neighbors))


def test_twins_have_other_twins_as_neighbours_and_never_themselves() -> None:
    counts = sp.csr_array(np.vstack([np.tile([1.0, 1.0, 0.0], (9, 1)), [[0.0, 0.0, 1.0]]]))
    graph = neighbor_graph(counts, 3).toarray()
    assert not graph.diagonal().any()
    assert (graph[:9, :9].sum(axis=1) >= 3).all()
    assert not graph[9].any()  # nothing in common with anybody
    assert np.array_equal(graph, graph.T)


def test_no_neighbours_asked_for_means_no_edges() -> None:
    assert neighbor_graph(sp.csr_array([[1.0, 0.0], [1.0, 1.0]]), 0).nnz == 0


def random_problem(seed: int, n: int = 12, k: int = 3) -> tuple[np.ndarray, sp.csr_array]:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) < 0.25, 1).astype(float)
    return rng.gamma(0.5, 3.0, (n, k)) + 0.01, sp.csr_array(upper + upper.T)


def naive_objective(theta: np.ndarray, evidence: np.ndarray, graph: sp.csr_array, lam: float) -> float:
    """Eq. 9 in theta, with R written as the double sum of Eq. 2."""
    w = graph.toarray()
    differences = ((theta[:, None, :] - theta[None, :, :]) ** 2).sum(axis=2)
    return float((evidence * np.log(theta)).sum() - lam * 0.5 * (w * differences).sum())


@settings(deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.3, 5.0, 200.0]), st.sampled_from([0.05, 0.1, 0.7]))
def test_the_objective_never_falls_in_algorithm_1(seed: int, lam: float, kappa: float) -> None:
    evidence, graph = random_problem(seed)
    result = smooth(evidence, Manifold.of(graph), lam, kappa)
    assert all(after >= before for before, after in zip(result.objective, result.objective[1:], strict=False))
    assert result.objective[-1] == pytest.approx(naive_objective(result.theta, evidence, graph, lam))
    assert result.theta.sum(axis=1) == pytest.approx(1.0)
    # It stops only because the next step would fall, or at the cap.
    if len(result.objective) <= 200 and lam and graph.nnz:
        average = Manifold.of(graph).averaging @ result.theta
        further = (1 - kappa) * result.theta + kappa * average
        assert naive_objective(further, evidence, graph, lam) < result.objective[-1] + 1e-9


def test_isolated_documents_keep_their_theta() -> None:
    graph = sp.csr_array(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    evidence = np.array([[9.0, 1.0], [1.0, 9.0], [7.0, 3.0]])
    theta = smooth(evidence, Manifold.of(graph), 100.0).theta
    assert theta[2] == pytest.approx([0.7, 0.3])
    assert theta[0, 0] < 0.9


def test_more_weight_on_the_regulariser_means_smoother() -> None:
    evidence, graph = random_problem(1)
    manifold = Manifold.of(graph)

    def roughness(lam: float) -> float:
        theta = smooth(evidence, manifold, lam).theta
        return manifold.penalty(theta, manifold.averaging @ theta)

    assert roughness(100.0) < roughness(1.0) <= roughness(0.0)
