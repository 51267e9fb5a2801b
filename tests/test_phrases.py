"""Phrases found in one pass are those that a search for one after the other finds, in C as in Python."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator, Sequence
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from seedtopic.text.counts import KnownWords, count_known
from seedtopic.text.phrases import Phrases
from seedtopic.text.tally import tally, tally_texts
from seedtopic.text.tokens import tokenize, word_counts

TOKENS = st.lists(st.sampled_from(["a", "b", "ab", "é"]), max_size=40)
SEQUENCES = st.dictionaries(
    st.text(st.sampled_from("ab é"), min_size=1, max_size=5),
    st.lists(st.sampled_from(["a", "b", "ab", "é", "zz"]), min_size=1, max_size=6),
    max_size=12,
)
Place = tuple[int, int, str]


def one_after_the_other(sequences: dict[str, list[str]], tokens: Sequence[str]) -> list[Place]:
    return sorted(
        (start, start + len(sequence), name)
        for name, sequence in sequences.items()
        for start in range(len(tokens))
        if tokens[start : start + len(sequence)] == sequence
    )


@given(SEQUENCES, TOKENS)
def test_all_phrases_are_found_where_they_are(sequences: dict[str, list[str]], tokens: list[str]) -> None:
    found = one_after_the_other(sequences, tokens)
    phrases = Phrases(sequences)
    assert phrases.places(tokens) == found
    names = [name for _, _, name in found]
    counts = phrases.counts(tokens)
    assert counts == {name: names.count(name) for name in names}
    # By the first appearance of the first token, then in the order in which they were given.
    numbers = list(sequences)
    assert list(counts) == sorted(
        counts, key=lambda name: (tokens.index(sequences[name][0]), numbers.index(name))
    )
    inserted = list(tokens)
    for _, end, name in sorted(found, key=lambda place: (place[1], place[2]), reverse=True):
        inserted.insert(end, name)
    assert phrases.inserted(tokens) == inserted


@given(SEQUENCES, st.lists(TOKENS.map(" ".join), max_size=5))
def test_c_counts_the_same_phrases_in_the_same_order(
    sequences: dict[str, list[str]], texts: list[str]
) -> None:
    phrases = Phrases(sequences)
    assert tally_texts(texts, phrases) == tally(texts, partial(word_counts, phrases=phrases))


@given(SEQUENCES, TOKENS)
def test_known_phrases_and_an_own_tokenizer(sequences: dict[str, list[str]], tokens: list[str]) -> None:
    phrases, words = Phrases(sequences), KnownWords(dict.fromkeys([*sequences, "ab"]))
    built_in = count_known(tokenize([" ".join(tokens)], phrases=phrases), words).matrix.toarray()[0]
    own = count_known(tokenize([" ".join(tokens)], str.split, phrases), words).matrix.toarray()[0]
    expected = word_counts(" ".join(tokens), phrases)
    assert built_in.tolist() == [expected[word] for word in words]
    names = [name for _, _, name in one_after_the_other(sequences, tokens)]
    assert own.tolist() == [tokens.count(word) + names.count(word) for word in words]


def test_phrases_of_a_tokenizer_that_yields() -> None:
    def yielding(text: str) -> Iterator[str]:
        yield from text.split()

    tokens = tokenize(["the world cup", "a cup"], yielding, ["world cup"])  # type: ignore[arg-type]
    assert count_known(tokens, ["cup", "world cup"]).matrix.toarray().tolist() == [[1, 1], [1, 0]]


def test_phrases_within_phrases_are_counted_in_a_long_text() -> None:
    phrases = Phrases({" ".join("a" * length): list("a" * length) for length in range(1, 500)})
    assert phrases.counts(["a"] * 5000) == {" ".join("a" * n): 5001 - n for n in range(1, 500)}
    counts = count_known(tokenize(["a " * 5000], phrases=phrases), list(phrases.sequences))
    assert counts.matrix.toarray()[0].tolist() == [5001 - n for n in range(1, 500)]


def test_phrases_as_long_as_books_can_be_copied() -> None:
    phrases = Phrases({"long": ["a"] * 20_000})
    assert phrases.counts(["a"] * 20_001) == {"long": 2}
    for again in (copy.deepcopy(phrases), pickle.loads(pickle.dumps(phrases))):
        assert again.counts(["a"] * 20_001) == {"long": 2}
