"""Names of categories as people write them: in any case of letters, or as a category was formerly called."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, Self

from seedtopic.seeds.category import RESERVED, Category
from seedtopic.seeds.tree import Name, Tree
from seedtopic.text.spelling import near_spellings

NONE_OF_THESE, SKIPPED, WITHDRAWN = RESERVED
# What people write for these; a category of that name is always the category.
_USUAL = {"none": NONE_OF_THESE, "skip": SKIPPED}
_SEPARATOR = ";"  # between several categories
Label = Name | tuple[Name, ...]


class Categories(Protocol):
    """What has categories with a history: seeds, or a draft of seeds."""

    @property
    def entries(self) -> Mapping[Name, Category]:
        """Each category as the user describes it."""

    @property
    def tree(self) -> Tree:
        """Which of them are below others."""


@dataclass(frozen=True)
class Names:
    """The names that answers may use; made by `of` from seeds, and by `listed` from names alone.

    Parameters
    ----------
    exact : mapping of str to str, int or None
        What each name stands for, as it is written; None for a former name that several categories claim.
    folded : mapping of str to str, int or None
        The same in any case of letters.

    Examples
    --------
    >>> from seedtopic.seeds import Seeds
    >>> seeds = Seeds({"Billing": {"words": ["bill"], "formerly": ["Invoices"]}, "Delivery": ["parcel"]})
    >>> names = Names.of(seeds)
    >>> names.label("billing "), names.label("Invoices"), names.label("none"), names.label("Refunds")
    ('Billing', 'Billing', '(none of these)', None)
    >>> names.label("Delivery; Billing")
    ('Delivery', 'Billing')
    """

    exact: Mapping[str, Name | None]
    folded: Mapping[str, Name | None]

    @classmethod
    def of(cls, seeds: Categories, none_label: str | None = None) -> Self:
        """Take the names of today and of earlier.

        Parameters
        ----------
        seeds : Seeds, or a draft of seeds
        none_label : str, optional
            What documents of no category are called.
        """
        former: dict[str, Name | None] = {}
        for name in seeds.tree.leaves:
            for old in seeds.entries[name].formerly:
                former[old] = None if old in former else name
        return cls._of(seeds.tree.leaves, former, none_label)

    @classmethod
    def listed(cls, names: Iterable[Name], none_label: str | None = None) -> Self:
        """Take names that have no history.

        Parameters
        ----------
        names : iterable of str or int
        none_label : str, optional
            What documents of no category are called.
        """
        return cls._of(names, {}, none_label)

    @classmethod
    def _of(cls, names: Iterable[Name], former: Mapping[str, Name | None], none_label: str | None) -> Self:
        current = {str(name): name for name in names}
        outside: dict[str, Name] = {marker: marker for marker in RESERVED}
        if none_label is not None:
            outside[none_label] = NONE_OF_THESE
        exact: dict[str, Name | None] = {**former, **outside, **current}
        folded: dict[str, Name | None] = dict(_USUAL)
        for table in (former, outside, current):  # later ones win; of equal spellings the first category
            for name, label in reversed(list(table.items())):
                folded[in_any_case(name)] = label
        return cls(exact, folded)

    def label(self, answer: str) -> Label | None:
        """Return the category that an answer names, several, or what it says instead; None if unknown.

        Parameters
        ----------
        answer : str
        """
        if (one := self._one(answer)) is not None or _SEPARATOR not in answer:
            return one
        parts = [self._one(part) for part in answer.split(_SEPARATOR) if part.strip()]
        several = tuple(dict.fromkeys(part for part in parts if part is not None))
        if not parts or None in parts or any(part in RESERVED for part in several):
            return None
        return several[0] if len(several) == 1 else several

    def _one(self, answer: str) -> Name | None:
        return self.exact[answer] if answer in self.exact else self.folded.get(in_any_case(answer))

    def near(self, answer: str) -> list[str]:
        """Return names that are spelled like one that is unknown.

        Parameters
        ----------
        answer : str
        """
        folded = {in_any_case(name): name for name, label in self.exact.items() if label is not None}
        return [folded[name] for name in near_spellings(in_any_case(answer), dict.fromkeys(folded, 1))]


def written(label: Label) -> str:
    """Return a label as it is stored as an answer."""
    return f"{_SEPARATOR} ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def in_any_case(name: str) -> str:
    """Return a name without what people write in different ways."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
