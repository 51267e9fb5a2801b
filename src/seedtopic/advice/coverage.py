"""Words chosen one by one, each by the documents that it adds to those of the words before it."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

LEAST_GAIN = 0.1  # documents; less is a rounding error


class Coverage:
    """What each word adds to the words taken before it."""

    def __init__(
        self, presence: sp.csr_array, by_word: sp.csc_array, value: Array, new: Mask, bonus: Array
    ) -> None:
        self._by_word, self._presence, self._value = by_word, presence, value
        self._new = new.copy()
        self.gain: Array = np.asarray(by_word.T @ np.where(new, value, 0.0)) + bonus

    def best(self, allowed: Mask) -> int | None:
        """Find the allowed word that adds the most, if one adds anything."""
        if not allowed.any():
            return None
        best = int(np.where(allowed, self.gain, -np.inf).argmax())
        return best if self.gain[best] >= LEAST_GAIN else None

    def take(self, column: int) -> None:
        """Take a word: its documents are not new any more."""
        rows = self._by_word.indices[self._by_word.indptr[column] : self._by_word.indptr[column + 1]]
        rows = np.sort(rows[self._new[rows]])
        self.gain -= np.asarray(self._presence[rows].T @ self._value[rows])
        self._new[rows] = False
