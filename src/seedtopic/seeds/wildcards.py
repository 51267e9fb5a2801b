"""Wildcards: seeds such as ``invest*`` that stand for the words they match."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from seedtopic.text.automaton import Automaton

WILDCARD = "*"
FEW = 20  # wildcards, which are faster found one by one
_SPACE = re.compile(r"\s")
_EDGE = "\n"  # around a word; neither words nor wildcards contain it


def is_wildcard(word: str) -> bool:
    """Tell whether a seed is a wildcard."""
    return WILDCARD in word


def matching(wildcard: str, vocabulary: Sequence[str]) -> list[str]:
    """Return the words that a wildcard matches; phrases never match."""
    first, *middle, last = wildcard.split(WILDCARD)
    candidates = (
        word
        for word in vocabulary
        if word.startswith(first) and word.endswith(last) and len(word) >= len(first) + len(last)
    )
    return [
        word
        for word in candidates
        if _in_order(middle, word, len(first), len(word) - len(last)) and not _SPACE.search(word)
    ]


def expansions(wildcards: Collection[str], vocabulary: Sequence[str]) -> dict[str, list[str]]:
    """Return what each of some wildcards matches; many are looked for in one pass over the vocabulary."""
    if len(wildcards) <= FEW:
        return {wildcard: matching(wildcard, vocabulary) for wildcard in wildcards}
    pieces = list(dict.fromkeys(piece for wildcard in wildcards for piece in _pieces(wildcard)))
    automaton = Automaton(pieces)
    words = [f"{_EDGE}{word}{_EDGE}" for word in vocabulary if not _SPACE.search(word)]
    times = automaton.counts(character for word in words for character in word)
    node_of = dict(zip(pieces, automaton.ends, strict=True))
    having: dict[int, list[str]] = {}  # the wildcards by their rarest piece
    for wildcard in wildcards:
        rarest = min((node_of[piece] for piece in _pieces(wildcard)), key=lambda node: times.get(node, 0))
        having.setdefault(rarest, []).append(wildcard)
    found: dict[str, list[str]] = {wildcard: [] for wildcard in wildcards}
    for word in words:
        for node in {node for _, node in automaton.places(word)} & having.keys():
            for wildcard in having[node]:
                found[wildcard] += matching(wildcard, [word[1:-1]])
    return found


def _pieces(wildcard: str) -> Iterator[str]:
    """Yield what a word must contain to match, with the edges of the word."""
    return (piece for piece in f"{_EDGE}{wildcard}{_EDGE}".split(WILDCARD) if piece not in ("", _EDGE))


def _in_order(parts: Sequence[str], word: str, start: int, end: int) -> bool:
    """Tell whether a word contains the parts in this order; each is taken as early as possible."""
    for part in parts:
        found = word.find(part, start, end)
        if found < 0:
            return False
        start = found + len(part)
    return True
