from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from seedtopic.learning.graph.smoothing import Manifold, ManifoldPrior
from seedtopic.learning.topics import em
from seedtopic.learning.topics.em import Expectation
from seedtopic.learning.topics.kernels import get_kernel
from seedtopic.learning.topics.kernels.interface import Parameters, Shard, Statistics

SETTINGS = em.Settings(
    bayes=True,
    alpha_background=0.1,
    beta=0.01,
    beta_background=0.02,
    max_iter=15,
)


def without_graph(alpha: np.ndarray) -> ManifoldPrior:
    n = len(alpha)
    return ManifoldPrior(alpha, Manifold.of(sp.csr_array(sp.coo_array((n, n)))), 0.0, 0.1, 200)


def numpy_estep(shard: Shard) -> Expectation:
    return Expectation([shard], get_kernel("numpy"))


def test_mstep_by_hand() -> None:
    statistics = Statistics(
        np.array([[3.0, 1.0], [0.0, 0.0]]),
        np.array([[1.0], [2.0]]),
        np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 0.0]]),
        np.array([[1.0], [1.0], [1.0]]),
        float("nan"),
    )
    alpha = np.array([[1.0, 1.0], [0.5, 1.5]])
    updated = em.mstep(statistics, np.ones((2, 2)) / 2, without_graph(alpha).update, SETTINGS)
    assert updated.doc_topic == pytest.approx(np.array([[4 / 6, 2 / 6], [0.25, 0.75]]))  # Eq. 15
    assert updated.doc_background.tolist() == [[1.0], [1.0]]  # Eq. 12 with one topic
    expected = np.array([[2.01 / 3.03, 0.01 / 1.03], [1.01 / 3.03, 1.01 / 1.03], [0.01 / 3.03, 0.01 / 1.03]])
    assert updated.word_topic == pytest.approx(expected)  # Eq. 13
    assert updated.word_background == pytest.approx(np.full((3, 1), 1.02 / 3.06))  # Eq. 14


def test_mstep_needs_word_statistics() -> None:
    statistics = Statistics(np.ones((2, 2)), np.ones((2, 1)), None, None, float("nan"))
    with pytest.raises(TypeError, match="want_words"):
        em.mstep(statistics, np.ones((2, 2)), without_graph(np.ones((2, 2))).update, SETTINGS)


def random_collection(seed: int) -> tuple[Shard, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    counts = sp.csr_array(rng.poisson(0.8, (20, 15)).astype(float))
    alpha = rng.gamma(1.0, 2.0, (20, 3)) + 0.01
    return Shard.of(counts), alpha, np.full((15, 3), 0.5, np.float32)


@pytest.mark.parametrize("seed", range(5))
def test_the_objective_rises_where_em_is_exact(seed: int) -> None:
    """With delta constant and no graph the Bayes E-step and the updates are EM proper, which never falls."""
    shard, alpha, relevance = random_collection(seed)
    start = em.start_prior(shard.n_words, alpha, 4, np.random.RandomState(seed))
    prior = without_graph(alpha)
    fitted = em.run(numpy_estep(shard), relevance, start, SETTINGS, prior.update, log_prior=prior.log_density)
    steps = np.diff(fitted.objective)
    assert (steps >= -1e-4 * np.abs(fitted.objective[:-1])).all()
    assert fitted.objective[-1] > fitted.objective[0]


@pytest.mark.parametrize("start", ["random", "prior", "seed"])
def test_every_start_is_made_of_distributions(start: str) -> None:
    shard, alpha, _ = random_collection(0)
    rng = np.random.RandomState(0)
    if start == "random":
        parameters = em.start_random(shard.n_words, alpha, 4, rng)
    elif start == "prior":
        parameters = em.start_prior(shard.n_words, alpha, 4, rng)
    else:
        parameters = em.start_seed(shard.n_words, alpha, 4, rng, np.ones((15, 3)), 0.01)
    assert parameters.doc_topic.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert parameters.doc_background.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert parameters.word_topic.sum(axis=0) == pytest.approx(1.0, abs=1e-5)
    assert parameters.word_background.sum(axis=0) == pytest.approx(1.0, abs=1e-5)
    from_prior = np.allclose(parameters.doc_topic, alpha / alpha.sum(axis=1, keepdims=True), atol=1e-6)
    assert from_prior == (start != "random")


def test_background_cannot_move_theta_in_the_printed_estep() -> None:
    """Eqs. 10-11 hold p(c=1) at its prior value, so background topics have no say (specs of the paper)."""
    shard, alpha, relevance = random_collection(3)
    printed = em.Settings(**{**SETTINGS.__dict__, "bayes": False})
    thetas = []
    for n_background in (1, 7):
        start = em.start_prior(shard.n_words, alpha, n_background, np.random.RandomState(0))
        fitted = em.run(numpy_estep(shard), relevance, start, printed, without_graph(alpha).update)
        thetas.append(fitted.parameters.doc_topic)
    assert thetas[0] == pytest.approx(thetas[1], abs=1e-6)


def test_the_objective_is_tracked_only_with_a_prior_to_add() -> None:
    shard, alpha, relevance = random_collection(0)
    start = em.start_prior(shard.n_words, alpha, 2, np.random.RandomState(0))
    prior = without_graph(alpha)
    fitted = em.run(numpy_estep(shard), relevance, start, SETTINGS, prior.update)
    assert fitted.objective == []


def test_theta_is_updated_from_the_last() -> None:
    shard, alpha, relevance = random_collection(1)
    start = em.start_prior(shard.n_words, alpha, 2, np.random.RandomState(0))
    given = []

    def update(expected: np.ndarray, theta: np.ndarray) -> np.ndarray:
        given.append(theta)
        return np.full_like(alpha, 1 / 3)

    em.run(numpy_estep(shard), relevance, start, SETTINGS, update)
    assert np.array_equal(given[0], start.doc_topic)
    assert all(theta == pytest.approx(np.full_like(alpha, 1 / 3)) for theta in given[1:])


def test_fold_in_of_a_document_without_words_is_its_prior() -> None:
    alpha = np.array([[3.0, 1.0]])
    empty = sp.csr_array(sp.coo_array((1, 2)))
    phi = np.full((2, 2), 0.5, np.float32)
    theta = em.fold_in(em.Folding(empty, alpha, phi, phi, phi, SETTINGS, get_kernel("numpy")))
    assert theta.tolist() == [[0.75, 0.25]]


def test_fold_in_goes_on_until_theta_stands_still() -> None:
    shard, alpha, relevance = random_collection(2)
    counts = sp.csr_array((shard.data, shard.indices, shard.indptr), shape=(20, 15))
    rng = np.random.default_rng(0)
    phi = rng.dirichlet(np.full(15, 0.3), 3).T.astype(np.float32)
    background = np.full((15, 1), 1 / 15, np.float32)
    numpy_kernel = get_kernel("numpy")
    theta = em.fold_in(em.Folding(counts, alpha, relevance, phi, background, SETTINGS, numpy_kernel))
    even = np.ones((20, 1), np.float32)
    again = numpy_kernel(shard, Parameters(theta, even, phi, background), relevance, bayes=True)
    updated = again.doc_topic + alpha
    assert theta == pytest.approx(updated / updated.sum(axis=1, keepdims=True), abs=2e-4)
