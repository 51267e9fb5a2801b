"""Documents to tokens: one small tokenizer whose every choice can be changed."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from seedtopic.errors import InputError

Tokenizer = Callable[[str], list[str]]
StopWords = Literal["english"] | Collection[str] | None

# Maximal runs of letters and digits of any script; the underscore separates words.
_WORD = re.compile(r"[^\W_]{2,}")
# The same for ASCII, where blanking out the rest and splitting is three times as fast.
_BLANKED = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_SINGLE = frozenset(_BLANKED) - {" "}


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
    text = normalize(text)
    if text.isascii():
        return [word for word in text.translate(_BLANKED).split() if len(word) > 1]
    return _WORD.findall(text)


def word_counts(text: str) -> Counter[str]:
    """Count the `words` of a text, without a look at each of them.

    Examples
    --------
    >>> word_counts("a rose is a rose")
    Counter({'rose': 2, 'is': 1})
    """
    text = normalize(text)
    if not text.isascii():
        return Counter(_WORD.findall(text))
    counts = Counter(text.translate(_BLANKED).split())
    for letter in counts.keys() & _SINGLE:
        counts.pop(letter)
    return counts


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
        # Here, because the processes that count words read this file too and are to start at once.
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    if not isinstance(stop_words, Iterable) or not all(isinstance(word, str) for word in stop_words):
        raise InputError(f"stop_words is {stop_words!r:.60}: use 'english', a collection of words, or None.")
    return frozenset(normalize(word) for word in stop_words)


@dataclass(frozen=True)
class Tokens:
    """Documents that are turned into tokens one by one when they are asked for.

    Whoever counts words may instead take the documents themselves and do both at once, which is faster.

    Attributes
    ----------
    documents : iterable of str
    tokenizer : callable or None
        Takes a text, gives its tokens; None stands for `words`.

    Examples
    --------
    >>> list(Tokens(["Gold rose.", "Ships, ports"]))
    [['gold', 'rose'], ['ships', 'ports']]
    """

    documents: Iterable[str]
    tokenizer: Tokenizer | None = None

    def __iter__(self) -> Iterator[list[str]]:
        return map(self.tokenizer or words, self.texts())

    def texts(self) -> Iterator[str]:
        """Give the documents, naming the first that is not a text."""
        for position, document in enumerate(self.documents):
            if not isinstance(document, str):
                raise InputError(
                    f"document {position} is {type(document).__name__} ({document!r:.40}), not a text: "
                    "give every document as a str, an empty one as ''."
                )
            yield document


def tokenize(documents: Iterable[str], tokenizer: Tokenizer | None = None) -> Tokens:
    """Turn documents into tokens, one by one when they are asked for.

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
    return Tokens(documents, None if tokenizer is words else tokenizer)
