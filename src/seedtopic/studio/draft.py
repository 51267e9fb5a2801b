"""What a person has written so far: categories with their words, and labels that were confirmed.

Other than `seedtopic.Seeds` a draft may be unfinished: a category without a word, one category alone, none.
It is never changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from seedtopic.errors import InputError
from seedtopic.seeds import Seeds
from seedtopic.seeds.category import Category, with_parents
from seedtopic.seeds.tree import Name, Tree

NEEDED = 2  # categories with a word


@dataclass(frozen=True)
class DraftWord:
    """A word of a category, or against it."""

    word: str
    weight: float = 1.0
    excluded: bool = False


@dataclass(frozen=True)
class DraftCategory:
    """A category as it stands.

    Attributes
    ----------
    key : int
        Stays the same when the category is renamed, so that its documents do not seem to move.
    name : str
    words : tuple of DraftWord
    parent : str or None
    """

    key: int
    name: str
    words: tuple[DraftWord, ...] = ()
    parent: str | None = None

    def entry(self) -> dict[str, Any]:
        """Give the entry of the category as `seedtopic.Seeds` takes it."""
        own = [word for word in self.words if not word.excluded]
        return {
            "words": [word.word for word in own],
            "weights": {word.word: word.weight for word in own},
            "exclude": [word.word for word in self.words if word.excluded],
            **({} if self.parent is None else {"parent": self.parent}),
        }

    def speaks(self) -> bool:
        """Tell whether a word speaks for the category."""
        return any(not word.excluded for word in self.words)


@dataclass(frozen=True)
class Draft:
    """Categories in the person's order, and the key of the category of each document confirmed.

    Attributes
    ----------
    categories : tuple of DraftCategory
    confirmed : mapping of int to int
        The key of the category of each document that was confirmed.
    source : str or None
        The TOML that the categories come from; its comments are kept when the seeds are saved.

    Examples
    --------
    >>> draft = Draft.of(Seeds({"sports": ["game"], "money": {"words": ["bank"], "exclude": ["river"]}}))
    >>> draft.category("money").words
    (DraftWord(word='bank', weight=1.0, excluded=False), DraftWord(word='river', weight=1.0, excluded=True))
    >>> draft.seeds().exclude["money"]
    ('river',)
    >>> Draft().seeds() is None, Draft().needed()
    (True, 'Write at least two categories with a word each; there are none yet.')
    """

    categories: tuple[DraftCategory, ...] = ()
    confirmed: Mapping[int, int] = field(default_factory=dict)
    source: str | None = None

    @classmethod
    def of(cls, seeds: Seeds) -> Self:
        """Make a draft of seeds."""
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
        raise InputError(f"there is no category {name!r}: there are {there}.")

    def fresh_key(self) -> int:
        """Give a key that no category has, nor a confirmed document."""
        return 1 + max([0, *(category.key for category in self.categories), *self.confirmed.values()])

    def seeds(self) -> Seeds | None:
        """Give the seeds of the categories that have a word, None where these are too few to learn from."""
        if self.needed() is not None:
            return None
        parents = {category.parent for category in self.categories}
        kept = [category for category in self.categories if category.speaks() or category.name in parents]
        return Seeds({category.name: category.entry() for category in kept}, source=self.source)

    def with_parents(self) -> list[Category]:
        """Return each category with the words that its parents add, by the rule of `Seeds`, without weights.

        Examples
        --------
        >>> draft = Draft.of(Seeds({"a": {"words": ["x"], "parent": "b"}, "b": {"words": ["y"]}, "c": ["z"]}))
        >>> [category.words for category in draft.with_parents()]
        [('x', 'y'), ('y',), ('z',)]
        """
        entries: dict[Name, Category] = {
            category.name: Category(
                tuple(word.word for word in category.words if not word.excluded),
                exclude=tuple(word.word for word in category.words if word.excluded),
                parent=category.parent,
            )
            for category in self.categories
        }
        parents = {name: entry.parent for name, entry in entries.items() if entry.parent is not None}
        try:
            tree = Tree.of(list(entries), parents)
        except InputError:  # a circle, which the next fit reports
            return list(entries.values())
        return [with_parents(name, entries, tree) for name in entries]

    def needed(self) -> str | None:
        """Say what is missing before anything can be learned."""
        parents = {category.parent for category in self.categories}
        leaves = [category for category in self.categories if category.name not in parents]
        speaking = [category.name for category in leaves if category.speaks()]
        if len(speaking) >= NEEDED:
            return None
        so_far = f"so far {speaking[0]!r} has words" if speaking else "there are none yet"
        if not speaking and leaves:
            so_far = "so far none has a word"
        return f"Write at least two categories with a word each; {so_far}."


def drafted(seeds: Seeds, keys: Mapping[str, int]) -> tuple[DraftCategory, ...]:
    """Turn seeds into categories; those whose name has a key keep it."""
    found = []
    fresh = 1 + max([0, *keys.values()])
    for name, entry in seeds.entries.items():
        key = keys.get(str(name))
        if key is None:
            key, fresh = fresh, fresh + 1
        parent = None if entry.parent is None else str(entry.parent)
        found.append(DraftCategory(key, str(name), _words(entry), parent))
    return tuple(found)


def _words(entry: Category) -> tuple[DraftWord, ...]:
    own = (DraftWord(word, entry.weights.get(word, 1.0)) for word in entry.words)
    return (*own, *(DraftWord(word, excluded=True) for word in entry.exclude))
