"""Disconnects clients that keep a connection open but send nothing, or do not read the response."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class SlowClients:
    """Checks all connections regularly, and closes those that are idle for too long.

    uvicorn closes a connection that is idle after a response, but waits forever for the first request, for
    the rest of a header, and for a client to read the response.

    Parameters
    ----------
    first_seconds : float
        For the header of the first request.
    idle_seconds : float
        From a response to the complete header of the next request.
    answer_seconds : float
        From the header of a request until its response has been read.
    """

    def __init__(self, first_seconds: float, idle_seconds: float, answer_seconds: float) -> None:
        self._first_seconds = first_seconds
        self._idle_seconds = idle_seconds
        self._answer_seconds = answer_seconds
        self._seen: dict[Any, tuple[Any, bool, float]] = {}  # of open connections

    def look(self, connections: Iterable[Any], now: float) -> None:
        """Close connections that have been in one state for too long.

        Parameters
        ----------
        connections : iterable of uvicorn's protocols
            Each has a `cycle`, its latest request, and a `transport`.
        now : float
            Seconds on any monotonic clock.
        """
        seen, self._seen = self._seen, {}
        for connection in list(connections):
            cycle = connection.cycle
            busy = cycle is not None and not cycle.response_complete
            before, was_busy, since = seen.get(connection, (self, False, now))
            if before is not cycle or was_busy != busy:
                since = now
            elif now - since > self._allowed(cycle, busy):
                connection.transport.abort()
            self._seen[connection] = (cycle, busy, since)

    def _allowed(self, cycle: Any, busy: bool) -> float:
        if cycle is None:
            return self._first_seconds
        return self._answer_seconds if busy else self._idle_seconds
