"""How well each seed works: where it occurs, its learned weight, and the labels of its documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.model.estimator import SeedClassifier


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


def seed_health(model: SeedClassifier, counts: sp.csr_array, predicted: NDArray[np.intp]) -> list[Seed]:
    """Return the statistics of every seed, by category, in the user's order."""
    category_of = {name: category for category, name in enumerate(model.seeds_.names)}
    documents_of = sp.csc_array(counts)
    found = []
    for row in model.seed_table():
        known = row.column is not None
        ends = documents_of.indptr[row.column : row.column + 2] if row.column is not None else (0, 0)
        hit = documents_of.indices[ends[0] : ends[1]]
        agreement = float((predicted[hit] == category_of[row.category]).mean()) if len(hit) else None
        found.append(Seed(str(row.category), row.word, len(hit), agreement, row.learned, known))
    return found
