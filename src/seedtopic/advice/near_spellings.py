"""Words that are spelled nearly like another."""

from __future__ import annotations

from collections.abc import Mapping

SHORT = 8  # letters; one slip is likely in a shorter word, two in a longer one
SHOWN = 3
CLEARLY = 10  # times as many documents, for one of two words that are equally near to be meant


def near_spellings(word: str, frequency: Mapping[str, int]) -> list[str]:
    """Give the words one slip away (two for long words), the nearest and then the most frequent first.

    A slip is a letter too many, one too few, a wrong one, or two in the wrong order.

    Parameters
    ----------
    word : str
    frequency : mapping of str to int
        The words there are, and how frequent each is.

    Examples
    --------
    >>> near_spellings("palyer", {"player": 9, "payer": 2, "players": 7, "layer": 1})
    ['player', 'payer']
    """
    most = 1 if len(word) < SHORT else 2
    distance_to = {
        other: distance
        for other in frequency
        if abs(len(other) - len(word)) <= most
        and (other[:1] == word[:1] or other[-2:] == word[-2:])  # few slips are at both ends
        and (distance := slips(word, other)) <= most
    }
    distance_to.pop(word, None)
    return sorted(distance_to, key=lambda other: (distance_to[other], -frequency[other], other))[:SHOWN]


def meant(word: str, frequency: Mapping[str, int]) -> str | None:
    """Give the word that was meant, if there is no doubt about it.

    Examples
    --------
    >>> meant("plaeyr", {"player": 9}), meant("gam", {"game": 9, "gas": 8})
    ('player', None)
    """
    near = near_spellings(word, frequency)
    if not near:
        return None
    rivals = [other for other in near[1:] if slips(word, other) == slips(word, near[0])]
    return None if any(frequency[near[0]] < CLEARLY * frequency[other] for other in rivals) else near[0]


def slips(word: str, other: str) -> int:
    """Count the slips between two words.

    Examples
    --------
    >>> slips("bank", "bnak"), slips("bank", "banks"), slips("bank", "tank"), slips("bank", "bank")
    (1, 1, 1, 0)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, start=1):
        above, before, row = before, row, [i]
        for j, theirs in enumerate(other, start=1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != theirs))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == theirs:
                least = min(least, above[j - 2] + 1)
            row.append(least)
    return row[-1]
