"""From some documents to a tally: their words and how often each occurs, in C where it was built, or Python.

The C code asks Python what becomes of a character, a block of characters at a time, and gives back to Python
the few texts in which that depends on the neighbours of a character.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from seedtopic.base.progress import Progress, silent
from seedtopic.text.phrases import Phrases
from seedtopic.text.tokens import checked_texts, is_unspaced, normalize, word_counts

try:
    from seedtopic.text import _words
except ImportError:  # installed without a compiler
    _words = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from seedtopic.text._words import Known

Document = TypeVar("Document")
SizedDocument = TypeVar("SizedDocument", bound=Sized)
Counted = TypeVar("Counted")
Buffers = tuple[bytearray, bytearray, bytearray, bytearray]  # see `runs.Rows`

BLOCK = 256  # characters
MUST_NORMALIZE, STAYS, UNSPACED = 1 << 31, 1 << 30, 1 << 29
# Where a letter is folded alike in all texts: Latin, Greek, Cyrillic and Armenian letters, punctuation and
# symbols, Korean syllables, emoji. Others may be joined with the letter before them.
_SIMPLE = (range(0x590), range(0x1E00, 0x2C00), range(0xAC00, 0xD7A4), range(0x1F300, 0x1FB00))
_JOINING = ("Mn", "Mc", "Me", "Cn")  # marks, and code points that a later Unicode may make one
_NO_PHRASES = Phrases()
CHUNK = 1 << 20  # characters
ALONE = 3  # chunks that are counted here first, so that few texts need no threads
AT_ONCE = 32  # partitions that are counted together, before the next ones start


class Tally(NamedTuple):
    """Counts of some documents, one document after another."""

    words: list[str]  # the words, in the order of first appearance
    lengths: array[int]  # the number of different words of each document
    columns: array[int]  # of each word of a document, its position in `words`
    counts: array[int]  # how often it occurs


def tally(documents: Iterable[Document], count: Callable[[Document], Mapping[str, int]]) -> Tally:
    """Count the words of documents, using `count` for each."""
    position = numbering()
    lengths, columns, counts = array("i"), array("i"), array("i")
    for document in documents:
        times = count(document)
        lengths.append(len(times))
        columns.extend(map(position.__getitem__, times))
        counts.extend(times.values())
    return Tally(list(position), lengths, columns, counts)


def numbering() -> defaultdict[str, int]:
    """Return a dictionary that numbers words as they are looked up."""
    number: defaultdict[str, int] = defaultdict()
    number.default_factory = number.__len__
    return number


def describe_block(number: int) -> bytes:
    """Return a number for each character of a block, see `fate`."""
    first = number * BLOCK
    return array("I", (fate(chr(code)) for code in range(first, first + BLOCK))).tobytes()


def fate(character: str) -> int:
    """Return what becomes of a character when words are read: a code point, and flags.

    The code point is the letter or digit that it becomes, 0 if it only separates words. `MUST_NORMALIZE` is
    set if that depends on its neighbours, or if it becomes several; `STAYS` if it is a letter or digit as it
    is; `UNSPACED` if it is of a script without spaces.
    """
    flags = (STAYS if character.isalnum() else 0) | (UNSPACED if is_unspaced(character) else 0)
    folded = normalize(character)
    depends = (
        not any(ord(character) in simple for simple in _SIMPLE)
        or unicodedata.category(character) in _JOINING
        or "Σ" in unicodedata.normalize("NFKC", character)  # which is another letter at the end of a word
    )
    if not depends and not any(part.isalnum() or is_unspaced(part) for part in folded):
        return flags
    if depends or len(folded) > 1 or is_unspaced(folded):
        return flags | MUST_NORMALIZE
    return flags | ord(folded)


def c_counter_is_built() -> bool:
    """Return whether the C extension is there."""
    return _words is not None


def tally_texts(texts: Sequence[str], phrases: Phrases = _NO_PHRASES) -> Tally:
    """Count the words of texts, and phrases among them."""
    count = partial(word_counts, phrases=phrases)
    if _words is None:
        return tally(texts, count)
    words, *numbers = _words.tally(texts, phrases.sequences, count, normalize, describe_block)
    return Tally(words, *(array("i", column) for column in numbers))


def known_words(words: Collection[str], stop_words: Collection[str]) -> Known | None:
    """Prepare words for `count_known_texts`; None where the C extension is missing."""
    return None if _words is None else _words.known_words(words, stop_words)


def count_known_texts(texts: Iterable[str], known: Known, phrases: Phrases) -> Buffers:
    """Count the words of texts that were prepared by `known_words`, and phrases among them."""
    count = partial(word_counts, phrases=phrases)
    return _words.count_known(known, texts, phrases.sequences, count, normalize, describe_block)


def chunked(documents: Iterable[SizedDocument]) -> Iterator[list[SizedDocument]]:
    """Split documents into lists of about `CHUNK` characters, or tokens if they are lists of tokens."""
    chunk: list[SizedDocument] = []
    filled = 0
    for document in documents:
        chunk.append(document)
        filled += len(document) + 1  # so that empty documents also fill a chunk
        if filled >= CHUNK:
            yield chunk
            chunk, filled = [], 0
    if chunk:
        yield chunk


def in_threads(
    count: Callable[[list[str]], Counted], chunks: Iterator[list[str]], n_workers: int
) -> Generator[Counted]:
    """Count chunks, here or, if there are many, in `n_workers` threads; give the results in their order."""
    yield from map(count, chunks if n_workers == 1 else islice(chunks, ALONE))
    if (first := next(chunks, None)) is None:
        return
    with ThreadPoolExecutor(n_workers) as threads:
        awaited: deque[Future[Counted]] = deque()
        for chunk in chain([first], chunks):
            awaited.append(threads.submit(count, chunk))
            if len(awaited) > n_workers:
                yield awaited.popleft().result()
        while awaited:
            yield awaited.popleft().result()


@dataclass(frozen=True)
class Partitions(Iterable[str]):
    """Texts in delayed lists; if the texts themselves are needed, they are read one list at a time."""

    delayed: Sequence[Any]  # as returned by `to_delayed` of a bag or of a data frame's column
    progress: Progress = silent  # called with the number of partitions counted

    def __iter__(self) -> Iterator[str]:
        for part in self.delayed:
            yield from part.compute()

    def tallies(self, phrases: Phrases) -> Iterator[Tally]:
        """Count the words of each partition on the worker that has it; yield the tallies in order."""
        dask: Any = import_module("dask")
        total = len(self.delayed)
        for start in range(0, total, AT_ONCE):
            self.progress("reading words", start, total)
            together = enumerate(self.delayed[start : start + AT_ONCE], start)
            yield from dask.compute(
                *(dask.delayed(_tally_partition)(part, number, phrases) for number, part in together)
            )
        self.progress("reading words", total, total)


def _tally_partition(texts: Iterable[Any], number: int, phrases: Phrases) -> Tally:
    """Count the words of a partition; runs on a worker."""
    return tally_texts(list(checked_texts(texts, f" of partition {number}")), phrases)
