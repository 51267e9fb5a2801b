"""A bound on the memory of all bodies together, whoever sends them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from seedtopic.server.refusal import Refusal

FREE = 65_536  # bytes of each body that are not counted: short requests are served whatever others send
STALLED = 1.0  # seconds without a byte, after which a body gives way to others


class BodyMemory:
    """Counts the bytes of all bodies that are being read or labelled.

    Parameters
    ----------
    most : int
        Bytes of all bodies together, without the first 64 kB of each. When they are reached, the body that
        has waited longest for its next bytes is given up, if that is a second or more; otherwise the body
        that needs more.

    Examples
    --------
    >>> memory = BodyMemory(1_000_000)
    >>> with memory.body() as held:
    ...     held.grow(800_000)
    ...     memory.total
    734464
    >>> memory.total
    0
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._unfinished: dict[Held, None] = {}  # the one that has waited longest comes first
        self.total = 0

    @contextmanager
    def body(self) -> Iterator[Held]:
        """Count a body inside the block, which lasts until its response is made."""
        held = Held(self)
        self._unfinished[held] = None
        try:
            yield held
        finally:
            self._unfinished.pop(held, None)
            self.total -= held.counted
            held.counted = 0

    def grow(self, held: Held, size: int) -> None:
        """Count a body as it is now."""
        wanted = max(0, size - FREE) - held.counted
        while self.total + wanted > self._most:
            if not self._give_up_one(held):
                raise too_many_bytes()
        self.total += wanted
        held.counted += wanted
        if held in self._unfinished:  # to the end of the line
            del self._unfinished[held]
            self._unfinished[held] = None

    def finish(self, held: Held) -> None:
        """Note that a body is complete: it will not be given up."""
        self._unfinished.pop(held, None)

    def _give_up_one(self, other: Held) -> bool:
        now = asyncio.get_running_loop().time()
        first = next((held for held in self._unfinished if held.counted and held is not other), None)
        if first is None or now - first.since < STALLED or first.limit is None:
            return False
        del self._unfinished[first]
        self.total -= first.counted
        first.counted, first.given_up = 0, True
        first.limit.reschedule(now)
        return True


class Held:
    """The memory of one body.

    Attributes
    ----------
    limit : asyncio.Timeout, optional
        Ends the reading of the body, when its time is over or its memory is needed.
    given_up : bool
        Whether its memory was needed.
    """

    def __init__(self, memory: BodyMemory) -> None:
        self._memory = memory
        self.limit: asyncio.Timeout | None = None
        self.given_up = False
        self.counted = 0
        self.since = 0.0

    def grow(self, size: int) -> None:
        """Note how many bytes the body has now."""
        if size > FREE:
            self.since = asyncio.get_running_loop().time() if self.limit is not None else 0.0
            self._memory.grow(self, size)

    def finish(self) -> None:
        """Note that the body is complete."""
        self._memory.finish(self)


def too_many_bytes() -> Refusal:
    """Return the refusal of a body for which there is no memory."""
    return Refusal(
        503,
        "the server holds as many large requests as it can: try again later.",
        {"Retry-After": "1", "Connection": "close"},
    )
