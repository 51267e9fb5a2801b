"""In debug mode, a mistake in the mathematics is found out and the iteration named."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from seedtopic import WSPTM, LapSWTM
from seedtopic.base.checks import BrokenPromiseError, check_objective, debugging
from seedtopic.learning.graph.smoothing import Manifold, ManifoldPrior
from seedtopic.learning.topics import em
from seedtopic.learning.topics.em import Expectation
from seedtopic.learning.topics.kernels import get_kernel
from seedtopic.learning.topics.kernels.interface import Shard, Statistics
from seedtopic.model.paper_topics import PaperOptions

SETTINGS = em.Settings(bayes=True, alpha_background=0.1, beta=0.01, beta_background=0.02, max_iter=12)


@pytest.fixture
def debug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEEDTOPIC_DEBUG", "1")


def run(seed: int = 0, *, break_theta: bool = False, break_estep: bool = False) -> em.Fitted:
    rng = np.random.default_rng(seed)
    shard = Shard.of(sp.csr_array(rng.poisson(0.8, (20, 15)).astype(float)))
    alpha = rng.gamma(1.0, 2.0, (20, 3)) + 0.01
    prior = ManifoldPrior(alpha, Manifold.of(sp.csr_array(sp.coo_array((20, 20)))), 0.0, 0.1, 200)
    local = Expectation([shard], get_kernel("numpy"))

    def broken_update(expected: np.ndarray, theta: np.ndarray) -> np.ndarray:
        return prior.update(expected, theta)[::-1]  # the theta of other documents

    def broken_estep(*arguments: object, **named: object) -> Statistics:
        found = local(*arguments, **named)  # type: ignore[arg-type]
        return found._replace(word_topic=found.word_topic.max() - found.word_topic)  # least what is most

    return em.run(
        broken_estep if break_estep else local,
        np.full((15, 3), 0.5, np.float32),
        em.start_prior(shard.n_words, alpha, 4, np.random.RandomState(seed)),
        SETTINGS,
        broken_update if break_theta else prior.update,
        log_prior=prior.log_density,
        rises=True,
    )


@pytest.mark.parametrize("seed", range(10))
def test_right_updates_pass(seed: int, debug: None) -> None:
    assert len(run(seed).objective) == 12


@pytest.mark.parametrize("broken", ["break_theta", "break_estep"])
@pytest.mark.parametrize("seed", range(3))
def test_a_broken_update_is_caught(broken: str, seed: int, debug: None) -> None:
    with pytest.raises(BrokenPromiseError, match=r"fell from -\d+.* in iteration \d+"):
        run(seed, **{broken: True})


def test_nothing_is_checked_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    run(break_theta=True)
    monkeypatch.setenv("SEEDTOPIC_DEBUG", "0")
    assert not debugging()
    run(break_theta=True)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_an_objective_that_is_no_number(value: float) -> None:
    with pytest.raises(BrokenPromiseError, match=r"in iteration 1"):
        check_objective([0.0, value], rises=False)


def test_rounding_is_no_fall() -> None:
    check_objective([-1000.0, -1000.001], rises=True)
    with pytest.raises(BrokenPromiseError):
        check_objective([-1000.0, -1000.1], rises=True)
    check_objective([-1000.0, -1000.1], rises=False)


@pytest.mark.parametrize("model", [WSPTM, LapSWTM])
@pytest.mark.parametrize("kernel", ["auto", "numpy"])
def test_models_where_em_is_exact_pass(
    model: type[WSPTM], kernel: str, toy_texts: list[str], toy_seeds: dict[str, list[str]], debug: None
) -> None:
    """With every word as relevant to all categories and without a graph."""
    exact = model(toy_seeds, epsilon=1.0, lam=0.0, estep="bayes", kernel=kernel, random_state=0)
    fitted = exact.fit(toy_texts)
    assert em.is_exact(PaperOptions.of(fitted).settings(), fitted.relevance_, fitted.lam)
    assert (np.diff(fitted.objective_) >= -1e-5 * np.abs(fitted.objective_[:-1])).all()
    usual = model(toy_seeds, kernel=kernel, track_objective=False, random_state=0).fit(toy_texts)
    assert not em.is_exact(PaperOptions.of(usual).settings(), usual.relevance_, usual.lam)
    assert usual.objective_.tolist() == []
