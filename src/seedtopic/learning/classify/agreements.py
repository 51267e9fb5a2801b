"""How often the views of documents agree with their labels, counted."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Labels = NDArray[np.intp]


class Agreements(NamedTuple):
    """How many documents of each category agree with their label in a view; those of blocks are added up.

    Attributes
    ----------
    sizes : ndarray, shape (n_categories,)
        The documents with the label.
    guessed : ndarray, shape (n_categories,)
        Those whose first guess was the label.
    nearest, recalled : ndarray, shape (n_categories,), or None
        The documents that are nearest to the category in meaning, and those that have its label, too.
    own_seed : ndarray, shape (n_categories,)
        Those that contain a seed of their label.
    """

    sizes: Array
    guessed: Array
    nearest: Array | None
    recalled: Array | None
    own_seed: Array

    @classmethod
    def of(
        cls,
        label: Labels,
        guess: Labels,
        meaning: Array | None,
        has_own_seed: NDArray[np.bool_],
        n_categories: int,
    ) -> Self:
        """Count documents.

        Parameters
        ----------
        label, guess : ndarray of int, shape (n_documents,)
            The labels, and those of the first guess.
        meaning : ndarray, shape (n_documents, n_categories), optional
        has_own_seed : ndarray of bool, shape (n_documents,)
            Whether a document contains a seed of its label.
        n_categories : int
        """

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
