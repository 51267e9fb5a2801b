"""What is suggested for seeds: words to add, words to ask about, and seeds that look harmful."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checks import check_number
from seedtopic.base.display import shown
from seedtopic.knowledge.tables import WordVectors
from seedtopic.quality.meaning import NEAR_NEAR_WORDS as NEAR
from seedtopic.quality.meaning import Meanings, NearWord, near_in_english, whole_categories
from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name
from seedtopic.text.tokens import normalize

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

LEAST_GAIN = 0.1  # documents; less is a rounding error


class Coverage:
    """What each word adds to the words taken before it."""

    def __init__(
        self, presence: sp.csr_array, by_word: sp.csc_array, value: Array, new: Mask, bonus: Array
    ) -> None:
        self._by_word, self._presence, self._value = by_word, presence, value
        self._new = new.copy()
        self.gain: Array = np.asarray(by_word.T @ np.where(new, value, 0.0)) + bonus

    def best(self, allowed: Mask) -> int | None:
        """Find the allowed word that adds the most, if one adds anything."""
        if not allowed.any():
            return None
        best = int(np.where(allowed, self.gain, -np.inf).argmax())
        return best if self.gain[best] >= LEAST_GAIN else None

    def take(self, column: int) -> None:
        """Take a word: its documents are not new any more."""
        rows = self._by_word.indices[self._by_word.indptr[column] : self._by_word.indptr[column + 1]]
        rows = np.sort(rows[self._new[rows]])
        self.gain -= np.asarray(self._presence[rows].T @ self._value[rows])
        self._new[rows] = False


View = Literal["model", "seeds", "meaning"]

UNLIKE = 0.05  # probability by meaning: a word with less does not mean anything like the category
HALF = 0.5  # of the documents of a word: with more, the model says that it belongs to a category


@dataclass(frozen=True)
class Views:
    """What the seeds and the meaning of words say, whatever a model has learned."""

    by_word: sp.csc_array  # (n_documents, n_words), 1 where a document contains a word
    seeded: Array  # (n_documents, n_categories), the share of each category in the seeds of a document
    meanings: Meanings | None = None

    def with_seeds(self, k: int) -> Array:
        """Count the documents of each word that contain seeds of a category, beyond those by chance."""
        return self._beyond_chance(self.by_word, self.seeded[:, k])

    def by_meaning(self, k: int) -> Array:
        """Return the probability of a category for each word by its meaning; 0 where that is not known."""
        return np.zeros(self.by_word.shape[1]) if self.meanings is None else self.meanings.of(k)

    def strangers(self, k: int) -> Mask:
        """Return which words neither occur with the seeds of a category nor mean anything like it."""
        return (self.with_seeds(k) <= 0) & (self.by_meaning(k) < UNLIKE)

    def for_category(self, k: int, column: int, share: float) -> tuple[View, ...]:
        """Name the views that put a word into a category, where the model puts a share of its documents."""
        views: list[View] = ["model"] if share > HALF else []
        if self._beyond_chance(self.by_word[:, [column]], self.seeded[:, k])[0] > 0:
            views.append("seeds")
        if self.meanings is not None and self.meanings.of(k)[column] >= NEAR:
            views.append("meaning")
        return tuple(views)

    def elsewhere(self, column: int, but: int, categories: Sequence[int]) -> int | None:
        """Find the other category that a word belongs to, by its meaning or else by the seeds around it."""
        others = [k for k in categories if k != but]
        if self.meanings is not None:
            near = {k: self.meanings.of(k)[column] for k in others}
            best = max(near, key=lambda k: near[k])
            if near[best] >= NEAR:
                return best
        beyond = self._beyond_chance(self.by_word[:, [column]], self.seeded)[0]
        best = max(others, key=lambda k: float(beyond[k]))
        return best if beyond[best] > 1 else None

    def _beyond_chance(self, words: sp.csc_array, seeded: Array) -> Array:
        together = np.asarray(words.T @ seeded)
        documents = np.diff(words.indptr)
        return np.asarray(together - np.multiply.outer(documents, seeded.mean(axis=0)))


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
    documents: int  # the number of documents, and of documents without a seed
    unseeded: int  # the number of documents, and of documents without a seed
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
        return shown(self, "seeds.suggestions_in_notebook")

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "documents": self.documents,
            "unseeded": self.unseeded,
            "categories": [asdict(category) for category in self.categories],
        }


def as_suggestion(word: NearWord, documents: int = 0) -> Suggestion:
    """Turn a word that is near in meaning into a suggestion."""
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


AROUND = 40  # characters on either side of the word


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
