"""What is known of the words of a collection before anything is learned: how often they occur."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class WordTotals:
    """The documents, and in how many of them and how often each word occurs.

    Attributes
    ----------
    n_documents : int
    document_frequency : ndarray of int, shape (n_words,)
    occurrences : ndarray of float, shape (n_words,)
    """

    n_documents: int
    document_frequency: NDArray[np.int64]
    occurrences: NDArray[np.float64]

    @property
    def rarity(self) -> NDArray[np.float64]:
        """ln(D / df) of each word."""
        return np.log(self.n_documents / np.maximum(self.document_frequency, 1))

    @classmethod
    def of(cls, counts: sp.csr_array) -> Self:
        """Add up counted documents.

        Examples
        --------
        >>> totals = WordTotals.of(sp.csr_array([[2.0, 1.0], [0.0, 1.0]]))
        >>> totals.document_frequency.tolist(), totals.occurrences.tolist()
        ([1, 2], [2.0, 2.0])
        """
        n_documents, n_words = counts.shape
        return cls(
            n_documents,
            np.bincount(counts.indices, minlength=n_words).astype(np.int64),
            np.bincount(counts.indices, counts.data, n_words).astype(np.float64),
        )
