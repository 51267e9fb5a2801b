"""The thread that refits: it waits until a person pauses, works, and starts again when there is an edit."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition, Thread
from time import monotonic

PAUSE = 0.2  # seconds without an edit before work begins


class Superseded(Exception):
    """Work that nobody waits for any more, because another edit has come."""


class Engine:
    """Runs work for the latest revision, one at a time, in a thread of its own.

    Parameters
    ----------
    work : callable
        Takes a revision and a function to call often, which raises `Superseded` when the work is stale.
        It must not raise anything else.
    pause : float
        Seconds without a request before work begins.
    """

    def __init__(self, work: Callable[[int, Callable[[], None]], None], pause: float = PAUSE) -> None:
        self._work, self._pause = work, pause
        self._changed = Condition()
        self._wanted, self._taken, self._stopped = -1, -1, False
        self._due = 0.0
        self._thread = Thread(target=self._run, name="seedtopic-studio-fits", daemon=True)

    def start(self) -> None:
        """Begin to take requests."""
        self._thread.start()

    def request(self, revision: int, *, at_once: bool = False) -> None:
        """Ask for the labels of a revision; whatever is under way for an earlier one ends."""
        with self._changed:
            self._wanted = revision
            self._due = monotonic() + (0.0 if at_once else self._pause)
            self._changed.notify_all()

    def stop(self, timeout: float = 10.0) -> None:
        """End the thread; work under way is given up."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def _run(self) -> None:
        while (revision := self._next()) is not None:
            try:
                self._work(revision, lambda current=revision: self._check(current))  # type: ignore[misc]
            except Superseded:
                continue

    def _next(self) -> int | None:
        with self._changed:
            while not self._stopped:
                left = self._due - monotonic()
                if self._wanted > self._taken and left <= 0:
                    self._taken = self._wanted
                    return self._taken
                self._changed.wait(left if self._wanted > self._taken else None)
            return None

    def _check(self, revision: int) -> None:
        if self._stopped or self._wanted != revision:
            raise Superseded
