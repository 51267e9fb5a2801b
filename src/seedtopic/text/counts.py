"""Word counts of a collection: a CSR matrix, the word of each column, and what is read off them alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory, parse_memory
from seedtopic.base.wording import number_of
from seedtopic.text.runs import (
    LEFT_OUT,
    NOTHING,
    STOPPED,
    Piece,
    Rows,
    Vocabulary,
    assemble,
    empty_array,
    gather,
    is_mapped,
    place,
    placed,
)
from seedtopic.text.tally import (
    Partitions,
    Tally,
    c_counter_is_built,
    chunked,
    count_known_texts,
    in_threads,
    known_words,
    tally,
    tally_texts,
)
from seedtopic.text.tokens import Tokens

if TYPE_CHECKING:
    from seedtopic.text._words import Known


MinDf = int | Literal["auto"]
ROWS_AT_A_TIME = 10_000  # rows in memory while a mapped matrix is reordered
MOST_IN_ONE_BLOCK = 100_000  # documents
BLOCK_DOCUMENTS = 50_000  # of each of several blocks: in smaller ones, documents miss too many neighbours


@dataclass(frozen=True)
class Counts:
    """Word counts of a collection."""

    matrix: sp.csr_array  # (n_documents, n_words), n_dv, with sorted indices and no stored zeros
    vocabulary: list[str]  # the word of each column
    left_out: NDArray[np.float32] | None = None  # (n_documents,), tokens without a column, beside stop words

    def in_columns(self, vocabulary: Sequence[str]) -> sp.csr_array:
        """Return the same counts in the columns of another vocabulary; words it does not have are dropped."""
        known = vocabulary if isinstance(vocabulary, KnownWords) else KnownWords(vocabulary)
        columns = np.array([known.columns.get(word, -1) for word in self.vocabulary], np.int32)
        piece = Piece(np.diff(self.matrix.indptr), self.matrix.indices, self.matrix.data)
        return place(piece, columns, len(known))


class KnownWords(list[str]):
    """The words of a fitted model, one per column; the index of columns is built once."""

    _prepared: tuple[frozenset[str], Known | None] | None = None

    @cached_property
    def columns(self) -> dict[str, int]:
        """The column of each word."""
        return {word: column for column, word in enumerate(self)}

    def prepared(self, stop_words: Collection[str]) -> Known | None:
        """Return the words for the C extension, with these stop words; None where it is missing."""
        requested, last = frozenset(stop_words), self._prepared  # the same object if it is one
        if last is None or (last[0] is not requested and last[0] != requested):
            last = self._prepared = (requested, known_words(self, requested))
        return last[1]

    def __reduce__(self) -> tuple[type[KnownWords], tuple[list[str]]]:
        return KnownWords, (list(self),)  # without what can be prepared again


NO_COUNTS = Counts(sp.csr_array(np.empty((0, 0), np.float32)), [])


def resolve_min_df(min_df: MinDf, n_documents: int) -> int:
    """Turn ``"auto"`` into a number: 5 as in the literature, fewer if there are few documents."""
    if min_df == "auto":
        return max(5, n_documents // 100_000) if n_documents >= 5000 else 2 if n_documents >= 200 else 1
    if isinstance(min_df, bool) or not isinstance(min_df, int | np.integer) or min_df < 1:
        raise InputError(f"min_df is {min_df!r}: give a whole number of documents, 1 or more, or 'auto'.")
    return int(min_df)


def count_words(
    tokens: Iterable[Sequence[str]],
    *,
    min_df: MinDf = "auto",
    stop_words: Collection[str] = frozenset(),
    keep: Collection[str] = frozenset(),
    n_workers: int = 1,
    max_memory: MaxMemory = None,
) -> Counts:
    """Count the words of a collection and choose its vocabulary."""
    limit = parse_memory(max_memory)
    half = None if limit is None else limit // 2  # for the runs; the other half for the matrix
    with ExitStack() as open_until_assembled:
        tallies = open_until_assembled.enter_context(closing(_tallies(tokens, n_workers)))
        runs = gather(tallies, half, open_until_assembled)
        least = resolve_min_df(min_df, sum(run.n_documents for run in runs))
        vocabulary = Vocabulary(runs, least, stop_words, keep)
        matrix, left_out = assemble(runs, vocabulary, half)
        return Counts(matrix, vocabulary.words, left_out)


def count_known(
    tokens: Iterable[Sequence[str]],
    vocabulary: Sequence[str],
    *,
    stop_words: Collection[str] = frozenset(),
    n_workers: int = 1,
) -> Counts:
    """Count the words of new documents that are in a fitted vocabulary."""
    known = vocabulary if isinstance(vocabulary, KnownWords) else KnownWords(vocabulary)
    parts, rest = [], []
    with closing(_known_rows(tokens, known, stop_words, n_workers)) as chunks:
        for rows in chunks:
            parts.append(rows.matrix(len(known)))
            rest.append(rows.left_out)
    if len(parts) == 1:  # a request to a server, where joining would take as long as counting
        return Counts(parts[0], known, rest[0])
    nothing = place(NOTHING, np.empty(0, np.int32), len(known))
    joined = sp.csr_array(sp.vstack([nothing, *parts], format="csr"))
    return Counts(joined, known, np.concatenate([np.empty(0, np.float32), *rest]))


def _known_rows(
    tokens: Iterable[Sequence[str]], known: KnownWords, stop_words: Collection[str], n_workers: int
) -> Generator[Rows]:
    """Yield rows of known words, chunk by chunk."""
    # The built-in tokenizer reads texts that are here, not on a cluster.
    if (
        isinstance(tokens, Tokens)
        and tokens.tokenizer is None
        and not isinstance(tokens.documents, Partitions)
        and (table := known.prepared(stop_words)) is not None
    ):
        count = partial(count_known_texts, known=table, phrases=tokens.phrases)
        with closing(in_threads(count, chunked(tokens.texts()), n_workers)) as chunks:
            yield from map(Rows.of_buffers, chunks)
        return
    with closing(_tallies(tokens, n_workers)) as tallies:
        for tally in tallies:
            yield known_rows(tally, known, stop_words)


def known_rows(tally: Tally, known: KnownWords, stop_words: Collection[str]) -> Rows:
    """Return the rows of tallied documents in the columns of known words."""
    column_of = known.columns
    columns = [column_of.get(word, STOPPED if word in stop_words else LEFT_OUT) for word in tally.words]
    piece = Piece.of(tally, np.arange(len(columns), dtype=np.int32))
    return placed(piece, np.array(columns, np.int32), len(known))


def checked_counts(matrix: Any, vocabulary: Sequence[str] | None) -> Counts:
    """Check a user's matrix of counts, and name its columns."""
    counts: sp.csr_array = sp.csr_array(matrix, dtype=np.float32, copy=True)
    if not np.isfinite(counts.data).all():
        raise InputError(
            "the counts contain NaN or infinity: every entry must be a number of occurrences, 0 or more."
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
            f"the vocabulary has {number_of(len(vocabulary), 'word')} but the matrix has "
            f"{number_of(counts.shape[1], 'column')}: "
            "give one word per column."
        )
    if repeated := len(vocabulary) - len(set(vocabulary)):
        raise InputError(
            f"the vocabulary names {number_of(repeated, 'word')} twice: every column needs a different one."
        )
    counts.sum_duplicates()
    counts.eliminate_zeros()
    return Counts(counts, [str(word) for word in vocabulary])


def fingerprints(counts: sp.csr_array) -> NDArray[np.float64]:
    """Return a number for each document that depends on its content alone."""
    return np.asarray(counts @ np.random.default_rng(0).random(counts.shape[1]))


def in_order(matrix: sp.csr_array, order: NDArray[np.intp]) -> sp.csr_array:
    """Return the rows of a matrix in another order; if the matrix is mapped from a file, so is the result."""
    if not is_mapped(matrix.data):
        return matrix[order]
    indptr = np.concatenate(([0], np.cumsum(np.diff(matrix.indptr)[order]))).astype(matrix.indptr.dtype)
    data = empty_array(matrix.nnz, matrix.data.dtype, on_disk=True)
    indices = empty_array(matrix.nnz, matrix.indices.dtype, on_disk=True)
    for start in range(0, len(order), ROWS_AT_A_TIME):
        rows = matrix[order[start : start + ROWS_AT_A_TIME]]
        place = slice(indptr[start], indptr[start] + rows.nnz)
        data[place], indices[place] = rows.data, rows.indices
    return sp.csr_array((data, indices, indptr), shape=matrix.shape)


def _tallies(tokens: Iterable[Sequence[str]], n_workers: int) -> Generator[Tally]:
    """Tally documents in chunks, in other threads or processes if the built-in tokenizer is used."""
    if not isinstance(tokens, Tokens):
        yield from (tally(chunk, Counter) for chunk in chunked(tokens))
    elif tokens.tokenizer is not None:  # a custom tokenizer stays in this process
        yield from (tally(chunk, tokens.counts) for chunk in chunked(tokens.texts()))
    elif isinstance(tokens.documents, Partitions):
        yield from tokens.documents.tallies(tokens.phrases)
    else:
        count, n_threads = partial(tally_texts, phrases=tokens.phrases), n_workers
        if not c_counter_is_built():  # threads are no faster where words are counted in Python
            n_threads = 1
        with closing(in_threads(count, chunked(tokens.texts()), n_threads)) as chunks:
            yield from chunks


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


def n_blocks_for(n_documents: int) -> int:
    """Return the number of blocks, which no partition of the input and no worker changes."""
    return 1 if n_documents <= MOST_IN_ONE_BLOCK else -(-n_documents // BLOCK_DOCUMENTS)


def lots(fingerprint: NDArray[np.float64], n_lots: int) -> NDArray[np.intp]:
    """Return a number below `n_lots` to each document, as good as drawn; equal documents have the same."""
    mixed = np.ascontiguousarray(fingerprint).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(32)) % np.uint64(n_lots)).astype(np.intp)
