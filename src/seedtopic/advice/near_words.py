"""Words near in meaning to a category: to suggest them, and to judge other suggestions by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.meaning import WordVectors
from seedtopic.meaning.categories import vectors_of
from seedtopic.seeds import Seeds
from seedtopic.seeds.category import Category
from seedtopic.seeds.tree import Name
from seedtopic.seeds.wildcards import expansions, is_wildcard
from seedtopic.text.tokens import stop_word_set

Array = NDArray[np.float64]

# The probability of a category grows with the cosine as in a softmax of this temperature, beside a category
# "none" with this cosine. Both were chosen with the train labels of five corpora; see docs/howto/suggest.md.
TEMPERATURE, NONE = 0.1, 0.2
NEAR = 0.5  # probability of a word that is called near
LEAST_KNOWN = 0.5  # of the seeds: with fewer, the seeds are hardly English
LONGEST_WORD = 100  # letters: nobody adds a longer word
NEAR_SEEDS = 2  # that are named with a word
MOST_WORDS = 20_000  # of the table, the most frequent
MOST_COMPARED = 50_000_000  # pairs of a word and a category
_CHUNK = 1024  # words


@dataclass(frozen=True)
class NearWord:
    """A word near in meaning to a category: its probability, its score, and the seeds that are nearest."""

    word: str
    probability: float
    score: float
    near: tuple[str, ...]


def comparable(n_categories: int, n_words: int) -> bool:
    """Tell whether so many words can be compared with so many categories in a few seconds."""
    return n_categories * n_words <= MOST_COMPARED


class Meanings:
    """The probability of each category for each word of a vocabulary, by meaning alone.

    Examples
    --------
    >>> from seedtopic.meaning import english
    >>> categories = {"sports": Category(("team", "goal")), "money": Category(("bank",))}
    >>> meanings = Meanings(categories, ["striker", "loan", "qwrt"], english())
    >>> (meanings.of(0) > 0.5).tolist(), (meanings.of(1) > 0.5).tolist()
    ([True, False, False], [False, True, False])
    >>> meanings.nearest(0, 0)
    ('goal', 'team')
    """

    def __init__(
        self, categories: Mapping[Name, Category], vocabulary: Sequence[str], table: WordVectors
    ) -> None:
        weighted = {
            name: {word: category.weights.get(word, 1.0) for word in category.words}
            for name, category in categories.items()
        }
        self._categories = vectors_of(weighted, table)
        self._seeds = list(self._categories.words.values())
        self._words, self.known = table.vectors(vocabulary)
        n_seeds = len({word for own in weighted.values() for word in own})
        if len(self._categories.unknown) > (1 - LEAST_KNOWN) * n_seeds:
            self.known[:] = False
        directions = self._categories.vectors[self._categories.known].T
        self._total = np.full(len(vocabulary), np.exp(NONE / TEMPERATURE))
        for start in range(0, len(vocabulary), _CHUNK):  # few rows at a time: there may be many categories
            rows = slice(start, start + _CHUNK)
            self._total[rows] += np.exp((self._words[rows] @ directions) / TEMPERATURE).sum(axis=1)

    def of(self, k: int) -> Array:
        """Give the probability of a category for each word; 0 for a word that is not known."""
        known = self.known & self._categories.known[k]
        return np.where(known, np.exp(self.nearness(k) / TEMPERATURE) / self._total, 0.0)

    def nearness(self, k: int) -> Array:
        """Give the cosine of each word and a category."""
        return np.asarray(self._words @ self._categories.vectors[k], np.float64)

    def worth(self, k: int) -> Array:
        """Give what each word is worth to a category, from -1 to 1; 0 where the meaning is not known."""
        return np.where(self.known & self._categories.known[k], 2 * self.of(k) - 1, 0.0)

    def nearest(self, k: int, word: int) -> tuple[str, ...]:
        """Give the seeds of a category that a word is nearest to."""
        nearness = {
            seed: float(vector @ self._words[word])
            for seed, vector in self._seeds[k].items()
            if vector is not None
        }
        return tuple(sorted(nearness, key=lambda seed: -nearness[seed])[:NEAR_SEEDS])


def near_words(
    categories: Mapping[Name, Category],
    vocabulary: Sequence[str],
    frequencies: NDArray[np.floating],
    table: WordVectors,
    top: int,
) -> dict[Name, list[NearWord]]:
    """Find the words of a vocabulary that are near in meaning to each category.

    They are ordered by their cosine times the root of the logarithm of their frequency: a word that is rare
    helps little, however near it is.
    """
    meanings = Meanings(categories, vocabulary, table)
    barred = not_to_suggest([word for category in categories.values() for word in category.words], vocabulary)
    commonness = np.sqrt(np.log1p(frequencies))
    found = {}
    for k, (name, category) in enumerate(categories.items()):
        probability = meanings.of(k)
        excluded = _spelled_out(category.exclude, vocabulary)
        score = np.where(barred | (probability < NEAR), 0.0, meanings.nearness(k) * commonness)
        score[[row for row, word in enumerate(vocabulary) if word in excluded]] = 0.0
        best = np.argsort(-score, kind="stable")[:top]
        found[name] = [
            NearWord(
                vocabulary[row], float(probability[row]), float(score[row]), meanings.nearest(k, int(row))
            )
            for row in best
            if score[row] > 0
        ]
    return found


def near_in_english(
    categories: Mapping[Name, Category], table: WordVectors, top: int
) -> dict[Name, list[NearWord]]:
    """Find frequent words of the table itself that are near in meaning to each category.

    Examples
    --------
    >>> from seedtopic.meaning import english
    >>> [word.word for word in near_in_english({"sports": Category(("goal",))}, english(), 3)["sports"]]
    ['scored', 'scoring', 'game']
    """
    without = stop_word_set("english")
    words = [word for word in table.words[:MOST_WORDS] if len(word) > 1 and word not in without]
    if not comparable(len(categories), len(words)):
        raise InputError(
            f"there are {len(categories):,} categories, which are too many to suggest words for: use at most "
            f"{MOST_COMPARED // MOST_WORDS:,}, or give documents."
        )
    frequencies = table.frequencies(words)
    rarest = frequencies.min(initial=1.0)
    shown = frequencies / rarest if rarest > 0 else np.ones(len(words))
    return near_words(categories, words, shown, table, top)


def whole_categories(seeds: Seeds) -> dict[Name, Category]:
    """Give the categories that documents are labelled with, each with everything that its parents add."""
    return {
        name: Category(seeds.categories[name], seeds.weights[name], seeds.exclude[name])
        for name in seeds.names
    }


def not_to_suggest(seeds: Sequence[str], vocabulary: Sequence[str]) -> NDArray[np.bool_]:
    """Tell which words nobody would add: seeds, their plurals and singulars, numbers, and monsters.

    Examples
    --------
    >>> not_to_suggest(["goal", "invest*"], ["goals", "investor", "1984", "game"]).tolist()
    [True, True, True, False]
    """
    there = _spelled_out(seeds, vocabulary)
    stems = {_stem(word) for word in seeds}
    return np.array(
        [
            word in there or _stem(word) in stems or word.isdigit() or len(word) > LONGEST_WORD
            for word in vocabulary
        ],
        dtype=bool,
    )


def _spelled_out(words: Sequence[str], vocabulary: Sequence[str]) -> set[str]:
    """Give words, with those that wildcards match in a vocabulary."""
    matches = expansions(list(filter(is_wildcard, words)), vocabulary)
    return {*words, *(match for found in matches.values() for match in found)}


def _stem(word: str) -> str:
    """Remove the ending of a plural, which adds little to its singular."""
    return word.removesuffix("s")
