"""Documents to tokens: one small tokenizer whose every choice can be changed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Literal

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from seedtopic.errors import InputError

Tokenizer = Callable[[str], list[str]]
StopWords = Literal["english"] | Collection[str] | None

# Maximal runs of letters and digits of any script; the underscore separates words.
_WORD = re.compile(r"[^\W_]+")


def normalize(text: str) -> str:
    """Fold a text to the form in which words are compared: lower case, one Unicode form.

    Examples
    --------
    >>> normalize("Crude OIL")
    'crude oil'
    """
    if not text.isascii():  # ASCII is its own normal form, and most text is ASCII
        text = unicodedata.normalize("NFKC", text)
    return text.lower()


def words(text: str) -> list[str]:
    """Split a text into lower-case words of at least two characters.

    Examples
    --------
    >>> words("The OPEC-members' 2nd meeting")
    ['the', 'opec', 'members', '2nd', 'meeting']
    """
    return [word for word in _WORD.findall(normalize(text)) if len(word) > 1]


def stop_word_set(stop_words: StopWords) -> frozenset[str]:
    """Give the words that carry no topic: ``"english"``, an own collection, or None for none.

    Examples
    --------
    >>> "the" in stop_word_set("english"), len(stop_word_set(None))
    (True, 0)
    """
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str):
        if stop_words != "english":
            raise InputError(
                f"stop_words is {stop_words!r}: use 'english', a collection of words, or None for none."
            )
        return frozenset(ENGLISH_STOP_WORDS)
    if not isinstance(stop_words, Iterable) or not all(isinstance(word, str) for word in stop_words):
        raise InputError(f"stop_words is {stop_words!r:.60}: use 'english', a collection of words, or None.")
    return frozenset(normalize(word) for word in stop_words)


def tokenize(documents: Iterable[str], tokenizer: Tokenizer | None = None) -> Iterator[list[str]]:
    """Turn documents into tokens one by one, naming the first that is not a text.

    Parameters
    ----------
    documents : iterable of str
    tokenizer : callable, optional
        Takes a text, gives its tokens; `words` when left out.

    Examples
    --------
    >>> list(tokenize(["Gold rose.", "Ships, ports"]))
    [['gold', 'rose'], ['ships', 'ports']]
    """
    split = words if tokenizer is None else tokenizer
    for position, document in enumerate(documents):
        if not isinstance(document, str):
            raise InputError(
                f"document {position} is {type(document).__name__} ({document!r:.40}), not a text: "
                "give every document as a str, an empty one as ''."
            )
        yield split(document)
