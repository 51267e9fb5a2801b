"""Phrases: sequences of tokens that are counted as words, in addition to the words they consist of.

Worker processes read this file, so it needs the standard library only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence


class Phrases:
    """Phrases to look for, each with its tokens.

    Parameters
    ----------
    sequences : mapping of str to sequence of str
        The tokens of each phrase, by the name under which it is counted.

    Attributes
    ----------
    sequences : dict of str to list of str
        As given.

    Examples
    --------
    >>> phrases = Phrases({"new york": ["new", "york"], "bank of america": ["bank", "of", "america"]})
    >>> phrases.counts(["new", "york", "new", "york", "bank"])
    {'new york': 2}
    >>> phrases.inserted(["in", "new", "york", "today"])
    ['in', 'new', 'york', 'new york', 'today']
    >>> phrases.places(["in", "new", "york"])
    [(1, 3, 'new york')]
    """

    def __init__(self, sequences: Mapping[str, Sequence[str]] | None = None) -> None:
        self.sequences = {name: list(sequence) for name, sequence in (sequences or {}).items()}
        self._starting: dict[str, list[tuple[str, list[str]]]] = {}
        for name, sequence in self.sequences.items():
            self._starting.setdefault(sequence[0], []).append((name, sequence))

    def __bool__(self) -> bool:
        return bool(self._starting)

    def counts(self, tokens: Sequence[str], different: Collection[str] | None = None) -> dict[str, int]:
        """Count the phrases among the tokens of a document; `different` are these tokens without repeats.

        Occurrences may overlap. A phrase that does not occur is not included.
        """
        found: dict[str, int] = {}
        for _, _, name in self._places(tokens, set(tokens) if different is None else different):
            found[name] = found.get(name, 0) + 1
        return found

    def places(self, tokens: Sequence[str]) -> list[tuple[int, int, str]]:
        """Return where the phrases are among the tokens of a document: first, behind the last, and name."""
        return sorted(self._places(tokens, set(tokens)))

    def inserted(self, tokens: Sequence[str]) -> list[str]:
        """Return the tokens of a document with each phrase after its last token."""
        given, found, before = list(tokens), [], 0
        # Of phrases that end at the same token, the first by name comes first.
        for end, name in sorted((end, name) for _, end, name in self._places(given, set(given))):
            found += [*given[before:end], name]
            before = end
        return found + given[before:]

    def _places(self, tokens: Sequence[str], different: Collection[str]) -> Iterator[tuple[int, int, str]]:
        """Yield where each occurrence is; for most documents a check of their different words is enough."""
        listed: list[str] | None = None
        for first in different:
            for name, sequence in self._starting.get(first, ()):
                if all(token in different for token in sequence):
                    listed = list(tokens) if listed is None else listed
                    length = len(sequence)
                    yield from ((start, start + length, name) for start in _starts(listed, sequence))


def _starts(tokens: list[str], sequence: list[str]) -> Iterator[int]:
    start = -1
    for _ in range(tokens.count(sequence[0])):
        start = tokens.index(sequence[0], start + 1)
        if tokens[start : start + len(sequence)] == sequence:
            yield start
