"""From runs to one CSR matrix: merge the vocabularies, then place every piece."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.text.counting.compiled import Buffers, c_counter_is_built
from seedtopic.text.counting.runs import Entry, Piece, Run
from seedtopic.text.counting.scratch import empty_array

Columns = NDArray[np.int32]

LEFT_OUT, STOPPED = -1, -2  # in the place of a column: of words that are not counted, and of stop words


class Vocabulary:
    """The kept words of several runs, and the columns of each run's words."""

    def __init__(
        self, runs: Sequence[Run], least: int, stop_words: Collection[str], keep: Collection[str]
    ) -> None:
        self.words: list[str] = []
        self.columns: list[Columns] = [np.full(run.n_words, LEFT_OUT, np.int32) for run in runs]
        self.n_entries = 0
        # A word that is rare in one run may be frequent overall: only a single run can drop it at once.
        alone = least if len(runs) == 1 else 1
        named = {*keep, *stop_words}  # told apart from rare words, however rare they are
        for together in _merged([run.entries(alone, named) for run in runs]):
            word = together[0][0].word
            frequency = sum(entry.document_frequency for entry, _ in together)
            if word in keep or (frequency >= least and word not in stop_words):
                for entry, index in together:
                    self.columns[index][entry.number] = len(self.words)
                self.words.append(word)
                self.n_entries += frequency
            elif word in stop_words:
                for entry, index in together:
                    self.columns[index][entry.number] = STOPPED


def _merged(runs: Sequence[Iterable[Entry]]) -> Iterator[list[tuple[Entry, int]]]:
    """Yield the entries of each word, with their runs, in alphabetical order."""
    if len(runs) == 1:
        return ([(entry, 0)] for entry in runs[0])
    entries = heapq.merge(*(_of_run(index, run) for index, run in enumerate(runs)))
    return (list(found) for _, found in groupby(entries, key=lambda entry: entry[0].word))


def _of_run(index: int, entries: Iterable[Entry]) -> Iterator[tuple[Entry, int]]:
    return ((entry, index) for entry in entries)


class Rows(NamedTuple):
    """Rows of a CSR matrix, and how many tokens of each document are left out, beside stop words."""

    ends: Columns
    columns: Columns
    counts: NDArray[np.float32]
    left_out: NDArray[np.float32]

    @classmethod
    def of_buffers(cls, buffers: Buffers) -> Rows:
        """Take what the C extension gives."""
        ends, columns, counts, left_out = buffers
        return cls(
            np.frombuffer(ends, np.int32),
            np.frombuffer(columns, np.int32),
            np.frombuffer(counts, np.float32),
            np.frombuffer(left_out, np.float32),
        )

    def matrix(self, n_columns: int) -> sp.csr_array:
        """Return the rows as a matrix."""
        shape = (len(self.left_out), n_columns)
        matrix = sp.csr_array((self.counts, self.columns, self.ends), shape=shape)
        matrix.has_sorted_indices = True
        return matrix


def placed(piece: Piece, column_of: Columns, n_columns: int) -> Rows:
    """Return the rows of a piece, made in C where that was built; see `place` and `left_out`."""
    if c_counter_is_built():
        from seedtopic.text.counting import _words

        return Rows.of_buffers(_words.place_rows(*piece, column_of))
    rows = place(piece, column_of, n_columns)
    return Rows(rows.indptr, rows.indices, rows.data, left_out(piece, column_of))


def place(piece: Piece, column_of: Columns, n_columns: int) -> sp.csr_array:
    """Return the rows of a piece: its words in their columns, in order, without words that have no column."""
    columns = column_of[piece.numbers]
    kept = columns >= 0
    ends = _running_sum(kept)[_running_sum(piece.lengths)]
    shape = (len(piece.lengths), n_columns)
    rows = sp.csr_array((piece.counts[kept].astype(np.float32), columns[kept], ends), shape=shape)
    rows.sort_indices()
    return rows


def left_out(piece: Piece, column_of: Columns) -> NDArray[np.float32]:
    """Return how many tokens of each document are left out, beside stop words."""
    n_documents = len(piece.lengths)
    missing = piece.counts * (column_of[piece.numbers] == LEFT_OUT)
    return np.bincount(np.repeat(np.arange(n_documents), piece.lengths), missing, n_documents).astype(
        np.float32
    )


def _running_sum(values: NDArray[np.integer | np.bool_]) -> Columns:
    """Return the sum of the values before each value, and the total."""
    sums = np.zeros(len(values) + 1, np.int32)
    np.cumsum(values, out=sums[1:])
    return sums


def assemble(
    runs: Sequence[Run], vocabulary: Vocabulary, limit: int | None
) -> tuple[sp.csr_array, NDArray[np.float32]]:
    """Return the matrix of all runs, and how many tokens of each document are left out."""
    n_documents = sum(run.n_documents for run in runs)
    n_entries, n_words = vocabulary.n_entries, len(vocabulary.words)
    index = np.int32 if n_entries <= np.iinfo(np.int32).max else np.int64
    on_disk = limit is not None and n_entries * (np.dtype(index).itemsize + 4) > limit
    ends = np.zeros(n_documents + 1, index)
    columns = empty_array(n_entries, index, on_disk=on_disk)
    counts = empty_array(n_entries, np.float32, on_disk=on_disk)
    rest = np.zeros(n_documents, np.float32)
    document = filled = 0
    for run, column_of in zip(runs, vocabulary.columns, strict=True):
        for piece in run.pieces():
            rows = placed(piece, column_of, n_words)
            next_document, next_entry = document + len(rows.left_out), filled + len(rows.columns)
            ends[document + 1 : next_document + 1] = rows.ends[1:] + index(filled)
            columns[filled:next_entry] = rows.columns
            counts[filled:next_entry] = rows.counts
            rest[document:next_document] = rows.left_out
            document, filled = next_document, next_entry
    return sp.csr_array((counts, columns, ends), shape=(n_documents, n_words)), rest
