"""Words and their numbers: 0, 1, 2, ... in the order in which they were added."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from seedtopic.text.counting.compiled import c_counter_is_built
from seedtopic.text.counting.tally import numbering

UNKNOWN = -1


class Numbers(Protocol):
    """A numbering of words."""

    def add(self, words: list[str]) -> NDArray[np.int32]:
        """Return the numbers of words; new ones get the next numbers."""
        ...

    def find(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Return the numbers of words, `UNKNOWN` for new ones."""
        ...

    def words(self) -> list[str]:
        """Return all words in the order of their numbers."""
        ...


class PlainNumbers:
    """Numbers in a dictionary."""

    def __init__(self) -> None:
        self._number = numbering()

    def add(self, words: list[str]) -> NDArray[np.int32]:
        return np.fromiter(map(self._number.__getitem__, words), np.int32, len(words))

    def find(self, words: Iterable[str]) -> NDArray[np.int32]:
        return np.array([self._number.get(word, UNKNOWN) for word in words], np.int32)

    def words(self) -> list[str]:
        return list(self._number)


class CompiledNumbers:
    """Numbers in a table of the C extension, which takes a third of the time and of the memory."""

    def __init__(self) -> None:
        from seedtopic.text.counting import _words

        self._words, self._table = _words, _words.new_numbers()

    def add(self, words: list[str]) -> NDArray[np.int32]:
        return np.frombuffer(self._words.number_words(self._table, words, True), np.int32)

    def find(self, words: Iterable[str]) -> NDArray[np.int32]:
        return np.frombuffer(self._words.number_words(self._table, list(words), False), np.int32)

    def words(self) -> list[str]:
        return self._words.numbered_words(self._table)


def new_numbers() -> Numbers:
    """Return the faster numbering that there is."""
    return CompiledNumbers() if c_counter_is_built() else PlainNumbers()
