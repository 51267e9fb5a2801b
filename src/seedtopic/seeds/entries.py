"""All categories as the user gives them: read one by one, and checked together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.seeds.category import Category, checked_name
from seedtopic.seeds.tree import Name, Tree


def checked_entries(given: Any) -> tuple[dict[Name, Category], Tree]:
    """Read all categories, and refuse what does not go together.

    Examples
    --------
    >>> entries, tree = checked_entries({"gold": ["ore"], "oil": ["crude"]})
    >>> entries["gold"].words, tree.leaves
    (('ore',), ('gold', 'oil'))
    """
    if not isinstance(given, Mapping):
        raise InputError(
            f"seeds must be a mapping of categories to words, a Seeds or a path; got {type(given).__name__}."
        )
    entries: dict[Name, Category] = {}
    seen: set[str] = set()  # as text, because 1 and "1" look the same to a reader
    for key, entry in given.items():
        name = checked_name(key)
        if str(name) in seen:
            raise InputError(f"the category {name!r} is given twice: keep one of them.")
        seen.add(str(name))
        entries[name] = Category.read(name, entry)
    parents = {name: entry.parent for name, entry in entries.items() if entry.parent is not None}
    if len({type(name) for name in [*entries, *parents.values()]}) > 1:
        raise InputError("some category names are numbers and some are text: use one kind for all of them.")
    tree = Tree.of(list(entries), parents)
    for leaf in tree.leaves:
        entry = entries[leaf].or_named(leaf)
        if not entry.words and not entry.rules and not entry.examples:
            raise InputError(f"the category {leaf!r} has no seed words, nor has its name: give it one.")
    _check_examples(entries, tree)
    if len(tree.leaves) < 2:
        got = repr(tree.leaves[0]) if tree.leaves else "none"
        raise InputError(
            f"seeds need at least two categories; got {got}{' below the parents' if tree else ''}."
        )
    return entries, tree


def _check_examples(entries: Mapping[Name, Category], tree: Tree) -> None:
    owner: dict[str, Name] = {}
    for name, entry in entries.items():
        if entry.examples and name not in tree.leaves:
            raise InputError(
                f"the category {name!r} has examples, but documents are labelled with the categories below "
                "it: move the examples there."
            )
        for text in entry.examples:
            if owner.setdefault(text, name) != name:
                both = f"{owner[text]!r} and for {name!r}"
                raise InputError(f"the example {text!r:.60} is given for {both}: keep one of them.")
