"""The positions of words in a text, as character offsets of the original text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from seedtopic.text.marks import is_mark, with_few_marks
from seedtopic.text.phrases import Phrases
from seedtopic.text.scripts import Token
from seedtopic.text.tokens import Tokenizer, find_phrases, normalize, placed_words

Span = tuple[int, int]


def word_spans(
    text: str, known: Iterable[str], tokenizer: Tokenizer | None = None, phrases: Phrases | None = None
) -> dict[str, list[Span]]:
    """Find every occurrence of the known words."""
    known, folded = list(known), normalize(text)
    read = _found_tokens(folded, tokenizer(text)) if tokenizer else placed_words(folded, Phrases())
    if phrases is None:
        alone = {token for token, _, _ in read}
        phrases = find_phrases([word for word in known if word not in alone], tokenizer)
    if phrases:
        read = _with_phrases(read, phrases) if tokenizer else placed_words(folded, phrases)
    original = _original_places(text)
    at: dict[str, list[Span]] = {}
    for token, start, end in read:
        at.setdefault(token, []).append((original[start][0], original[end - 1][1]))
    return {word: at[word] for word in known if word in at}


def _with_phrases(tokens: list[Token], phrases: Phrases) -> list[Token]:
    places = phrases.places([token for token, _, _ in tokens])
    return tokens + [(name, tokens[first][1], tokens[behind - 1][2]) for first, behind, name in places]


def _found_tokens(folded: str, tokens: Iterable[str]) -> list[Token]:
    """Find the tokens one after another."""
    found, behind = [], 0
    nowhere = {""}  # behind this place; so none of these is looked for again
    for token in tokens:
        if token in nowhere:
            continue
        start = folded.find(normalize(token), behind)
        if start < 0:
            nowhere.add(token)
        else:
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
        if not is_mark(text[place]) and not _combines(text[start:place], text[place]):
            yield start, place
            start = place
    if text:
        yield start, len(text)


def _combines(before: str, letter: str) -> bool:
    """Return whether a letter combines with what is before it."""
    before = with_few_marks(before)
    return _composed(before + letter) != _composed(before) + _composed(letter)


def _composed(piece: str) -> str:
    return unicodedata.normalize("NFKC", piece)
