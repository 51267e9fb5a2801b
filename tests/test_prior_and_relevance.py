"""Known answers worked out by hand on a corpus of four documents and five words."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from seedtopic.learning.signals.seeds import (
    category_prior,
    membership_degree,
    nearest_categories,
    prototype_similarity,
    prototypes,
    seed_cooccurrence,
    seed_counts,
    seed_frequency,
    seed_prior,
)
from seedtopic.learning.signals.words import log_weights, word_relevance

#             oil gold ship the  new
COUNTS = sp.csr_array(
    [
        [2.0, 0.0, 1.0, 1.0, 0.0],
        [1.0, 1.0, 0.0, 1.0, 0.0],
        [0.0, 3.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 2.0],
    ]
)
SEEDS = sp.csr_array([[1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0]])  # oil | gold
COOCCURRENCE = [[2.0, 1.0, 1.0, 2.0, 0.0], [1.0, 2.0, 0.0, 2.0, 0.0]]


def test_cooccurrence_counts_documents_not_tokens() -> None:
    assert seed_cooccurrence(COUNTS, SEEDS).tolist() == COOCCURRENCE


def test_cooccurrence_sums_over_the_seeds_of_a_category() -> None:
    both = sp.csr_array([[1.0, 1.0, 0.0, 0.0, 0.0]])
    assert seed_cooccurrence(COUNTS, both).tolist() == [[3.0, 3.0, 1.0, 4.0, 0.0]]


def test_relevance_by_hand() -> None:
    # Shares minus 1/2, cut at 0: oil (1/6, 0), gold (0, 1/6), ship (1/2, 0), the (0, 0), new (0, 0).
    # Every word with a positive entry has it in one category only, so the last normalisation gives 1.
    expected = [[1, 0.01], [0.01, 1], [1, 0.01], [0.01, 0.01], [0.01, 0.01]]
    assert word_relevance(np.array(COOCCURRENCE), epsilon=0.01).tolist() == expected


def test_relevance_where_a_word_leans_to_two_of_three_categories() -> None:
    cooccurrence = np.array([[2.0, 1.0], [2.0, 0.0], [0.0, 0.0]])
    # Word 0: shares (1/2, 1/2, 0), above chance (1/6, 1/6, 0); word 1: (1, 0, 0), above chance (2/3, 0, 0).
    # Over words: category 0 gives (1/5, 4/5), category 1 gives (1, 0). Word 0: (1/5, 1) / (6/5).
    gamma = word_relevance(cooccurrence, epsilon=0.01)
    assert gamma == pytest.approx(np.array([[1 / 6, 5 / 6, 0.01], [1, 0.01, 0.01]]))


def test_prototype_by_hand() -> None:
    c = prototypes(np.array(COOCCURRENCE), np.array([3.0, 4.0]))
    b = np.e - 1
    # ship meets category 0 alone (CF = 1): b^(1/3) ln 2 there, b^0 ln 2 in the other; the rest have
    # ln(2/2) = 0 or, for the word that meets no seed, 0 by definition.
    assert c == pytest.approx(np.array([[0, 0, b ** (1 / 3) * np.log(2), 0, 0], [0, 0, np.log(2), 0, 0]]))


def test_prototype_of_a_category_without_seeds_in_the_corpus_is_finite() -> None:
    c = prototypes(np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([1.0, 0.0]))
    assert np.isfinite(c).all()


def test_nearest_categories_take_the_lowest_of_equals_and_none_for_the_unlike() -> None:
    similarity = np.array([[0.5, 0.5, 0.1], [0.0, 0.0, 0.0]])
    assert nearest_categories(similarity, 1).tolist() == [[True, False, False], [False] * 3]
    assert nearest_categories(similarity, 2).tolist() == [[True, True, False], [False] * 3]
    assert not nearest_categories(similarity, 0).any()


def test_membership_and_priors_by_hand() -> None:
    counted = seed_counts(COUNTS, SEEDS)
    assert counted.tolist() == [[2, 0], [1, 1], [0, 3], [0, 0]]
    nearest = np.array([[True, False], [True, False], [True, False], [False, True]])
    degree = membership_degree(counted, nearest, tau=0.1)
    assert degree == pytest.approx(np.array([[1.0, 0.0], [0.55, 0.45], [0.1, 0.9], [0.0, 1.0]]))
    frequency = seed_frequency(np.asarray(COUNTS.sum(axis=0)), SEEDS)
    assert frequency.tolist() == [3 / 7, 4 / 7]
    alpha = category_prior(degree, frequency, eta=10, rho=0.9, alpha0=0.01)
    assert alpha[3] == pytest.approx([10 * 0.9 * 3 / 7 + 0.01, 10 * (0.1 + 0.9 * 4 / 7) + 0.01])
    assert seed_prior(counted)[1:].tolist() == [[5.01, 5.01], [0.01, 10.01], [0.01, 0.01]]


def test_without_prototypes_documents_without_seeds_have_no_membership() -> None:
    degree = membership_degree(seed_counts(COUNTS, SEEDS), np.zeros((4, 2), bool))
    assert degree.tolist() == [[1, 0], [0.5, 0.5], [0, 1], [0, 0]]


def test_log_weights_are_information_content() -> None:
    assert log_weights(np.array([1.0, 3.0, 0.0])) == pytest.approx([np.log(4), np.log(4 / 3), np.log(4)])


count_matrices = hnp.arrays(
    np.float64, st.tuples(st.integers(2, 6), st.integers(3, 6)), elements=st.integers(0, 3).map(float)
)


@given(count_matrices, st.integers(1, 3), st.floats(0, 1))
def test_laws_of_the_prior(matrix: np.ndarray, P: int, tau: float) -> None:
    counts = sp.csr_array(matrix)
    seeds = sp.csr_array(np.eye(3, matrix.shape[1]))
    cooccurrence = seed_cooccurrence(counts, seeds)
    gamma = word_relevance(cooccurrence, 0.01)
    assert gamma.shape == (matrix.shape[1], 3)
    assert ((gamma >= 0.01) & (gamma <= 1)).all()
    similarity = prototype_similarity(counts, prototypes(cooccurrence, seeds @ matrix.sum(axis=0)))
    assert ((similarity >= 0) & (similarity <= 1 + 1e-9)).all()
    degree = membership_degree(seed_counts(counts, seeds), nearest_categories(similarity, P), tau)
    totals = degree.sum(axis=1)
    marked = similarity.any(axis=1) | seed_counts(counts, seeds).any(axis=1)
    assert totals == pytest.approx(marked.astype(float))
    # Renaming the categories permutes the columns of the seed part.
    permuted = sp.csr_array(seeds.toarray()[[2, 0, 1]])
    assert word_relevance(seed_cooccurrence(counts, permuted), 0.01) == pytest.approx(gamma[:, [2, 0, 1]])


def test_a_seed_says_nothing_where_a_word_speaks_against_its_category() -> None:
    against = sp.csr_array([[0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
    membership = sp.csr_array([[1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0]])
    found = seed_counts(COUNTS[:2], membership, against)
    assert found.tolist() == [[0.0, 0.0], [1.0, 1.0]]


def test_a_short_document_has_a_cosine_and_an_empty_one_none() -> None:
    """Lengths below 1 are no reason to say nothing."""
    counts = sp.csr_array([[0.25, 0.25], [0.0, 0.0]])
    assert prototype_similarity(counts, np.array([[1.0, 1.0], [0.5, -0.5]])).tolist() == [
        [pytest.approx(1.0), 0.0],
        [0.0, 0.0],
    ]
