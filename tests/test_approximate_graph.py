from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from seedtopic import InputError
from seedtopic.learning.graph import approximate, neighbours
from seedtopic.learning.graph.approximate import approximate_neighbors, champions
from seedtopic.learning.graph.neighbours import exact_neighbors, similarity_graph, tf_idf
from seedtopic.learning.signals.words import unit_rows


@pytest.fixture(scope="module")
def clustered() -> sp.csr_array:
    """Documents of 30 subjects: a dozen words of the subject, and as many that all documents share."""
    rng = np.random.default_rng(0)
    n_documents, n_subjects, words_each = 3000, 30, 50
    subject = rng.integers(0, n_subjects, n_documents)
    of_subject = subject[:, None] * words_each + rng.integers(0, words_each, (n_documents, 12))
    shared = n_subjects * words_each + (300 * rng.random((n_documents, 12)) ** 3).astype(int)
    words = np.hstack([of_subject, shared]).ravel()
    rows = np.repeat(np.arange(n_documents), 24)
    counts = sp.csr_array(
        (np.ones(len(rows)), (rows, words)), shape=(n_documents, n_subjects * words_each + 300)
    )
    return tf_idf(counts)


def recall(found: sp.csr_array, truth: sp.csr_array) -> float:
    """Share of the true neighbours that were found; of documents equally near, any is right."""
    shares = []
    for row in range(truth.shape[0]):
        true = truth.data[truth.indptr[row] : truth.indptr[row + 1]]
        cosines = found.data[found.indptr[row] : found.indptr[row + 1]]
        shares.append(np.sum(cosines >= true.min() - 1e-5) / len(true))
    return float(np.mean(shares))


@pytest.mark.parametrize("n_champions", [50, 1000])
def test_most_of_the_nearest_are_found_and_weighed_by_their_cosine(
    clustered: sp.csr_array, n_champions: int
) -> None:
    exact = similarity_graph(clustered, 10, method="exact")
    found = approximate_neighbors(clustered, 10, 2, n_champions)
    assert recall(found, exact) >= 0.9
    assert (np.diff(found.indptr) == 10).all()
    rows = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
    cosines = clustered[rows].multiply(clustered[found.indices]).sum(axis=1)
    assert found.data == pytest.approx(cosines, abs=1e-5)


def test_threads_change_nothing(clustered: sp.csr_array) -> None:
    for search in (exact_neighbors, approximate_neighbors):
        one, two, three = (search(clustered, 10, n) for n in (1, 2, 3))
        for other in (two, three):
            assert np.array_equal(one.indices, other.indices)
            assert np.array_equal(one.data, other.data)
            assert np.array_equal(one.indptr, other.indptr)


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    n_documents=st.integers(1, 150),
    n_words=st.integers(1, 120),
    n_neighbors=st.integers(1, 12),
    n_frequent=st.integers(0, 60),
)
def test_c_finds_what_numpy_does(
    seed: int, n_documents: int, n_words: int, n_neighbors: int, n_frequent: int
) -> None:
    vectors = with_twins(seed, n_documents, n_words)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(neighbours, "N_FREQUENT", n_frequent)
        in_c = exact_neighbors(vectors, n_neighbors)
        patched.setattr(neighbours, "_nearest", None)
        assert_equal(in_c, exact_neighbors(vectors, n_neighbors))


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    n_documents=st.integers(1, 150),
    n_words=st.integers(1, 60),
    n_neighbors=st.integers(1, 12),
    n_champions=st.integers(1, 80),
    leading_share=st.floats(0.0, 1.0),
)
def test_c_finds_what_numpy_does_by_champions(
    seed: int, n_documents: int, n_words: int, n_neighbors: int, n_champions: int, leading_share: float
) -> None:
    vectors = with_twins(seed, n_documents, n_words)
    in_c = approximate_neighbors(vectors, n_neighbors, 1, n_champions, leading_share)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(approximate, "_nearest", None)
        assert_equal(in_c, approximate_neighbors(vectors, n_neighbors, 1, n_champions, leading_share))


def with_twins(seed: int, n_documents: int, n_words: int) -> sp.csr_array:
    """Documents with a few frequent words and many rare ones, each of which is there twice."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.random(n_words) ** 3, (-(-n_documents // 2), n_words))
    return unit_rows(sp.csr_array(np.repeat(counts, 2, axis=0)[:n_documents].astype(float)))


def assert_equal(one: sp.csr_array, other: sp.csr_array) -> None:
    assert np.array_equal(one.indptr, other.indptr)
    assert np.array_equal(one.indices, other.indices)
    assert one.data.tobytes() == other.data.tobytes()


@pytest.mark.parametrize("in_c", [True, False])
@pytest.mark.parametrize(
    ("leading_share", "nearest", "cosine"),
    [
        (0.5, 1, 0.48),  # its first word leads to documents 1 to 7, and the first five are compared
        (0.64, 1, 0.48),  # 0.8 squared
        (1.0, 7, 0.96),  # the second word leads to document 7, too
    ],
)
def test_the_heaviest_words_lead_to_candidates(
    in_c: bool, leading_share: float, nearest: int, cosine: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not in_c:
        monkeypatch.setattr(approximate, "_nearest", None)
    vectors = sp.csr_array([[0.8, 0.6, 0.0], *[[0.6, 0.0, 0.8]] * 6, [0.6, 0.8, 0.0]])
    graph_found = approximate_neighbors(vectors, 1, leading_share=leading_share)
    assert graph_found.indices[:1].tolist() == [nearest]
    assert graph_found.data[:1] == pytest.approx([cosine])


def test_arrays_of_a_search_that_do_not_belong_together_are_refused() -> None:
    weights, columns, starts = np.ones(2, np.float32), np.array([0, 1], np.int32), np.array([0, 1, 2])
    matrix = (weights, columns, starts)
    lengths, is_frequent = np.zeros(32, np.float32), np.zeros(2, np.bool_)
    neighbor, cosine = np.full((2, 1), 7, np.int32), np.zeros((2, 1), np.float32)
    fine = [0, 2, 2, *matrix, *matrix, *matrix, lengths, is_frequent, neighbor, cosine]
    neighbours._nearest.nearest(*fine)
    assert neighbor.tolist() == [[7], [7]]  # nothing in common
    for place, wrong in (
        (1, 3),  # a document too many
        (0, -1),
        (2, 1),  # a frequent word too many
        (4, columns + 1),  # a word that is not there
        (7, -columns),
        (3, weights[:1]),
        (5, starts[::-1].copy()),
        (11, starts[:2]),
        (12, lengths[:2]),
        (13, is_frequent[:1]),
        (15, cosine[:1]),
    ):
        with pytest.raises(ValueError, match="do not belong together"):
            neighbours._nearest.nearest(*fine[:place], wrong, *fine[place + 1 :])
    fine = [0, 2, 5, 0.9, *matrix, *matrix, neighbor, cosine]
    neighbours._nearest.nearest_of_candidates(*fine)
    assert neighbor.tolist() == [[7], [7]]
    for place, wrong in (
        (1, 3),
        (0, -1),
        (2, 0),
        (5, columns + 1),
        (8, -columns),
        (4, weights[:1]),
        (6, starts[::-1].copy()),
        (11, cosine[:1]),
    ):
        with pytest.raises(ValueError, match="do not belong together"):
            neighbours._nearest.nearest_of_candidates(*fine[:place], wrong, *fine[place + 1 :])


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10_000), st.integers(1, 30))
def test_all_words_and_few_documents_leave_nothing_to_chance(seed: int, n_neighbors: int) -> None:
    vectors = unit_rows(sp.csr_array(np.random.default_rng(seed).poisson(0.3, (25, 12)).astype(float)))
    cosine = (vectors @ vectors.T).toarray()
    np.fill_diagonal(cosine, 0.0)
    expected = -np.sort(-cosine, axis=1)[:, :n_neighbors]
    for graph_found in (
        approximate_neighbors(vectors, max(n_neighbors, 3), 2, leading_share=1.0),
        exact_neighbors(vectors, n_neighbors, 2),
    ):
        found = graph_found.toarray()
        assert not found.diagonal().any()
        assert not found[cosine == 0].any()  # no common word
        assert -np.sort(-found, axis=1)[:, :n_neighbors] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("method", ["exact", "approximate"])
def test_twins_strangers_and_empty_documents(method: str) -> None:
    twins = np.tile([0.6, 0.8, 0.0], (3000, 1))  # more than a word has champions
    vectors = sp.csr_array(np.vstack([twins, [[0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0]]]))
    edges = similarity_graph(vectors, 5, method=method)  # type: ignore[arg-type]
    assert (np.diff(edges.indptr) == [5] * 3000 + [0, 0]).all()
    assert edges.data == pytest.approx(1.0)
    assert not edges.diagonal().any()


def test_short_titles_with_many_ties_have_their_neighbours() -> None:
    rng = np.random.default_rng(0)
    n_titles, n_words = 4000, 3000
    words = (n_words * rng.random((n_titles, 5)) ** 4).astype(int)  # the first ones in every other title
    rows = np.repeat(np.arange(n_titles), 5)
    counts = sp.csr_array((np.ones(len(rows)), (rows, words.ravel())), shape=(n_titles, n_words))
    titles = tf_idf(counts)
    assert np.diff(champions(titles, n_titles).indptr).max() > 3 * 200
    exact = similarity_graph(titles, 10, method="exact")
    assert recall(approximate_neighbors(titles, 10, 2, n_champions=200), exact) >= 0.9


def test_champions_are_the_heaviest_and_of_equals_the_first() -> None:
    vectors = sp.csr_array([[0.5, 0.0], [0.7, 0.2], [0.5, 0.0], [0.9, 0.0]])
    lists = champions(vectors, 3)
    assert lists.toarray().tolist() == [[0.5, 0.7, 0.0, 0.9], [0.0, 0.2, 0.0, 0.0]]


def test_the_size_decides_which_graph_is_made(
    clustered: sp.csr_array, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = clustered[:400]

    def edges(method: str) -> list[tuple[int, int]]:
        found = sp.coo_array(similarity_graph(few, 3, method=method))  # type: ignore[arg-type]
        return sorted(zip(found.row.tolist(), found.col.tolist(), strict=True))

    monkeypatch.setattr(neighbours, "approximate_neighbors", lambda *_: sp.csr_array((400, 400)))
    assert edges("approximate") == []
    assert edges("auto") == edges("exact") != []
    monkeypatch.setattr(neighbours, "EXACT_UP_TO", 399)
    assert edges("auto") == []
    with pytest.raises(InputError, match="method is 'fast'"):
        edges("fast")
