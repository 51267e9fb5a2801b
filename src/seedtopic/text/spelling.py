"""Words with a similar spelling: what a person may have meant who made a typing error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import takewhile

SHORT, MOST = 8, 2  # letters: a shorter word may have one typing error, a longer one two
SHOWN = 3
CLEARLY = 10  # times as frequent: then one of two words that are equally similar was meant


def near_spellings(word: str, frequency: Mapping[str, int]) -> list[str]:
    """Return words that differ by one typing error (two in a long word), the most similar first."""
    most = 1 if len(word) < SHORT else MOST
    distance_to = {
        other: distance
        for other in frequency
        if abs(len(other) - len(word)) <= most
        and (other[:1] == word[:1] or other[-2:] == word[-2:])  # few errors are at both ends
        and (distance := slips(word, other, most)) <= most
    }
    distance_to.pop(word, None)
    return sorted(distance_to, key=lambda other: (distance_to[other], -frequency[other], other))[:SHOWN]


def meant(word: str, frequency: Mapping[str, int]) -> str | None:
    """Return the word that was clearly meant, or None."""
    if not (near := near_spellings(word, frequency)):
        return None
    as_near = [other for other in near[1:] if slips(word, other, MOST) == slips(word, near[0], MOST)]
    return None if any(frequency[near[0]] < CLEARLY * frequency[other] for other in as_near) else near[0]


def slips(word: str, other: str, most: int | None = None) -> int:
    """Count the typing errors between two words."""
    # What is the same at both ends takes no time.
    end = _equal(reversed(word), reversed(other))
    word, other = word[: len(word) - end], other[: len(other) - end]
    start = _equal(word, other)
    word, other = word[start:], other[start:]
    if most is not None and abs(len(word) - len(other)) > most:
        return most + 1
    # Beginnings whose lengths differ by more than `band` have as many errors: long words take linear time.
    band = max(len(word), len(other)) if most is None else most
    far = len(word) + len(other)
    before: dict[int, int] = {}
    row = {j: j for j in range(min(len(other), band) + 1)}
    for i, letter in enumerate(word, start=1):
        above, before, row = before, row, {0: i} if i <= band else {}
        for j in range(max(1, i - band), min(len(other), i + band) + 1):
            theirs = other[j - 1]
            least = min(
                before.get(j, far) + 1, row.get(j - 1, far) + 1, before.get(j - 1, far) + (letter != theirs)
            )
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == theirs:
                least = min(least, above.get(j - 2, far) + 1)
            row[j] = least
        # A later row can only be built on these two.
        if most is not None and min(*before.values(), *row.values()) > most:
            return most + 1
    return row[len(other)] if most is None else min(row[len(other)], most + 1)


def _equal(letters: Iterable[str], others: Iterable[str]) -> int:
    """Count the letters that are the same from the beginning."""
    pairs = zip(letters, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
