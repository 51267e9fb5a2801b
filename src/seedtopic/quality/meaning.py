"""What words mean in English: seeds checked without documents, and words that are near to categories."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.wording import and_more, number_of
from seedtopic.knowledge.categories import CategoryVectors, vectors_of
from seedtopic.knowledge.tables import WordVectors, english
from seedtopic.quality.findings import YOURS, Problem
from seedtopic.seeds import Seeds
from seedtopic.seeds.category import Category, expansions, is_wildcard
from seedtopic.seeds.tree import Name
from seedtopic.text.tokens import StopWords, stop_word_set

Array = NDArray[np.float64]
Vectors = NDArray[np.float32]

# All of these are cosines. They were chosen on published seed lists; docs/howto/check.md has the figures.
FAR = 0.08  # a seed less near to its siblings does not belong to them
NEAR = 0.25  # a category that a seed is less near to does not claim it
NEARER = 0.2  # by which another category must be nearer than the siblings,
NEARER_THAN_ONE = 0.3  # and than a single sibling
SAME, ALIKE = 0.65, 0.5  # categories that mean the same; and those that do if their seeds are as mixed
# The probability of a category grows with the cosine as in a softmax of this temperature, beside a category
# "none" with this cosine. Both were chosen with the train labels of five corpora; see docs/howto/suggest.md.
TEMPERATURE, NONE = 0.1, 0.2
NEAR_WORD = 0.5  # probability of a word that is called near

LEAST_KNOWN = 0.5  # of the seeds: with fewer, the seeds are hardly English
LEAST_CATEGORIES = 2
LONGEST_WORD = 100  # letters: nobody adds a longer word
NEAR_SEEDS = 2  # that are named with a word
MOST_WORDS = 20_000  # of the table, the most frequent
MOST_COMPARED_SEEDS, MOST_COMPARED_WORDS = 5_000_000, 50_000_000  # pairs with a category
SHOWN = 10  # words in a sentence
_CHUNK = 1024  # words


@dataclass(frozen=True)
class MeaningCheck:
    """What is wrong with the meaning of seeds, and what else there is to say."""

    findings: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


def table_for(stop_words: StopWords) -> WordVectors | None:
    """Return the table for texts that are read with these stop words; None where they are not English."""
    return english() if not isinstance(stop_words, str) or stop_words in ("english", "en") else None


def check_meaning(seeds: Seeds, table: WordVectors, ignored: Collection[str] = ()) -> MeaningCheck:
    """Return seeds that do not mean what their siblings mean, and categories that mean the same."""
    without = set(ignored)
    own = {name: seeds.entries[name].or_named(name) for name in seeds.names}
    weights = {
        name: {word: entry.weights.get(word, 1.0) for word in entry.words if word not in without}
        for name, entry in own.items()
    }
    weights = {name: words for name, words in weights.items() if words}
    if len(weights) < LEAST_CATEGORIES:
        return MeaningCheck()
    if sum(map(len, weights.values())) * len(own) > MOST_COMPARED_SEEDS:
        return MeaningCheck(notes=("there are too many seeds and categories to compare their meanings.",))
    vectors = vectors_of(weights, table)
    if _hardly_english(vectors):
        return MeaningCheck(notes=("most seeds are not known English words, so no meaning was checked.",))
    compared = _Compared(weights, vectors)
    same = tuple(compared.same_categories())
    odd = compared.odd_seeds({frozenset(finding.categories) for finding in same})
    n_unknown = number_of(len(vectors.unknown), "seed")
    note = f"the meaning of {n_unknown} is unknown and was not checked: {shown_words(vectors.unknown)}."
    return MeaningCheck((*odd, *same), (note,) if vectors.unknown else ())


def shown_words(words: Sequence[str]) -> str:
    """Return words for a sentence; of many, the first ten."""
    return and_more([repr(word) for word in words[:SHOWN]], len(words))


def _hardly_english(vectors: CategoryVectors) -> bool:
    """Return whether the table does not know most of the seeds."""
    n_seeds = len({word for words in vectors.words.values() for word in words})
    return len(vectors.unknown) > (1 - LEAST_KNOWN) * n_seeds


class _Compared:
    """Seeds beside categories; a word that two categories share says nothing about their difference."""

    def __init__(self, weights: Mapping[Name, Mapping[str, float]], vectors: CategoryVectors) -> None:
        self.names, self.vectors = list(weights), vectors.vectors
        # Each seed as it counts in its category, by its weight.
        self.seeds: list[dict[str, Vectors]] = [
            {
                word: np.float32(weights[name][word]) * vector
                for word, vector in words.items()
                if vector is not None
            }
            for name, words in vectors.words.items()
        ]
        self.owners: dict[str, list[int]] = {}
        for k, words in enumerate(self.seeds):
            for word in words:
                self.owners.setdefault(word, []).append(k)

    def odd_seeds(self, same: Collection[frozenset[Name]]) -> Iterator[Problem]:
        """Yield seeds that are far from their siblings, unless it is for a category that means the same."""
        for k, name in enumerate(self.names):
            sharing = {owner for word in self.seeds[k] for owner in self.owners[word]} - {k}
            without_shared = {rival: self._without(rival, k) for rival in sharing}
            for word, seed in self.seeds[k].items():
                siblings = [vector for other, vector in self.seeds[k].items() if other != word]
                if len(self.owners[word]) > 1 or not siblings:
                    continue
                vector = unit(seed)
                own = float(unit(np.sum(siblings, axis=0)) @ vector)
                nearness = self.vectors @ vector
                for rival, direction in without_shared.items():
                    nearness[rival] = direction @ vector
                nearness[k] = -1.0
                rival = int(nearness.argmax())
                enough = NEARER if len(siblings) > 1 else NEARER_THAN_ONE
                if nearness[rival] > max(NEAR, own + enough):
                    there = self.names[rival]
                    if frozenset((name, there)) not in same:
                        sentence = (
                            f"{word!r} ({name}) is nearer in meaning to {there!r} than to the other seeds of "
                            f"{name!r}: remove it or move it."
                        )
                        yield Problem(sentence, YOURS, (name,), word, there)
                elif own < FAR and len(siblings) > 1:
                    sentence = (
                        f"{word!r} ({name}) is far in meaning from the other seeds of {name!r}: does it "
                        "belong there?"
                    )
                    yield Problem(sentence, YOURS, (name,), word)

    def same_categories(self) -> Iterator[Problem]:
        """Yield pairs of categories that mean nearly the same."""
        for k, name in enumerate(self.names):
            nearness = self.vectors[k + 1 :] @ self.vectors[k]
            for rival in (k + 1 + np.flatnonzero(nearness > ALIKE)).tolist():
                if self._mean_the_same(k, rival):
                    there = self.names[rival]
                    sentence = (
                        f"{name!r} and {there!r} mean nearly the same: merge them, or give them seeds that "
                        "tell them apart."
                    )
                    yield Problem(sentence, YOURS, (name, there))

    def _mean_the_same(self, first: int, second: int) -> bool:
        nearness = float(self._without(first, second) @ self._without(second, first))
        if not ALIKE < nearness <= SAME:
            return nearness > SAME
        a, b = (
            np.array([unit(vector) for vector in self._own(k, other)], np.float32)
            for k, other in ((first, second), (second, first))
        )
        # The mean cosine of any two different seeds.
        within = [
            float(((own @ own.T).sum() - len(own)) / (len(own) * (len(own) - 1)))
            for own in (a, b)
            if len(own) > 1
        ]
        return bool(within) and float((a @ b.T).mean()) >= float(np.mean(within))

    def _own(self, k: int, other: int) -> list[Vectors]:
        """Return the seeds of a category that another one does not have."""
        return [vector for word, vector in self.seeds[k].items() if word not in self.seeds[other]]

    def _without(self, k: int, other: int) -> Vectors:
        """Return the direction of a category without the seeds that another one has as well."""
        return unit(np.sum([np.zeros(self.vectors.shape[1], np.float32), *self._own(k, other)], axis=0))


def unit(vector: Vectors) -> Vectors:
    """Return a vector of length 1 in the same direction, unless it is zero."""
    length = np.linalg.norm(vector)
    return np.asarray(vector / length if length > 0 else vector, np.float32)


@dataclass(frozen=True)
class NearWord:
    """A word near in meaning to a category: its probability, its score, and the seeds that are nearest."""

    word: str
    probability: float
    score: float
    near: tuple[str, ...]


def comparable(n_categories: int, n_words: int) -> bool:
    """Return whether so many words can be compared with so many categories in a few seconds."""
    return n_categories * n_words <= MOST_COMPARED_WORDS


class Meanings:
    """The probability of each category for each word of a vocabulary, by meaning alone."""

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
        if _hardly_english(self._categories):
            self.known[:] = False
        directions = self._categories.vectors[self._categories.known].T
        self._total = np.full(len(vocabulary), np.exp(NONE / TEMPERATURE))
        for start in range(0, len(vocabulary), _CHUNK):  # few rows at a time: there may be many categories
            rows = slice(start, start + _CHUNK)
            self._total[rows] += np.exp((self._words[rows] @ directions) / TEMPERATURE).sum(axis=1)

    def of(self, k: int) -> Array:
        """Return the probability of a category for each word; 0 for a word that is not known."""
        known = self.known & self._categories.known[k]
        return np.where(known, np.exp(self.nearness(k) / TEMPERATURE) / self._total, 0.0)

    def nearness(self, k: int) -> Array:
        """Return the cosine of each word and a category."""
        return np.asarray(self._words @ self._categories.vectors[k], np.float64)

    def worth(self, k: int) -> Array:
        """Return what each word is worth to a category, from -1 to 1; 0 where the meaning is not known."""
        return np.where(self.known & self._categories.known[k], 2 * self.of(k) - 1, 0.0)

    def nearest(self, k: int, word: int) -> tuple[str, ...]:
        """Return the seeds of a category that a word is nearest to."""
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
    """Return the words of a vocabulary that are near in meaning to each category, the best first."""
    meanings = Meanings(categories, vocabulary, table)
    barred = not_to_suggest([word for category in categories.values() for word in category.words], vocabulary)
    # A word that is rare helps little, however near it is.
    commonness = np.sqrt(np.log1p(frequencies))
    near = {}
    for k, (name, category) in enumerate(categories.items()):
        probability = meanings.of(k)
        excluded = _spelled_out(category.exclude, vocabulary)
        score = np.where(barred | (probability < NEAR_WORD), 0.0, meanings.nearness(k) * commonness)
        score[[row for row, word in enumerate(vocabulary) if word in excluded]] = 0.0
        best = np.argsort(-score, kind="stable")[:top]
        near[name] = [
            NearWord(vocabulary[row], float(probability[row]), float(score[row]), meanings.nearest(k, row))
            for row in best.tolist()
            if score[row] > 0
        ]
    return near


def near_in_english(
    categories: Mapping[Name, Category], table: WordVectors, top: int
) -> dict[Name, list[NearWord]]:
    """Return frequent words of the table itself that are near in meaning to each category."""
    without = stop_word_set("english")
    words = [word for word in table.words[:MOST_WORDS] if len(word) > 1 and word not in without]
    if not comparable(len(categories), len(words)):
        raise InputError(
            f"there are {len(categories):,} categories, which are too many to suggest words for: use at most "
            f"{MOST_COMPARED_WORDS // MOST_WORDS:,}, or give documents."
        )
    frequencies = table.frequencies(words)
    rarest = frequencies.min(initial=1.0)
    shown = frequencies / rarest if rarest > 0 else np.ones(len(words))
    return near_words(categories, words, shown, table, top)


def whole_categories(seeds: Seeds) -> dict[Name, Category]:
    """Return the categories that documents are labelled with, each with everything that its parents add."""
    return {
        name: Category(seeds.categories[name], seeds.weights[name], seeds.exclude[name])
        for name in seeds.names
    }


def not_to_suggest(seeds: Sequence[str], vocabulary: Sequence[str]) -> NDArray[np.bool_]:
    """Return which words nobody would add: seeds, their plurals and singulars, numbers, and monsters."""
    there, stems = _spelled_out(seeds, vocabulary), {word.removesuffix("s") for word in seeds}
    return np.array(
        [
            word in there or word.removesuffix("s") in stems or word.isdigit() or len(word) > LONGEST_WORD
            for word in vocabulary
        ],
        dtype=bool,
    )


def _spelled_out(words: Sequence[str], vocabulary: Sequence[str]) -> set[str]:
    """Return words, with those that wildcards match in a vocabulary."""
    matches = expansions(list(filter(is_wildcard, words)), vocabulary)
    return {*words, *(match for own in matches.values() for match in own)}
