"""What is suggested for seeds: words to add, and seeds that look harmful."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from seedtopic.advice.near_words import NearWord
from seedtopic.models.parameters import check_number
from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name


@dataclass(frozen=True)
class Suggestion:
    """A word to add.

    Attributes
    ----------
    word : str
    documents, unseeded : int
        The number of documents that contain it, and of those that contain it but no seed.
    share : float
        The share of its documents that the model assigns to the category.
    gain : float
        Documents expected to be right minus documents expected to be wrong, among those without a seed and
        without an earlier suggestion; the meaning of the word counts as much as three of them. The
        suggestions are ordered by it. Without documents, how near and frequent the word is in English.
    examples : tuple of str
        Lines that contain the word; none if counts were given.
    source : {"documents", "meaning"}
        What speaks for the word most.
    near : tuple of str
        Seeds of the category that it is nearest to, if it is near in meaning.
    """

    word: str
    documents: int
    unseeded: int
    share: float
    gain: float
    examples: tuple[str, ...] = ()
    source: Literal["documents", "meaning"] = "documents"
    near: tuple[str, ...] = ()


@dataclass(frozen=True)
class HarmfulSeed:
    """A seed whose documents look like another category: their number, and the shares of both categories."""

    word: str
    documents: int
    share: float
    rival: Name
    rival_share: float


@dataclass(frozen=True)
class CategorySuggestions:
    """A category: the words to add, the best first, and its seeds that look harmful."""

    name: Name
    words: tuple[Suggestion, ...]
    harmful: tuple[HarmfulSeed, ...]


@dataclass(frozen=True)
class SeedSuggestions:
    """What `Seeds.suggest` finds.

    Attributes
    ----------
    seeds : Seeds
    documents, unseeded : int
        The number of documents, and of documents without a seed; 0 if no documents were given.
    categories : tuple of CategorySuggestions
    """

    seeds: Seeds
    documents: int
    unseeded: int
    categories: tuple[CategorySuggestions, ...]

    def accepted(self, n: int) -> Seeds:
        """Return the seeds with the first `n` suggestions of each category added.

        Seeds that look harmful are kept, because only the user knows what they mean. A category of which the
        name was used keeps the words of its name.
        """
        check_number("n", n, least=0, whole=True)
        table = dict(self.seeds.table())
        for found in self.categories:
            if more := [word.word for word in found.words[:n]]:
                entry = self.seeds.entries[found.name].or_named(found.name)
                table[found.name] = replace(entry, words=(*entry.words, *more)).entry()
        return Seeds(table, source=self.seeds.source)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "documents": self.documents,
            "unseeded": self.unseeded,
            "categories": [asdict(category) for category in self.categories],
        }


def as_suggestion(word: NearWord, documents: int = 0) -> Suggestion:
    """Turn a word that is near in meaning into a suggestion.

    Examples
    --------
    >>> as_suggestion(NearWord("goal", 0.9, 1.5, ("game",))).near
    ('game',)
    """
    return Suggestion(word.word, documents, 0, word.probability, word.score, source="meaning", near=word.near)
