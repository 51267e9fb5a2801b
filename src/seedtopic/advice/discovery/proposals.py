"""What `discover` finds: new categories, and the seeds file with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from seedtopic.base.files import atomic_file
from seedtopic.base.wording import number_of
from seedtopic.seeds import Seeds
from seedtopic.seeds.category import Category
from seedtopic.seeds.files import check_ending, write_file
from seedtopic.seeds.toml_text import toml_text
from seedtopic.seeds.tree import Name


@dataclass(frozen=True)
class NewCategory:
    """A category that is proposed.

    Attributes
    ----------
    name : str or int
        Its most typical word or two words; a number if the other names are numbers.
    words : tuple of str
        Seed words, the best first.
    documents : int
        How many documents get its label when a model is fitted with it.
    right : float
        Estimated share of these documents that have the theme of its words.
    before : dict of str or int to int
        The labels that these documents have without it, and how many have each, the most frequent first.
    examples : tuple of str
        Lines of typical documents; none if counts were given.
    """

    name: Name
    words: tuple[str, ...]
    documents: int
    right: float
    before: Mapping[Name, int]
    examples: tuple[str, ...] = ()

    def comments(self) -> list[str]:
        """Describe it for the reader of a seeds file.

        Examples
        --------
        >>> found = NewCategory("hockey-nhl", ("hockey", "nhl"), 1005, 0.97, {"baseball": 990, "space": 15})
        >>> print(*found.comments(), sep="\\n")
        proposed: 1,005 documents, about 97% of them on this theme; rename or delete it
        labelled until now: baseball (990), space (15)
        """
        before = ", ".join(f"{name} ({count:,})" for name, count in list(self.before.items())[:SHOWN])
        return [
            f"proposed: {number_of(self.documents, 'document')}, about {self.right:.0%} of them on this "
            "theme; rename or delete it",
            f"labelled until now: {before}",
            *(f"e.g. {line}" for line in self.examples),
        ]


SHOWN = 3  # former labels


@dataclass(frozen=True)
class Discovery:
    """What `discover` finds.

    Attributes
    ----------
    seeds : Seeds
        The seeds of the model.
    documents, searched : int
        The number of documents, and of those that were searched: a sample, if there are very many.
    categories : tuple of NewCategory
        The largest first.
    moved, held : int
        How many documents would get the label of a new category, and how many of these contain a seed of
        the category that they have now.
    moved_otherwise : int
        How many documents would move from one of the old categories to another.
    """

    seeds: Seeds
    documents: int
    searched: int
    categories: tuple[NewCategory, ...]
    moved: int = 0
    held: int = 0
    moved_otherwise: int = 0

    @cached_property
    def proposed(self) -> Seeds:
        """The seeds with the new categories, whose comments and layout are kept."""
        return Seeds({**self.seeds.table(), **{new.name: new.words for new in self.categories}})

    def to_toml(self) -> str:
        """Return the proposed seeds as TOML: the old ones as they are, then the new ones with comments."""
        comments = {new.name: new.comments() for new in self.categories}
        new = {category.name: Category(category.words) for category in self.categories}
        return toml_text({**self.seeds.entries, **new}, self.seeds.source, comments)

    def write(self, path: str | Path) -> None:
        """Write the proposed seeds to a file.

        Parameters
        ----------
        path : path
            The path of a file that ends in .toml or .json. JSON has no comments.
        """
        path = Path(path)
        check_ending(path)
        if path.suffix.lower() == ".json":
            write_file(self.proposed, path)
            return
        with atomic_file(path, "w") as file:
            file.write(self.to_toml())

    def sentence(self) -> str:
        """Say what was found and what it would change.

        Examples
        --------
        >>> seeds = Seeds({"sports": ["game"], "money": ["bank"]})
        >>> Discovery(seeds, 40, 40, ()).sentence()
        'no new category was found: the categories explain the 40 documents, as far as can be told.'
        """
        if not self.categories:
            return (
                f"no new category was found: the categories explain the {self.documents:,} documents, as far "
                "as can be told."
            )
        new = number_of(len(self.categories), "new category", "new categories")
        return (
            f"{new} found: {self.moved:,} documents "
            f"would move there, {self.held:,} of which contain a seed of their present category; "
            f"{self.moved_otherwise:,} others would change their label."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "documents": self.documents,
            "searched": self.searched,
            "categories": [
                {**asdict(new), "before": {str(name): count for name, count in new.before.items()}}
                for new in self.categories
            ],
            "moved": self.moved,
            "held": self.held,
            "moved_otherwise": self.moved_otherwise,
        }
