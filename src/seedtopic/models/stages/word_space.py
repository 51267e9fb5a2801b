"""Documents as the stages see them: TF-IDF vectors, and damped counts for the topic model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.signals.vectors import squared_lengths, sublinear, unit_rows, word_rarity
from seedtopic.learning.signals.word_weights import log_weights

Array = NDArray[np.float64]


@dataclass(frozen=True)
class WordSpace:
    """The weight of each word, by its rarity and by its information content (pi, Eq. 8)."""

    rarity: Array
    word_weights: Array

    @classmethod
    def of(cls, counts: sp.csr_array) -> WordSpace:
        """Weigh the words of a collection."""
        return cls(word_rarity(counts), log_weights(np.asarray(counts.sum(axis=0), dtype=np.float64)))

    def documents(self, counts: sp.csr_array) -> DocumentView:
        """Give documents as the stages see them."""
        return DocumentView(counts, self)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give what is saved, by its name in a model folder."""
        return {"rarity_": self.rarity, "word_weights_": self.word_weights}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> WordSpace:
        """Take what was saved."""
        return cls(arrays["rarity_"], arrays["word_weights_"])


@dataclass(frozen=True)
class DocumentView:
    """Counted documents, and what is made of them when a stage asks for it."""

    counts: sp.csr_array
    space: WordSpace

    @cached_property
    def vectors(self) -> sp.csr_array:
        """Sublinear TF-IDF in rows of length 1: for the graph, naive Bayes and the regression."""
        return unit_rows(sublinear(self.counts, self.space.rarity))

    @cached_property
    def has_words(self) -> NDArray[np.bool_]:
        """Whether a document has a word that carries any weight."""
        return np.asarray(squared_lengths(self.vectors) > 0)

    def weighted(self) -> sp.csr_array:
        """Damped counts times pi: for the topic model."""
        return sublinear(self.counts, self.space.word_weights)

    def even_without_words(self, posterior: Array) -> Array:
        """Give every category the same probability in documents without a word that carries weight."""
        return np.where(self.has_words[:, None], posterior, 1.0 / posterior.shape[1])
