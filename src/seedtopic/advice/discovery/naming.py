"""Words and a name for a cluster of documents."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.advice.near_words import not_to_suggest
from seedtopic.meaning import WordVectors
from seedtopic.text.counts import Counts
from seedtopic.text.rules import is_rule

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

MOST_WORDS = 8
LEAST_DOCUMENTS, LEAST_SHARE = 3, 0.03  # of the cluster that contain a word
LEAST_GAIN = 0.02  # of the documents of the cluster that a further word must add
DIRECTED_BY, LEAST_NEAR = 20, 0.15  # the best words, and the cosine with their direction of a word like them
OUTSIDE = 0.5  # a document outside that contains a word, beside 1 for one inside: some belong there, too
REACHED = 0.5  # what a document counts that a word before has reached, beside 1
IN_NAME = 2


class TypicalWords:
    """Chooses the words that many documents of a cluster contain and few others."""

    def __init__(self, counts: Counts, seeds: Sequence[str], table: WordVectors | None) -> None:
        self.vocabulary = counts.vocabulary
        self.presence = sp.csr_array((counts.matrix > 0).astype(np.float64))
        self.by_word = sp.csc_array(self.presence)
        worded = np.array(
            [any(map(str.isalpha, word)) and len(word) > 1 and not is_rule(word) for word in self.vocabulary]
        )
        self.allowed: Mask = worded & ~not_to_suggest(seeds, self.vocabulary)
        self.meanings = None if table is None else table.vectors(self.vocabulary)

    def of(self, members: Mask, held: Mask | None = None) -> list[str]:
        """Choose words one by one, each by the documents that it adds to those before it."""
        value = np.where(members, 1.0, -OUTSIDE)
        if held is not None:
            value[held & ~members] = -1.0
        gain = self.by_word.T @ value
        inside = self.by_word.T @ members.astype(np.float64)
        frequent = inside >= max(LEAST_DOCUMENTS, LEAST_SHARE * members.sum())
        allowed = self.allowed & frequent & (gain > 0)
        allowed &= self._like_the_best(np.where(allowed, gain, 0.0))
        least = max(LEAST_GAIN * members.sum(), 1.0)
        chosen: list[str] = []
        while len(chosen) < MOST_WORDS and allowed.any():
            best = int(np.where(allowed, gain, -np.inf).argmax())
            if gain[best] < least:
                break
            chosen.append(self.vocabulary[best])
            rows = self.by_word.indices[self.by_word.indptr[best] : self.by_word.indptr[best + 1]]
            gain = gain - (1 - REACHED) * (self.presence[rows].T @ value[rows])
            value[rows] *= REACHED
            allowed &= ~not_to_suggest([chosen[-1]], self.vocabulary)
        return chosen

    def _like_the_best(self, gain: Array) -> Mask:
        """Tell which words do not mean something else than the best ones."""
        if self.meanings is None:
            return np.ones(len(gain), bool)
        vectors, known = self.meanings
        best = np.argsort(-gain, kind="stable")[:DIRECTED_BY]
        direction = (gain[best, None] * vectors[best]).sum(axis=0)
        length = np.linalg.norm(direction)
        near = vectors @ (direction / max(length, 1e-12)) >= LEAST_NEAR
        return np.asarray(~known | near | (length == 0), bool)


def name_of(words: Sequence[str], taken: Collection[str]) -> str:
    """Give a cluster the name of its first words; a name that is taken gets a number.

    Examples
    --------
    >>> name_of(["hockey", "nhl", "goal"], {"sports"}), name_of(["hockey"], {"hockey"})
    ('hockey-nhl', 'hockey-2')
    """
    name = "-".join(words[:IN_NAME])
    number = 2
    while name in taken:
        name = f"{'-'.join(words[:IN_NAME])}-{number}"
        number += 1
    return name
