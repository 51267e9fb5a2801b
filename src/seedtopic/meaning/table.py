"""A table of word vectors, and the English one that is shipped with the package."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Zipf's law as Mandelbrot mended it: the r-th word of a language has a share in proportion to 1 / (r + 2.7).
_MANDELBROT = 2.7
_ROWS = 4096  # whose lengths are computed at a time


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and a direction for each: words of like meaning point to like directions.

    Parameters
    ----------
    name : str
        Which table it is, for a person.
    words : sequence of str
        The word of each row. Of two equal words the first counts.
    numbers : array of shape (n_words, n_dims)
        Whole or real numbers, memory-mapped or not. The length of a row does not matter.
    checksum : str
        What `checksum_of` gives for words and numbers: tables with the same checksum are the same.
    by_frequency : bool
        Whether the words are in the order of how frequent they are, the most frequent first.

    Examples
    --------
    >>> table = english()
    >>> table.n_dims, "hockey" in table, "hokcey" in table
    (228, True, False)
    >>> vectors, known = table.vectors(["hockey", "baseball", "bank", "hokcey"])
    >>> known.tolist()
    [True, True, True, False]
    >>> bool(vectors[0] @ vectors[1] > vectors[0] @ vectors[2])
    True
    """

    name: str
    words: Sequence[str]
    numbers: NDArray[Any]
    checksum: str
    by_frequency: bool = False

    @property
    def n_dims(self) -> int:
        """Length of a vector."""
        return int(self.numbers.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.rows

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each word; a word in lower case has that of its first spelling if it has none itself."""
        rows = {word: row for row, word in reversed(list(enumerate(self.words)))}
        for row, word in enumerate(self.words):
            rows.setdefault(word.lower(), row)  # ibm, where the table has IBM alone
        return rows

    def vectors(self, vocabulary: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Look up words.

        Parameters
        ----------
        vocabulary : sequence of str

        Returns
        -------
        vectors : array of shape (n_words, n_dims)
            Of length 1, so that a product is a cosine; zeros for a word that is not in the table.
        known : array of shape (n_words,)
            Whether the table has the word.
        """
        found = self.found(vocabulary)
        return self.vectors_at(found), found >= 0

    def vectors_at(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Give the vectors of rows that `found` gave."""
        if not len(self):
            return np.zeros((len(rows), self.n_dims), np.float32)
        known = np.maximum(rows, 0)
        vectors = np.asarray(self.numbers[known], np.float32)
        vectors /= self._lengths[known][:, None]
        vectors[rows < 0] = 0.0
        return vectors

    @cached_property
    def _lengths(self) -> NDArray[np.float32]:
        lengths = np.ones(len(self), np.float32)
        for first in range(0, len(self), _ROWS):
            part = np.asarray(self.numbers[first : first + _ROWS], np.float32)
            norms = np.linalg.norm(part, axis=1)
            lengths[first : first + _ROWS] = np.where(norms > 0, norms, 1)
        return lengths

    def frequencies(self, vocabulary: Sequence[str]) -> NDArray[np.float64]:
        """Estimate which share of all running words each word is, from its place in the table.

        Returns
        -------
        array of shape (n_words,)
            Zeros for words that are not in the table, or where it is not in the order of frequency.

        Examples
        --------
        >>> english().frequencies(["the", "hockey", "hokcey"]).round(6).tolist()
        [0.027999, 4.7e-05, 0.0]
        """
        return self.frequencies_at(self.found(vocabulary))

    def frequencies_at(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Give what `frequencies` does for rows that `found` gave."""
        if not self.by_frequency:
            return np.zeros(len(rows))
        return np.where(rows >= 0, 1 / (np.maximum(rows, 0) + 1 + _MANDELBROT) / self._total, 0.0)

    @cached_property
    def _total(self) -> float:
        return float((1 / (np.arange(len(self)) + 1 + _MANDELBROT)).sum())

    def __reduce__(self) -> tuple[Any, ...]:
        """Let copies and pickles name the shipped table, which every installation has."""
        if self.checksum == english().checksum:
            return english, ()
        return WordVectors, (self.name, self.words, self.numbers, self.checksum, self.by_frequency)

    def __deepcopy__(self, memo: object) -> WordVectors:
        """Give the table itself: it does not change, and may be large."""
        return self

    def found(self, vocabulary: Sequence[str]) -> NDArray[np.intp]:
        """Give the row of each word, -1 where the table does not have it."""
        return np.fromiter((self.rows.get(word, -1) for word in vocabulary), np.intp, len(vocabulary))


@cache
def english() -> WordVectors:
    """Give the table of English words that is shipped with the package.

    Its words are in lower case, the most frequent first. The numbers stay on disk until they are looked up.
    NOTICE.md beside it says where it comes from.

    Examples
    --------
    >>> len(english()) > 40_000
    True
    """
    folder = Path(__file__).parent
    about = json.loads((folder / "english.json").read_text(encoding="utf-8"))
    return WordVectors(
        name=about["name"],
        words=(folder / "english.txt").read_text(encoding="utf-8").splitlines(),
        numbers=np.load(folder / "english.npy", mmap_mode="r", allow_pickle=False),
        checksum=about["checksum"],
        by_frequency=True,
    )


def checksum_of(words: Iterable[str], numbers: NDArray[Any]) -> str:
    """Give the SHA-256 of words and numbers, whatever file they came from.

    Examples
    --------
    >>> numbers = np.array([[1.0, 2.0]], np.float32)
    >>> checksum_of(["gold"], numbers) == checksum_of(["gold"], numbers) != checksum_of(["ship"], numbers)
    True
    """
    digest = hashlib.sha256("\n".join(words).encode("utf-8", "surrogatepass"))
    digest.update(f"{numbers.dtype.str} {numbers.shape}".encode())
    digest.update(np.ascontiguousarray(numbers).data)
    return digest.hexdigest()
