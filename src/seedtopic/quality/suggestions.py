"""What is suggested for seeds: words to add, words to ask about, and seeds that look harmful."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from seedtopic.base.checks import check_number
from seedtopic.base.display import shown
from seedtopic.knowledge.tables import WordVectors
from seedtopic.quality.meaning import NearWord, near_in_english, whole_categories
from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name
from seedtopic.text.tokens import normalize

View = Literal["model", "seeds", "meaning"]
AROUND = 40  # characters on either side of a word that are shown with it
WEIGHT = 0.5  # of a word that is added unread: with more, large collections gain less


@dataclass(frozen=True)
class Suggestion:
    """A word to add."""

    word: str
    documents: int  # that contain it
    unseeded: int  # that contain it but no seed
    share: float  # of its documents that the model assigns to the category
    # Documents expected to be right minus those to be wrong, without a seed or an earlier suggestion,
    # by which suggestions are ordered; the meaning of the word counts as much as three of them. Without
    # documents, how near and frequent the word is in English.
    gain: float
    examples: tuple[str, ...] = ()  # lines that contain the word; none if counts were given
    source: Literal["documents", "meaning"] = "documents"  # what speaks for the word most
    near: tuple[str, ...] = ()  # the nearest seeds of the category, if it is near in meaning
    views: tuple[View, ...] = ()  # what puts it there: labels, seeds around it, meaning in English
    safe: bool = False  # whether `accepted` may add it unread


@dataclass(frozen=True)
class FilledUp:
    """A word that fills a category although neither its seeds nor its meaning put it there."""

    word: str
    documents: int
    share: float  # the share of its documents that the model assigns to the category
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
    """What is suggested for one category."""

    name: Name
    words: tuple[Suggestion, ...]  # words to add
    harmful: tuple[HarmfulSeed, ...]
    filled_up_with: tuple[FilledUp, ...] = ()
    starving: str | None = None  # in one sentence, why the category has too few documents


@dataclass(frozen=True)
class SeedSuggestions:
    """What `Seeds.suggest` finds."""

    seeds: Seeds
    documents: int
    unseeded: int  # the number of documents without a seed
    categories: tuple[CategorySuggestions, ...]

    def accepted(self, n: int) -> Seeds:
        """Return the seeds with up to `n` safe suggestions added to each category, each with weight 0.5.

        A category without a safe suggestion stays as it is, and seeds that look harmful are kept, because
        only the user knows what they mean. A category of which the name was used keeps the words of its name.
        """
        check_number("n", n, least=0, whole=True)
        table = dict(self.seeds.table())
        for category in self.categories:
            if more := [word.word for word in category.words if word.safe][:n]:
                entry = self.seeds.entries[category.name].or_named(category.name)
                weights = {**entry.weights, **dict.fromkeys(more, WEIGHT)}
                table[category.name] = replace(entry, words=(*entry.words, *more), weights=weights).entry()
        return Seeds(table, source=self.seeds.source)

    def _repr_html_(self) -> str:
        return shown(self, "seeds.suggestions_in_notebook")

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "documents": self.documents,
            "unseeded": self.unseeded,
            "categories": [asdict(category) for category in self.categories],
        }


def as_suggestion(word: NearWord, documents: int = 0) -> Suggestion:
    """Return a word that is near in meaning as a suggestion."""
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
    """Return frequent words of the table; without a table, there is nothing to suggest."""
    near = {} if table is None else near_in_english(whole_categories(seeds), table, top)
    categories = (
        CategorySuggestions(name, tuple(map(as_suggestion, near.get(name, ()))), ()) for name in seeds.names
    )
    return SeedSuggestions(seeds, 0, 0, tuple(categories))


def line_around(text: str, word: str) -> str:
    """Return the text around the first occurrence of a word in one line, shortened at spaces."""
    line = " ".join(text.split())
    folded = normalize(line)
    line = line if len(line) == len(folded) else folded  # otherwise the positions differ
    alone = re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", folded)
    start = alone.start() if alone else max(folded.find(word), 0)
    first, last = max(start - AROUND, 0), start + len(word) + AROUND
    before, after = line[first:start], line[start + len(word) : last]
    if first > 0:
        before = "... " + (before.partition(" ")[2] or before)  # some scripts have no spaces
    if last < len(line):
        after = (after.rpartition(" ")[0] or after) + " ..."
    return before + line[start : start + len(word)] + after
