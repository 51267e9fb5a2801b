"""Words counted in C are those that `word_counts` finds, in any text, in the same order."""

from __future__ import annotations

import copy
import pickle
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedtopic.text import tally as compiled
from seedtopic.text.counts import Counts, KnownWords, count_known, count_words
from seedtopic.text.phrases import Phrases
from seedtopic.text.runs import CompiledNumbers, Piece, PlainNumbers, placed
from seedtopic.text.tally import (
    BLOCK,
    MUST_NORMALIZE,
    Tally,
    c_counter_is_built,
    describe_block,
    fate,
    tally,
    tally_texts,
)
from seedtopic.text.tokens import find_phrases, tokenize, word_counts
from seedtopic_lab.corpora import fetch_corpus

# Letters that fold in their own ways, signs that join their neighbours, scripts without spaces, and halves.
AWKWARD = "abBzZ09 _-\n\0\x1f\x7fÉéßẞİıΣσςǅﬁ½²™…´\u00a0\u0301\u0345\u200d\u2126Ⱥאبहि한글ᄀ\u1161東京のノーกิ。\ud800\udfff😀🏽\U0010ffff"
TEXT = st.one_of(st.text(max_size=60), st.text(st.sampled_from(AWKWARD), max_size=60))
TEXTS = st.lists(TEXT, max_size=8)
PHRASES = st.dictionaries(
    st.text(st.sampled_from("ab é東\0"), min_size=1, max_size=4),
    st.lists(st.sampled_from(["a", "b", "ab", "é", "東", "bab", "zz", "\0"]), min_size=1, max_size=3),
    max_size=5,
).map(Phrases)


def in_python(texts: Sequence[str], phrases: Phrases | None = None) -> Tally:
    return tally(texts, partial(word_counts, phrases=phrases))


def test_it_is_built_where_the_tests_run() -> None:
    assert c_counter_is_built()


@settings(deadline=None)
@given(TEXTS)
def test_words_of_any_texts(texts: list[str]) -> None:
    assert tally_texts(texts) == in_python(texts)


@settings(deadline=None)
@given(st.lists(st.text(st.sampled_from("aabb é東-."), max_size=30), max_size=8), PHRASES)
def test_phrases_in_any_texts(texts: list[str], phrases: Phrases) -> None:
    assert tally_texts(texts, phrases) == in_python(texts, phrases)


def test_phrases_come_in_the_order_of_their_first_words() -> None:
    phrases = find_phrases(["b a", "a b", "a b a", "vitamin C", "U.S."])
    found = tally_texts(["x b a b a a b in the U.S. vitamin c", "b a", "a b a b a"], phrases)
    assert found == in_python(["x b a b a a b in the U.S. vitamin c", "b a", "a b a b a"], phrases)
    assert found.words == ["in", "the", "vitamin", "b a", "a b", "a b a", "U.S.", "vitamin C"]
    assert found.counts.tolist() == [1, 1, 1, 2, 2, 1, 1, 1, 1, 2, 2, 2]


@settings(deadline=None)
@given(st.integers(0, 0x110000 // BLOCK - 1), st.sampled_from(["{}", "ab{}cd", "Σ{}É", "e{0}\u0301{0}"]))
def test_every_character_of_a_block(number: int, form: str) -> None:
    texts = [form.format(chr(code)) for code in range(number * BLOCK, (number + 1) * BLOCK)]
    assert tally_texts(texts) == in_python(texts)


def test_characters_that_need_no_normalization_fold_alike_side_by_side() -> None:
    codes = chain(range(0x3000), range(0xA000, 0xE000), range(0x1F000, 0x20000))
    simple = [chr(code) for code in codes if not fate(chr(code)) & MUST_NORMALIZE]
    assert len(simple) > 15_000
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(simple)), 2))
    texts = ["".join(simple[n] for n in part) for part in np.array_split(order, 4000)]
    assert tally_texts(texts) == in_python(texts)
    assert len(describe_block(0)) == 4 * BLOCK


@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 15, 16, 17, 64, 100_000])
def test_words_of_any_length(length: int) -> None:
    texts = ["x" * length, "é" * length, "x" * length + "y", " " + "x" * length + " ", "X" * length * 2]
    assert tally_texts(texts) == in_python(texts)


def test_texts_longer_than_the_lock_is_held() -> None:
    texts = [f"word{number} Straße {'東京' if number % 700 == 0 else ''}" * 5 for number in range(3000)]
    assert tally_texts(texts) == in_python(texts)


@pytest.mark.parametrize("wrong", [[b"bytes"], ["a text", None], [1.5]])
def test_what_is_not_a_text_is_an_error(wrong: list[str]) -> None:
    with pytest.raises(TypeError, match="not a str"):
        tally_texts(wrong)


def test_an_error_of_python_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(compiled, "word_counts", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tally_texts(["plain", "東京"])
    monkeypatch.setattr(compiled, "normalize", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tally_texts(["ﬁ"])


# ---- known words -------------------------------------------------------------------------------------


def known_in_python(texts: list[str], words: list[str], stop: frozenset[str], phrases: Phrases) -> Counts:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "_words", None)
        return count_known(tokenize(texts, phrases=phrases), KnownWords(words), stop_words=stop)


def same(one: Counts, other: Counts) -> bool:
    assert one.left_out is not None
    assert other.left_out is not None
    pairs = [
        (getattr(one.matrix, name), getattr(other.matrix, name)) for name in ("data", "indices", "indptr")
    ]
    return one.matrix.shape == other.matrix.shape and all(
        a.dtype == b.dtype and np.array_equal(a, b) and a.flags.writeable
        for a, b in [*pairs, (one.left_out, other.left_out)]
    )


@settings(deadline=None)
@given(TEXTS, PHRASES, st.lists(TEXT, max_size=4), st.frozensets(st.sampled_from(["ab", "zz", "東京", "é"])))
def test_known_words_of_any_texts(
    texts: list[str], phrases: Phrases, others: list[str], stop: frozenset[str]
) -> None:
    words = [*tally_texts(texts).words[::2], *phrases.sequences, *others]
    counts = count_known(tokenize(texts, phrases=phrases), KnownWords(words), stop_words=stop)
    assert same(counts, known_in_python(texts, words, stop, phrases))


def test_the_columns_of_a_long_document_are_in_order() -> None:
    words = [f"word{number}" for number in range(70_000)]
    text = " ".join(reversed(words)) + " word3 word66000 unheard"
    counts = count_known(tokenize([text, "", "word69999"]), words)
    assert same(counts, known_in_python([text, "", "word69999"], words, frozenset(), Phrases()))
    assert counts.matrix.indices.tolist() == [*range(70_000), 69_999]


def test_known_words_are_copied_without_what_is_prepared() -> None:
    words = KnownWords(["gold", "mine"])
    assert count_known(tokenize(["a gold mine"]), words).matrix.toarray().tolist() == [[1, 1]]
    for again in (copy.deepcopy(words), pickle.loads(pickle.dumps(words))):
        assert type(again) is KnownWords
        assert again == words
        assert count_known(tokenize(["gold"]), again).matrix.toarray().tolist() == [[1, 0]]


def test_other_stop_words_are_heeded() -> None:
    words = KnownWords(["gold"])
    for stop, left_out in ((frozenset({"the"}), 1), (frozenset({"mine"}), 1), (frozenset[str](), 2)):
        found = count_known(tokenize(["the gold mine"]), words, stop_words=stop).left_out
        assert found is not None
        assert found.tolist() == [left_out]
    changing = {"the"}
    for left_out in (1, 0):
        found = count_known(tokenize(["the gold mine"]), words, stop_words=changing).left_out
        assert found is not None
        assert found.tolist() == [left_out]
        changing.add("mine")


# ---- numbers of words --------------------------------------------------------------------------------


@given(st.lists(st.lists(st.text(max_size=12), max_size=30), max_size=4), st.lists(st.text(max_size=3)))
def test_words_are_numbered_as_in_a_dictionary(parts: list[list[str]], others: list[str]) -> None:
    plain, compiled_numbers = PlainNumbers(), CompiledNumbers()
    for part in parts:
        assert plain.add(part).tolist() == compiled_numbers.add(part).tolist()
    assert plain.find(others).tolist() == compiled_numbers.find(others).tolist()
    assert plain.words() == compiled_numbers.words()
    with pytest.raises(TypeError, match="not a str"):
        compiled_numbers.add([b"bytes"])  # type: ignore[list-item]


# ---- rows of a matrix --------------------------------------------------------------------------------


@given(st.data(), st.sampled_from([np.uint8, np.uint16, np.uint32]))
def test_rows_are_placed_as_scipy_does(data: st.DataObject, kind: type[np.unsignedinteger]) -> None:
    n_words = data.draw(st.integers(1, 300))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    columns = np.where(rng.random(n_words) < 0.3, rng.integers(-2, 0, n_words), rng.permutation(n_words))
    numbers = [rng.permutation(n_words)[: rng.integers(0, n_words + 1)] for _ in range(5)]
    lengths = np.array([len(row) for row in numbers], np.int32)
    counts = rng.integers(1, np.iinfo(kind).max, lengths.sum(), kind)
    piece = Piece(lengths, np.concatenate(numbers).astype(np.int32), counts)
    found = placed(piece, columns.astype(np.int32), n_words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "_words", None)
        expected = placed(piece, columns.astype(np.int32), n_words)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("lengths", "numbers", "counts"),
    [
        ([1], [0, 0], [1, 1]),
        ([3, -1], [0, 0], [1, 1]),
        ([2], [0, 1], [1, 1]),
        ([2], [0, -1], [1, 1]),
        ([1], [0], []),
    ],
)
def test_rows_that_do_not_belong_together(lengths: list[int], numbers: list[int], counts: list[int]) -> None:
    arrays = np.array(lengths, np.int32), np.array(numbers, np.int32), np.array(counts, np.uint8)
    with pytest.raises(ValueError, match="do not belong together"):
        placed(Piece(*arrays), np.zeros(1, np.int32), 1)


# ---- texts made to be slow, or too large -------------------------------------------------------------


def cpu_seconds(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


ADVERSARIAL: dict[str, Callable[[int], str]] = {
    "one long word": lambda n: "a" * n,
    "one word over and over": lambda n: "ab " * (n // 3),
    "different words": lambda n: " ".join(f"{number:x}" for number in range(n // 6)),
    "words that differ in few bits": lambda n: " ".join(f"{number << 16:08x}" for number in range(n // 9)),
    "long words with one tail": lambda n: " ".join(f"{number:05d}aaaaaaaa" for number in range(n // 14)),
    "no word": lambda n: "\0" * n,
    "two bytes a letter": lambda n: "éß " * (n // 3),
    "one letter": lambda n: "a " * (n // 2),
}


@pytest.mark.parametrize("text", ADVERSARIAL.values(), ids=ADVERSARIAL)
def test_twice_the_text_takes_twice_the_time(text: Callable[[int], str]) -> None:
    phrases = Phrases({"a a": ["a", "a"], "ab ab ab": ["ab", "ab", "ab"]})
    small, large = [text(200_000)], [text(1_600_000)]
    times = [cpu_seconds(lambda texts=texts: tally_texts(texts, phrases)) for texts in (small, large)]  # type: ignore[misc]
    assert times[1] < 24 * times[0] + 0.03  # eight times the text; were it quadratic, 64 times


_SHORT_OF_MEMORY = """
import resource
from seedtopic.text.tally import known_words, tally_texts
text = "word " * 20_000_000
different = [f"{number:x}" for number in range(400_000)]
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 10_000_000, used + 10_000_000))
for work in (lambda: tally_texts([text]), lambda: tally_texts(different), lambda: known_words(different, ())):
    try:
        work()
        print("done")
    except MemoryError:
        print("MemoryError")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory that Linux has")
def test_too_little_memory_is_an_error() -> None:
    assert hasattr(resource, "RLIMIT_AS")
    done = subprocess.run(
        [sys.executable, "-c", _SHORT_OF_MEMORY], capture_output=True, text=True, check=False
    )
    assert (done.stdout.split(), done.returncode) == (["MemoryError"] * 3, 0), done.stderr


# ---- real texts --------------------------------------------------------------------------------------


@pytest.mark.corpora
@pytest.mark.parametrize("name", ["newsgroups20", "reuters10", "ag_news", "bbc_news", "stackoverflow"])
def test_corpora(name: str) -> None:
    texts = list(fetch_corpus(name).texts)
    phrases = find_phrases(["new york", "of the", "u.s.", "in the end"])
    assert tally_texts(texts, phrases) == in_python(texts, phrases)
    counts = count_words(tokenize(texts))
    assert same(count_known(tokenize(texts), counts.vocabulary, n_workers=2), counts)
