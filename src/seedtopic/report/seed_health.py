"""How well each seed works: where it occurs, its learned weight, and the labels of its documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.models.seed_model import SeedModel


@dataclass(frozen=True)
class Seed:
    """A seed of a category.

    Attributes
    ----------
    category, word : str
    documents : int
        Number of documents that contain it.
    agreement : float or None
        The share of them with the category's label; None if there are none.
    weight : float or None
        The weight that the model learned for the seed, or None if it learns no such weights.
    known : bool
        Whether the word is in the model's vocabulary.
    """

    category: str
    word: str
    documents: int
    agreement: float | None
    weight: float | None
    known: bool


def seed_health(model: SeedModel, counts: sp.csr_array, predicted: NDArray[np.intp]) -> list[Seed]:
    """Return the statistics of every seed, by category, in the user's order."""
    bound = model.seeds_.bind(model.vocabulary_)
    membership = bound.membership
    weights = _weights(model, membership.nnz)
    documents_of = sp.csc_array(counts)
    found = []
    for category, (name, given) in enumerate(bound.seeds.categories.items()):
        own = [
            Seed(str(name), word, 0, None, None, known=False)
            for word, owners in bound.missing.items()
            if name in owners
        ]
        for place in range(membership.indptr[category], membership.indptr[category + 1]):
            column = membership.indices[place]
            hit = documents_of.indices[documents_of.indptr[column] : documents_of.indptr[column + 1]]
            agreement = float((predicted[hit] == category).mean()) if len(hit) else None
            word = model.vocabulary_[column]
            own.append(Seed(str(name), word, len(hit), agreement, weights[place], known=True))
        found += _in_order(own, list(given))
    return found


def _in_order(seeds: list[Seed], given: list[str]) -> list[Seed]:
    """Sort seeds in the order they were given; words that were not written that way come last."""
    return sorted(seeds, key=lambda seed: given.index(seed.word) if seed.word in given else len(given))


def _weights(model: SeedModel, n_seeds: int) -> list[float] | list[None]:
    """Return the learned weights, in the order of the bound seeds, or None for each."""
    learned = getattr(model, "seed_weights_", ())
    if len(learned) != n_seeds:
        return [None] * n_seeds
    return [float(weight) for weight in learned]
