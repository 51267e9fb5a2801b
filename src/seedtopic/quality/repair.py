"""Seeds repaired as the findings of a check say: words are replaced, moved or removed, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from seedtopic.seeds import Seeds
from seedtopic.seeds.category import Category
from seedtopic.seeds.tree import Name


@dataclass(frozen=True)
class Repair:
    """One change of seeds."""

    categories: tuple[Name, ...]  # where the word is
    word: str
    kind: Literal["replace", "move", "remove"]
    to: Name | None = None  # the word that replaces it, or the category that it is moved to


def repaired_seeds(seeds: Seeds, repairs: Iterable[Repair]) -> tuple[Seeds, list[str]]:
    """Carry out repairs."""
    entries, changes = dict(seeds.entries), []
    for repair in repairs:
        for name in _holders(entries, repair):
            instead = str(repair.to) if repair.kind == "replace" else None
            weight = entries[name].weights.get(repair.word)
            entries[name] = _with(entries[name], repair.word, instead)
            if repair.kind == "move" and repair.to is not None:
                entries[repair.to] = _joined(entries[repair.to].or_named(repair.to), repair.word, weight)
            changes.append(f"{name}: {repair.word!r} {_done(repair)}.")
    return Seeds({name: entry.entry() for name, entry in entries.items()}, source=seeds.source), changes


def _holders(entries: dict[Name, Category], repair: Repair) -> list[Name]:
    """Find the entries that hold the word itself: a category may have it from its parent."""
    if repair.kind == "replace":
        return [name for name, entry in entries.items() if repair.word in entry.words]
    return [name for name in repair.categories if repair.word in entries[name].words]


def _with(entry: Category, word: str, instead: str | None) -> Category:
    words = (instead if own == word else own for own in entry.words)
    weights = {instead if own == word else own: weight for own, weight in entry.weights.items()}
    return replace(
        entry,
        words=tuple(dict.fromkeys(own for own in words if own is not None)),
        weights={own: weight for own, weight in weights.items() if own is not None},
    )


def _joined(entry: Category, word: str, weight: float | None) -> Category:
    weights = entry.weights if weight is None else {**entry.weights, word: weight}
    return replace(entry, words=tuple(dict.fromkeys((*entry.words, word))), weights=weights)


def _done(repair: Repair) -> str:
    if repair.kind == "replace":
        return f"became {repair.to!r}"
    return "was removed" if repair.to is None else f"was moved to {repair.to!r}"
