"""What would change a label: remove or add words and label the document again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]
Infer = Callable[[sp.csr_array], Array]
Label = str | int

LEAST_PROBABILITY = float(np.finfo(np.float64).tiny)
MOST_CHANGED = 10  # words removed or added


@dataclass(frozen=True)
class Turn:
    """Words whose removal, or addition, changes the label, and the label it changes to."""

    words: tuple[str, ...]
    label: Label


@dataclass(frozen=True)
class Trial:
    """Labels the document again with some words removed or added; the part of the neighbours stays."""

    counts: sp.csr_array
    infer: Infer
    neighbours: Array
    classes: Sequence[Label]
    vocabulary: Sequence[str]
    label: int

    def without(self, weights: Array) -> Turn | None:
        """Remove the strongest words, one after the other, until the label changes."""
        order = np.argsort(-weights, kind="stable")
        # One word has to stay: a document without words has no label.
        order = order[weights[order] > 0][: min(MOST_CHANGED, np.count_nonzero(weights) - 1)]
        dense = np.repeat(self.counts.data[None, :], len(order), axis=0)
        for taken, row in enumerate(dense, 1):
            row[order[:taken]] = 0
        return self._first(dense, self.counts.indices, self.counts.indices[order])

    def with_(self, pull: Array) -> Turn | None:
        """Add the words that speak most against the label, one after the other, until it changes."""
        absent = np.setdiff1d(np.arange(len(pull)), self.counts.indices)
        added = absent[np.argsort(pull[absent], kind="stable")[:MOST_CHANGED]]
        added = added[pull[added] < 0]
        put_in = np.tril(np.ones((len(added), len(added))))
        own = np.repeat(self.counts.data[None, :], len(added), axis=0)
        return self._first(np.hstack((own, put_in)), np.concatenate((self.counts.indices, added)), added)

    def _first(self, rows: Array, columns: NDArray[Any], changed: NDArray[Any]) -> Turn | None:
        """Find the first row whose label has changed."""
        if not len(rows) or not self.counts.nnz:
            return None
        place = np.arange(rows.shape[1])
        embed = sp.csr_array(
            (np.ones(len(place)), (place, columns)), shape=(len(place), self.counts.shape[1])
        )
        tried = sp.csr_array(sp.csr_array(rows) @ embed)
        tried.sort_indices()
        labels = (logarithm(self.infer(tried)) + self.neighbours).argmax(axis=1)
        turned = np.flatnonzero(labels != self.label)
        if not len(turned):
            return None
        words = tuple(self.vocabulary[column] for column in changed[: turned[0] + 1].tolist())
        return Turn(words, self.classes[int(labels[turned[0]])])


def logarithm(probabilities: Array) -> Array:
    """Compute logarithms that are finite even if a probability is 0."""
    return np.log(np.maximum(probabilities, LEAST_PROBABILITY))
