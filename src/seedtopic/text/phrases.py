"""Phrases: sequences of tokens that are counted as words, in addition to the words they consist of.

Worker processes read this file, so it needs the standard library only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from seedtopic.text.automaton import Automaton


class Phrases:
    """Phrases to look for, each with its tokens."""

    def __init__(self, sequences: Mapping[str, Sequence[str]] | None = None) -> None:
        self.sequences = {name: list(sequence) for name, sequence in (sequences or {}).items()}
        self._first = {sequence[0] for sequence in self.sequences.values()}

    def __bool__(self) -> bool:
        return bool(self.sequences)

    @cached_property
    def _automaton(self) -> tuple[Automaton, dict[int, list[str]]]:
        """The sequences as a tree, and the phrases of each node."""
        automaton = Automaton(self.sequences.values())
        names: dict[int, list[str]] = {}
        for name, node in zip(self.sequences, automaton.ends, strict=True):
            names.setdefault(node, []).append(name)
        return automaton, names

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.sequences)}

    def counts(self, tokens: Sequence[str], different: Collection[str] | None = None) -> dict[str, int]:
        """Count the phrases among the tokens of a document; `different` are these tokens without repeats."""
        different = dict.fromkeys(tokens) if different is None else different
        if self._first.isdisjoint(different):  # true of most documents
            return {}
        automaton, names = self._automaton
        found = {name: times for node, times in automaton.counts(tokens).items() for name in names[node]}
        if len(found) < 2:
            return found
        first = {token: number for number, token in enumerate(different)}
        in_order = sorted(found, key=lambda name: (first[self.sequences[name][0]], self._numbers[name]))
        return {name: found[name] for name in in_order}

    def places(self, tokens: Sequence[str]) -> list[tuple[int, int, str]]:
        """Return where the phrases are among the tokens of a document: first, behind the last, and name."""
        return sorted(self._places(tokens))

    def inserted(self, tokens: Sequence[str]) -> list[str]:
        """Return the tokens of a document with each phrase after its last token."""
        given, found, before = list(tokens), [], 0
        # Of phrases that end at the same token, the first by name comes first.
        for end, name in sorted((end, name) for _, end, name in self._places(given)):
            found += [*given[before:end], name]
            before = end
        return found + given[before:]

    def _places(self, tokens: Sequence[str]) -> Iterator[tuple[int, int, str]]:
        if self._first.isdisjoint(tokens):
            return
        automaton, names = self._automaton
        for behind, node in automaton.places(tokens):
            for name in names[node]:
                yield behind - len(self.sequences[name]), behind, name
