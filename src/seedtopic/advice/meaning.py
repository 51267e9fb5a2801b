"""Seeds checked by what they mean in English, without documents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedtopic.advice.findings import YOURS, CategoryCheck, Problem
from seedtopic.base.wording import and_more, number_of
from seedtopic.meaning import WordVectors, english
from seedtopic.meaning.categories import CategoryVectors, category_vectors
from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name
from seedtopic.text.tokens import StopWords

# All of these are cosines. They were chosen on published seed lists; docs/howto/check.md has the figures.
FAR = 0.08  # a seed less near to its siblings does not belong to them
NEAR = 0.25  # a category that a seed is less near to does not claim it
NEARER = 0.2  # by which another category must be nearer than the siblings,
NEARER_THAN_ONE = 0.3  # and than a single sibling
SAME, ALIKE = 0.65, 0.5  # categories that mean the same; and those that do if their seeds are as mixed
LEAST_KNOWN = 0.5  # of the seeds: with fewer, the seeds are hardly English
LEAST_CATEGORIES = 2
# A seed in so many documents that the others confirm so well is right there, whatever it means elsewhere.
FEW, CONFIRMED = 5, 0.5
MOST_COMPARED = 5_000_000  # pairs of a seed and a category
SHOWN = 10  # words in a sentence

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class MeaningCheck:
    """What is wrong with the meaning of seeds, and what else there is to say."""

    findings: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


def table_for(stop_words: StopWords) -> WordVectors | None:
    """Give the table for texts that are read with these stop words; None where they are not English.

    Examples
    --------
    >>> table_for("english") is english(), table_for("german")
    (True, None)
    """
    return english() if not isinstance(stop_words, str) or stop_words in ("english", "en") else None


def check_meaning(seeds: Seeds, table: WordVectors, ignored: Collection[str] = ()) -> MeaningCheck:
    """Find seeds that do not mean what their siblings mean, and categories that mean the same.

    Examples
    --------
    >>> seeds = Seeds({"nature": ["river", "lake", "mountain", "bank"], "money": ["loan", "credit", "zzyx"]})
    >>> found = check_meaning(seeds, english())
    >>> found.findings[0].word, found.findings[0].rival
    ('bank', 'money')
    >>> found.notes
    ("the meaning of 1 seed is unknown and was not checked: 'zzyx'.",)
    """
    own = {name: seeds.entries[name].or_named(name) for name in seeds.names}
    without = set(ignored)
    kept = {name: [word for word in entry.words if word not in without] for name, entry in own.items()}
    if sum(map(bool, kept.values())) < LEAST_CATEGORIES:
        return MeaningCheck()
    if sum(map(len, kept.values())) * len(kept) > MOST_COMPARED:
        return MeaningCheck(notes=("there are too many seeds and categories to compare their meanings.",))
    alone = Seeds(
        {
            name: {"words": words, "weights": {word: own[name].weights.get(word, 1.0) for word in words}}
            for name, words in kept.items()
            if words
        }
    )
    vectors = category_vectors(alone, table)
    unknown, n_seeds = vectors.unknown, len(alone.words)
    if len(unknown) > (1 - LEAST_KNOWN) * n_seeds:
        return MeaningCheck(notes=("most seeds are not known English words, so no meaning was checked.",))
    compared = _Compared(alone, vectors)
    same = list(compared.same_categories())
    odd = compared.odd_seeds({frozenset(finding.categories) for finding in same})
    return MeaningCheck((*odd, *same), (_unknown(unknown),) if unknown else ())


def unsaid(
    meaning: MeaningCheck, categories: Sequence[CategoryCheck], said: Sequence[Problem]
) -> Iterator[Problem]:
    """Yield the findings by meaning that the documents neither gave already nor contradict."""
    settled = {(name, finding.word) for finding in said for name in finding.categories}
    settled |= {
        (category.name, word.word)
        for category in categories
        for word in category.words
        if word.documents >= FEW and word.borne_out >= CONFIRMED
    }
    for finding in meaning.findings:
        about = {(name, finding.word) for name in finding.categories}
        if finding.word is None or not about & settled:
            yield finding


class _Compared:
    """Seeds beside categories; a word that two categories share says nothing about their difference."""

    def __init__(self, seeds: Seeds, vectors: CategoryVectors) -> None:
        self.names, self.vectors = seeds.names, vectors.vectors
        self.owners = seeds.owners()
        self.row_of = {name: row for row, name in enumerate(seeds.names)}
        # Each seed as it counts in its category, by its weight.
        self.seeds: list[dict[str, Vectors]] = [
            {
                word: np.float32(seeds.weights[name].get(word, 1.0)) * vector
                for word, vector in words.items()
                if vector is not None
            }
            for name, words in vectors.words.items()
        ]

    def odd_seeds(self, same: Collection[frozenset[Name]]) -> Iterator[Problem]:
        """Find seeds that are far from their siblings; between two categories that mean the same, none is."""
        for k, name in enumerate(self.names):
            for word in self.seeds[k]:
                if len(self.owners[word]) == 1 and (found := self._oddness(k, name, word, same)):
                    yield found

    def _oddness(self, k: int, name: Name, word: str, same: Collection[frozenset[Name]]) -> Problem | None:
        siblings = [vector for other, vector in self.seeds[k].items() if other != word]
        if not siblings:
            return None
        vector = unit(self.seeds[k][word])
        own = float(unit(np.sum(siblings, axis=0)) @ vector)
        nearness = self.vectors @ vector
        for rival in self._sharing(k):
            nearness[rival] = self._without(rival, k) @ vector
        nearness[k] = -1.0
        rival = int(nearness.argmax())
        enough = NEARER if len(siblings) > 1 else NEARER_THAN_ONE
        if nearness[rival] > max(NEAR, own + enough):
            there = self.names[rival]
            if frozenset((name, there)) in same:
                return None
            sentence = (
                f"{word!r} ({name}) is nearer in meaning to {there!r} than to the other seeds of {name!r}: "
                "remove it or move it."
            )
            return Problem(sentence, YOURS, (name,), word, there)
        if own < FAR and len(siblings) > 1:
            sentence = (
                f"{word!r} ({name}) is far in meaning from the other seeds of {name!r}: does it belong there?"
            )
            return Problem(sentence, YOURS, (name,), word)
        return None

    def same_categories(self) -> Iterator[Problem]:
        for k, name in enumerate(self.names):
            nearness = self.vectors[k + 1 :] @ self.vectors[k]
            for rival in k + 1 + np.flatnonzero(nearness > ALIKE):
                if self._mean_the_same(k, int(rival)):
                    both = (name, self.names[rival])
                    yield Problem(
                        f"{both[0]!r} and {both[1]!r} mean nearly the same: merge them, or give them seeds "
                        "that tell them apart.",
                        YOURS,
                        both,
                    )

    def _mean_the_same(self, first: int, second: int) -> bool:
        nearness = float(self._without(first, second) @ self._without(second, first))
        if not ALIKE < nearness <= SAME:
            return nearness > SAME
        a, b = self._own(first, second), self._own(second, first)
        within = [_mean_within(vectors) for vectors in (a, b) if len(vectors) > 1]
        return bool(within) and float((a @ b.T).mean()) >= float(np.mean(within))

    def _sharing(self, k: int) -> set[int]:
        """Give the categories that have a seed of this one, too."""
        owners = (owner for word in self.seeds[k] for owner in self.owners[word])
        return {self.row_of[owner] for owner in owners} - {k}

    def _own(self, k: int, other: int) -> Vectors:
        """Give the seeds of a category that another one does not have, each of length 1."""
        kept = [unit(vector) for word, vector in self.seeds[k].items() if word not in self.seeds[other]]
        return np.array(kept, np.float32).reshape(len(kept), self.vectors.shape[1])

    def _without(self, k: int, other: int) -> Vectors:
        """Give the direction of a category without the seeds that another one has as well."""
        kept = [vector for word, vector in self.seeds[k].items() if word not in self.seeds[other]]
        return unit(np.sum(kept, axis=0)) if kept else np.zeros(self.vectors.shape[1], np.float32)


def unit(vector: Vectors) -> Vectors:
    """Give a vector the length 1, unless it is zero."""
    length = np.linalg.norm(vector)
    return np.asarray(vector / length if length > 0 else vector, np.float32)


def _mean_within(vectors: Vectors) -> float:
    """Give the mean cosine of any two different vectors."""
    n = len(vectors)
    return float(((vectors @ vectors.T).sum() - n) / (n * (n - 1)))


def _unknown(seeds: list[str]) -> str:
    what = number_of(len(seeds), "seed")
    return f"the meaning of {what} is unknown and was not checked: {shown_words(seeds)}."


def shown_words(words: Sequence[str]) -> str:
    """Write words for a sentence; of many, the first ten.

    Examples
    --------
    >>> shown_words(["gold", "oil"])
    "'gold', 'oil'"
    """
    return and_more([repr(word) for word in words[:SHOWN]], len(words))
