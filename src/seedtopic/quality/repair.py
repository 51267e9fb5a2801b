"""Seeds repaired as the findings of a check say: words are replaced, moved or removed, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name


@dataclass(frozen=True)
class Repair:
    """One change of seeds."""

    categories: tuple[Name, ...]  # where the word is
    word: str
    kind: Literal["replace", "move", "remove"]
    to: Name | None = None  # the word that replaces it, or the category that it is moved to


def repaired_seeds(seeds: Seeds, repairs: Iterable[Repair]) -> tuple[Seeds, list[str]]:
    """Return the repaired seeds, and a sentence for each change."""
    entries, changes = dict(seeds.entries), []
    for repair in repairs:
        word, renamed = repair.word, {repair.word: repair.to if repair.kind == "replace" else None}
        # Only categories that have the word themselves: one may have it from its parent.
        for name in [*entries] if repair.kind == "replace" else repair.categories:
            entry = entries[name]
            if word not in entry.words:
                continue
            own_words = dict.fromkeys(renamed.get(own, own) for own in entry.words)
            weights = {renamed.get(own, own): weight for own, weight in entry.weights.items()}
            entries[name] = replace(
                entry,
                words=tuple(str(own) for own in own_words if own is not None),
                weights={str(own): weight for own, weight in weights.items() if own is not None},
            )
            change = "was removed" if repair.to is None else f"became {repair.to!r}"
            if repair.kind == "move" and repair.to is not None:
                new = entries[repair.to].or_named(repair.to)
                weight = {word: entry.weights[word]} if word in entry.weights else {}
                words = dict.fromkeys((*new.words, word))
                entries[repair.to] = replace(new, words=tuple(words), weights={**new.weights, **weight})
                change = f"was moved to {repair.to!r}"
            changes.append(f"{name}: {word!r} {change}.")
    return Seeds({name: entry.entry() for name, entry in entries.items()}, source=seeds.source), changes
