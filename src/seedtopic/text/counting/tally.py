"""From some documents to a tally: their words and how often each occurs.

Worker processes run this file, so it needs little besides the standard library and starts fast.
"""

from __future__ import annotations

import json
import signal
import sys
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import IO, NamedTuple, TypeVar

from seedtopic.text.counting.wire import read_numbers, read_strings, write_numbers, write_strings
from seedtopic.text.phrases import Phrases
from seedtopic.text.tokens import word_counts

Document = TypeVar("Document")


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
        found = count(document)
        lengths.append(len(found))
        columns.extend(map(position.__getitem__, found))
        counts.extend(found.values())
    return Tally(list(position), lengths, columns, counts)


def numbering() -> defaultdict[str, int]:
    """Return a dictionary that numbers words as they are looked up.

    Examples
    --------
    >>> number = numbering()
    >>> [number[word] for word in ("rose", "is", "rose")]
    [0, 1, 0]
    """
    number: defaultdict[str, int] = defaultdict()
    number.default_factory = number.__len__
    return number


def write_tally(file: IO[bytes], found: Tally) -> None:
    """Append a tally to a file."""
    words, *numbers = found
    write_strings(file, words)
    for column in numbers:
        write_numbers(file, column)


def read_tally(file: IO[bytes]) -> Tally:
    """Read the next tally of a file."""
    return Tally(read_strings(file), *(read_numbers(file, "i") for _ in range(3)))


def serve() -> None:
    """Tally the lists of texts that arrive on standard input after the phrases, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process decides when to stop
    try:
        (sequences,) = read_strings(sys.stdin.buffer)
        count = partial(word_counts, phrases=Phrases(json.loads(sequences)))
        while True:
            write_tally(sys.stdout.buffer, tally(read_strings(sys.stdin.buffer), count))
            sys.stdout.buffer.flush()
    except EOFError:
        return
