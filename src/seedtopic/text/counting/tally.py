"""From some documents to a tally: their words and how often each occurs."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeVar

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
