"""The refit thread: it waits for a pause in the edits, fits, and starts again after the next edit."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition, Thread
from time import monotonic

PAUSE = 0.2  # seconds without an edit before a fit starts


class Superseded(Exception):
    """Raised in work that is out of date because of a newer edit."""


class RefitThread:
    """Runs work for the latest revision, one at a time, in its own thread."""

    def __init__(self, work: Callable[[int, Callable[[], None]], None], pause: float = PAUSE) -> None:
        self._work, self._pause = work, pause
        self._changed = Condition()
        self._wanted, self._taken, self._stopped = -1, -1, False
        self._due = 0.0
        self._thread = Thread(target=self._run, name="seedtopic-studio-fits", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def request(self, revision: int, *, at_once: bool = False) -> None:
        """Ask for the labels of a revision; work for an earlier one is cancelled."""
        with self._changed:
            self._wanted = revision
            self._due = monotonic() + (0.0 if at_once else self._pause)
            self._changed.notify_all()

    def stop(self, timeout: float = 10.0) -> None:
        """End the thread and cancel its work."""
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
