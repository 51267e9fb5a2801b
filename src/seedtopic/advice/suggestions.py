"""What is suggested for seeds: words to add, words to ask about, and seeds that look harmful."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from seedtopic.advice.near_words import NearWord, near_in_english, whole_categories
from seedtopic.advice.notebook import suggestions_as_notebook
from seedtopic.advice.views import View
from seedtopic.base.checks import check_number
from seedtopic.meaning import WordVectors
from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name

WEIGHT = 0.5  # of a word that is added unread: with more, large collections gain less


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
    views : tuple of {"model", "seeds", "meaning"}
        What puts the word into the category: the labels of the model, the seeds that it occurs with, and its
        meaning in English.
    safe : bool
        Whether `accepted` may add the word unread.
    """

    word: str
    documents: int
    unseeded: int
    share: float
    gain: float
    examples: tuple[str, ...] = ()
    source: Literal["documents", "meaning"] = "documents"
    near: tuple[str, ...] = ()
    views: tuple[View, ...] = ()
    safe: bool = False


@dataclass(frozen=True)
class FilledUp:
    """A word that fills a category although neither its seeds nor its meaning put it there.

    Attributes
    ----------
    word : str
    documents : int
    share : float
        The share of its documents that the model assigns to the category.
    elsewhere : str, int or None
        The category that it belongs to by its meaning or by the seeds that it occurs with; None if there is
        none, which may be a category that is missing.
    examples : tuple of str
    """

    word: str
    documents: int
    share: float
    elsewhere: Name | None
    examples: tuple[str, ...] = ()


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
    """What is suggested for one category.

    Attributes
    ----------
    name : str or int
    words : tuple of Suggestion
        Words to add: first those that are safe, then those to read; of each, the best first.
    harmful : tuple of HarmfulSeed
    filled_up_with : tuple of FilledUp
    starving : str or None
        In one sentence, why the category has too few documents; None if it has enough.
    """

    name: Name
    words: tuple[Suggestion, ...]
    harmful: tuple[HarmfulSeed, ...]
    filled_up_with: tuple[FilledUp, ...] = ()
    starving: str | None = None


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
        """Return the seeds with up to `n` safe suggestions added to each category, each with weight 0.5.

        A category without a safe suggestion stays as it is, and seeds that look harmful are kept, because
        only the user knows what they mean. A category of which the name was used keeps the words of its name.
        """
        check_number("n", n, least=0, whole=True)
        table = dict(self.seeds.table())
        for found in self.categories:
            if more := [word.word for word in found.words if word.safe][:n]:
                entry = self.seeds.entries[found.name].or_named(found.name)
                weights = {**entry.weights, **dict.fromkeys(more, WEIGHT)}
                table[found.name] = replace(entry, words=(*entry.words, *more), weights=weights).entry()
        return Seeds(table, source=self.seeds.source)

    def _repr_html_(self) -> str:
        return suggestions_as_notebook(self)

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
    return Suggestion(
        word.word,
        documents,
        0,
        word.probability,
        word.score,
        source="meaning",
        near=word.near,
        views=("meaning",),
        safe=not documents,
    )


def suggest_by_meaning(seeds: Seeds, table: WordVectors | None, top: int) -> SeedSuggestions:
    """Suggest frequent words of the table; without a table, there is nothing to suggest."""
    found = {} if table is None else near_in_english(whole_categories(seeds), table, top)
    return SeedSuggestions(
        seeds,
        0,
        0,
        tuple(
            CategorySuggestions(name, tuple(as_suggestion(word) for word in found.get(name, ())), ())
            for name in seeds.names
        ),
    )
