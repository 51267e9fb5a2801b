"""Tallies gathered into runs: in memory while they fit, then in temporary files.

A run numbers its own words. Written with its words sorted, it can be merged with others word by word, so
that only one run and the kept vocabulary are in memory at a time. No word is hashed or dropped by a guess:
the result is exact.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from itertools import accumulate, compress, pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from seedtopic.text.counting.numbers import new_numbers
from seedtopic.text.counting.scratch import explained_disk_errors, scratch_file
from seedtopic.text.counting.tally import Tally

_ENTRY = 300  # bytes a word needs besides its letters: in the dictionary, and in the sorted list
_BATCH = 4096  # words of a run on disk that are in memory at a time
# A text may contain an unpaired surrogate, which is not a character, but must be counted as well.
_ENCODING = ("utf-8", "surrogatepass")


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


class Run(Protocol):
    """Pieces that share a numbering of words."""

    n_words: int
    n_documents: int

    def entries(self, least: int = 1, keep: Collection[str] = ()) -> Iterable[Entry]:
        """Return the words in at least `least` documents, and those to keep, in alphabetical order."""
        ...

    def pieces(self) -> Iterable[Piece]:
        """Return the counts in the order of the documents."""
        ...


class OpenRun:
    """A run in memory, to which tallies can be added.

    Examples
    --------
    >>> from seedtopic.text.counting.tally import tally
    >>> from seedtopic.text.tokens import word_counts
    >>> run = OpenRun()
    >>> run.add(tally(["rose is a rose"], word_counts))
    >>> run.add(tally(["it is"], word_counts))
    >>> [tuple(entry) for entry in run.entries()]
    [('is', 2, 1), ('it', 1, 2), ('rose', 1, 0)]
    """

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
        self._note_words(tally.words, number)
        self._frequency[number] += np.bincount(np.array(tally.columns, np.int32), minlength=len(number))
        self.n_bytes += sum(column.nbytes for column in piece)

    def _note_words(self, words: list[str], number: NDArray[np.int32]) -> None:
        letters = sum(map(len, compress(words, (number >= self.n_words).tolist())))
        n_words = max(self.n_words, int(number.max(initial=-1)) + 1)
        self.n_bytes += letters + _ENTRY * (n_words - self.n_words)
        self.n_words = n_words
        if self.n_words > len(self._frequency):
            self._frequency = np.pad(self._frequency, (0, 2 * self.n_words - len(self._frequency)))

    def entries(self, least: int = 1, keep: Collection[str] = ()) -> list[Entry]:
        words, frequency = self._numbers.words(), self._frequency[: self.n_words]
        chosen = frequency >= least
        kept = self._numbers.find(keep)
        chosen[kept[kept >= 0]] = True
        numbers = np.flatnonzero(chosen).tolist()
        return sorted(map(Entry, map(words.__getitem__, numbers), frequency[chosen].tolist(), numbers))

    def pieces(self) -> list[Piece]:
        return self._pieces


class WrittenRun:
    """A run in a temporary file."""

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

    def _load(self, n_columns: int) -> Iterator[NDArray[np.integer]]:
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
