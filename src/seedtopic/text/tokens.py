"""From documents to tokens: one small tokenizer, all of whose choices can be changed."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from seedtopic.base.errors import InputError, MissingExtraError
from seedtopic.text.marks import with_few_marks
from seedtopic.text.phrases import Phrases
from seedtopic.text.scripts import Token, is_unspaced, placed_segments, placed_units, segmented, units

Tokenizer = Callable[[str], list[str]]
StopWords = str | Collection[str] | None

# Maximal runs of letters and digits of any script; the underscore separates words.
_WORD = re.compile(r"[^\W_]{2,}")
_RUN = re.compile(r"[^\W_]+")
# The same for ASCII, where replacing the rest by spaces and splitting is three times as fast.
_BLANKED = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_SINGLE = frozenset(_BLANKED) - {" "}


def normalize(text: str) -> str:
    """Fold a text to the form in which words are compared: lower case, one Unicode form."""
    if not text.isascii():  # ASCII is its own normal form, and most text is ASCII
        text = unicodedata.normalize("NFKC", with_few_marks(text))
    return text.lower()


def words(text: str) -> list[str]:
    """Split a text into lower-case words of at least two characters."""
    text = normalize(text)
    if text.isascii():
        return [word for word in text.translate(_BLANKED).split() if len(word) > 1]
    return segmented(text) if is_unspaced(text) else _WORD.findall(text)


def runs(text: str) -> list[str]:
    """Split a text into what phrases are found among: lower-case words, including single characters."""
    return _runs(normalize(text))


def _runs(text: str) -> list[str]:
    if text.isascii():
        return text.translate(_BLANKED).split()
    return units(text) if is_unspaced(text) else _RUN.findall(text)


def word_counts(text: str, phrases: Phrases | None = None) -> Counter[str]:
    """Count the `words` of a text, without a loop over them, and the phrases among its `runs`."""
    text = normalize(text)
    if not text.isascii() and is_unspaced(text):
        counts = Counter(segmented(text))
        if phrases:  # a word that is a phrase as well is counted wherever the phrase is found
            counts |= Counter(phrases.counts(units(text)))
        return counts
    if phrases:
        read = _runs(text)
        counts = Counter(read)
        found = phrases.counts(read, counts)
        for letter in [word for word in counts if len(word) == 1]:
            counts.pop(letter)
        counts.update(found)
        return counts
    if not text.isascii():
        return Counter(_WORD.findall(text))
    counts = Counter(text.translate(_BLANKED).split())
    for letter in counts.keys() & _SINGLE:
        counts.pop(letter)
    return counts


def stop_word_set(stop_words: StopWords) -> frozenset[str]:
    """Return the stop words: those of a language, a custom collection, or None for none."""
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str):
        return _of_language(stop_words)
    if not isinstance(stop_words, Iterable) or not all(isinstance(word, str) for word in stop_words):
        raise InputError(
            f"stop_words is {stop_words!r:.60}: use the name of a language, a collection of words, or None."
        )
    return _folded(tuple(stop_words))


@lru_cache(maxsize=8)  # it is asked for at each request to a server
def _folded(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(normalize(word) for word in words)


@lru_cache(maxsize=8)
def _of_language(language: str) -> frozenset[str]:
    # Imported here, because worker processes that count words also read this file and must start fast.
    if language in ("english", "en"):
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    try:
        from stop_words import LANGUAGE_MAPPING, get_stop_words
    except ImportError:
        raise MissingExtraError(f"stop_words={language!r:.60}", "stop-words", "languages") from None
    if language not in {*LANGUAGE_MAPPING, *LANGUAGE_MAPPING.values()}:
        raise InputError(
            f"stop_words is {language!r:.60}: use one of {', '.join(sorted(LANGUAGE_MAPPING.values()))}, "
            "a collection of words, or None for none."
        )
    listed = get_stop_words(language)
    # A listed word with an apostrophe, as in French, is read as two; one of two Chinese characters is a word.
    parts = {part for word in listed if not is_unspaced(word) for part in words(word)}
    return frozenset(normalize(word) for word in listed) | parts


@dataclass(frozen=True)
class Tokens:
    """Documents that are turned into tokens one by one when they are needed."""

    documents: Iterable[str]
    tokenizer: Tokenizer | None = None  # takes a text and returns its tokens; None means `words`
    phrases: Phrases = field(default_factory=Phrases)  # these, too, become tokens, each after its last word

    def __iter__(self) -> Iterator[list[str]]:
        return map(self.read, self.texts())

    def read(self, text: str) -> list[str]:
        """Return the tokens of one text."""
        if not self.phrases:
            return (self.tokenizer or words)(text)
        if self.tokenizer:
            return self.phrases.inserted(self.tokenizer(text))
        text = normalize(text)
        if not text.isascii() and is_unspaced(text):
            return [token for token, _, _ in placed_words(text, self.phrases)]
        return [token for token in self.phrases.inserted(_runs(text)) if len(token) > 1]

    def counts(self, text: str) -> Counter[str]:
        """Count the tokens of one text."""
        if self.tokenizer is None:
            return word_counts(text, self.phrases)
        read = list(self.tokenizer(text))  # which may be a generator
        counts = Counter(read)
        counts.update(self.phrases.counts(read, counts))
        return counts

    def texts(self) -> Iterator[str]:
        """Yield the documents; raise an error at the first that is not a text."""
        for position, document in enumerate(self.documents):
            if not isinstance(document, str):
                raise InputError(
                    f"document {position} is {type(document).__name__} ({document!r:.40}), not a text: "
                    "give every document as a str, an empty one as ''."
                )
            yield document


def tokenize(
    documents: Iterable[str], tokenizer: Tokenizer | None = None, phrases: Collection[str] | Phrases = ()
) -> Tokens:
    """Turn documents into tokens, one by one when they are needed."""
    own = None if tokenizer is words else tokenizer
    return Tokens(documents, own, phrases if isinstance(phrases, Phrases) else find_phrases(phrases, own))


def find_phrases(seeds: Collection[str], tokenizer: Tokenizer | None = None) -> Phrases:
    """Return the phrases among seeds, ready to be found in documents; see `phrase_sequences`."""
    return Phrases(phrase_sequences(seeds, None if tokenizer is words else tokenizer))


def placed_words(text: str, phrases: Phrases) -> list[Token]:
    """Return the words and phrases of a text that `normalize` has folded, in the order in which they end.

    Examples
    --------
    >>> placed_words("new york, 東京", Phrases({"new york": ["new", "york"]}))
    [('new', 0, 3), ('york', 4, 8), ('new york', 0, 8), ('東', 10, 11), ('京', 11, 12), ('東京', 10, 12)]
    """
    parts = placed_units(text)
    found = [
        (name, parts[first][1], parts[behind - 1][2])
        for first, behind, name in phrases.places([unit for unit, _, _ in parts])
    ]
    alone = (token for token in placed_segments(text) if token[0] not in phrases.sequences)
    return sorted([*alone, *found], key=lambda token: (token[2], -token[1]))


def phrase_sequences(seeds: Collection[str], tokenizer: Tokenizer | None = None) -> dict[str, list[str]]:
    """Return the seeds that are phrases, with the tokens of each.

    A seed is a phrase if it is not a token by itself, but can be read as tokens: as several, or as one
    without the punctuation around it. In scripts without spaces every character is a token here, so that a
    seed is found inside longer words.

    Examples
    --------
    >>> phrase_sequences(["gold", "vitamin C", "e-mail", "C++"])
    {'vitamin C': ['vitamin', 'c'], 'e-mail': ['e', 'mail']}
    >>> phrase_sequences(["野球"])
    {'野球': ['野', '球']}
    >>> phrase_sequences(["ab", "c"], list)
    {'ab': ['a', 'b']}
    """
    read = {seed: list((tokenizer or runs)(seed)) for seed in seeds}
    return {
        seed: tokens
        for seed, tokens in read.items()
        if tokens and seed not in tokens and (tokenizer or len(tokens) > 1 or words(tokens[0]))
    }
