"""Texts counted in chunks, in their order; by several threads where the C extension was built."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TypeVar

from seedtopic.text.counting.compiled import c_counter_is_built, tally_texts
from seedtopic.text.counting.tally import Tally
from seedtopic.text.phrases import Phrases

Document = TypeVar("Document", bound=Sized)
Counted = TypeVar("Counted")

CHUNK = 1 << 20  # characters
ALONE = 3  # chunks that are counted here first, so that few texts need no threads


def chunked(documents: Iterable[Document], size: int = CHUNK) -> Iterator[list[Document]]:
    """Split documents into lists of about `size` characters, or tokens if they are lists of tokens."""
    chunk: list[Document] = []
    filled = 0
    for document in documents:
        chunk.append(document)
        filled += len(document) + 1  # so that empty documents also fill a chunk
        if filled >= size:
            yield chunk
            chunk, filled = [], 0
    if chunk:
        yield chunk


def tallies(chunks: Iterator[list[str]], n_workers: int, phrases: Phrases | None = None) -> Generator[Tally]:
    """Tally chunks of texts; threads are no faster where words are counted in Python."""
    n_threads = n_workers if c_counter_is_built() else 1
    return in_threads(lambda chunk: tally_texts(chunk, phrases), chunks, n_threads)


def in_threads(
    count: Callable[[list[str]], Counted], chunks: Iterator[list[str]], n_workers: int
) -> Generator[Counted]:
    """Count chunks, here or, if there are many, in `n_workers` threads; give the results in their order.

    Examples
    --------
    >>> list(in_threads(len, iter([["gold", "mine"], ["ore"]]), n_workers=2))
    [2, 1]
    """
    yield from map(count, chunks if n_workers == 1 else islice(chunks, ALONE))
    first = next(chunks, None)
    if first is None:
        return
    with ThreadPoolExecutor(n_workers) as threads:
        awaited: deque[Future[Counted]] = deque()
        for chunk in chain([first], chunks):
            awaited.append(threads.submit(count, chunk))
            if len(awaited) > n_workers:
                yield awaited.popleft().result()
        while awaited:
            yield awaited.popleft().result()
