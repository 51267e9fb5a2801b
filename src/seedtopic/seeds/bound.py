"""Seeds as columns of a count matrix, and what to say of those that do not occur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.wording import and_more
from seedtopic.seeds.category import expansions, is_wildcard, name_words
from seedtopic.seeds.tree import Name

if TYPE_CHECKING:
    from seedtopic.seeds.seeds import Seeds

SHOWN, LONGEST = 20, 800  # names in a sentence, and their characters


@dataclass(frozen=True)
class BoundSeeds:
    """Seeds as columns of a count matrix."""

    seeds: Seeds
    membership: sp.csr_array  # (n_categories, n_words), the weight of each seed
    exclusion: sp.csr_array  # (n_categories, n_words), 1 where the category excludes the word
    missing: dict[str, list[Name]]  # seeds that do not occur, each with its categories
    expansions: dict[str, list[str]]  # the words that each wildcard matches
    names: sp.csr_array  # (n_categories, n_words), 1 where a word is one of the category's name

    @cached_property
    def is_seed(self) -> sp.csr_array:
        """1 where a word is a seed of a category, shape (n_words, n_categories)."""
        return _ones(self.membership)

    @cached_property
    def is_name(self) -> sp.csr_array:
        """1 where a word is one of a category's name, shape (n_words, n_categories)."""
        return _ones(self.names)

    @classmethod
    def of(cls, seeds: Seeds, vocabulary: Sequence[str]) -> BoundSeeds:
        """Find the seeds in a vocabulary; see `Seeds.bind`."""
        column_of = {word: column for column, word in enumerate(vocabulary)}
        excluded_words = (word for words in seeds.exclude.values() for word in words)
        mentioned = dict.fromkeys([*seeds.words, *excluded_words])
        rules = {rule.word for rule in seeds.all_rules}
        words = [word for word in vocabulary if word not in rules] if rules else vocabulary
        expanded = expansions(list(filter(is_wildcard, mentioned)), words)

        def columns(word: str) -> list[int]:
            return [column_of[match] for match in expanded.get(word, [word]) if match in column_of]

        weight_at: dict[tuple[int, int], float] = {}
        excluded_at: dict[tuple[int, int], float] = {}
        for k, (name, words) in enumerate(seeds.categories.items()):
            spelled_out = {column for word in words if not is_wildcard(word) for column in columns(word)}
            excluded = {c for word in seeds.exclude[name] for c in columns(word)} - spelled_out
            excluded_at |= {(k, column): 1.0 for column in sorted(excluded)}
            # Wildcards first: a word that is spelled out as well keeps the weight that it has there.
            for word in sorted(words, key=is_wildcard, reverse=True):
                for column in columns(word):
                    if column not in excluded:
                        weight_at[k, column] = seeds.weights[name].get(word, 1.0)
            weight_at |= {(k, c): 1.0 for rule in seeds.rules[name] for c in columns(rule.word)}
        shape = (len(seeds.categories), len(vocabulary))
        named_at = {
            (k, column_of[word]): 1.0
            for k, name in enumerate(seeds.categories)
            for word in name_words(name)
            if word in column_of
        }
        # Where rules or examples stand instead of words, nobody expects that the name occurs.
        without = {name for name in seeds.names if not seeds.entries[name].words} - {*seeds.named}
        missing = {
            word: owners
            for word, owners in seeds.owners().items()
            if not columns(word) and (word in rules or not without.issuperset(owners))
        }
        return cls(
            seeds,
            _sparse(weight_at, shape),
            _sparse(excluded_at, shape),
            missing,
            expanded,
            _sparse(named_at, shape),
        )

    @property
    def n_seeds(self) -> NDArray[np.int64]:
        """The number of seeds of each category, including those that do not occur."""
        owned = Counter(name for owners in self.missing.values() for name in owners)
        lost = np.array([owned[name] for name in self.seeds.names], dtype=np.int64)
        return np.diff(self.membership.indptr).astype(np.int64) + lost

    @property
    def empty_categories(self) -> list[Name]:
        """The categories of which no word occurs."""
        counts = np.diff(self.membership.indptr)
        return [name for name, count in zip(self.seeds.names, counts, strict=True) if count == 0]

    def report(self, known: Collection[Name] = (), taught: Collection[Name] = ()) -> str | None:
        """Return sentences on missing words and categories without any; None where nothing is missing."""
        sentence = named_sentence(self.seeds.named)
        if not self.missing:
            return sentence
        words = _some([f"{word!r} ({_some(map(str, owners))})" for word, owners in self.missing.items()])
        sentence = f"{sentence} " if sentence else ""
        sentence += f"these seed words do not occur in the documents: {words}"
        known, empty = set(known), self._empty_without(taught)
        by_meaning = [str(name) for name in empty if name in known]
        lost = [str(name) for name in empty if name not in known]
        if by_meaning:
            verb = "is" if len(by_meaning) == 1 else "are"
            sentence += f"; {_some(by_meaning)} {verb} labelled by meaning alone"
        if lost:
            sentence += f"; no word is left for {_some(lost)}"
        return sentence + "."

    def _empty_without(self, taught: Collection[Name]) -> list[Name]:
        with_examples = set(taught)  # categories with confirmed labels or examples
        return [name for name in self.empty_categories if name not in with_examples]

    def require(
        self, *, strict: bool, known: Collection[Name] | None = None, taught: Collection[Name] = ()
    ) -> None:
        """Raise unless two categories (all of them when strict) have a word that occurs."""
        by_meaning, empty = set(known or ()), self._empty_without(taught)
        if strict and empty:
            raise InputError(
                f"none of the seed words of {_some(map(repr, empty))} occurs in the documents: "
                "add words that do, or do not use --strict (strict=False in Python)."
            )
        lost = [name for name in empty if name not in by_meaning]
        if len(self.seeds.names) - len(lost) < 2:
            categories = self.seeds.categories.items()
            tried = _some([f"{name}: {_some(words)}" for name, words in categories], "; ")
            or_known = "" if known is None else ", or of which the word vectors know the meaning"
            raise InputError(
                f"fewer than two categories have a seed word that occurs in the documents{or_known}; "
                f"the seed words are {tried}: add words that do occur."
            )


def named_sentence(named: Mapping[Name, Sequence[str]]) -> str | None:
    """Return a sentence on the categories whose names are used for want of words; None without any."""
    if not named:
        return None
    shown = _some([f"{name} ({', '.join(words)})" for name, words in named.items()])
    return f"these categories have no seed words, so the words of their names are used: {shown}."


def _sparse(entries: Mapping[tuple[int, int], float], shape: tuple[int, int]) -> sp.csr_array:
    rows, columns = zip(*entries, strict=True) if entries else ((), ())
    values = np.fromiter(entries.values(), dtype=np.float64, count=len(entries))
    return sp.csr_array((values, (np.array(rows, int), np.array(columns, int))), shape=shape)


def _ones(of_categories: sp.csr_array) -> sp.csr_array:
    return sp.csr_array(of_categories.astype(bool).astype(np.float32).T)


def _some(names: Iterable[str], between: str = ", ") -> str:
    """Join names, the first of many or of long ones."""
    listed, length = list(names), 0
    shown: list[str] = []
    for name in listed[:SHOWN]:
        length += len(name) + len(between)
        if shown and length > LONGEST:
            break
        shown.append(name if len(name) <= LONGEST else name[:LONGEST] + "…")
    return and_more(shown, len(listed), between)
