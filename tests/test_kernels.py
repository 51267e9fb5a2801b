"""Every kernel against the numpy reference, and the reference against sums written out by hand."""

from __future__ import annotations

import platform
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from seedtopic import InputError
from seedtopic.base import threads
from seedtopic.base.threads import resolve_threads, thread_limit, walk_in_threads
from seedtopic.learning.topics.kernels import (
    KERNELS,
    c_kernel_is_built,
    get_kernel,
    numpy_kernel,
    resolve_kernel,
)
from seedtopic.learning.topics.kernels.interface import Parameters, Scratch, Shard, Statistics

needs_c = pytest.mark.skipif(
    not c_kernel_is_built(), reason="the C kernel is not built: install a C compiler, then seedtopic again"
)
EVERY = [pytest.param(name, marks=needs_c) if name == "c" else name for name in KERNELS]
FAST = [kernel for kernel in EVERY if kernel != "numpy"]
# The same to the last bit, where scipy multiplies and adds one after the other, too: not on ARM.
TOLERANCE = 0.0 if platform.machine() in ("x86_64", "AMD64") else 1e-5
WEIGHTS = st.sampled_from([0.0, 0.0, 0.5, 1.0, 30.0])


def random_problem(
    seed: int, dtype: type = np.float64, n_documents: int = 9, n_words: int = 14, k: int = 3, g: int = 4
) -> tuple[Shard, Parameters, np.ndarray]:
    rng = np.random.default_rng(seed)
    weighted = rng.poisson(0.6, (n_documents, n_words)) * rng.gamma(3.0, 1.0, n_words)

    def rows(*shape: int) -> np.ndarray:
        draws = rng.gamma(0.5, 1.0, shape) + 1e-3
        return (draws / draws.sum(axis=1, keepdims=True)).astype(dtype)

    parameters = Parameters(
        rows(n_documents, k),
        rows(n_documents, g),
        np.ascontiguousarray(rows(k, n_words).T),
        np.ascontiguousarray(rows(g, n_words).T),
    )
    relevance = np.maximum(rng.random((n_words, k)), 0.01).astype(dtype)
    return Shard.of(sp.csr_array(weighted), dtype), parameters, relevance


def by_hand(
    shard: Shard, p: Parameters, relevance: np.ndarray, bayes: bool
) -> tuple[np.ndarray, np.ndarray, float]:
    """Eqs. 10-11 token by token, in loops."""
    doc_topic, word_background = np.zeros_like(p.doc_topic), np.zeros_like(p.word_background)
    likelihood = 0.0
    for d in range(len(shard.indptr) - 1):
        for position in range(shard.indptr[d], shard.indptr[d + 1]):
            v, a = shard.indices[position], shard.data[position]
            delta = p.doc_topic[d] @ relevance[v]
            topics = p.doc_topic[d] * p.word_topic[v]
            background = p.doc_background[d] * p.word_background[v]
            evidence = delta * topics.sum() + (1 - delta) * background.sum()
            on = delta * topics.sum() / evidence if bayes else delta
            doc_topic[d] += a * on * topics / topics.sum()
            word_background[v] += a * (1 - on) * background / background.sum()
            likelihood += a * np.log(evidence)
    return doc_topic, word_background, likelihood


@pytest.mark.parametrize("bayes", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_the_reference_is_the_equations(seed: int, bayes: bool) -> None:
    shard, parameters, relevance = random_problem(seed)
    found = get_kernel("numpy")(shard, parameters, relevance, bayes=bayes, want_likelihood=True)
    doc_topic, word_background, likelihood = by_hand(shard, parameters, relevance, bayes)
    assert found.doc_topic == pytest.approx(doc_topic)
    assert found.word_background == pytest.approx(word_background)
    assert found.log_likelihood == pytest.approx(likelihood)


@pytest.mark.parametrize("kernel", FAST)
@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), bayes=st.booleans(), k=st.integers(1, 20), g=st.integers(1, 20))
def test_kernels_equal_the_reference(kernel: str, seed: int, bayes: bool, k: int, g: int) -> None:
    for dtype in (np.float64, np.float32):
        problem = random_problem(seed, dtype, k=k, g=g)
        expected = get_kernel("numpy")(*problem, bayes=bayes, want_likelihood=True)
        found = get_kernel(kernel)(*problem, bayes=bayes, want_likelihood=True)
        for ours, theirs in zip(found[:4], expected[:4], strict=True):
            assert ours.dtype == dtype
            np.testing.assert_allclose(ours, theirs, rtol=TOLERANCE, atol=TOLERANCE)
        assert found.log_likelihood == pytest.approx(expected.log_likelihood, rel=TOLERANCE, abs=0)


@pytest.mark.parametrize("kernel", FAST)
@settings(deadline=None, max_examples=40)
@given(
    weights=arrays(
        np.float32, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6), elements=WEIGHTS
    ),
    stored_zeros=st.integers(0, 3),
    bayes=st.booleans(),
)
def test_kernels_bear_empty_documents_unused_words_and_zero_weights(
    kernel: str, weights: np.ndarray, stored_zeros: int, bayes: bool
) -> None:
    weighted = sp.csr_array(weights)
    weighted.data[:stored_zeros] = 0.0
    n_documents, n_words = weighted.shape
    _, parameters, relevance = random_problem(0, np.float32, n_documents, n_words)
    problem = Shard.of(weighted), parameters, relevance
    expected = get_kernel("numpy")(*problem, bayes=bayes, want_likelihood=True)
    found = get_kernel(kernel)(*problem, bayes=bayes, want_likelihood=True)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("kernel", EVERY)
def test_no_documents_are_no_trouble(kernel: str) -> None:
    _, parameters, relevance = random_problem(0, np.float32, n_documents=0)
    found = get_kernel(kernel)(Shard.of(sp.csr_array((0, 14))), parameters, relevance, bayes=True)
    assert found.doc_topic.shape == (0, 3)
    assert not found.word_topic.any()


@pytest.mark.parametrize("kernel", EVERY)
def test_what_is_not_asked_for_is_not_given(kernel: str) -> None:
    problem = random_problem(0)
    short = get_kernel(kernel)(*problem, bayes=True, want_words=False)
    full = get_kernel(kernel)(*problem, bayes=True)
    assert short.word_topic is None
    assert short.word_background is None
    assert np.isnan(full.log_likelihood)
    assert np.array_equal(short.doc_topic, full.doc_topic)


@pytest.mark.parametrize("kernel", EVERY)
@pytest.mark.parametrize("bayes", [True, False])
def test_mass_is_conserved(kernel: str, bayes: bool) -> None:
    """Every weighted token goes somewhere, on the documents' side and on the words' side alike."""
    shard, parameters, relevance = random_problem(5)
    found = get_kernel(kernel)(shard, parameters, relevance, bayes=bayes)
    weighted = sp.csr_array((shard.data, shard.indices, shard.indptr))
    by_document = found.doc_topic.sum(axis=1) + found.doc_background.sum(axis=1)
    by_word = found.word_topic.sum(axis=1) + found.word_background.sum(axis=1)
    assert by_document == pytest.approx(weighted.sum(axis=1))
    assert by_word == pytest.approx(weighted.sum(axis=0))


@pytest.mark.parametrize("kernel", EVERY)
def test_shards_add_up(kernel: str) -> None:
    shard, p, relevance = random_problem(7)
    matrix = sp.csr_array((shard.data, shard.indices, shard.indptr), shape=(9, 14))
    whole = get_kernel(kernel)(shard, p, relevance, bayes=True)

    def part(rows: slice) -> Statistics:
        some = Parameters(p.doc_topic[rows], p.doc_background[rows], p.word_topic, p.word_background)
        return get_kernel(kernel)(Shard.of(matrix[rows], np.float64), some, relevance, bayes=True)

    first, second = part(slice(0, 4)), part(slice(4, 9))
    assert np.vstack([first.doc_topic, second.doc_topic]) == pytest.approx(whole.doc_topic)
    assert first.word_topic + second.word_topic == pytest.approx(whole.word_topic)
    assert first.word_background + second.word_background == pytest.approx(whole.word_background)


@pytest.mark.parametrize("kernel", FAST)
def test_any_number_of_threads_gives_the_same_bits(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "LEAST_WORK", 100)
    problem = random_problem(11, np.float32, n_documents=300, n_words=120, k=5, g=7)
    runs = []
    for n_threads in (1, 2, 3):
        with thread_limit(n_threads):
            runs.append(get_kernel(kernel)(*problem, bayes=True, want_likelihood=True))
    for run in runs[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(runs[0], run, strict=True))


@pytest.mark.parametrize("row_lengths", [[0], [0, 0, 4, 0], [9, 1, 1, 1, 1, 1, 0, 0], [1] * 50, [0] * 7])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_threads_walk_every_row_once(
    row_lengths: list[int], n_threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "LEAST_WORK", 1)
    walked: list[int] = []
    with thread_limit(n_threads):
        walk_in_threads(lambda first, last: walked.extend(range(first, last)), np.cumsum([0, *row_lengths]))
    assert sorted(walked) == list(range(len(row_lengths)))


@pytest.mark.parametrize("failing", [0, 40])
def test_an_error_in_any_thread_reaches_the_caller(failing: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "LEAST_WORK", 1)

    def walk(first: int, last: int) -> None:
        if first <= failing < last:
            raise IndexError("a row that is not there")

    with thread_limit(2), pytest.raises(IndexError, match="not there"):
        walk_in_threads(walk, np.arange(51))


@pytest.mark.parametrize("kernel", EVERY)
def test_arrays_left_by_other_e_steps_change_nothing(kernel: str) -> None:
    scratch = Scratch()
    for seed, sizes in enumerate([(30, 20, 3, 2), (40, 25, 17, 9), (10, 25, 17, 9), (10, 25, 2, 41)]):
        n_documents, n_words, k, g = sizes
        problem = random_problem(seed, np.float32, n_documents=n_documents, n_words=n_words, k=k, g=g)
        fresh = get_kernel(kernel)(*problem, bayes=True)
        again = [get_kernel(kernel)(*problem, bayes=True, scratch=scratch) for _ in range(2)][-1]
        assert all(np.array_equal(a, b) for a, b in zip(fresh[:4], again[:4], strict=True))


@pytest.mark.parametrize("bayes", [True, False])
def test_parts_of_documents_add_up(bayes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_problem(3, n_documents=60, n_words=30)
    whole = get_kernel("numpy")(*problem, bayes=bayes, want_likelihood=True)
    monkeypatch.setattr(numpy_kernel, "TOGETHER", 500)
    in_parts = get_kernel("numpy")(*problem, bayes=bayes, want_likelihood=True)
    for one, other in zip(whole, in_parts, strict=True):
        assert np.array_equal(other, one)
    fixed = get_kernel("numpy")(*problem, bayes=bayes, want_words=False)
    assert fixed.word_topic is None
    assert np.array_equal(fixed.doc_topic, in_parts.doc_topic)


def test_scratch_remakes_what_comes_from_other_objects() -> None:
    scratch, first, second = Scratch(), [1], [1]
    assert scratch.once("list", (first,), lambda: "of first") == "of first"
    assert scratch.once("list", (first,), lambda: "again") == "of first"
    assert scratch.once("list", (second,), lambda: "of second") == "of second"
    scratch.forget()
    assert scratch.once("list", (second,), lambda: "again") == "again"


@needs_c
@pytest.mark.parametrize("k", [1, 8, 9, 16, 17, 24, 25])
@pytest.mark.parametrize("g", [1, 9, 16, 17, 33, 40, 41])
def test_every_size_of_loop_gives_what_numpy_gives(k: int, g: int) -> None:
    problem = random_problem(5, np.float32, n_documents=20, n_words=30, k=k, g=g)
    truth, found = (get_kernel(name)(*problem, bayes=True) for name in ("numpy", "c"))
    for a, b in zip(found[:4], truth[:4], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kernel", EVERY)
@pytest.mark.parametrize("bayes", [True, False])
def test_words_that_every_topic_gives_no_probability_do_no_harm(kernel: str, bayes: bool) -> None:
    shard, p, relevance = random_problem(2, np.float32)
    dead = Parameters(
        p.doc_topic, p.doc_background, np.zeros_like(p.word_topic), np.zeros_like(p.word_background)
    )
    found = get_kernel(kernel)(shard, dead, relevance, bayes=bayes, want_likelihood=True)
    assert all(np.isfinite(values).all() for values in found)


@needs_c
def test_the_c_kernel_takes_arrays_as_they_come() -> None:
    """Read-only, in Fortran's order, every second element, of another type: the same answer."""
    shard, p, relevance = random_problem(3, np.float32)
    expected = get_kernel("c")(shard, p, relevance, bayes=True)

    def spread(array: np.ndarray) -> np.ndarray:
        wide = np.repeat(array, 2, axis=0)[::2]
        wide.flags.writeable = False
        return wide

    awkward_shard = Shard(spread(shard.data), spread(shard.indices), spread(shard.indptr), shard.n_words)
    awkward = Parameters(
        spread(p.doc_topic),
        np.asfortranarray(p.doc_background),
        spread(p.word_topic),
        p.word_background.astype(np.float64),
    )
    found = get_kernel("c")(awkward_shard, awkward, relevance.astype(np.float64), bayes=True)
    assert all(np.array_equal(a, b) for a, b in zip(found[:4], expected[:4], strict=True))


@needs_c
def test_the_c_kernel_refuses_what_it_cannot_compute() -> None:
    shard, p, relevance = random_problem(3, np.float16)
    with pytest.raises(TypeError, match="not in float16"):
        get_kernel("c")(shard, p, relevance, bayes=True)
    shard, p, relevance = random_problem(3, np.float32)
    short = Shard(shard.data[:-1], shard.indices, shard.indptr, shard.n_words)
    with pytest.raises(ValueError, match="do not belong together"):
        get_kernel("c")(short, p, relevance, bayes=True)
    fewer_documents = Parameters(p.doc_topic[:-1], p.doc_background[:-1], p.word_topic, p.word_background)
    with pytest.raises(ValueError, match="do not belong together"):
        get_kernel("c")(shard, fewer_documents, relevance, bayes=True)
    fewer_words = Parameters(p.doc_topic, p.doc_background, p.word_topic[:-1], p.word_background[:-1])
    with pytest.raises(ValueError, match="do not belong together"):
        get_kernel("c")(shard, fewer_words, relevance[:-1], bayes=True)


def test_auto_takes_the_c_kernel_where_it_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve_kernel("auto") == ("c" if c_kernel_is_built() else "numpy")
    monkeypatch.setitem(
        sys.modules, "seedtopic.learning.topics.kernels._estep", None
    )  # as if it had not been built
    assert get_kernel("auto") is get_kernel("numpy")
    with pytest.raises(InputError, match="kernel is 'c', which was not built here: install a C compiler"):
        get_kernel("c")


def test_unknown_kernels_and_thread_counts_are_refused() -> None:
    with pytest.raises(InputError, match="kernel is 'cuda': use one of 'auto', 'c', 'numpy'"):
        get_kernel("cuda")
    with pytest.raises(InputError, match="n_threads is 0"):
        resolve_threads(0)
    assert resolve_threads(10_000) == resolve_threads(None)
    assert resolve_threads(np.int64(1)) == 1
    with pytest.raises(InputError, match="n_threads is True"):
        resolve_threads(True)
