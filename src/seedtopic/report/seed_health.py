"""How each seed fares: where it occurs, what it weighs, and whether its documents get its label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.models.base import SeedModel


@dataclass(frozen=True)
class Seed:
    """A seed of a category.

    Attributes
    ----------
    category, word : str
    documents : int
        That hold it.
    agreement : float or None
        The share of them that has the category's label; None where there are none.
    weight : float or None
        What the model learned the seed to be worth, or None where it learns no such weights.
    known : bool
        Whether the model knows the word at all.
    """

    category: str
    word: str
    documents: int
    agreement: float | None
    weight: float | None
    known: bool


def seed_health(model: SeedModel, counts: sp.csr_array, predicted: NDArray[np.intp]) -> list[Seed]:
    """Look at every seed, category by category."""
    bound = model.seeds_.bind(model.vocabulary_)
    column_of = {word: column for column, word in enumerate(model.vocabulary_)}
    weight = _weights(model, bound.membership)
    documents_of = sp.csc_array(counts)
    found = []
    for category, (name, words) in enumerate(bound.seeds.categories.items()):
        for word in words:
            column = column_of.get(word)
            if column is None:
                found.append(Seed(str(name), word, 0, None, None, known=False))
                continue
            hit = documents_of.indices[documents_of.indptr[column] : documents_of.indptr[column + 1]]
            agreement = float((predicted[hit] == category).mean()) if len(hit) else None
            found.append(
                Seed(str(name), word, len(hit), agreement, weight.get((category, column)), known=True)
            )
    return found


def _weights(model: SeedModel, membership: sp.csr_array) -> dict[tuple[int, int], float]:
    learned = getattr(model, "seed_weights_", None)
    if learned is None or len(learned) != membership.nnz:
        return {}
    rows = np.repeat(np.arange(membership.shape[0]), np.diff(membership.indptr))
    places = zip(rows.tolist(), membership.indices.tolist(), strict=True)
    return dict(zip(places, np.asarray(learned, np.float64).tolist(), strict=True))
