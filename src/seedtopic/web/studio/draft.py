"""The draft: the categories and words a person has written so far, and what the answers about documents are.

Unlike `seedtopic.Seeds`, a draft may be unfinished: a category without words, one category alone, or none.
A draft is never changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

from seedtopic.base.errors import InputError
from seedtopic.seeds import Seeds
from seedtopic.seeds.category import Category, with_parents
from seedtopic.seeds.history import without_current
from seedtopic.seeds.tree import Name, Tree

NEEDED = 2  # categories with words


@dataclass(frozen=True)
class DraftWord:
    """A seed word of a category, or a word excluded from it."""

    word: str
    weight: float = 1.0
    excluded: bool = False


@dataclass(frozen=True)
class DraftCategory:
    """A category of a draft."""

    key: int  # does not change when the category is renamed, so that its documents do not count as moved
    name: str
    words: tuple[DraftWord, ...] = ()
    parent: str | None = None
    rest: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def entry(self) -> dict[str, Any]:
        """Return the category's entry in the form that `seedtopic.Seeds` takes."""
        own = [word for word in self.words if not word.excluded]
        return {
            **self.rest,
            "words": [word.word for word in own],
            "weights": {word.word: word.weight for word in own},
            "exclude": [word.word for word in self.words if word.excluded],
            **({} if self.parent is None else {"parent": self.parent}),
        }

    @property
    def own_words(self) -> tuple[str, ...]:
        """The words that are not excluded."""
        return tuple(word.word for word in self.words if not word.excluded)

    def category(self) -> Category:
        """Return the words of the category as `seedtopic.Seeds` reads them, without weights."""
        excluded = tuple(word.word for word in self.words if word.excluded)
        return Category(self.own_words, exclude=excluded, parent=self.parent)

    def has_words(self) -> bool:
        """Return whether the category has words, its own or those of its name, or anything instead."""
        return bool(self.rest.keys() - {"formerly"} or self.category().or_named(self.name).words)


@dataclass(frozen=True)
class Draft:
    """Categories in the person's order; a session adds what the answers come to today."""

    categories: tuple[DraftCategory, ...] = ()
    source: str | None = None  # the TOML that the categories come from
    # The keys of the categories of each document that has an answer, the main one first; empty: none of them.
    confirmed: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    skipped: frozenset[int] = frozenset()  # documents that somebody has looked at without an answer

    @classmethod
    def of(cls, seeds: Seeds) -> Self:
        return cls(drafted(seeds, {}), source=seeds.source)

    @property
    def names(self) -> list[str]:
        return [category.name for category in self.categories]

    def category(self, name: Any) -> DraftCategory:
        for category in self.categories:
            if category.name == name:
                return category
        there = ", ".join(self.names) or "none"
        raise InputError(f"there is no category {name!r}: the categories are {there}.")

    def fresh_key(self) -> int:
        """Return a key that no category has."""
        return 1 + max([0, *(category.key for category in self.categories)])

    @cached_property
    def entries(self) -> dict[Name, Category]:
        """Each category as `seedtopic.Seeds` reads it."""
        return {category.name: Category.read(category.name, category.entry()) for category in self.categories}

    @cached_property
    def tree(self) -> Tree:
        """Which categories are below others; all are at the top if there is a circle, which a fit reports."""
        names: list[Name] = [*self.names]
        parents: dict[Name, Name] = {c.name: c.parent for c in self.categories if c.parent is not None}
        try:
            return Tree.of(names, parents)
        except InputError:
            return Tree.of(names, {})

    @property
    def named(self) -> dict[Name, tuple[str, ...]]:
        """The categories that have nothing, each with the words of its name."""
        entries = {name: self.entries[name] for name in self.tree.leaves}
        return {name: entry.or_named(name).words for name, entry in entries.items() if entry.is_empty}

    def with_entries(self, entries: Mapping[Name, Category], origins: Mapping[Name, Name]) -> Self:
        """Return a draft with these categories; those that continue others have their keys."""
        before = {category.name: category for category in self.categories}
        fresh, categories = self.fresh_key(), []
        for name, entry in entries.items():
            own = before.get(str(origins.get(name, name)))
            key, words = (fresh, ()) if own is None else (own.key, own.words)
            fresh += own is None
            parent = None if entry.parent is None else str(entry.parent)
            words = words if {*words} == {*_words(entry)} else _words(entry)
            categories.append(DraftCategory(key, str(name), words, parent, _rest(entry)))
        return replace(self, categories=tuple(categories))

    def seeds(self) -> Seeds | None:
        """Return the seeds of the categories that have words, or None if there are too few to learn from."""
        if self.needed() is not None:
            return None
        parents = {category.parent for category in self.categories}
        usable = [
            category for category in self.categories if category.has_words() or category.name in parents
        ]
        table = {category.name: category.entry() for category in usable}
        for entry in table.values():  # a name that is in use again is no longer a former name
            entry["formerly"] = without_current(entry.get("formerly", ()), self.names)
        return Seeds(table, source=self.source)

    def with_parents(self) -> list[Category]:
        """Return each category with the words of its parents or its name, by the rule of `Seeds`."""
        entries: dict[Name, Category] = {each.name: each.category() for each in self.categories}
        for name in entries.keys() - {category.parent for category in self.categories}:
            entries[name] = entries[name].or_named(name)
        return [with_parents(name, entries, self.tree) for name in entries]

    def needed(self) -> str | None:
        """Return a sentence that says what is missing before a model can be fitted, or None."""
        parents = {category.parent for category in self.categories}
        leaves = [category for category in self.categories if category.name not in parents]
        written = [category.name for category in leaves if category.has_words()]
        if len(written) >= NEEDED:
            return None
        so_far = f"only {written[0]!r} has words so far" if written else "there are no categories yet"
        if not written and leaves:
            so_far = "no category has words so far"
        return f"Write at least two categories with a word each; {so_far}."


def drafted(seeds: Seeds, keys: Mapping[str, int]) -> tuple[DraftCategory, ...]:
    """Turn seeds into categories; a category whose name has a key keeps that key."""
    categories = []
    fresh = 1 + max([0, *keys.values()])
    for name, entry in seeds.entries.items():
        key = keys.get(str(name))
        if key is None:
            key, fresh = fresh, fresh + 1
        parent = None if entry.parent is None else str(entry.parent)
        categories.append(DraftCategory(key, str(name), _words(entry), parent, _rest(entry)))
    return tuple(categories)


def _rest(entry: Category) -> dict[str, Any]:
    table = replace(entry, words=(), weights={}, exclude=(), parent=None).entry()
    return table if isinstance(table, dict) else {}


def _words(entry: Category) -> tuple[DraftWord, ...]:
    own = (DraftWord(word, entry.weights.get(word, 1.0)) for word in entry.words)
    return (*own, *(DraftWord(word, excluded=True) for word in entry.exclude))


MOST_STEPS = 200


class Change(NamedTuple):
    """That a person has changed their answer about a text."""

    text: str  # its mark, see `seedtopic.web.studio.answered`
    before: str
    after: str
    way: str  # how the answer of before came


@dataclass(frozen=True)
class Step:
    """An earlier or later draft, and the edit between it and its neighbour."""

    draft: Draft
    done: str
    changes: tuple[Change, ...] = ()  # of the answers; the ledger has the answers themselves
    written: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True)
class History:
    """The present draft with its past and future; never changed in place."""

    present: Draft
    past: tuple[Step, ...] = ()  # the one nearest to the present is last
    future: tuple[Step, ...] = ()  # the same
    revision: int = 0  # increases with every edit, undo and redo, and when others have added answers

    def edited(self, draft: Draft, done: str, changes: tuple[Change, ...] = ()) -> History:
        """Add a new draft; steps that were undone are dropped."""
        past = (*self.past, Step(self.present, done, changes))[-MOST_STEPS:]
        return History(draft, past, (), self.revision + 1)

    def turned(self, *, back: bool) -> History:
        """Go one step back, or one forward again."""
        here, there = (self.past, self.future) if back else (self.future, self.past)
        if not here:
            raise InputError(f"there is nothing to {'undo' if back else 'redo'}.")
        *left, step = here
        other = (*there, Step(self.present, step.done, step.changes))
        past, future = (tuple(left), other) if back else (other, tuple(left))
        return History(step.draft, past, future, self.revision + 1)
