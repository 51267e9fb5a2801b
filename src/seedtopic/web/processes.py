"""Work that takes longer than a moment: in processes, which can be ended whatever they do, or in threads.

A thread that holds the interpreter lock stops the whole server, and cannot be stopped itself. A process does
neither: the server kills it at the time limit, or when its client has gone, and starts another.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import json
import multiprocessing
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import Any

import numpy as np
from starlette.types import Receive

from seedtopic.base.errors import InputError, MissingExtraError
from seedtopic.model.drift import LabelStatistics
from seedtopic.web.errors import Refusal, shortened
from seedtopic.web.observe import FailedElsewhere, place
from seedtopic.web.work import Done

Job = Callable[..., Done]

# Linux forks: the model is shared, not copied. Elsewhere forking is unsafe, and the job is pickled.
_START = "fork" if sys.platform == "linux" else "spawn"
_LENGTHS = struct.Struct("!QQ")  # of the two parts of a message
NICENESS = 5  # the server itself, which answers short requests, goes before its processes
MOST_GROWTH = 64_000_000  # bytes; a process that has grown by more is replaced, as Python keeps what it frees
LATER = 5  # seconds after its time limit, when a process ends itself because the server did not


class Pool:
    """Runs jobs of one kind: so many at once, so many that may wait, each for so many seconds."""

    def __init__(self, name: str, at_once: int, waiting: int, seconds: float) -> None:
        self.name, self.at_once, self.seconds = name, at_once, seconds
        self._most = at_once + waiting
        self._tasks = 0

    async def run(self, job: Job, body: bytes, receive: Receive) -> Done:
        """Call job(body); refuse it if there is no place, its time is over or its client has gone.

        The body has been read from `receive`, so the only message left is that the client has disconnected.
        """
        if self._tasks >= self._most:
            sentence = f"the server is busy with other {self.name} requests: try again later."
            raise Refusal(503, sentence, {"Retry-After": "1"})
        self._tasks += 1
        work, gone = self._start(job, body), asyncio.ensure_future(receive())
        try:
            await asyncio.wait((work, gone), timeout=self.seconds, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            if gone.done():
                raise Refusal(400, "the connection was closed before the answer was ready.")
            sentence = f"the {self.name} took longer than {self.seconds:g} seconds: send fewer texts."
            raise Refusal(504, sentence)
        finally:
            gone.cancel()
            work.cancel()

    def _start(self, job: Job, body: bytes) -> asyncio.Future[Done]:
        """Begin a job, which ends when the future is cancelled; at its end, `_ended` is called."""
        raise NotImplementedError

    def _ended(self, *_: Any) -> None:
        self._tasks -= 1

    def prepare(self, job: Job) -> None:
        """Make ready for a job, in place of another."""

    def retire(self, job: Job | None) -> None:
        """Keep nothing of other jobs."""

    def close(self) -> None:
        """Cancel all jobs."""


class ThreadPool(Pool):
    """Runs jobs in threads, with an event that asks them to stop."""

    def __init__(self, name: str, at_once: int, waiting: int, seconds: float) -> None:
        super().__init__(name, at_once, waiting, seconds)
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix=name)
        self._stops: set[Event] = set()

    def _start(self, job: Job, body: bytes) -> asyncio.Future[Done]:
        loop, stop = asyncio.get_running_loop(), Event()
        self._stops.add(stop)
        running = self._threads.submit(job, body, stop)

        def ended(done: Future[Done]) -> None:
            self._stops.discard(stop)
            with suppress(RuntimeError):  # the event loop ended before the thread
                loop.call_soon_threadsafe(self._ended)

        # The place is free when the thread ends, which may be long after the client got its response.
        running.add_done_callback(ended)
        result = asyncio.wrap_future(running)
        result.add_done_callback(lambda _: stop.set())
        return result

    def close(self) -> None:
        for stop in list(self._stops):
            stop.set()
        self._threads.shutdown(wait=False, cancel_futures=True)


class ProcessPool(Pool):
    """Runs jobs in processes, which keep their job; with `fresh`, each call has a process of its own."""

    def __init__(self, name: str, at_once: int, waiting: int, seconds: float, *, fresh: bool = False) -> None:
        super().__init__(name, at_once, waiting, seconds)
        self._fresh = fresh
        self._turns = asyncio.Semaphore(at_once)
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()

    def _start(self, job: Job, body: bytes) -> asyncio.Future[Done]:
        work = asyncio.ensure_future(self._run(job, body))
        work.add_done_callback(self._ended)
        return work

    async def _run(self, job: Job, body: bytes) -> Done:
        async with self._turns:
            self.retire(job)
            worker = self._idle.pop() if self._idle else _Worker(job, self.seconds)
            self._busy.add(worker)
            stays = False
            try:
                outcome, content = await worker.ask(body)
                stays = outcome["stays"] and not self._fresh
            except (OSError, EOFError):
                sentence = f"the process for {self.name} ended, perhaps for want of memory: send fewer texts."
                raise Refusal(503, sentence, {"Retry-After": "1"}) from None
            finally:  # without an outcome, the client has gone, or the time is over
                self._busy.discard(worker)
                if stays:
                    self._idle.append(worker)
                else:
                    worker.end()
            return _done(outcome, content)

    def prepare(self, job: Job) -> None:
        """Start processes for a job now, in place of idle ones with another job."""
        self.retire(job)
        while not self._fresh and len(self._idle) + len(self._busy) < self.at_once:
            self._idle.append(_Worker(job, self.seconds))

    def retire(self, job: Job | None) -> None:
        """End idle processes that were started for another job, such as a model that was replaced."""
        for worker in [worker for worker in self._idle if worker.job is not job]:
            self._idle.remove(worker)
            worker.end()

    def close(self) -> None:
        self.retire(None)
        for worker in self._busy:
            worker.end()


class _Worker:
    """One process, and the socket over which it gets bodies and gives outcomes."""

    def __init__(self, job: Job, seconds: float) -> None:
        self.job = job
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._ours, theirs = socket.socketpair()
        with theirs:
            context: Any = multiprocessing.get_context(_START)
            self._process = context.Process(target=_serve, args=(theirs, job, seconds + LATER))
            self._process.start()

    async def ask(self, body: bytes) -> tuple[dict[str, Any], bytes]:
        """Send a body; return what came of it, and the response."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(sock=self._ours)
        reader, writer = self._streams
        writer.write(_LENGTHS.pack(0, len(body)))
        writer.write(body)
        await writer.drain()
        lengths = _LENGTHS.unpack(await reader.readexactly(_LENGTHS.size))
        outcome, content = [await reader.readexactly(length) for length in lengths]
        return json.loads(outcome), content

    def end(self) -> None:
        """Kill the process, and later remove what the system keeps of it."""
        self._process.kill()
        if self._streams is not None:
            self._streams[1].transport.abort()
        self._ours.close()
        with suppress(RuntimeError):  # the event loop has ended, and the program ends
            asyncio.get_running_loop().call_later(1.0, multiprocessing.active_children)


def _serve(at: socket.socket, job: Job, seconds: float) -> None:
    """Answer bodies until the server has gone; runs in the process."""
    _leave_the_server(at.fileno())
    gc.freeze()  # a look for garbage would copy the pages that are shared with the server
    begun, stays = _memory(), True
    with suppress(OSError), at.makefile("rwb") as stream:
        while stays and len(lengths := stream.read(_LENGTHS.size)) == _LENGTHS.size:
            body = stream.read(_LENGTHS.unpack(lengths)[1])
            _end_after(seconds)
            outcome, content = _outcome(job, body)
            del body
            give_back_memory()
            _end_after(0)
            stays = _memory() - begun < MOST_GROWTH
            head = json.dumps({**outcome, "stays": stays}).encode()
            stream.write(_LENGTHS.pack(len(head), len(content)) + head + content)
            stream.flush()


def _outcome(job: Job, body: bytes) -> tuple[dict[str, Any], bytes]:
    """Return what came of job(body), ready for JSON, and the response."""
    try:
        done = job(body)
    except Refusal as refusal:
        return {"refused": [refusal.status, refusal.sentence, refusal.headers]}, b""
    except (InputError, MissingExtraError) as error:
        return {"refused": [422, shortened(str(error)), {}]}, b""
    except MemoryError:
        sentence = "there is too little memory for these texts: send fewer."
        return {"refused": [503, sentence, {"Retry-After": "1"}]}, b""
    except Exception as failure:
        return {"failed": [type(failure).__name__, place(failure)]}, b""
    seen = done.seen and [sums.tolist() for sums in vars(done.seen).values()]
    return {"n_texts": done.n_texts, "seen": seen}, done.content


def _done(outcome: dict[str, Any], content: bytes) -> Done:
    """Return what a job returned, or raise what it raised."""
    if "refused" in outcome:
        raise Refusal(*outcome["refused"])
    if "failed" in outcome:
        raise FailedElsewhere(*outcome["failed"])
    seen = outcome["seen"] and LabelStatistics(*map(np.array, outcome["seen"]))
    return Done(content, outcome["n_texts"], seen)


def _leave_the_server(mine: int) -> None:
    """Keep nothing of the server that was forked: its signals, its connections, its priority."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # the server decides when its processes end
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    if _START == "fork":  # a connection ends when all processes have closed it
        signal.set_wakeup_fd(-1)
        os.closerange(3, mine)
        os.closerange(mine + 1, os.sysconf("SC_OPEN_MAX"))


def _end_after(seconds: float) -> None:
    """Have the system end this process, even one that holds the interpreter lock; 0 for never."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _memory() -> int:
    """Return the most memory that this process has had, in bytes."""
    try:
        import resource
    except ImportError:  # Windows: processes stay
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def give_back_memory() -> None:
    """Give the system what was freed and lies between what is in use.

    glibc returns only what is free at the end of its heap. Large bodies and a model that was replaced leave
    holes below that, and how many depends on what happened to be allocated after them: without this, a server
    would keep the memory of its worst moment, and its processes, which are copies of it, would, too.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library, such as musl
            ctypes.CDLL(None).malloc_trim(ctypes.c_size_t(0))
