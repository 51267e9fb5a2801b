"""Seeds without the words that do not occur: each is replaced by the word that was meant, or removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from seedtopic.seeds import Seeds
from seedtopic.seeds.category import Category
from seedtopic.seeds.tree import Name


def repaired_seeds(seeds: Seeds, meant: Mapping[str, str | None]) -> tuple[Seeds, list[str]]:
    """Replace or remove the words that do not occur.

    Parameters
    ----------
    seeds : Seeds
    meant : mapping of str to str or None
        The words that do not occur, each with the word that was clearly meant, if there is one.

    Returns
    -------
    Seeds
        The repaired seeds. A category that documents are labelled with always keeps a word.
    list of str
        What was changed, one sentence each.

    Examples
    --------
    >>> seeds = Seeds({"a": ["gaem", "xyz"], "b": ["bank"]})
    >>> repaired, changes = repaired_seeds(seeds, {"gaem": "game", "xyz": None})
    >>> repaired.categories["a"], changes
    (('game',), ["a: 'gaem' became 'game'.", "a: 'xyz' was removed."])
    """
    changes: list[str] = []
    mentioned = Counter(word for entry in seeds.entries.values() for word in entry.words)
    table = {}
    for name, category in seeds.entries.items():
        instead = _replacements(category, meant, mentioned)
        if (
            name in seeds.categories
            and instead
            and not any(instead.get(word, word) for word in category.words)
        ):
            changes.append(f"{name}: was not changed, because none of its words occurs.")
            instead = {}
        table[name] = _repaired(category, instead, meant).entry()
        changes += _changes(name, category, instead, meant)
    return Seeds(table, source=seeds.source), changes


def _replacements(
    category: Category, meant: Mapping[str, str | None], mentioned: Mapping[str, int]
) -> dict[str, str | None]:
    """Return what to put in place of each word that does not occur."""
    instead: dict[str, str | None] = {}
    for word in category.words:
        if word in meant:
            near = meant[word]
            elsewhere = near is not None and mentioned[near] > (near in category.words)
            # A word of another category, or one that this category excludes, would say something else.
            instead[word] = None if elsewhere or near in category.exclude else near
    return instead


def _repaired(
    category: Category, instead: Mapping[str, str | None], meant: Mapping[str, str | None]
) -> Category:
    return replace(
        category,
        words=tuple(dict.fromkeys(near for word in category.words if (near := instead.get(word, word)))),
        weights={near: w for word, w in category.weights.items() if (near := instead.get(word, word))},
        exclude=tuple(word for word in category.exclude if word not in meant),
    )


def _changes(
    name: Name, category: Category, instead: Mapping[str, str | None], meant: Mapping[str, str | None]
) -> list[str]:
    changes = []
    for word, near in instead.items():
        is_new = near is not None and near not in category.words
        changes.append(f"{name}: {word!r} became {near!r}." if is_new else f"{name}: {word!r} was removed.")
    excluded = (word for word in category.exclude if word in meant)
    return changes + [f"{name}: {word!r} was removed from its excluded words." for word in excluded]
