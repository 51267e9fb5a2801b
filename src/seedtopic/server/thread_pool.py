"""Work that takes longer than a moment: in threads, so many at once, for so long."""

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
    """The work was given up because nobody waits for it any more."""


class Work:
    """Threads for one kind of work.

    Parameters
    ----------
    name : str
        What is done, for the sentences.
    at_once, waiting : int
        How much is done at once, and how much more may wait; whoever comes then is refused, with the status
        503.
    seconds : float
        After which work is given up, with the status 504.
    """

    def __init__(self, name: str, at_once: int, waiting: int, seconds: float) -> None:
        self._name = name
        self._most = at_once + waiting
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix=name)
        self._stops: set[Event] = set()  # of all that is under way

    async def do(self, task: Callable[[Event], Result], receive: Receive) -> Result:
        """Do a task in a thread; it is given an event that says when to stop.

        Parameters
        ----------
        task : callable
        receive : ASGI receive
            From which the body has been read, so that all it can still say is that the client has gone.
        """
        if len(self._stops) >= self._most:
            raise Refusal(
                503,
                f"the server has as much {self._name} under way as it can take: try again.",
                {"Retry-After": "1"},
            )
        loop, stop = asyncio.get_running_loop(), Event()
        self._stops.add(stop)
        running = self._threads.submit(task, stop)

        def ended(done: Future[Result]) -> None:
            with suppress(RuntimeError):  # the loop has ended before the thread, and nobody counts any more
                loop.call_soon_threadsafe(self._stops.discard, stop)

        # When the thread is free, not when the client is answered: that may be long before.
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
            result.cancel()  # for what still waits; a thread that runs goes on until it looks at the event

    def close(self) -> None:
        """Give up what is under way, and take no more."""
        for stop in self._stops:
            stop.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
