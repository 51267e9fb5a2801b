"""The tests of significance: the paper's constants, scipy's own versions, and obvious cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from seedtopic_lab.experiments.statistics import (
    alike,
    average_ranks,
    critical_difference,
    friedman_critical_value,
    friedman_statistic,
    paired_t,
)

scores = arrays(np.float64, (7, 4), elements=st.integers(0, 50).map(lambda value: value / 50))


@pytest.mark.parametrize(("n_results", "value", "difference"), [(40, 2.4296, 0.9644), (4, 3.259, 3.050)])
def test_constants_of_the_paper_and_of_its_fair_version(
    n_results: int, value: float, difference: float
) -> None:
    assert friedman_critical_value(5, n_results) == pytest.approx(value, abs=5e-4)
    assert critical_difference(5, n_results) == pytest.approx(difference, abs=5e-4)


@given(scores)
def test_friedman_agrees_with_scipy_where_there_are_no_ties(values: np.ndarray) -> None:
    values = values + np.arange(4) * 1e-6  # scipy corrects for ties, the paper does not
    chi2 = stats.friedmanchisquare(*values.T).statistic
    n, l = values.shape  # noqa: E741
    ours = friedman_statistic(average_ranks(values), n)
    if np.isclose(chi2, n * (l - 1)):
        assert ours == float("inf")
    else:
        assert ours == pytest.approx((n - 1) * chi2 / (n * (l - 1) - chi2), abs=1e-9)


@given(scores)
def test_ranks_sum_to_the_same_and_follow_the_methods(values: np.ndarray) -> None:
    ranks = average_ranks(values)
    assert ranks.sum() == pytest.approx(4 * 5 / 2)
    assert average_ranks(values[:, ::-1]) == pytest.approx(ranks[::-1])


def test_the_best_score_has_rank_one() -> None:
    assert average_ranks([[0.1, 0.9], [0.2, 0.8]]).tolist() == [2.0, 1.0]


def test_unanimous_results_are_infinitely_significant() -> None:
    assert friedman_statistic([1.0, 2.0, 3.0], 6) == float("inf")


@pytest.mark.parametrize(
    ("ranks", "difference", "groups"),
    [
        ([1.0, 2.0, 3.0], 0.5, []),
        ([3.0, 1.0, 2.0], 1.5, [(0, 1), (1, 2)]),
        ([1.0, 1.2, 1.4, 5.0], 0.5, [(0, 2)]),
        ([1.0, 1.0], 0.1, [(0, 1)]),
    ],
)
def test_groups_are_the_largest_ones(
    ranks: list[float], difference: float, groups: list[tuple[int, int]]
) -> None:
    assert alike(ranks, difference) == groups


def test_paired_t_against_the_formula() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.8, 0.01, 10), rng.normal(0.79, 0.01, 10)
    difference = first - second
    t = difference.mean() / (difference.std(ddof=1) / np.sqrt(10))
    assert paired_t(first, second) == pytest.approx(2 * stats.t.sf(abs(t), 9))


def test_paired_t_without_variance() -> None:
    assert paired_t([0.5] * 3, [0.5] * 3) == 1.0
    assert paired_t([0.5] * 3, [0.4] * 3) == 0.0
