"""How well word vectors alone label documents: the cosine between documents and seeds, nothing learned.

The labels of the train parts alone are looked at, so that what is chosen by them can be tested on the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy import sparse

from seedtopic.text.tokens import words
from seedtopic_lab.corpora import fetch_corpus, published_seeds

CORPORA = ("ag_news", "bbc_news", "newsgroups20", "reuters10", "stackoverflow")
LISTS = ("SL", "SD")
RARE = 1e-3  # a word as frequent as this weighs half of what a rare one does

Array = np.ndarray


@dataclass(frozen=True)
class Task:
    """Documents as weighted rows over the words of a table, seeds as rows of the table, the right answers."""

    name: str
    documents: sparse.csr_matrix
    seeds: list[list[int]]
    answers: Array

    def accuracy(self, vectors: Array) -> float:
        """Give the share of documents whose nearest category by cosine is the right one."""
        categories = np.array([vectors[rows].mean(axis=0) if rows else 0 * vectors[0] for rows in self.seeds])
        scores = self.documents @ (vectors @ unit(categories).T)  # a document's own length changes no order
        return float((scores.argmax(axis=1) == self.answers).mean())


def tasks(listed: list[str], frequencies: Array) -> Iterator[Task]:
    """Read the train part of each corpus once, and its two lists of seeds."""
    row_of = {word: row for row, word in enumerate(listed)}
    for name in CORPORA:
        corpus = fetch_corpus(name)
        train = [number for number, part in enumerate(corpus.split) if part == "train"]
        known = [sorted({row_of[w] for w in words(corpus.texts[number]) if w in row_of}) for number in train]
        indptr = np.cumsum([0, *map(len, known)])
        indices = np.fromiter(chain.from_iterable(known), np.int32, indptr[-1])
        document_counts = np.bincount(indices, minlength=len(listed))
        weights = np.log1p(len(train) / np.maximum(document_counts, 1)) * RARE / (RARE + frequencies)
        shape = (len(train), len(listed))
        documents = sparse.csr_matrix((weights[indices].astype(np.float32), indices, indptr), shape=shape)
        answers = np.array([corpus.categories.index(corpus.labels[number]) for number in train])
        for which in LISTS:
            seeds = published_seeds(name, which)
            rows = [
                [row_of[w] for w in chain.from_iterable(map(words, seeds[category])) if w in row_of]
                for category in corpus.categories
            ]
            yield Task(f"{name} {which}", documents, rows, answers)


def unit(vectors: Array) -> Array:
    """Scale rows to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)
