"""Tokens to counts: a CSR matrix of word counts and the vocabulary that names its columns."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.errors import InputError

MinDf = int | Literal["auto"]


@dataclass(frozen=True)
class Counts:
    """Word counts of a collection.

    Attributes
    ----------
    matrix : csr_array of float32, shape (n_documents, n_words)
        n_dv, with sorted indices and no stored zeros.
    vocabulary : list of str
        The word of each column.
    """

    matrix: sp.csr_array
    vocabulary: list[str]


def resolve_min_df(min_df: MinDf, n_documents: int) -> int:
    """Turn ``"auto"`` into a number: 5 as in the literature, less where there are few documents.

    Examples
    --------
    >>> [resolve_min_df("auto", n) for n in (20, 300, 5000)]
    [1, 2, 5]
    """
    if min_df == "auto":
        return 5 if n_documents >= 1000 else 2 if n_documents >= 100 else 1
    if isinstance(min_df, bool) or not isinstance(min_df, int | np.integer) or min_df < 1:
        raise InputError(f"min_df is {min_df!r}: give a whole number of documents from 1 on, or 'auto'.")
    return int(min_df)


def count_words(
    tokens: Iterable[Sequence[str]],
    *,
    min_df: MinDf = "auto",
    stop_words: Collection[str] = frozenset(),
    keep: Collection[str] = frozenset(),
) -> Counts:
    """Count the words of a collection and choose its vocabulary.

    Parameters
    ----------
    tokens : iterable of sequences of str
        One sequence a document.
    min_df : int or "auto"
        Words in fewer documents are dropped.
    stop_words : collection of str
        Words to drop.
    keep : collection of str
        Words (the seeds) that neither rule may drop.

    Examples
    --------
    >>> counts = count_words([["gold", "mine", "gold"], ["the", "mine"]], stop_words={"the"})
    >>> counts.vocabulary
    ['gold', 'mine']
    >>> counts.matrix.toarray().tolist()
    [[2.0, 1.0], [0.0, 1.0]]
    """
    column_of: dict[str, int] = {}
    columns, row_ends = array("i"), array("q", [0])
    for document in tokens:
        columns.extend([column_of.setdefault(word, len(column_of)) for word in document])
        row_ends.append(len(columns))
    raw = _counted(columns, row_ends, len(column_of))
    document_frequency = np.bincount(raw.indices, minlength=len(column_of))
    least = resolve_min_df(min_df, raw.shape[0])
    # Alphabetical columns, so that the order of the documents cannot matter to anything random.
    vocabulary = sorted(
        word
        for word, column in column_of.items()
        if word in keep or (document_frequency[column] >= least and word not in stop_words)
    )
    matrix = sp.csr_array(raw[:, [column_of[word] for word in vocabulary]])
    matrix.sort_indices()
    return Counts(matrix, vocabulary)


def count_known(tokens: Iterable[Sequence[str]], vocabulary: Sequence[str]) -> Counts:
    """Count the words of new documents that a fitted vocabulary knows.

    Examples
    --------
    >>> count_known([["gold", "unheard", "gold"]], ["gold", "mine"]).matrix.toarray().tolist()
    [[2.0, 0.0]]
    """
    column_of = {word: column for column, word in enumerate(vocabulary)}
    columns, row_ends = array("i"), array("q", [0])
    for document in tokens:
        columns.extend([column_of[word] for word in document if word in column_of])
        row_ends.append(len(columns))
    return Counts(_counted(columns, row_ends, len(vocabulary)), list(vocabulary))


def checked_counts(matrix: Any, vocabulary: Sequence[str] | None) -> Counts:
    """Check a matrix of counts that a user brought, and name its columns.

    Without a vocabulary the columns are called x0, x1, ... as scikit-learn calls them.

    Examples
    --------
    >>> checked_counts(np.array([[1, 0], [0, 2]]), None).vocabulary
    ['x0', 'x1']
    """
    counts: sp.csr_array = sp.csr_array(matrix, dtype=np.float32, copy=True)
    if not np.isfinite(counts.data).all():
        raise InputError(
            "the counts hold NaN or infinity: every entry must be a number of occurrences, 0 or more."
        )
    if counts.data.size and counts.data.min() < 0:
        raise InputError(
            f"Negative values in data passed to the model: the smallest count is {counts.data.min():g}; "
            "every entry must be a number of occurrences, 0 or more."
        )
    if vocabulary is None:
        vocabulary = [f"x{column}" for column in range(counts.shape[1])]
    if len(vocabulary) != counts.shape[1]:
        raise InputError(
            f"the vocabulary has {len(vocabulary)} words but the matrix has {counts.shape[1]} columns: "
            "give one word per column."
        )
    repeated = len(vocabulary) - len(set(vocabulary))
    if repeated:
        raise InputError(
            f"the vocabulary names {repeated} words twice: every column needs a word of its own."
        )
    counts.sum_duplicates()
    counts.eliminate_zeros()
    return Counts(counts, [str(word) for word in vocabulary])


def canonical_order(counts: sp.csr_array) -> NDArray[np.intp]:
    """Give an order of the documents that depends on what they say alone.

    Fitting in this order makes every later step (neighbours with equal similarity, sums of floating
    point numbers, random starts) independent of the order in which the documents came.

    Examples
    --------
    >>> a = sp.csr_array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])
    >>> shuffled = a[[2, 0, 1]]
    >>> (a[canonical_order(a)] != shuffled[canonical_order(shuffled)]).nnz
    0
    """
    fingerprint = counts @ np.random.default_rng(0).random(counts.shape[1])
    return np.argsort(fingerprint, kind="stable")


def _counted(columns: array[int], row_ends: array[int], n_words: int) -> sp.csr_array:
    ones = np.ones(len(columns), dtype=np.float32)
    matrix = sp.csr_array(
        (
            ones,
            np.frombuffer(columns, dtype=np.int32) if columns else np.empty(0, np.int32),
            np.array(row_ends),
        ),
        shape=(len(row_ends) - 1, n_words),
    )
    matrix.sum_duplicates()
    return matrix
