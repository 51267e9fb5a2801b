"""keyATM: its conditional distributions by hand and against brute force, and what its sampler must keep."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import gammaln

from seedtopic_lab.experiments.peers import keyatm
from seedtopic_lab.experiments.peers.keyatm import KeyATM, word_information

SEEDS = {"sports": ["game"], "money": ["bank"]}
VOCABULARY = ["game", "goal", "bank", "rate"]
COUNTS = sp.csr_array(np.array([[3, 2, 0, 0], [0, 0, 3, 2], [0, 3, 0, 0], [0, 0, 0, 0]], dtype=np.float32))


def test_information_of_a_word() -> None:
    assert word_information(np.array([0, 0, 1, 2]), 4).tolist() == [1.0, 2.0, 2.0, 2.0]


@pytest.mark.parametrize("x", [0.001, 0.5, 1.0, 9.99, 10.01, 37.5, 5000.0])
def test_log_gamma_on_both_sides_of_its_approximation(x: float) -> None:
    assert keyatm._log_gamma(x) == pytest.approx(math.lgamma(x), rel=1e-10, abs=1e-9)


def test_posterior_of_alpha_against_the_dirichlet_multinomial() -> None:
    counts, alpha = np.array([[2.5, 0.0], [1.0, 4.0]]), np.array([0.3, 0.7])

    def by_hand(value: float) -> float:
        total = value + alpha[1]
        result = math.log(value) - value  # Gamma(1, 1), on the scale of the logarithm
        for row in counts:
            result += gammaln(total) - gammaln(row.sum() + total)
            result += gammaln(row[0] + value) - gammaln(value)
        return result

    def found(value: float) -> float:
        return keyatm._log_posterior(0, math.log(value), alpha, counts, counts.sum(axis=1), 1.0)

    assert found(2.0) - found(0.3) == pytest.approx(by_hand(2.0) - by_hand(0.3))
    assert found(12.0) - found(0.3) == pytest.approx(by_hand(12.0) - by_hand(0.3))


def test_common_factor_of_a_topic_by_hand() -> None:
    other, keyword = np.array([2.0, 3.0]), np.array([1.0, 0.0])
    # 1 / (4 * 0.01 + 2) and the share (1 + 2) / (2 + 2 + 1) of tokens that are not drawn from the keywords
    assert keyatm._factor(other, keyword, 0, True, 4) == pytest.approx(0.6 / 2.04)
    assert keyatm._factor(other, keyword, 1, False, 4) == pytest.approx(1 / 3.04)


def test_sampled_topics_follow_the_exact_posterior() -> None:
    """Two documents, "goal" and "goal game", of weight one each: all states are enumerated, alpha is fixed."""
    tokens, starts = np.array([1, 1, 0]), np.array([0, 1, 3])
    is_keyword = np.array([[True, False], [False, False]])
    weights = np.ones(2)

    def joint(z: tuple[int, ...], s: int) -> float:
        """The weight of a state: documents, switches, then words; alpha is fixed at 1/2."""
        value = 1.0
        document = np.full((2, 2), 0.5)
        other, other_word = np.zeros(2), np.zeros((2, 2))
        special = 0.0
        for token, (word, row) in enumerate(((1, 0), (1, 1), (0, 1))):
            k = z[token]
            value *= document[row, k] / document[row].sum()
            document[row, k] += 1
            from_keywords = s if token == 2 else 0
            if k == 0:  # the topic with a keyword
                share = (1 + (special if from_keywords else other[0])) / (2 + special + other[0])
                value *= share
            if from_keywords:
                value *= 1.0 if k == 0 else 0.0  # its one keyword
                special += 1
            else:
                value *= (0.01 + other_word[word, k]) / (0.02 + other[k])
                other_word[word, k] += 1
                other[k] += 1
        return value

    states = {
        (a, b, c, s): joint((a, b, c), s) for a in (0, 1) for b in (0, 1) for c in (0, 1) for s in (0, 1)
    }
    exact = sum(v for (a, b, c, s), v in states.items() if a == 0) / sum(states.values())
    draws = [
        keyatm._sample(tokens, starts, weights, is_keyword, 12, seed, False)[0][0, 0] for seed in range(6000)
    ]
    assert np.mean(draws) == pytest.approx(exact, abs=0.025)


def test_documents_keep_their_weight_and_empty_ones_get_a_label() -> None:
    peer = KeyATM(SEEDS, VOCABULARY, n_other=1, iterations=60, random_state=1).fit(COUNTS)
    assert peer.transduction_[:2].tolist() == ["sports", "money"]
    assert len(peer.transduction_) == 4
    tokens = np.array([0, 1, 1, 2])
    information = word_information(tokens, 3)
    is_keyword = np.array([[True, False], [False, False], [False, True]])
    shares, alpha = keyatm._sample(tokens, np.array([0, 2, 2, 4]), information, is_keyword, 5, 3, True)
    assert shares.sum(axis=1) == pytest.approx([information[0] + information[1], 0, information[1] + 2])
    assert (alpha > 0).all()


def test_the_same_random_state_gives_the_same_labels() -> None:
    first, second = (
        KeyATM(SEEDS, VOCABULARY, iterations=20, random_state=5).fit(COUNTS).transduction_.tolist()
        for _ in range(2)
    )
    assert first == second
