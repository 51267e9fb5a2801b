"""Which documents to check next: uncertain, typical of many, and no copies of each other."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from seedtopic import InputError
from seedtopic.quality import next as module
from seedtopic.quality.next import next_documents, queue

UNSURE, SURE = [0.5, 0.5], [1.0, 0.0]


def test_a_document_like_many_uncertain_ones_comes_first():
    vectors = np.repeat(np.eye(3), [2, 5, 9], axis=0)  # three subjects, the largest of which is certain
    probabilities = np.array([UNSURE] * 7 + [SURE] * 9)
    assert 2 <= next_documents(probabilities, vectors, 1)[0] < 7


def test_copies_come_after_everything_else():
    vectors = np.repeat(np.eye(4), 3, axis=0)
    rows = next_documents(np.array([UNSURE] * 12), vectors, 12)
    assert sorted(row // 3 for row in rows[:4].tolist()) == [0, 1, 2, 3]
    assert sorted(rows.tolist()) == list(range(12))


def test_what_is_known_is_not_asked_again_nor_is_a_copy_of_it():
    vectors = np.repeat(np.eye(2), 3, axis=0)
    rows = next_documents(np.array([UNSURE] * 6), vectors, 5, known=np.array([0]))
    assert rows[0] >= 3
    assert sorted(rows.tolist()) == [1, 2, 3, 4, 5]


def test_documents_without_words_are_never_chosen():
    vectors = sp.csr_array(np.vstack((np.zeros((3, 4)), np.eye(4))))
    assert next_documents(np.array([UNSURE] * 7), vectors, 7).min() >= 3


def test_probabilities_and_vectors_must_be_of_the_same_documents():
    with pytest.raises(InputError, match="a row of each"):
        next_documents(np.array([UNSURE]), np.eye(2), 1)


def test_documents_that_may_be_confused_in_another_way_are_asked_as_well():
    vectors = np.ones((6, 1))  # all about the same
    probabilities = np.array([[0.5, 0.5, 0, 0]] * 4 + [[0, 0, 0.5, 0.5]] * 2)
    found = queue(probabilities, vectors, 2)
    assert found.rows[0] < 4 <= found.rows[1]
    assert found.stands_for.tolist() == [4, 2]


def test_a_document_is_as_uncertain_as_its_label_is_likely_wrong():
    probabilities = np.array([[0.6, 0.4, 0.0], [0.4, 0.3, 0.3], [1.0, 0.0, 0.0]])
    assert next_documents(probabilities, np.eye(3), 3).tolist() == [1, 0]


def test_nothing_uncertain_means_nothing_to_check():
    found = queue(np.array([SURE] * 3), np.eye(3), 2)
    assert found.rows.tolist() == found.stands_for.tolist() == []


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 80), st.integers(0, 20))
def test_rows_are_new_and_the_same_each_time(seed, n_documents, n, n_known):
    draw = np.random.default_rng(seed)
    probabilities = draw.dirichlet(np.ones(3), n_documents)
    vectors = sp.csr_array(draw.random((n_documents, 90)) * (draw.random((n_documents, 90)) < 0.1))
    known = draw.permutation(n_documents)[:n_known]
    rows = next_documents(probabilities, vectors, n, known=known)
    assert len(rows) == len(set(rows.tolist())) <= n
    assert not set(rows.tolist()) & set(known.tolist())
    np.testing.assert_array_equal(rows, next_documents(probabilities, vectors, n, known=known))


def test_of_many_documents_a_sample_is_compared(monkeypatch):
    monkeypatch.setattr(module, "MOST_COMPARED", 10)
    vectors = np.repeat(np.eye(2), 50, axis=0)
    rows = next_documents(np.array([UNSURE] * 100), vectors, 2)
    assert sorted(row // 50 for row in rows.tolist()) == [0, 1]
