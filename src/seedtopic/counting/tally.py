"""Some documents to a tally: the words they use and how often each does.

Worker processes run this file, so that it needs little beside the standard library and starts at once.
"""

from __future__ import annotations

import pickle
import signal
import sys
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple, TypeVar

from seedtopic.phrases import Phrases
from seedtopic.text import word_counts

Document = TypeVar("Document")


class Tally(NamedTuple):
    """Counts of some documents, one document after the other.

    Attributes
    ----------
    words : list of str
        The words, in the order of first appearance.
    lengths : array of int
        The number of different words of each document.
    columns, counts : arrays of int
        The position in `words` of each of a document's words, and how often it occurs.
    """

    words: list[str]
    lengths: array[int]
    columns: array[int]
    counts: array[int]


def tally(documents: Iterable[Document], count: Callable[[Document], Mapping[str, int]]) -> Tally:
    """Count the words of documents, each by `count`.

    Examples
    --------
    >>> found = tally(["a rose is a rose", "is it"], word_counts)
    >>> found.words, found.lengths.tolist(), found.columns.tolist(), found.counts.tolist()
    (['rose', 'is', 'it'], [2, 2], [0, 1, 1, 2], [2, 1, 1, 1])
    """
    position = numbering()
    lengths, columns, counts = array("i"), array("i"), array("i")
    for document in documents:
        found = count(document)
        lengths.append(len(found))
        columns.extend(map(position.__getitem__, found))
        counts.extend(found.values())
    return Tally(list(position), lengths, columns, counts)


def numbering() -> defaultdict[str, int]:
    """Give a dictionary that numbers words as they are looked up.

    Examples
    --------
    >>> number = numbering()
    >>> [number[word] for word in ("rose", "is", "rose")]
    [0, 1, 0]
    """
    number: defaultdict[str, int] = defaultdict()
    number.default_factory = number.__len__
    return number


def serve() -> None:
    """Tally the lists of texts that arrive on standard input after the phrases, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started us decides when to stop
    try:
        phrases: Phrases = pickle.load(sys.stdin.buffer)
        while True:
            texts: list[str] = pickle.load(sys.stdin.buffer)
            found = tally(texts, partial(word_counts, phrases=phrases))
            pickle.dump(found, sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
            sys.stdout.buffer.flush()
    except EOFError:
        return
