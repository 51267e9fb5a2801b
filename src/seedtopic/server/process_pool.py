"""Work that takes longer than a moment: in processes, which can be ended whatever they do.

A thread that holds the interpreter lock stops the whole server, and cannot be stopped itself. A process does
neither: the server kills it at the time limit, or when its client has gone, and starts another.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import signal
import socket
import stat
import struct
import sys
from contextlib import suppress
from multiprocessing.process import BaseProcess
from typing import Any

from starlette.types import Receive

from seedtopic.server.heap import give_back_memory
from seedtopic.server.outcome import Job, done_from, outcome_of, packed, unpacked
from seedtopic.server.refusal import Refusal
from seedtopic.server.waiting import busy, within
from seedtopic.server.work import Done

# Linux forks: the model is shared, not copied. Elsewhere forking is unsafe, and the job is pickled.
_START = "fork" if sys.platform == "linux" else "spawn"
_LENGTH = struct.Struct("!Q")
_PART = 1 << 20  # bytes that are received at a time
NICENESS = 5  # the server itself, which answers short requests, goes before its processes
MOST_GROWTH = 64_000_000  # bytes; a process that has grown by more is replaced, as Python keeps what it frees
LATER = 5  # seconds after its time limit, when a process ends itself because the server did not


class ProcessPool:
    """Processes for one kind of work.

    Parameters
    ----------
    name : str
        The kind of work, for error messages.
    at_once, waiting : int
        Number of tasks at a time, and of further tasks that may wait; more are refused with status 503.
    seconds : float
        Most seconds per task, waiting included; after that its process is killed, with status 504.
    fresh : bool
        Whether each task has a process of its own, whose memory ends with it.
    """

    def __init__(self, name: str, at_once: int, waiting: int, seconds: float, *, fresh: bool = False) -> None:
        self._name, self._seconds, self._fresh = name, seconds, fresh
        self._most, self._tasks = at_once + waiting, 0
        self._at_once = at_once
        self._turns = asyncio.Semaphore(at_once)
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()

    def prepare(self, job: Job) -> None:
        """Start processes for a job now, in place of idle ones with another job."""
        self.retire(job)
        while len(self._idle) + len(self._busy) < self._at_once:
            self._idle.append(_Worker(job, self._seconds))

    async def run(self, job: Job, body: bytes, receive: Receive) -> Done:
        """Call job(body) in a process.

        Parameters
        ----------
        job : callable
            Kept by its process, so that the next call with the same object costs nothing.
        body : bytes
        receive : ASGI receive
            The body has been read from it, so that the only message left is that the client has disconnected.
        """
        if self._tasks >= self._most:
            raise busy(self._name)
        self._tasks += 1
        try:
            return await within(
                self._seconds, asyncio.ensure_future(self._asked(job, body)), receive, self._name
            )
        finally:
            self._tasks -= 1

    async def _asked(self, job: Job, body: bytes) -> Done:
        async with self._turns:
            self.retire(job)
            worker = self._idle.pop() if self._idle else _Worker(job, self._seconds)
            self._busy.add(worker)
            try:
                known, content = await worker.ask(body)
            except (OSError, EOFError):
                worker.end()
                raise Refusal(
                    503,
                    f"the process for {self._name} ended, perhaps for want of memory: send fewer texts.",
                    {"Retry-After": "1"},
                ) from None
            except BaseException:  # the client has gone, or the time is over
                worker.end()
                raise
            finally:
                self._busy.discard(worker)
            if known.pop("stays") and not self._fresh:
                self._idle.append(worker)
            else:
                worker.end()
            return done_from(known, content)

    def retire(self, job: Job) -> None:
        """End idle processes that were started for another job, such as a model that was replaced."""
        for worker in [worker for worker in self._idle if worker.job is not job]:
            self._idle.remove(worker)
            worker.end()

    def close(self) -> None:
        """End all processes."""
        for worker in (*self._idle, *self._busy):
            worker.end()
        self._idle.clear()


class _Worker:
    """One process, and the socket over which it gets bodies and gives outcomes."""

    def __init__(self, job: Job, seconds: float) -> None:
        self.job = job
        self._ours, theirs = socket.socketpair()
        with theirs:
            self._process = _process(theirs, job, seconds + LATER)
            self._process.start()
        self._ours.setblocking(False)

    async def ask(self, body: bytes) -> tuple[dict[str, Any], bytes]:
        """Send a body; give what came of it, with whether the process stays, and the response."""
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self._ours, _LENGTH.pack(len(body)))
        await loop.sock_sendall(self._ours, body)
        (length,) = _LENGTH.unpack(await self._received(_LENGTH.size))
        return unpacked(bytes(await self._received(length)))

    async def _received(self, length: int) -> bytearray:
        loop, received = asyncio.get_running_loop(), bytearray()
        while len(received) < length:
            part = await loop.sock_recv(self._ours, min(_PART, length - len(received)))
            if not part:
                raise EOFError
            received += part
        return received

    def end(self) -> None:
        """Kill the process, and later remove what the system keeps of it."""
        self._process.kill()
        self._ours.close()
        with suppress(RuntimeError):  # the event loop has ended, and the program ends
            asyncio.get_running_loop().call_later(1.0, multiprocessing.active_children)


def _process(theirs: socket.socket, job: Job, seconds: float) -> BaseProcess:
    context: Any = multiprocessing.get_context(_START)
    process: BaseProcess = context.Process(target=_work, args=(theirs, job, seconds))
    return process


def _work(at: socket.socket, job: Job, seconds: float) -> None:
    """Answer bodies until the server has gone; runs in the process."""
    _leave_the_server(at.fileno())
    gc.freeze()  # a look for garbage would copy the pages that are shared with the server
    begun, stays = _memory(), True
    with at, suppress(OSError, EOFError):
        while stays:
            (length,) = _LENGTH.unpack(_read(at, _LENGTH.size))
            body = _read(at, length)
            _end_after(seconds)
            known, content = outcome_of(job, bytes(body))
            del body
            give_back_memory()
            _end_after(0)
            stays = _memory() - begun < MOST_GROWTH
            written = packed({**known, "stays": stays}, content)
            at.sendall(_LENGTH.pack(len(written)))
            at.sendall(written)


def _read(at: socket.socket, length: int) -> bytearray:
    received = bytearray()
    while len(received) < length:
        part = at.recv(min(_PART, length - len(received)))
        if not part:
            raise EOFError
        received += part
    return received


def _leave_the_server(mine: int) -> None:
    """Keep nothing of the server that was forked: its signals, its connections, its priority."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # the server decides when its processes end
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    if _START != "fork":
        return
    signal.set_wakeup_fd(-1)
    for name in os.listdir("/proc/self/fd"):  # a connection ends when all processes have closed it
        number = int(name)
        with suppress(OSError):
            if number != mine and number > 2 and stat.S_ISSOCK(os.fstat(number).st_mode):
                os.close(number)


def _end_after(seconds: float) -> None:
    """Have the system end this process, even one that holds the interpreter lock; 0 for never."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _memory() -> int:
    """Give the most memory that this process has had, in bytes."""
    try:
        import resource
    except ImportError:  # Windows: processes stay
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
