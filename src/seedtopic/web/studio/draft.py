"""The draft: the categories and words a person has written so far, and the labels they have confirmed.

Unlike `seedtopic.Seeds`, a draft may be unfinished: a category without words, one category alone, or none.
A draft is never changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

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
        """Return the category as `seedtopic.Seeds` reads it, without weights."""
        excluded = tuple(word.word for word in self.words if word.excluded)
        return Category(self.own_words, exclude=excluded, parent=self.parent)

    def has_words(self) -> bool:
        """Return whether the category has words, its own or those of its name, or anything instead."""
        return bool(self.rest.keys() - {"formerly"} or self.category().or_named(self.name).words)


@dataclass(frozen=True)
class Draft:
    """Categories in the person's order, and what each checked document was confirmed as."""

    categories: tuple[DraftCategory, ...] = ()
    # The keys of the categories of each document, the main one first; empty: none of them.
    confirmed: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    source: str | None = None  # the TOML that the categories come from

    @classmethod
    def of(cls, seeds: Seeds) -> Self:
        """Make a draft from seeds."""
        return cls(drafted(seeds, {}), source=seeds.source)

    @property
    def names(self) -> list[str]:
        """The names of the categories."""
        return [category.name for category in self.categories]

    def category(self, name: Any) -> DraftCategory:
        """Find a category by its name."""
        for category in self.categories:
            if category.name == name:
                return category
        there = ", ".join(self.names) or "none"
        raise InputError(f"there is no category {name!r}: the categories are {there}.")

    def fresh_key(self) -> int:
        """Return a key that neither a category nor a confirmed document has."""
        used = set().union(*set(self.confirmed.values()))
        return 1 + max([0, *(category.key for category in self.categories), *used])

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
        above = {category.parent for category in self.categories}
        entries: dict[Name, Category] = {
            category.name: category.category()
            if category.name in above
            else category.category().or_named(category.name)
            for category in self.categories
        }
        parents = {name: entry.parent for name, entry in entries.items() if entry.parent is not None}
        try:
            tree = Tree.of(list(entries), parents)
        except InputError:  # a circle, which the next fit reports
            return list(entries.values())
        return [with_parents(name, entries, tree) for name in entries]

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
        categories.append(DraftCategory(key, str(name), _words(entry), parent, _kept(entry)))
    return tuple(categories)


def _kept(entry: Category) -> dict[str, Any]:
    table = replace(entry, words=(), weights={}, exclude=(), parent=None).entry()
    return table if isinstance(table, dict) else {}


def _words(entry: Category) -> tuple[DraftWord, ...]:
    own = (DraftWord(word, entry.weights.get(word, 1.0)) for word in entry.words)
    return (*own, *(DraftWord(word, excluded=True) for word in entry.exclude))


MOST_STEPS = 200


@dataclass(frozen=True)
class Step:
    """An earlier or later draft, and the edit between it and its neighbour."""

    draft: Draft
    done: str
    written: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True)
class History:
    """The present draft with its past and future; never changed in place."""

    present: Draft
    past: tuple[Step, ...] = ()  # the one nearest to the present is last
    future: tuple[Step, ...] = ()  # the same
    revision: int = 0  # increases with every edit, undo and redo

    @property
    def undo(self) -> str | None:
        """The edit that `undone` reverts."""
        return self.past[-1].done if self.past else None

    @property
    def redo(self) -> str | None:
        """The edit that `redone` applies again."""
        return self.future[-1].done if self.future else None

    def edited(self, draft: Draft, done: str) -> History:
        """Add a new draft; steps that were undone are dropped."""
        past = (*self.past, Step(self.present, done))[-MOST_STEPS:]
        return History(draft, past, (), self.revision + 1)

    def undone(self) -> History:
        """Go one step back."""
        if not self.past:
            raise InputError("there is nothing to undo.")
        step = self.past[-1]
        future = (*self.future, Step(self.present, step.done))
        return History(step.draft, self.past[:-1], future, self.revision + 1)

    def redone(self) -> History:
        """Go one step forward again."""
        if not self.future:
            raise InputError("there is nothing to redo.")
        step = self.future[-1]
        past = (*self.past, Step(self.present, step.done))
        return History(step.draft, past, self.future[:-1], self.revision + 1)
