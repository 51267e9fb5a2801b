"""Tallies made by several threads, or by several processes, in the order of the documents.

Threads are enough where words are counted in C. Elsewhere there are processes: plain subprocesses, not of
`multiprocessing`. They need no guard in the user's script, do not copy a parent whose other threads may hold
locks, and start in a few hundredths of a second.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from seedtopic.text.counting.compiled import c_counter_is_built, tally_texts
from seedtopic.text.counting.tally import Tally, read_tally
from seedtopic.text.counting.wire import write_strings
from seedtopic.text.phrases import Phrases

Document = TypeVar("Document", bound=Sized)
Counted = TypeVar("Counted")

CHUNK = 1 << 20  # characters; tallying this many takes about as long as starting a process
ALONE = 3  # chunks that are tallied here first, so that few texts need no threads or processes


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
    """Tally chunks of texts, here or, if there are many, in `n_workers` threads or processes."""
    if c_counter_is_built():
        yield from in_threads(lambda chunk: tally_texts(chunk, phrases), chunks, n_workers)
        return
    alone = n_workers == 1 or not sys.executable or hasattr(sys, "frozen")
    for chunk in chunks if alone else islice(chunks, ALONE):
        yield tally_texts(chunk, phrases)
    with ExitStack() as processes:
        workers: list[Callable[[list[str]], Future[Tally]]] = []

        def submit(chunk: list[str], turn: int) -> Future[Tally]:
            if turn < n_workers:
                workers.append(processes.enter_context(_worker(phrases)))
            return workers[turn % n_workers](chunk)

        yield from _in_turn(submit, chunks, 2 * n_workers)  # two per process, so that none waits for its next


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
        rest = chain([first], chunks)
        yield from _in_turn(lambda chunk, _: threads.submit(count, chunk), rest, n_workers + 1)


def _in_turn(
    submit: Callable[[list[str], int], Future[Counted]], chunks: Iterable[list[str]], ahead: int
) -> Generator[Counted]:
    """Submit chunks, `ahead` of them before waiting for the first result; give the results in their order."""
    awaited: deque[Future[Counted]] = deque()
    for turn, chunk in enumerate(chunks):
        awaited.append(submit(chunk, turn))
        if len(awaited) == ahead:
            yield awaited.popleft().result()
    while awaited:
        yield awaited.popleft().result()


@contextmanager
def _worker(phrases: Phrases | None) -> Iterator[Callable[[list[str]], Future[Tally]]]:
    """Start a process and a thread for it; yield a function from a chunk to the future of its tally."""
    home = str(Path(__file__).parents[3])
    script = (
        f"import sys; sys.path.append({home!r}); from seedtopic.text.counting.tally import serve; serve()"
    )
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", script],  # without site packages, which take long to import
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0,  # not interrupted by Ctrl-C in a terminal
    )
    thread = ThreadPoolExecutor(1)
    try:
        thread.submit(_send, process, [json.dumps(phrases.sequences if phrases else {})])
        yield lambda texts: thread.submit(_answer, process, texts)
    finally:
        process.kill()  # also wakes the thread if it waits for a reply
        thread.shutdown(cancel_futures=True)
        process.communicate()


def _send(process: subprocess.Popen[bytes], strings: list[str]) -> None:
    assert process.stdin is not None
    write_strings(process.stdin, strings)
    process.stdin.flush()


def _answer(process: subprocess.Popen[bytes], texts: list[str]) -> Tally:
    assert process.stdout is not None
    try:
        _send(process, texts)
        return read_tally(process.stdout)
    except (BrokenPipeError, EOFError):
        raise RuntimeError(f"a worker process that counts words ended with code {process.wait()}") from None
