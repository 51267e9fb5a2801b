"""Word vectors alone: the category whose seeds are nearest in meaning, nothing learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from seedtopic.knowledge.categories import category_vectors
from seedtopic.knowledge.encoders import unit_rows
from seedtopic.knowledge.tables import english
from seedtopic.learning.signals.words import sublinear
from seedtopic.model.estimator import SeedsLike
from seedtopic.seeds import Seeds
from seedtopic.text.counts import count_words
from seedtopic.text.tokens import tokenize, words

FREQUENT = 1e-3  # a word this frequent counts half of what a rare one does


@dataclass
class CosineToSeeds:
    """The category nearest to a document by the cosine of their vectors, from the table of English words.

    A document is the sum of its words' vectors, of which frequent ones count less: in the documents, by
    ln(1 + D / df), and in the language. A category is the mean of its seeds' vectors.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category.

    Examples
    --------
    >>> peer = CosineToSeeds({"sports": ["hockey"], "money": ["bank"]})
    >>> peer.fit(["the goal of the season", "a loan at a low rate"]).transduction_.tolist()
    ['sports', 'money']
    """

    seeds: SeedsLike

    def fit(self, texts: Sequence[str]) -> Self:
        """Label the documents."""
        seeds, table = Seeds.of(self.seeds), english()
        counts = count_words(tokenize(texts, words), min_df=1)
        vectors, _ = table.vectors(counts.vocabulary)
        document_frequency = np.bincount(counts.matrix.indices, minlength=len(counts.vocabulary))
        weights = np.log1p(len(texts) / document_frequency)
        weights *= FREQUENT / (FREQUENT + table.frequencies(counts.vocabulary))
        documents = unit_rows(sublinear(counts.matrix, weights) @ vectors)
        categories = category_vectors(seeds, table)
        cosine = np.where(categories.known, documents @ categories.vectors.T, -1.0)
        self.transduction_ = np.array(seeds.names)[cosine.argmax(axis=1)]
        return self
