"""Seed words: what the user knows about each category, read, checked and bound to a vocabulary."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from seedtopic.errors import InputError
from seedtopic.text import normalize

Name = str | int


@dataclass(frozen=True)
class Seeds:
    """Categories and their seed words, in the user's order.

    Parameters
    ----------
    categories : mapping of str or int to sequence of str
        The words of each category. A word may stand in several categories; it speaks for all of them.

    Examples
    --------
    >>> seeds = Seeds({"sports": ["Game", "team"], "money": ["bank", "rate"]})
    >>> seeds.names
    ['sports', 'money']
    >>> seeds.categories["sports"]
    ('game', 'team')
    """

    categories: Mapping[Name, tuple[str, ...]]

    def __init__(self, categories: Mapping[Any, Sequence[str]]) -> None:
        object.__setattr__(self, "categories", _checked(categories))

    @property
    def names(self) -> list[Name]:
        """The categories in the user's order."""
        return list(self.categories)

    @property
    def words(self) -> list[str]:
        """Every seed word once, in the order of first mention."""
        return list(dict.fromkeys(word for words in self.categories.values() for word in words))

    @classmethod
    def read(cls, path: str | Path) -> Seeds:
        """Read seeds from a TOML or JSON file: one entry a category, with the list of its words."""
        path = Path(path)
        try:
            content = path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise InputError(f"the seeds file {path} does not exist.") from None
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"the seeds file {path} cannot be read as UTF-8 text: {error}.") from None
        try:
            if path.suffix.lower() == ".toml":
                table = tomllib.loads(content)
            elif path.suffix.lower() == ".json":
                table = json.loads(content, object_pairs_hook=_without_repeats)
            else:
                raise InputError(f"the seeds file {path} must end in .toml or .json.")
        except (tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
            raise InputError(f"the seeds file {path} is not valid: {error}.") from None
        except InputError as error:
            raise InputError(f"in the seeds file {path}: {error}") from None
        return cls(table)

    @classmethod
    def of(cls, seeds: Seeds | Mapping[Any, Sequence[str]] | str | Path) -> Seeds:
        """Accept seeds as a `Seeds`, a mapping, or the path of a TOML or JSON file."""
        if isinstance(seeds, Seeds):
            return seeds
        if isinstance(seeds, str | Path):
            return cls.read(seeds)
        return cls(seeds)

    def to_toml(self) -> str:
        """Write the seeds as TOML, one line a category; names become texts.

        Examples
        --------
        >>> print(Seeds({"gold": ["gold", "mine"], "oil": ["crude"]}).to_toml(), end="")
        "gold" = ["gold", "mine"]
        "oil" = ["crude"]
        """
        # A JSON string is a TOML basic string once DEL, which JSON leaves as it is, is escaped.
        lines = [
            f"{json.dumps(str(name), ensure_ascii=False)} = {json.dumps(list(words), ensure_ascii=False)}\n"
            for name, words in self.categories.items()
        ]
        return "".join(lines).replace("\x7f", "\\u007f")

    def bind(self, vocabulary: Sequence[str]) -> BoundSeeds:
        """Find the seed words among the columns of a count matrix."""
        column_of = {word: column for column, word in enumerate(vocabulary)}
        pairs = [
            (category, column_of[word])
            for category, words in enumerate(self.categories.values())
            for word in words
            if word in column_of
        ]
        rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
        membership = sp.csr_array(
            (np.ones(len(pairs), dtype=np.float64), (np.array(rows, int), np.array(columns, int))),
            shape=(len(self.categories), len(vocabulary)),
        )
        return BoundSeeds(self, membership, self._missing(column_of))

    def _missing(self, known: Iterable[str]) -> dict[str, list[Name]]:
        known = set(known)
        return {
            word: [name for name, words in self.categories.items() if word in words]
            for word in self.words
            if word not in known
        }


@dataclass(frozen=True)
class BoundSeeds:
    """Seeds as columns of a count matrix.

    Attributes
    ----------
    seeds : Seeds
    membership : csr_array, shape (n_categories, n_words)
        1 where the word is a seed of the category.
    missing : dict of str to list of categories
        Seed words that do not occur, each with its categories.
    """

    seeds: Seeds
    membership: sp.csr_array
    missing: dict[str, list[Name]]

    @property
    def empty_categories(self) -> list[Name]:
        """Categories none of whose words occurs."""
        found = np.diff(self.membership.indptr)
        return [name for name, count in zip(self.seeds.names, found, strict=True) if count == 0]

    def report(self) -> str | None:
        """Say in one sentence what is missing, or None when every word occurs."""
        if not self.missing:
            return None
        words = ", ".join(f"{word!r} ({_plainly(owners)})" for word, owners in self.missing.items())
        sentence = f"these seed words do not occur in the documents: {words}"
        if self.empty_categories:
            sentence += f"; left without any word: {_plainly(self.empty_categories)}"
        return sentence + "."

    def require(self, *, strict: bool) -> None:
        """Raise unless two categories (all of them when strict) have a word that occurs."""
        empty = self.empty_categories
        if strict and empty:
            raise InputError(
                f"none of the seed words of {_listed(empty)} occurs in the documents: "
                "add words that do, or set strict=False to go on without."
            )
        if len(self.seeds.names) - len(empty) < 2:
            tried = "; ".join(f"{name}: {', '.join(words)}" for name, words in self.seeds.categories.items())
            raise InputError(
                "fewer than two categories have a seed word that occurs in the documents; "
                f"tried {tried}: add words that do occur."
            )


def _checked(categories: Mapping[Any, Sequence[str]]) -> dict[Name, tuple[str, ...]]:
    if not isinstance(categories, Mapping):
        raise InputError(
            "seeds must be a mapping of categories to words, a Seeds or a path; "
            f"got {type(categories).__name__}."
        )
    checked: dict[Name, tuple[str, ...]] = {}
    for given, words in categories.items():
        name = _checked_name(given)
        if str(name) in map(str, checked):
            raise InputError(f"the category {name!r} is given twice: keep one of them.")
        checked[name] = _checked_words(name, words)
    if len({type(name) for name in checked}) > 1:
        raise InputError("some categories are named by numbers and some by texts: name all in one way.")
    if len(checked) < 2:
        raise InputError(f"seeds need at least two categories; got {_listed(checked) or 'none'}.")
    return checked


def _checked_name(name: Any) -> Name:
    if isinstance(name, str) and name.strip():
        return name.strip()
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        return int(name)
    raise InputError(f"the category name {name!r} is not a text: give every category a name.")


def _checked_words(name: Name, words: Any) -> tuple[str, ...]:
    if isinstance(words, str) or not isinstance(words, Iterable) or isinstance(words, Mapping):
        raise InputError(
            f"the seed words of {name!r} must be a list of words; got {words!r:.60}: "
            f"write {name!r} = [...], one text a word."
        )
    folded = []
    for word in words:
        if not isinstance(word, str) or not word.strip():
            raise InputError(f"the category {name!r} has the seed {word!r}: every seed must be a word.")
        if len(word.split()) > 1:
            raise InputError(
                f"the seed {word!r} of {name!r} is several words: give them one by one, "
                f"as {', '.join(repr(part) for part in word.split())}."
            )
        folded.append(normalize(word.strip()))
    if not folded:
        raise InputError(f"the category {name!r} has no seed words: give it at least one.")
    return tuple(dict.fromkeys(folded))


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the category {repeated!r} is given twice: keep one of them.")
    return table


def _plainly(names: Iterable[Name]) -> str:
    return ", ".join(str(name) for name in names)


def _listed(names: Iterable[Name]) -> str:
    return ", ".join(repr(name) for name in names)
