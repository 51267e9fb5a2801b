"""Work that takes longer than a moment: in a limited number of threads, for a limited time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import TypeVar

from starlette.types import Receive

from seedtopic.server.waiting import busy, within

Result = TypeVar("Result")


class ThreadPool:
    """Threads for one kind of work.

    Parameters
    ----------
    name : str
        The kind of work, for error messages.
    at_once, waiting : int
        Number of tasks at a time, and of further tasks that may wait; more are refused with status 503.
    seconds : float
        Most seconds per task; after that it is cancelled with status 504.
    """

    def __init__(self, name: str, at_once: int, waiting: int, seconds: float) -> None:
        self._name = name
        self._most = at_once + waiting
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix=name)
        self._stops: set[Event] = set()  # of all running and waiting tasks

    async def run(self, job: Callable[[bytes, Event], Result], body: bytes, receive: Receive) -> Result:
        """Call job(body, stop) in a thread; the event is set when the job should stop.

        Parameters
        ----------
        job : callable
        body : bytes
        receive : ASGI receive
            See `seedtopic.server.waiting.within`.
        """
        if len(self._stops) >= self._most:
            raise busy(self._name)
        loop, stop = asyncio.get_running_loop(), Event()
        self._stops.add(stop)
        running = self._threads.submit(job, body, stop)

        def ended(done: Future[Result]) -> None:
            with suppress(RuntimeError):  # the event loop ended before the thread
                loop.call_soon_threadsafe(self._stops.discard, stop)

        # The slot is free when the thread ends, which may be long after the client got its response.
        running.add_done_callback(ended)
        try:
            # Cancels waiting tasks; a running one continues until it looks at the event.
            return await within(self._seconds, asyncio.wrap_future(running), receive, self._name)
        finally:
            stop.set()

    def close(self) -> None:
        """Cancel all tasks, and accept no more."""
        for stop in self._stops:
            stop.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
