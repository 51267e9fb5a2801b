"""Work that takes longer than a moment: in a limited number of threads, for a limited time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import TypeVar

from starlette.types import Receive

from seedtopic.server.refusal import Refusal

Result = TypeVar("Result")


class Stopped(Exception):
    """Raised in work that no client waits for any more."""


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

    async def run(self, task: Callable[[Event], Result], receive: Receive) -> Result:
        """Run a task in a thread; the task gets an event that is set when it should stop.

        Parameters
        ----------
        task : callable
        receive : ASGI receive
            The body has been read from it, so that the only message left is that the client has disconnected.
        """
        if len(self._stops) >= self._most:
            raise Refusal(
                503,
                f"the server is busy with other {self._name} requests: try again later.",
                {"Retry-After": "1"},
            )
        loop, stop = asyncio.get_running_loop(), Event()
        self._stops.add(stop)
        running = self._threads.submit(task, stop)

        def ended(done: Future[Result]) -> None:
            with suppress(RuntimeError):  # the event loop ended before the thread
                loop.call_soon_threadsafe(self._stops.discard, stop)

        # The slot is free when the thread ends, which may be long after the client got its response.
        running.add_done_callback(ended)
        result = asyncio.wrap_future(running)
        gone = asyncio.ensure_future(receive())
        try:
            await asyncio.wait((result, gone), timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
            if result.done():
                return result.result()
            if gone.done():
                raise Refusal(400, "the connection was closed before the answer was ready.")
            raise Refusal(
                504, f"the {self._name} took longer than {self._seconds:g} seconds: send fewer texts."
            )
        finally:
            stop.set()
            gone.cancel()
            result.cancel()  # cancels waiting tasks; a running one continues until it checks the event

    def close(self) -> None:
        """Cancel all tasks, and accept no more."""
        for stop in self._stops:
            stop.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
