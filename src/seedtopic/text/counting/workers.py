"""Tallies made by several processes, in the order of the documents.

The processes are plain subprocesses, not of `multiprocessing`: they need no guard in the user's script, do
not copy a parent whose other threads may hold locks, and start in a few hundredths of a second.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from seedtopic.text.counting.tally import Tally, read_tally, tally
from seedtopic.text.counting.wire import write_strings
from seedtopic.text.phrases import Phrases
from seedtopic.text.tokens import word_counts

Document = TypeVar("Document", bound=Sized)

CHUNK = 1 << 20  # characters; tallying this many takes about as long as starting a process
ALONE = 3  # chunks that are tallied here first, so that few texts need no processes


def chunked(documents: Iterable[Document], size: int = CHUNK) -> Iterator[list[Document]]:
    """Split documents into lists of about `size` characters, or tokens if they are lists of tokens.

    Examples
    --------
    >>> list(chunked(["gold", "mine", "ore"], 6))
    [['gold', 'mine'], ['ore']]
    """
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
    """Tally chunks of texts, here or, if there are many, in `n_workers` processes.

    Words and `phrases` are counted. Close the iterator to end the processes early.

    Examples
    --------
    >>> [found.words for found in tallies(iter([["gold mine"], ["gold"]]), n_workers=2)]
    [['gold', 'mine'], ['gold']]
    """
    alone = n_workers == 1 or not sys.executable or hasattr(sys, "frozen")
    for chunk in chunks if alone else islice(chunks, ALONE):
        yield tally(chunk, partial(word_counts, phrases=phrases))
    with ExitStack() as processes:
        workers: list[Callable[[list[str]], Future[Tally]]] = []
        awaited: deque[Future[Tally]] = deque()
        for turn, chunk in enumerate(chunks):
            if turn < n_workers:
                workers.append(processes.enter_context(_worker(phrases)))
            awaited.append(workers[turn % n_workers](chunk))
            if len(awaited) == 2 * n_workers:  # two per process, so that none waits for its next chunk
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
