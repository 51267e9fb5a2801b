"""Vectors of seeds and categories, with a table so small that the answers are known."""

from __future__ import annotations

import numpy as np
import pytest

from seedtopic import Seeds
from seedtopic.knowledge.categories import MOST_MATCHES, category_vectors
from seedtopic.knowledge.tables import WordVectors


def seed_vector(seed, table):
    return category_vectors(Seeds({"x": [seed], "other": ["yyy"]}), table).words["x"][seed]


@pytest.fixture
def table() -> WordVectors:
    words = ["of", "bank", "america", "goal", "goals", "goalie"]
    numbers = np.array([[0, 0, 9], [5, 0, 0], [0, 5, 0], [0, 2, 0], [0, 0, 2], [-1, 0, 0]], np.int8)
    return WordVectors("tiny", words, numbers, "", by_frequency=True)


def test_a_word_has_its_direction_and_an_unknown_one_has_none(table):
    assert seed_vector("bank", table).tolist() == [1, 0, 0]
    assert seed_vector("bnak", table) is None
    assert seed_vector("bnak*", table) is None


def test_a_phrase_is_the_mean_of_its_known_words_and_frequent_ones_count_less(table):
    vector = seed_vector("bank of america", table)
    assert 0 < vector[2] < vector[0] < vector[1]  # "bank" is more frequent than "america"
    assert np.linalg.norm(vector) == pytest.approx(1)
    np.testing.assert_array_equal(seed_vector("bank bnak", table), seed_vector("bank", table))
    np.testing.assert_array_equal(seed_vector("bank-bnak", table), seed_vector("bank", table))


def test_a_wildcard_is_the_mean_of_its_words_and_frequent_ones_count_more(table):
    vector = seed_vector("goal*", table)
    np.testing.assert_allclose(vector / vector[1], [-6.7 / 8.7, 1, 6.7 / 7.7], rtol=1e-5)


def test_a_wildcard_stands_for_the_most_frequent_words_only():
    words = [f"go{n}" for n in range(MOST_MATCHES + 10)]
    numbers = np.zeros((len(words), 2), np.int8)
    numbers[:MOST_MATCHES, 0], numbers[MOST_MATCHES:, 1] = 1, 1
    vector = seed_vector("go*", WordVectors("tiny", words, numbers, ""))
    assert vector.tolist() == [1, 0]


def test_a_category_is_the_mean_of_its_seeds_by_their_weights(table):
    seeds = Seeds({"money": {"words": ["bank", "america", "bnak"], "weights": {"bank": 3}}, "x": ["yyy"]})
    found = category_vectors(seeds, table)
    np.testing.assert_allclose(found.vectors[0], np.array([3, 1, 0]) / 10**0.5, rtol=1e-6)
    assert not found.vectors[1].any()
    assert found.known.tolist() == [True, False]
    assert found.words["money"]["bnak"] is None
    assert found.words["money"]["bank"].tolist() == [1, 0, 0]
    assert found.unknown == ["bnak", "yyy"]
    assert found.vectors.dtype == np.float32
