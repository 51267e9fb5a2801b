"""The positions of words in a text, as character offsets of the original text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from seedtopic.text.tokens import Tokenizer, normalize

Span = tuple[int, int]

_WORD = re.compile(r"[^\W_]+")


def word_spans(text: str, known: Iterable[str], tokenizer: Tokenizer | None = None) -> dict[str, list[Span]]:
    """Find every occurrence of the known words.

    Parameters
    ----------
    text : str
    known : iterable of str
        Words as in a vocabulary: folded, phrases with a space between their words.
    tokenizer : callable, optional
        The tokenizer, if it is not the built-in one. A token that is not literally in the text, such as a
        stem, has no position.

    Returns
    -------
    dict of str to list of (start, end)
        Positions in the order of the text; words without one are left out.

    Examples
    --------
    >>> word_spans("Crude OIL, more oil", ["oil", "crude oil", "gold"])
    {'oil': [(6, 9), (16, 19)], 'crude oil': [(0, 9)]}
    """
    folded = normalize(text)
    original = _original_places(text)
    tokens = _own_tokens(folded) if tokenizer is None else _found_tokens(folded, tokenizer(text))
    standing = [(token, original[start][0], original[end - 1][1]) for token, start, end in tokens]
    at: dict[str, list[int]] = {}
    for place, (token, _, _) in enumerate(standing):
        at.setdefault(token, []).append(place)
    found = {}
    for word in known:
        spans = [
            (standing[first][1], standing[first + length - 1][2])
            for first, length in _runs(word, at, standing)
        ]
        if spans:
            found[word] = spans
    return found


def _runs(
    word: str, at: dict[str, list[int]], standing: list[tuple[str, int, int]]
) -> Iterator[tuple[int, int]]:
    """Return the tokens that make up a word: one, or several in a row for a phrase."""
    parts = [word] if word in at else word.split()
    for first in at.get(parts[0], []) if parts else []:
        if [token for token, _, _ in standing[first : first + len(parts)]] == parts:
            yield first, len(parts)


def _own_tokens(folded: str) -> list[tuple[str, int, int]]:
    return [(match[0], *match.span()) for match in _WORD.finditer(folded)]


def _found_tokens(folded: str, tokens: Iterable[str]) -> list[tuple[str, int, int]]:
    """Find the tokens one after another."""
    found, behind = [], 0
    for token in tokens:
        start = folded.find(normalize(token), behind) if token else -1
        if start >= 0:
            behind = start + len(normalize(token))
            found.append((token, start, behind))
    return found


def _original_places(text: str) -> list[Span]:
    """Return, for each character of the folded text, which characters of the original it comes from."""
    if text.isascii():
        return [(place, place + 1) for place in range(len(text))]
    places: list[Span] = []
    for start, end in _clusters(text):
        places += [(start, end)] * len(normalize(text[start:end]))
    return places


def _clusters(text: str) -> Iterator[Span]:
    """Split a text so that folding the parts is the same as folding the whole: accents stay with letters."""
    start = 0
    for place in range(1, len(text)):
        if not _folds_into(text[start:place], text[place]):
            yield start, place
            start = place
    if text:
        yield start, len(text)


def _folds_into(before: str, letter: str) -> bool:
    """Return whether a letter is an accent, or combines with the letter before it."""
    if unicodedata.combining(unicodedata.normalize("NFKD", letter)[0]):
        return True

    def fold(piece: str) -> str:
        return unicodedata.normalize("NFKC", piece)

    return fold(before + letter) != fold(before) + fold(letter)
