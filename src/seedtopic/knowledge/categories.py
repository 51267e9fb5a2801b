"""What seeds and categories mean: their vectors, from a table of word vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedtopic.knowledge.tables import WordVectors
from seedtopic.seeds import Seeds
from seedtopic.seeds.category import expansions, is_wildcard, name_words
from seedtopic.seeds.tree import Name
from seedtopic.text.tokens import runs, words

# A word this frequent counts half in a phrase, so that "bank of america" is not about "of"; the constant is
# that of S. Arora, Y. Liang and T. Ma, "A simple but tough-to-beat baseline for sentence embeddings" (2017).
_FREQUENT = 1e-3
MOST_MATCHES = 50  # words of the table that a wildcard stands for, the most frequent


@dataclass(frozen=True, eq=False)
class CategoryVectors:
    """Categories and their seeds as vectors."""

    vectors: NDArray[np.float32]  # (n_categories, n_dims), of length 1
    known: NDArray[np.bool_]  # (n_categories,), whether the table knows a seed of the category
    words: Mapping[Name, Mapping[str, NDArray[np.float32] | None]]

    @property
    def unknown(self) -> list[str]:
        """The seeds that the table does not know, each once."""
        seeds = (seed for words in self.words.values() for seed, vector in words.items() if vector is None)
        return list(dict.fromkeys(seeds))


def category_vectors(seeds: Seeds, table: WordVectors) -> CategoryVectors:
    """Return the vectors of categories: each is the mean of its seeds' vectors, by their weights."""
    return vectors_of(
        {
            name: {word: seeds.weights[name].get(word, 1.0) for word in own}
            for name, own in seeds.categories.items()
        },
        table,
    )


def name_vectors(seeds: Seeds, table: WordVectors) -> NDArray[np.float32]:
    """Return the vectors of the names of categories, of length 1; zeros where no word of one is known."""
    return vectors_of({name: dict.fromkeys(name_words(name), 1.0) for name in seeds.names}, table).vectors


def vectors_of(categories: Mapping[Name, Mapping[str, float]], table: WordVectors) -> CategoryVectors:
    """Return the vectors of any number of categories, each a mapping of seeds to weights."""
    seeds = dict.fromkeys(seed for own in categories.values() for seed in own)
    matches = expansions(list(filter(is_wildcard, seeds)), table.words)
    vector_of = {seed: _vector(seed, table, matches.get(seed)) for seed in seeds}
    vectors = np.zeros((len(categories), table.n_dims), np.float32)
    for k, own in enumerate(categories.values()):
        known = {seed: vector for seed in own if (vector := vector_of[seed]) is not None}
        if known:
            vectors[k] = mean_direction(list(known.values()), [own[seed] for seed in known])
    return CategoryVectors(
        vectors,
        np.abs(vectors).max(axis=1, initial=0) > 0,
        {name: {seed: vector_of[seed] for seed in own} for name, own in categories.items()},
    )


def _vector(seed: str, table: WordVectors, matches: list[str] | None) -> NDArray[np.float32] | None:
    """Return the mean of the words of a phrase, or of the words that a wildcard matches, of length 1."""
    if matches is not None:
        known = matches[:MOST_MATCHES]
        frequencies = table.frequencies(known)
        weights = frequencies if frequencies.any() else np.ones(len(known))
    else:
        read = [seed] if seed in table else words(seed) or runs(seed)
        known = [word for word in read if word in table]
        weights = _FREQUENT / (_FREQUENT + table.frequencies(known))
    if not known:
        return None
    vector = mean_direction(table.vectors(known)[0], weights)
    return vector if vector.any() else None


def mean_direction(
    vectors: Sequence[NDArray[np.float32]] | NDArray[np.float32],
    weights: Sequence[float] | NDArray[np.float64],
) -> NDArray[np.float32]:
    """Return the weighted mean of vectors, of length 1; zeros where they cancel each other."""
    total = np.asarray(weights, np.float64) @ np.asarray(vectors, np.float64)
    length = np.linalg.norm(total)
    return (total / length if length > 0 else total).astype(np.float32)
