"""Rules beside seed words: a regular expression that a text matches, or the value of another column.

A rule is counted like a word: it has a column in the counts, which is 1 in the documents that it matches. So
whatever is learned from words, saved and explained is learned from rules too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from seedtopic.base.errors import InputError, SeedWarning, warn_caller
from seedtopic.text.counts import Counts, KnownWords
from seedtopic.text.patterns import Pattern
from seedtopic.text.tally import Partitions

EQUALS = " = "


class TextWithColumns(str):
    """A text that knows the other columns of its row, for rules about them."""

    columns: Mapping[str, str]

    @classmethod
    def of(cls, text: str, columns: Mapping[str, str]) -> TextWithColumns:
        """Take a text, and the values of columns by their names."""
        made = cls(text)
        made.columns = columns
        return made


@dataclass(frozen=True)
class Rule:
    """A regular expression that the text matches, or a value or expression of another column."""

    value: str  # in any capitals, or a regular expression between slashes
    column: str | None = None  # the column; the text if left out, which must match an expression

    @property
    def word(self) -> str:
        """The name of the rule among the words."""
        value = self.value if is_expression(self.value) else folded_value(self.value)
        return value if self.column is None else self.column + EQUALS + value

    def matches(self, text: str) -> bool:
        """Return whether a document matches; one without the column does not."""
        own = text if self.column is None else getattr(text, "columns", {}).get(self.column, "")
        if is_expression(self.value):
            return compiled(self.value[1:-1]).search(own)
        return folded_value(own) == folded_value(self.value)


@lru_cache(maxsize=1000)
def compiled(expression: str) -> Pattern:
    """Read a regular expression, once."""
    return Pattern(expression)


def is_expression(value: str) -> bool:
    """Return whether a value stands for a regular expression."""
    return len(value) > 2 and value.startswith("/") and value.endswith("/")


def is_rule(word: str) -> bool:
    """Return whether a word of a vocabulary is the name of a rule."""
    return is_expression(word) or EQUALS in word


def folded_value(value: str) -> str:
    """Return a value as it is compared: capitals and white space do not matter."""
    return " ".join(value.casefold().split())


def counted_with_rules(
    rules: Sequence[Rule], texts: Iterable[str], count: Callable[[Iterable[str]], Counts]
) -> Counts:
    """Count words, and add a column for each rule that matches a document."""
    if not rules:
        return count(texts)
    watch = _Watch(rules)
    counts = count(watch.over(texts))
    if watch.unseen:
        raise InputError(
            f"{_no_column(watch.unseen)}: read them from a table that has it, or remove the rule."
        )
    matched = watch.matrix()
    there = np.flatnonzero(matched.sum(axis=0) > 0).tolist()
    words = counts.vocabulary + [rules[place].word for place in there]
    order = sorted(range(len(words)), key=words.__getitem__)
    joined = sp.csc_array(sp.hstack([counts.matrix, matched[:, there]]))[:, order]
    return Counts(_tidy(joined), [words[place] for place in order], counts.left_out)


def known_with_rules(
    rules: Sequence[Rule],
    texts: Iterable[str],
    vocabulary: KnownWords,
    count: Callable[[Iterable[str]], Counts],
) -> Counts:
    """Count the words of new documents in the columns of a vocabulary, and the rules in theirs."""
    if not (known := [rule for rule in rules if rule.word in vocabulary.columns]):
        return count(texts)
    watch = _Watch(known)
    counts = count(watch.over(texts))
    matched = watch.matrix()
    if watch.unseen and matched.shape[0]:
        warn_caller(f"{_no_column(watch.unseen)}, so it matches nothing.", SeedWarning)
    columns = np.array([vocabulary.columns[rule.word] for rule in known])
    placed = sp.csr_array(
        (matched.data, columns[matched.indices], matched.indptr), shape=(matched.shape[0], len(vocabulary))
    )
    return replace(counts, matrix=_tidy(counts.matrix + placed))


def _no_column(unseen: Collection[str]) -> str:
    named = " or ".join(map(repr, sorted(unseen)))
    return f"the documents have no column {named}, which a rule of the seeds asks for"


class _Watch:
    """Looks at texts while they pass, and notes the rules that each matches."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._places: list[int] = []
        self._ends = [0]
        self.unseen = {rule.column for rule in rules if rule.column is not None}  # the columns no text had

    def over(self, texts: Iterable[str]) -> Iterator[str]:
        if isinstance(texts, Partitions):
            raise InputError(
                "rules of seeds need texts that are read here: give a list, not a Dask collection."
            )
        for text in texts:
            if self.unseen and isinstance(text, TextWithColumns):
                self.unseen -= text.columns.keys()
            if isinstance(text, str):  # anything else is refused where words are counted
                self._places += [place for place, rule in enumerate(self._rules) if rule.matches(text)]
            self._ends.append(len(self._places))
            yield text

    def matrix(self) -> sp.csr_array:
        places = np.array(self._places, np.int32)
        shape = len(self._ends) - 1, len(self._rules)
        return sp.csr_array((np.ones(len(places), np.float32), places, np.array(self._ends)), shape=shape)


def _tidy(matrix: Any) -> sp.csr_array:
    """Return counts in the form that `Counts` promises."""
    tidy = sp.csr_array(matrix, dtype=np.float32)
    tidy.sort_indices()
    return tidy
