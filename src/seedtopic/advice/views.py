"""Views of words that do not come from the model: which seeds they occur with, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.advice.near_words import NEAR, Meanings

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
View = Literal["model", "seeds", "meaning"]

UNLIKE = 0.05  # probability by meaning: a word with less does not mean anything like the category
HALF = 0.5  # of the documents of a word: with more, the model says that it belongs to a category


@dataclass(frozen=True)
class Views:
    """What the seeds and the meaning of words say, whatever a model has learned.

    Examples
    --------
    >>> by_word = sp.csc_array([[1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    >>> views = Views(by_word, np.array([[1.0], [1.0], [0.0], [0.0]]))
    >>> views.with_seeds(0).tolist()  # the first word occurs with seeds as often as by chance
    [0.0, 1.0]
    """

    by_word: sp.csc_array  # (n_documents, n_words), 1 where a document contains a word
    seeded: Array  # (n_documents, n_categories), the share of each category in the seeds of a document
    meanings: Meanings | None = None

    def with_seeds(self, k: int) -> Array:
        """Count the documents of each word that contain seeds of a category, beyond those by chance."""
        return self._beyond_chance(self.by_word, self.seeded[:, k])

    def by_meaning(self, k: int) -> Array:
        """Give the probability of a category for each word by its meaning; 0 where that is not known."""
        return np.zeros(self.by_word.shape[1]) if self.meanings is None else self.meanings.of(k)

    def strangers(self, k: int) -> Mask:
        """Tell which words neither occur with the seeds of a category nor mean anything like it."""
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
