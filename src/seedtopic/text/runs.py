"""From tallies to a matrix in bounded memory: runs in memory while they fit, then in temporary files.

A run numbers its own words. Written with its words sorted, it can be merged with others word by word, so
that only one run and the vocabulary are in memory at a time. No word is hashed or dropped by a guess: the
result is exact.
"""

from __future__ import annotations

import heapq
import os
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import accumulate, compress, groupby, pairwise, repeat
from typing import IO, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from seedtopic.base.errors import InputError
from seedtopic.text.tally import Buffers, Tally, c_counter_is_built, numbering


def scratch_file() -> IO[bytes]:
    """Open a file that is deleted when it is closed."""
    with explained_disk_errors():
        return tempfile.TemporaryFile(prefix="seedtopic-")


def empty_array(size: int, dtype: DTypeLike, *, on_disk: bool) -> NDArray[Any]:
    """Return a one-dimensional array in memory, or in a temporary file that is mapped into memory."""
    if not on_disk or not size:
        return np.empty(size, dtype)
    with explained_disk_errors(), scratch_file() as file:
        if hasattr(os, "posix_fallocate"):  # otherwise a full disk would kill the process at the first write
            os.posix_fallocate(file.fileno(), 0, size * np.dtype(dtype).itemsize)
        return np.memmap(file, dtype, "r+", shape=(size,))


def is_mapped(array: NDArray[Any]) -> bool:
    """Return whether an array, or the array it is a view of, is in a file."""
    owner: Any = array
    while owner is not None and not isinstance(owner, np.memmap):
        owner = getattr(owner, "base", None)
    return owner is not None


@contextmanager
def explained_disk_errors() -> Iterator[None]:
    """Turn an error of a temporary file into one that names its folder and how to choose another."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"temporary files cannot be written to {tempfile.gettempdir()} ({error.strerror or error}): "
            "set TMPDIR to a folder with more space, or allow more memory."
        ) from error


UNKNOWN = -1
LEFT_OUT, STOPPED = -1, -2  # in the place of a column: of words that are not counted, and of stop words
_ENTRY = 300  # bytes a word needs besides its letters: in the dictionary, and in the sorted list
_BATCH = 4096  # words of a run on disk that are in memory at a time
# A text may contain an unpaired surrogate, which is not a character, but must be counted as well.
_ENCODING = ("utf-8", "surrogatepass")

Columns = NDArray[np.int32]


class PlainNumbers:
    """Words with numbers, in a dictionary."""

    def __init__(self) -> None:
        self._number = numbering()

    def add(self, words: list[str]) -> NDArray[np.int32]:
        """Return the numbers of words; new ones get the next numbers."""
        return np.fromiter(map(self._number.__getitem__, words), np.int32, len(words))

    def find(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Return the numbers of words, `UNKNOWN` for new ones."""
        return np.array([self._number.get(word, UNKNOWN) for word in words], np.int32)

    def words(self) -> list[str]:
        """Return all words in the order of their numbers."""
        return list(self._number)


class CompiledNumbers:
    """The same in a table of the C extension, which takes a third of the time and of the memory."""

    def __init__(self) -> None:
        from seedtopic.text import _words

        self._words, self._table = _words, _words.new_numbers()

    def add(self, words: list[str]) -> NDArray[np.int32]:
        return np.frombuffer(self._words.number_words(self._table, words, True), np.int32)

    def find(self, words: Iterable[str]) -> NDArray[np.int32]:
        return np.frombuffer(self._words.number_words(self._table, list(words), False), np.int32)

    def words(self) -> list[str]:
        return self._words.numbered_words(self._table)


def new_numbers() -> PlainNumbers | CompiledNumbers:
    """Return the faster numbering that there is."""
    return CompiledNumbers() if c_counter_is_built() else PlainNumbers()


class Piece(NamedTuple):
    """Counts of some documents in compact arrays."""

    lengths: NDArray[np.int32]  # the number of different words of each document
    numbers: NDArray[np.int32]  # the numbers of these words
    counts: NDArray[np.unsignedinteger]

    @classmethod
    def of(cls, tally: Tally, number: NDArray[np.int32]) -> Piece:
        """Pack a tally, with new numbers for its words."""
        counts = np.array(tally.counts, np.uint32)
        smallest = np.min_scalar_type(counts.max(initial=0))
        columns = np.array(tally.columns, np.int32)
        return cls(np.array(tally.lengths, np.int32), number[columns], counts.astype(smallest))


NOTHING = Piece(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.uint8))


class Entry(NamedTuple):
    """A word of a run, its number of documents, and its number in the run."""

    word: str
    document_frequency: int
    number: int


class OpenRun:
    """Pieces that share a numbering of words, in memory; tallies can be added."""

    def __init__(self) -> None:
        self._numbers = new_numbers()
        self._frequency = np.zeros(0, np.int64)  # may be longer than there are words
        self._pieces: list[Piece] = []
        self.n_documents = self.n_words = self.n_bytes = 0

    def add(self, tally: Tally) -> None:
        number = self._numbers.add(tally.words)
        piece = Piece.of(tally, number)
        self._pieces.append(piece)
        self.n_documents += len(piece.lengths)
        letters = sum(map(len, compress(tally.words, (number >= self.n_words).tolist())))
        n_words = max(self.n_words, int(number.max(initial=-1)) + 1)
        self.n_bytes += letters + _ENTRY * (n_words - self.n_words) + sum(column.nbytes for column in piece)
        self.n_words = n_words
        if n_words > len(self._frequency):
            self._frequency = np.pad(self._frequency, (0, 2 * n_words - len(self._frequency)))
        self._frequency[number] += np.bincount(np.array(tally.columns, np.int32), minlength=len(number))

    def entries(self, least: int = 1, keep: Collection[str] = ()) -> list[Entry]:
        """Return the words in at least `least` documents, and those to keep, in alphabetical order."""
        words, frequency = self._numbers.words(), self._frequency[: self.n_words]
        chosen = frequency >= least
        known = self._numbers.find(keep)
        chosen[known[known >= 0]] = True
        numbers = np.flatnonzero(chosen).tolist()
        return sorted(map(Entry, map(words.__getitem__, numbers), frequency[chosen].tolist(), numbers))

    def pieces(self) -> list[Piece]:
        """Return the counts in the order of the documents."""
        return self._pieces


class WrittenRun:
    """The same in a temporary file."""

    def __init__(self, run: OpenRun, files: ExitStack) -> None:
        self.n_words, self.n_documents = run.n_words, run.n_documents
        self._n_pieces = len(run.pieces())
        self._file = files.enter_context(scratch_file())
        with explained_disk_errors():
            entries = run.entries()
            for start in range(0, len(entries), _BATCH):
                words, frequencies, numbers = zip(*entries[start : start + _BATCH], strict=True)
                letters = np.frombuffer("".join(words).encode(*_ENCODING), np.uint8)
                self._save(letters, np.array(list(map(len, words))), np.array(frequencies), np.array(numbers))
            self._pieces_at = self._file.tell()
            for piece in run.pieces():
                self._save(*piece)
            self._file.flush()

    def _save(self, *columns: NDArray[np.integer]) -> None:
        for column in columns:
            np.save(self._file, column, allow_pickle=False)

    def _load(self, n_columns: int) -> Iterator[NDArray[Any]]:
        return (np.load(self._file, allow_pickle=False) for _ in range(n_columns))

    def entries(self, least: int = 1, keep: Collection[str] = ()) -> Iterator[Entry]:
        self._file.seek(0)
        for _ in range(0, self.n_words, _BATCH):
            letters, *columns = self._load(4)
            lengths, frequencies, numbers = (column.tolist() for column in columns)
            text = letters.tobytes().decode(*_ENCODING)
            words = (text[start:end] for start, end in pairwise(accumulate(lengths, initial=0)))
            entries = map(Entry, words, frequencies, numbers)
            yield from (e for e in entries if e.document_frequency >= least or e.word in keep)

    def pieces(self) -> Iterator[Piece]:
        self._file.seek(self._pieces_at)
        for _ in range(self._n_pieces):
            yield Piece(*self._load(len(Piece._fields)))


Run = OpenRun | WrittenRun


def gather(tallies: Iterable[Tally], limit: int | None, files: ExitStack) -> list[Run]:
    """Gather tallies into runs of about `limit` bytes, all but the last in `files`."""
    runs: list[Run] = []
    run = OpenRun()
    for tally in tallies:
        run.add(tally)
        if limit is not None and run.n_bytes > limit:
            runs.append(WrittenRun(run, files))
            run = OpenRun()
    return [*runs, run] if run.n_documents or not runs else runs


class Vocabulary:
    """The words that are counted in several runs, and the columns of each run's words."""

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
    entries = heapq.merge(*(zip(run, repeat(index), strict=False) for index, run in enumerate(runs)))
    return (list(together) for _, together in groupby(entries, key=lambda entry: entry[0].word))


class Rows(NamedTuple):
    """Rows of a CSR matrix, and how many tokens of each document are left out, beside stop words."""

    ends: Columns
    columns: Columns
    counts: NDArray[np.float32]
    left_out: NDArray[np.float32]

    @classmethod
    def of_buffers(cls, buffers: Buffers) -> Rows:
        """Take what the C extension gives."""
        return cls._make(map(np.frombuffer, buffers, (np.int32, np.int32, np.float32, np.float32)))

    def matrix(self, n_columns: int) -> sp.csr_array:
        """Return the rows as a matrix."""
        shape = (len(self.left_out), n_columns)
        matrix = sp.csr_array((self.counts, self.columns, self.ends), shape=shape)
        matrix.has_sorted_indices = True
        return matrix


def placed(piece: Piece, column_of: Columns, n_columns: int) -> Rows:
    """Return the rows of a piece, made in C where that was built; see `place` and `left_out`."""
    if c_counter_is_built():
        from seedtopic.text import _words

        return Rows.of_buffers(_words.place_rows(*piece, column_of))
    rows = place(piece, column_of, n_columns)
    return Rows(rows.indptr, rows.indices, rows.data, left_out(piece, column_of))


def place(piece: Piece, column_of: Columns, n_columns: int) -> sp.csr_array:
    """Return the rows of a piece: its words in their columns, in order, without words that have no column."""
    columns = column_of[piece.numbers]
    has_column = columns >= 0
    ends = _running_sum(has_column)[_running_sum(piece.lengths)]
    entries = (piece.counts[has_column].astype(np.float32), columns[has_column], ends)
    rows = sp.csr_array(entries, shape=(len(piece.lengths), n_columns))
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
    return np.cumsum(np.pad(values, (1, 0)), dtype=np.int32)


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
