"""Counting in chunks, threads and temporary files gives what counting word by word does."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from seedtopic import InputError, SeedTopicClassifier
from seedtopic.base.memory import parse_memory
from seedtopic.text import runs
from seedtopic.text import tally as tallying
from seedtopic.text.counts import Counts, count_known, count_words, in_order
from seedtopic.text.tokens import tokenize, word_counts, words
from slow_words import words_one_by_one

# Scripts whose letters normalise, fold, and count as letters in their own ways; and what separates words.
TEXTS = st.lists(
    st.text(st.sampled_from("abBİßﬁ9½_ -\n\x1f東京のノーกิ。é́Σς\ud800"), max_size=40), max_size=12
)


def counted_one_by_one(
    documents: Sequence[list[str]], min_df: int, stop: frozenset[str], keep: frozenset[str]
) -> tuple[list[str], list[list[float]]]:
    frequency = Counter(word for document in documents for word in set(document))
    chosen = sorted(w for w in frequency if w in keep or (frequency[w] >= min_df and w not in stop))
    return chosen, [[float(document.count(word)) for word in chosen] for document in documents]


def same(one: Counts, other: Counts) -> bool:
    arrays = ("data", "indices", "indptr")
    return one.vocabulary == other.vocabulary and all(
        getattr(one.matrix, name).dtype == getattr(other.matrix, name).dtype
        and np.array_equal(getattr(one.matrix, name), getattr(other.matrix, name))
        for name in arrays
    )


@pytest.fixture
def tiny_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few texts make many chunks, most of them for the threads."""
    monkeypatch.setattr(tallying, "ALONE", 1)
    monkeypatch.setattr(tallying, "CHUNK", 10)


@pytest.fixture
def without_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count as an installation without a compiler does."""
    monkeypatch.setattr(tallying, "_words", None)


@pytest.fixture
def many_texts() -> list[str]:
    rng = np.random.default_rng(0)
    return [" ".join(f"word{n}" for n in rng.zipf(1.3, 30) if n < 3000) for _ in range(300)]


# Characters that this version of Unicode has; the others are never written.
@given(st.text(st.characters(exclude_categories=["Cn"])))
def test_words_and_their_counts_are_found_in_any_text(text: str) -> None:
    assert words(text) == words_one_by_one(text)
    assert word_counts(text) == Counter(words(text))


@given(TEXTS, st.integers(1, 3), st.integers(1, 60), st.sampled_from([None, 0, 400]))
def test_counts_are_those_of_counting_word_by_word(
    texts: list[str], min_df: int, chunk: int, limit: int | None
) -> None:
    stop, keep = frozenset({"ab", "9a"}), frozenset({"ab", "ba", "bb"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallying, "CHUNK", chunk)
        patch.setattr("seedtopic.text.counts.parse_memory", lambda amount: amount)
        counts = count_words(tokenize(texts), min_df=min_df, stop_words=stop, keep=keep, max_memory=limit)
        again = count_known(tokenize(texts), counts.vocabulary)
    expected = counted_one_by_one([words_one_by_one(text) for text in texts], min_df, stop, keep)
    assert (counts.vocabulary, counts.matrix.toarray().tolist()) == expected
    assert counts.matrix.dtype == np.float32
    assert counts.matrix.indices.dtype == counts.matrix.indptr.dtype == np.int32
    assert counts.matrix.has_canonical_format
    assert same(again, counts)


@given(st.lists(st.text(max_size=30), min_size=1, max_size=12))
@settings(max_examples=4, deadline=None)
def test_threads_change_nothing(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallying, "ALONE", 0)
        patch.setattr(tallying, "CHUNK", 10)
        alone = count_words(tokenize(texts), min_df=1)
        for n_workers in (2, 3):
            assert same(count_words(tokenize(texts), min_df=1, n_workers=n_workers), alone)
        known = count_known(tokenize(texts), alone.vocabulary, n_workers=2)
        patch.setattr(tallying, "_words", None)
        assert same(count_words(tokenize(texts), min_df=1, n_workers=2), alone)
        assert same(count_known(tokenize(texts), alone.vocabulary, n_workers=2), alone)
    assert same(known, alone)


def test_without_c_words_are_counted_in_this_thread(tiny_chunks: None, without_c: None) -> None:
    before, seen = threading.active_count(), set()

    def stream() -> Iterator[str]:
        for _ in range(20):
            seen.add(threading.active_count())
            yield "gold mine and ore"

    assert count_words(tokenize(stream()), n_workers=8).matrix.shape == (20, 4)
    assert seen == {before}


def test_own_tokenizer_stays_in_this_process(tiny_chunks: None) -> None:
    seen: list[int] = []

    def own(text: str) -> list[str]:
        seen.append(os.getpid())
        return text.split("|")

    counts = count_words(tokenize(["a|b", "a|a"] * 20, own), n_workers=3)
    assert counts.vocabulary == ["a", "b"]
    assert counts.matrix[[0, 1]].toarray().tolist() == [[1, 1], [2, 0]]
    assert set(seen) == {os.getpid()}


def test_an_iterator_is_read_as_it_is_counted(tiny_chunks: None) -> None:
    kept_at_once, alive = 0, 0

    class Text(str):
        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def stream() -> Iterator[str]:
        nonlocal alive, kept_at_once
        for number in range(500):
            alive += 1
            kept_at_once = max(alive, kept_at_once)
            yield Text(f"gold {number}")

    assert count_words(tokenize(stream())).matrix.shape[0] == 500
    assert kept_at_once < 10


def test_wrong_documents_are_named_whatever_the_threads(tiny_chunks: None) -> None:
    with pytest.raises(InputError, match="document 30 is float"):
        count_words(tokenize([*["some text"] * 30, 1.5]), n_workers=2)  # type: ignore[list-item]


def test_an_error_ends_the_threads(tiny_chunks: None) -> None:
    def stream() -> Iterator[str]:
        yield from ["some text and more"] * 20
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        count_words(tokenize(stream()), n_workers=2)
    assert threading.active_count() == before


# ---- memory and temporary files ----------------------------------------------------------------------


@pytest.fixture
def scratch_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give temporary files a folder of their own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch, tiny_chunks: None) -> None:
    monkeypatch.setattr("seedtopic.text.counts.parse_memory", lambda amount: amount and 20_000)


def test_written_counts_are_the_same_and_leave_no_file(
    little_memory: None, scratch_folder: Path, many_texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[runs.WrittenRun] = []
    write = runs.WrittenRun.__init__

    def noted(run: runs.WrittenRun, *args: object) -> None:
        written.append(run)
        write(run, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(runs.WrittenRun, "__init__", noted)
    limited = count_words(tokenize(many_texts), max_memory="1MB", n_workers=2)
    assert len(written) > 3
    assert same(limited, count_words(tokenize(many_texts)))
    assert is_mapped(limited.matrix)
    assert os.listdir(scratch_folder) == []


def is_mapped(matrix: sp.csr_array) -> bool:
    bases = [matrix.data]
    while bases[-1].base is not None and isinstance(bases[-1].base, np.ndarray):
        bases.append(bases[-1].base)
    return any(isinstance(base, np.memmap) for base in bases)


def open_files() -> int:
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are listed under /proc alone")
def test_an_error_closes_temporary_files(
    little_memory: None, scratch_folder: Path, many_texts: list[str]
) -> None:
    before = open_files()
    with pytest.raises(InputError, match="document 300"):
        count_words(tokenize([*many_texts, None]), max_memory="1MB", n_workers=2)  # type: ignore[list-item]
    with pytest.raises(InputError, match="min_df"):
        count_words(tokenize(many_texts), max_memory="1MB", min_df=0)
    assert open_files() == before
    assert os.listdir(scratch_folder) == []


def test_a_mapped_matrix_stays_mapped_in_another_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seedtopic.text.counts.ROWS_AT_A_TIME", 3)
    rng = np.random.default_rng(0)
    matrix = sp.csr_array(rng.poisson(0.4, (20, 9)).astype(np.float32))
    order = rng.permutation(20)
    mapped = sp.csr_array(matrix)
    mapped.data = runs.empty_array(matrix.nnz, np.float32, on_disk=True)
    mapped.data[:] = matrix.data
    found = in_order(mapped, order)
    assert runs.is_mapped(found.data)
    assert runs.is_mapped(found.indices)
    assert np.array_equal(found.toarray(), matrix[order].toarray())


def test_mapped_counts_give_the_same_labels(
    little_memory: None,
    toy_texts: list[str],
    toy_seeds: dict[str, list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("seedtopic.text.counts.parse_memory", lambda amount: amount and 500)
    free = SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts)
    limited = SeedTopicClassifier(toy_seeds, random_state=0, max_memory="1MB")
    limited.fit(iter(toy_texts))
    assert np.array_equal(free.label_distributions_, limited.label_distributions_)


def test_no_room_for_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(InputError, match=r"No space left.*TMPDIR"):
        runs.empty_array(10, np.int32, on_disk=True)


@pytest.mark.parametrize("wrong", ["", "much", "4XB", "-1GB", "1e9", "nan", True, -5, 2.5e9, "10kB", 0])
def test_wrong_amounts_of_memory(wrong: object) -> None:
    with pytest.raises(InputError, match="max_memory is"):
        parse_memory(wrong)  # type: ignore[arg-type]


def test_amounts_of_memory() -> None:
    assert [parse_memory(amount) for amount in ("2GB", "2 gib", "1500k", "3000000b", "3000000")] == [
        2 * 10**9, 2 * 2**30, 1_500_000, 3_000_000, 3_000_000,
    ]  # fmt: skip


# ---- interrupts --------------------------------------------------------------------------------------

_COUNTING = """
import itertools, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from seedtopic.text.counts import count_words, in_order
from seedtopic.text.tokens import tokenize

def stream():
    for number in itertools.count():
        if number == 60_000:
            print("counting", flush=True)
        yield "some words and more words of a text that never ends " * 2

try:
    count_words(tokenize(stream()), n_workers=2, max_memory="1MB")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="a signal to a group of processes")
def test_an_interrupt_from_the_terminal_stops_at_once_and_in_silence(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _COUNTING],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "counting\n"
    os.killpg(process.pid, signal.SIGINT)  # as the terminal does: to the whole group
    before = time.monotonic()
    output, errors = process.communicate(timeout=30)
    assert (output, errors, process.returncode) == ("interrupted\n", "", 0)
    assert time.monotonic() - before < 10
    assert os.listdir(tmp_path) == []
