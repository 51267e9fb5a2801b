"""What is known of the words of a collection before anything is learned: how often they occur."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class WordTotals:
    """The documents, and in how many of them and how often each word occurs."""

    n_documents: int
    document_frequency: NDArray[np.int64]  # (n_words,)
    occurrences: NDArray[np.float64]  # (n_words,)

    @property
    def rarity(self) -> NDArray[np.float64]:
        """ln(D / df) of each word."""
        return np.log(self.n_documents / np.maximum(self.document_frequency, 1))

    @classmethod
    def of(cls, counts: sp.csr_array) -> Self:
        """Add up counted documents."""
        n_documents, n_words = counts.shape
        return cls(
            n_documents,
            np.bincount(counts.indices, minlength=n_words).astype(np.int64),
            np.bincount(counts.indices, counts.data, n_words).astype(np.float64),
        )
