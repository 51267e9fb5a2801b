"""Categories renamed, merged, split and removed; their `formerly` says which answers still mean them.

Each function returns the new seeds, and a sentence for each thing that could not stay as it was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, Protocol, Self, TypeVar

from seedtopic.base.errors import InputError
from seedtopic.base.wording import and_more, listed
from seedtopic.seeds.category import Category, checked_name, name_words
from seedtopic.seeds.names import Categories, Names
from seedtopic.seeds.tree import Name

_SHOWN = 3


class Editable(Categories, Protocol):
    """Seeds, or a draft of seeds."""

    @property
    def named(self) -> Mapping[Name, tuple[str, ...]]:
        """The categories that have nothing, each with the words of its name, which are used instead."""

    def with_entries(self, entries: Mapping[Name, Category], origins: Mapping[Name, Name]) -> Self:
        """Return others with these categories; `origins` says which of today's some of them continue."""


Edited = TypeVar("Edited", bound=Editable)


def renamed(seeds: Edited, old: Name, new: Name) -> tuple[Edited, list[str]]:
    """Return the seeds with a category under a new name; answers with the old one count for it."""
    old, (new,) = _category(seeds, old), _new_names(seeds, [new])
    sentences = []
    if old in seeds.named:
        words = listed([repr(word) for word in seeds.named[old]])
        sentences.append(f"{new!r} has no words, so those of its new name are used, and no longer {words}")
    return _remade(seeds, {old: {new: _formerly(seeds.entries[old], [old])}}, new, sentences)


def merged(seeds: Edited, names: Sequence[Name], into: Name) -> tuple[Edited, list[str]]:
    """Return the seeds with several categories as one, which answers with any of their names count for.

    Everything is united. Of different weights and parents those of `into` count, if it is one of the
    categories, then those of the category that is named first; a word of one is not excluded by another.
    """
    parts = list(dict.fromkeys(_category(seeds, name) for name in names))
    if len(parts) < 2:
        raise InputError(f"only {listed([repr(part) for part in parts])} is to be merged: name two or more.")
    (into,) = _new_names(seeds, [into], parts)
    parts.sort(key=lambda part: str(part) != str(into))
    entries = [_as_used(seeds, part) for part in parts]
    weights: defaultdict[str, set[float]] = defaultdict(set)
    for entry in entries:
        for word in entry.words:
            weights[word].add(entry.weights.get(word, 1.0))
    against = {word for entry in entries for word in entry.exclude}
    parents = dict.fromkeys(entry.parent for entry in entries if entry.parent not in parts)
    parent = next((parent for parent in parents if parent is not None), None)
    sentences = []
    if several := [repr(word) for word, own in weights.items() if len(own) > 1]:
        sentences.append(f"of the weights of {and_more(several[:_SHOWN], len(several))}, the first is kept")
    if again := [repr(word) for word in weights if word in against]:
        sentences.append(f"a seed is no longer excluded: {and_more(again[:_SHOWN], len(again))}")
    if len(parents) > 1:
        sentences.append(f"{into!r} is below {parent!r}, although not all of them were")
    without = [
        replace(entry, exclude=tuple(word for word in entry.exclude if word not in weights))
        for entry in entries
    ]
    one = replace(
        reduce(Category.under, without),
        parent=parent,
        examples=tuple(dict.fromkeys(text for entry in entries for text in entry.examples)),
        formerly=tuple(name for entry in entries for name in entry.formerly),
    )
    changes: dict[Name, dict[Name, Category]] = {part: {} for part in parts}
    changes[parts[0]] = {into: _formerly(one, parts)}
    return _remade(seeds, changes, into, sentences)


def split(
    seeds: Edited, name: Name, into: Sequence[Name], words: Mapping[Any, Sequence[str]] | None = None
) -> tuple[Edited, list[str]]:
    """Return the seeds with several categories in the place of one, whose answers count for none of them.

    A part without `words` gets those of the old category that no other part has, and those of its name.
    """
    name, parts = _category(seeds, name), _new_names(seeds, into)
    if name not in seeds.tree.leaves:
        raise InputError(f"{name!r} is the parent of other categories: split one of those.")
    if len(parts) < 2:
        raise InputError(f"{name!r} is to be split into {len(parts)} category: name two or more.")
    requested = {checked_name(part): Category.read(part, own).words for part, own in (words or {}).items()}
    if unknown := [part for part in requested if part not in parts]:
        there = listed([repr(part) for part in parts], "or")
        raise InputError(f"there are words for {unknown[0]!r}, which is none of the parts: use {there}.")
    entry = _as_used(seeds, name)
    elsewhere = {*entry.exclude, *(word for own in requested.values() for word in own)}
    changes = {}
    for part in parts:
        by_default = [word for word in (*entry.words, *name_words(part)) if word not in elsewhere]
        own = requested.get(part) or tuple(dict.fromkeys(by_default))
        changes[part] = replace(
            _formerly(entry, [name]),
            words=own,
            weights={word: weight for word, weight in entry.weights.items() if word in own},
            exclude=tuple(word for word in entry.exclude if word not in own),
            examples=(),
        )
    sentences = []
    if entry.examples:
        sentences.append(f"the examples of {name!r} are left out: give each to one of the parts")
    if entry.rules:
        sentences.append(f"each part has all rules of {name!r}: keep each where it belongs")
    return _remade(seeds, {name: changes}, None, sentences)


def removed(seeds: Edited, name: Name) -> tuple[Edited, list[str]]:
    """Return the seeds without a category; answers with its name count for none."""
    name = _category(seeds, name)
    entry = seeds.entries[name]
    below = [repr(child) for child, parent in seeds.tree.parents.items() if parent == name]
    above = "at the top" if entry.parent is None else f"below {entry.parent!r}"
    sentences = [f"now {above}: {listed(below)}"] if below else []
    # What was split in two with this category may have been about either, so it counts for none.
    after, sentences = _remade(seeds, {name: {}}, entry.parent, sentences, lost=entry.formerly)
    if (usual := Names.of(after).label(str(name))) is not None:
        sentences.append(f"answers that say {name!r} mean {usual!r} from now on")
    return after, sentences


def without_current(formerly: Iterable[str], names: Iterable[Name]) -> tuple[str, ...]:
    """Return the former names that no category has today."""
    current = set(map(str, names))
    return tuple(old for old in dict.fromkeys(formerly) if old not in current)


def _category(seeds: Categories, name: Any) -> Name:
    """Find a category by its name."""
    text = str(checked_name(name))
    for own in seeds.entries:
        if str(own) == text:
            return own
    names = Names.of(seeds)
    meant = names.label(text)
    near = [str(meant)] if meant in seeds.entries else names.near(text)
    hint = f"did you mean {listed([repr(one) for one in near], 'or')}?" if near else "check its name."
    raise InputError(f"the seeds have no category {text!r}: {hint}")


def _new_names(seeds: Categories, names: Iterable[Any], replaced: Sequence[Name] = ()) -> list[Name]:
    """Check the names that categories are to get."""
    checked = list(dict.fromkeys(map(checked_name, names)))
    taken = {*map(str, seeds.entries), *map(str, seeds.tree.parents.values())} - set(map(str, replaced))
    for name in checked:
        if str(name) in taken:
            raise InputError(f"there is a category {name!r} already: choose another name.")
    return checked


def _as_used(seeds: Categories, name: Name) -> Category:
    """Return a category with the words of its name, where these are used."""
    entry = seeds.entries[name]
    return entry.or_named(name) if name in seeds.tree.leaves else entry


def _formerly(entry: Category, names: Sequence[Name]) -> Category:
    return replace(entry, formerly=tuple(dict.fromkeys([*map(str, names), *entry.formerly])))


def _remade(
    seeds: Edited,
    changes: Mapping[Name, Mapping[Name, Category]],
    parent: Name | None,
    sentences: Sequence[str],
    lost: Collection[str] = (),
) -> tuple[Edited, list[str]]:
    """Put categories in the place of some; what was below these is below `parent`, `lost` is forgotten."""
    entries: dict[Name, Category] = {}
    for name, entry in seeds.entries.items():
        entries |= changes.get(name, {name: entry})
    made, again = {}, []
    for name, entry in entries.items():
        formerly = without_current((old for old in entry.formerly if old not in lost), entries)
        above = parent if entry.parent in changes else entry.parent
        made[name] = replace(entry, parent=above, formerly=formerly)
        back = {*entry.formerly} - {*formerly, *lost, str(name)}
        again += [
            f"answers that say {old!r} no longer count for {name!r}, but for {old!r}" for old in sorted(back)
        ]
    origins = {new: old for old, after in changes.items() if len(after) == 1 for new in after}
    return seeds.with_entries(made, origins), [*sentences, *again]
