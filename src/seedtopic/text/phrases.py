"""Phrases: sequences of tokens that are counted as words, in addition to the words they consist of.

Worker processes read this file, so it needs the standard library only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property


class Automaton:
    """A tree of sequences; a walk over tokens is always at the longest one that they may be part of."""

    def __init__(self, sequences: Iterable[Sequence[str]]) -> None:
        self._then: list[dict[str, int]] = [{}]
        self.ends = [self._added(sequence) for sequence in sequences]
        # Where a walk goes on if the next token does not fit: the longest end of what it read that is a node.
        self._otherwise = [0] * len(self._then)
        # The longest sequence that ends there too: at the node itself, and behind it; 0 if there is none.
        self._longest, self._next = [0] * len(self._then), [0] * len(self._then)
        self._depth = [0] * len(self._then)
        ends, nodes = set(self.ends), [0]
        for node in nodes:
            for token, after in self._then[node].items():
                other = self._step(self._otherwise[node], token) if node else 0
                self._otherwise[after], self._next[after] = other, self._longest[other]
                self._longest[after] = after if after in ends else self._longest[other]
                self._depth[after] = self._depth[node] + 1
                nodes.append(after)

    def counts(self, tokens: Iterable[str]) -> dict[int, int]:
        """Count the ends of sequences among tokens, which may overlap, in time linear in both."""
        times: dict[int, int] = {}
        for _, node in self._walk(tokens):
            times[node] = times.get(node, 0) + 1
        for node in list(times):
            while (node := self._next[node]) and node not in times:
                times[node] = 0
        for node in sorted(times, key=self._depth.__getitem__, reverse=True):
            if self._next[node]:  # where this one ends, a shorter one does
                times[self._next[node]] += times[node]
        return times

    def places(self, tokens: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Yield every end of a sequence: how many tokens are before it, and the node."""
        for behind, node in self._walk(tokens):
            while node:
                yield behind, node
                node = self._next[node]

    def _walk(self, tokens: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Yield the longest sequence at each place where one ends."""
        node, longest = 0, self._longest
        for behind, token in enumerate(tokens, start=1):
            node = self._step(node, token)
            if longest[node]:
                yield behind, longest[node]

    def _step(self, node: int, token: str) -> int:
        while (after := self._then[node].get(token)) is None and node:
            node = self._otherwise[node]
        return after or 0

    def _added(self, sequence: Sequence[str]) -> int:
        node = 0
        for token in sequence:
            after = self._then[node].setdefault(token, len(self._then))
            if after == len(self._then):
                self._then.append({})
            node = after
        return node


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
        times = {name: count for node, count in automaton.counts(tokens).items() for name in names[node]}
        if len(times) < 2:
            return times
        first = {token: number for number, token in enumerate(different)}
        in_order = sorted(times, key=lambda name: (first[self.sequences[name][0]], self._numbers[name]))
        return {name: times[name] for name in in_order}

    def places(self, tokens: Sequence[str]) -> list[tuple[int, int, str]]:
        """Return where the phrases are among the tokens of a document: first, behind the last, and name."""
        return sorted(self._places(tokens))

    def inserted(self, tokens: Sequence[str]) -> list[str]:
        """Return the tokens of a document with each phrase after its last token."""
        plain, joined, before = list(tokens), [], 0
        # Of phrases that end at the same token, the first by name comes first.
        for end, name in sorted((end, name) for _, end, name in self._places(plain)):
            joined += [*plain[before:end], name]
            before = end
        return joined + plain[before:]

    def _places(self, tokens: Sequence[str]) -> Iterator[tuple[int, int, str]]:
        if self._first.isdisjoint(tokens):
            return
        automaton, names = self._automaton
        for behind, node in automaton.places(tokens):
            for name in names[node]:
                yield behind - len(self.sequences[name]), behind, name
