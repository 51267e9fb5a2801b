"""How often the views of documents agree with their labels, counted."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Labels = NDArray[np.intp]


class Agreements(NamedTuple):
    """How many documents of each category agree with their label in a view; those of blocks are added up."""

    sizes: Array  # (n_categories,), the documents with the label
    guessed: Array  # (n_categories,), those whose first guess was the label
    nearest: Array | None  # (n_categories,), the documents nearest to the category in meaning
    recalled: Array | None  # (n_categories,), those of them that have its label
    own_seed: Array  # (n_categories,), those that contain a seed of their label

    @classmethod
    def of(
        cls,
        label: Labels,
        guess: Labels,
        meaning: Array | None,
        has_own_seed: NDArray[np.bool_],
        n_categories: int,
    ) -> Self:
        """Count documents."""

        def counted(labels: Labels) -> Array:
            return np.bincount(labels, minlength=n_categories).astype(np.float64)

        near = None if meaning is None else meaning.argmax(axis=1)
        return cls(
            counted(label),
            counted(label[guess == label]),
            None if near is None else counted(near),
            None if near is None else counted(label[near == label]),
            counted(label[has_own_seed]),
        )
