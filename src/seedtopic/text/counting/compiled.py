"""Texts counted in C where the extension was built, in Python elsewhere: the counts are the same.

`tokens.py` defines what a word is. The C code reads ASCII and most other texts without any Python object per
word; it releases the interpreter lock meanwhile, so that threads can count different texts at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from seedtopic.text.counting.characters import describe_block
from seedtopic.text.counting.tally import Tally, tally
from seedtopic.text.phrases import Phrases
from seedtopic.text.tokens import normalize, word_counts

try:
    from seedtopic.text.counting import _words
except ImportError:  # installed without a compiler
    _words = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from seedtopic.text.counting._words import Known

Buffers = tuple[bytearray, bytearray, bytearray, bytearray]  # see `placing.Rows`

_NO_PHRASES = Phrases()


def c_counter_is_built() -> bool:
    """Return whether the C extension is there."""
    return _words is not None


def tally_texts(texts: Sequence[str], phrases: Phrases | None = None) -> Tally:
    """Count the words of texts, and phrases among them."""
    phrases = phrases or _NO_PHRASES
    count = partial(word_counts, phrases=phrases)
    if _words is None:
        return tally(texts, count)
    words, *numbers = _words.tally(texts, phrases.sequences, count, normalize, describe_block)
    return Tally(words, *(array("i", column) for column in numbers))


def known_words(words: Collection[str], stop_words: Collection[str]) -> Known | None:
    """Prepare words for `count_known_texts`; None where the C extension is missing."""
    return None if _words is None else _words.known_words(words, stop_words)


def count_known_texts(texts: Iterable[str], known: Known, phrases: Phrases | None = None) -> Buffers:
    """Count the words of texts that were prepared by `known_words`, and phrases among them."""
    phrases = phrases or _NO_PHRASES
    count = partial(word_counts, phrases=phrases)
    return _words.count_known(known, texts, phrases.sequences, count, normalize, describe_block)
