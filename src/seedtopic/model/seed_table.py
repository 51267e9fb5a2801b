"""The seeds of a fitted model with the weights that it has learned for them, as a table with words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

from seedtopic.base.display import shown
from seedtopic.base.errors import import_extra
from seedtopic.seeds import BoundSeeds, Name


@dataclass(frozen=True)
class SeedWeight:
    """A seed of a category and its weight."""

    category: Name
    word: str  # A word of `vocabulary_`
    given: float = 1.0  # the weight that the user gave, 1 unless another was written
    learned: float | None = None  # what it is multiplied by, between 0 and 1
    column: int | None = None  # the place of the word in `vocabulary_`


@dataclass(frozen=True)
class SeedTable(Sequence[SeedWeight]):
    """The seeds of a fitted model, category by category, in the user's order."""

    rows: tuple[SeedWeight, ...]

    @overload
    def __getitem__(self, place: int) -> SeedWeight: ...
    @overload
    def __getitem__(self, place: slice) -> SeedTable: ...
    def __getitem__(self, place: int | slice) -> SeedWeight | SeedTable:
        return SeedTable(self.rows[place]) if isinstance(place, slice) else self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The columns by their names, for any library of data frames."""
        names = ("category", "word", "given", "learned")
        return {name: [getattr(row, name) for row in self.rows] for name in names}

    def to_frame(self) -> Any:
        """Return a pandas.DataFrame; a word that does not occur has no learned weight (NaN)."""
        pandas = import_extra("pandas", "SeedTable.to_frame", "frames")
        return pandas.DataFrame(self.columns).astype({"learned": float})

    def __str__(self) -> str:
        return shown(self, "seeds.weights_in_text")

    def _repr_html_(self) -> str:
        return shown(self, "seeds.weights_in_notebook")


def seed_table(bound: BoundSeeds, vocabulary: Sequence[str], learned: Sequence[float]) -> SeedTable:
    """Return each learned weight its word."""
    rows: list[SeedWeight] = []
    membership = bound.membership
    missing: dict[Name, list[str]] = {name: [] for name in bound.seeds.names}
    for word, owners in bound.missing.items():
        for owner in owners:
            missing[owner].append(word)
    for category, (name, given) in enumerate(bound.seeds.categories.items()):
        weights = bound.seeds.weights[name]
        own = [SeedWeight(name, word, weights.get(word, 1.0)) for word in missing[name]]
        for place in range(membership.indptr[category], membership.indptr[category + 1]):
            column, weight = int(membership.indices[place]), float(membership.data[place])
            own_learned = float(learned[place]) if len(learned) else None
            own.append(SeedWeight(name, vocabulary[column], weight, own_learned, column))
        order = {word: place for place, word in enumerate(given)}
        rows += sorted(own, key=lambda row: order.get(row.word, len(order)))  # what wildcards match: last
    return SeedTable(tuple(rows))
