"""Words counted in C; see `seedtopic.text.tally`, the only caller."""

from collections.abc import Callable, Iterable
from typing import NewType

import numpy as np
from numpy.typing import NDArray

Known = NewType("Known", object)
Numbers = NewType("Numbers", object)

def tally(
    texts: Iterable[str],
    sequences: dict[str, list[str]],
    count: Callable[[str], dict[str, int]],
    normalize: Callable[[str], str],
    describe_block: Callable[[int], bytes],
    /,
) -> tuple[list[str], bytearray, bytearray, bytearray]: ...
def known_words(words: Iterable[str], stop_words: Iterable[str], /) -> Known: ...
def count_known(
    known: Known,
    texts: Iterable[str],
    sequences: dict[str, list[str]],
    count: Callable[[str], dict[str, int]],
    normalize: Callable[[str], str],
    describe_block: Callable[[int], bytes],
    /,
) -> tuple[bytearray, bytearray, bytearray, bytearray]: ...
def new_numbers() -> Numbers: ...
def number_words(numbers: Numbers, words: list[str], adding: bool, /) -> bytearray: ...
def numbered_words(numbers: Numbers, /) -> list[str]: ...
def place_rows(
    lengths: NDArray[np.int32],
    numbers: NDArray[np.int32],
    counts: NDArray[np.unsignedinteger],
    column_of: NDArray[np.int32],
    /,
) -> tuple[bytearray, bytearray, bytearray, bytearray]: ...
