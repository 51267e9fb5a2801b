"""Texts as sequences of vocabulary columns: counts that still know the order of the words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Text = NDArray[np.integer[Any]]  # the columns of its words, from first to last
Tokens = NDArray[np.int64]  # texts of one length, a row each


def ordered_counts(tokens: Iterable[Sequence[str]], vocabulary: Sequence[str]) -> sp.csr_array:
    """Give a count matrix with one entry an occurrence, in the order of the text.

    Repeated entries of a sparse matrix stand for their sum, so these are counts like any others; but
    the column indices of a row, read from left to right, are its text. Words that the vocabulary does
    not know are left out.

    Examples
    --------
    >>> matrix = ordered_counts([["mine", "gold", "unheard", "mine"]], ["gold", "mine"])
    >>> matrix.indices.tolist(), matrix.toarray().tolist()
    ([1, 0, 1], [[1.0, 2.0]])
    """
    column_of = {word: column for column, word in enumerate(vocabulary)}
    rows = [[column_of[word] for word in document if word in column_of] for document in tokens]
    row_ends = np.cumsum([0, *map(len, rows)])
    columns = np.fromiter((column for row in rows for column in row), dtype=np.int32, count=row_ends[-1])
    ones = np.ones(len(columns), dtype=np.float32)
    return sp.csr_array((ones, columns, row_ends), shape=(len(rows), len(vocabulary)))


def texts_of(counts: sp.csr_array) -> list[Text]:
    """Give the columns of each document of `ordered_counts`, in the order of the text."""
    return np.split(counts.indices, counts.indptr[1:-1])


def padded(texts: Sequence[Text], length: int, margin: int, padding: int) -> Tokens:
    """Put texts into the rows of one matrix, cut at `length` and filled with `padding`.

    Every row ends in at least `margin` paddings: a window of that width fits even into an empty text, and
    every text is seen to end, so that no result depends on the other rows.

    Examples
    --------
    >>> padded([np.array([4, 7, 4], np.int32), np.array([2], np.int32)], 2, 1, padding=9).tolist()
    [[4, 7, 9], [2, 9, 9]]
    """
    longest = min(length, max((len(text) for text in texts), default=0))
    matrix = np.full((len(texts), longest + margin), padding, dtype=np.int64)
    for row, text in zip(matrix, texts, strict=True):
        row[: min(len(text), longest)] = text[:longest]
    return matrix
