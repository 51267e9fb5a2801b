"""Clients that keep a connection and say nothing, or do not listen, are not waited for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class SlowClients:
    """Looks at all connections now and then, and ends those in which too little happens.

    uvicorn ends a connection that is silent after an answer, but waits for ever for the first request, for
    the rest of a header, and for a client to take its answer.

    Parameters
    ----------
    first_seconds : float
        For the header of the first request.
    idle_seconds : float
        From an answer to the next request, its header complete.
    answer_seconds : float
        From the header of a request until its answer has been taken.
    """

    def __init__(self, first_seconds: float, idle_seconds: float, answer_seconds: float) -> None:
        self._first_seconds = first_seconds
        self._idle_seconds = idle_seconds
        self._answer_seconds = answer_seconds
        self._seen: dict[Any, tuple[Any, bool, float]] = {}  # of connections that are open

    def look(self, connections: Iterable[Any], now: float) -> None:
        """End what has been in one state for too long.

        Parameters
        ----------
        connections : iterable of uvicorn's protocols
            Each has a `cycle`, the request that was last begun, and a `transport`.
        now : float
            In seconds, from any beginning.
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
