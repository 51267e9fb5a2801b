"""Combining marks: of long runs thirty are read, and texts that people write are read as they are."""

from __future__ import annotations

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from seedtopic.text.parts import word_spans
from seedtopic.text.tally import tally, tally_texts
from seedtopic.text.tokens import MOST_MARKS, is_mark, normalize, with_few_marks, word_counts, words

ACUTE, BELOW = "\u0301", "\u0316"
MARKS = st.text(st.sampled_from(ACUTE + BELOW + "\u0345\u0f73\uff9e\uff9f\U0001d165\u3099"), max_size=70)
MARKED = st.lists(
    st.tuples(st.sampled_from(["e", "ｶ", "Σ", " ", "한", "ab", "...", "…", "e\u0301"]), MARKS)
).map(lambda parts: "".join(letters + marks for letters, marks in parts))


def longest_run(text: str) -> int:
    longest = run = 0
    for character in text:
        run = run + 1 if is_mark(character) else 0
        longest = max(longest, run)
    return longest


def composed(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


@given(st.one_of(st.text(), MARKED))
def test_texts_without_long_runs_are_normalized_as_unicode_says(text: str) -> None:
    if longest_run(text) <= MOST_MARKS:
        assert composed(with_few_marks(text)) == composed(text)


@given(MARKED)
def test_no_run_is_longer_than_thirty(text: str) -> None:
    assert longest_run(with_few_marks(text)) <= MOST_MARKS


def test_every_mark_of_unicode_is_counted() -> None:
    for code in range(sys.maxunicode + 1):
        if unicodedata.combining(chr(code)) or 0xF70 < code < 0xF90 or 0xFF00 < code < 0xFFA0:
            mark = chr(code)
            if is_mark(mark):
                assert len(with_few_marks("a" + mark * 200 + "b")) == 2 + MOST_MARKS, hex(code)


def test_a_letter_keeps_its_accent_and_the_next_word_its_own() -> None:
    text = "cafe" + ACUTE + (BELOW + ACUTE) * 500 + "e" + ACUTE + "s"
    assert words(text) == ["café", "és"]
    assert normalize(text).count(ACUTE) + normalize(text).count(BELOW) == MOST_MARKS - 1


@given(st.lists(MARKED, max_size=4))
def test_texts_with_long_runs_are_counted_alike_in_c(texts: list[str]) -> None:
    assert tally_texts(texts) == tally(texts, word_counts)


@given(MARKED)
def test_words_of_texts_with_long_runs_are_found_where_they_are(text: str) -> None:
    read = words(text)
    spans = word_spans(text, set(read))
    assert {word: len(found) for word, found in spans.items()} == {word: read.count(word) for word in read}
