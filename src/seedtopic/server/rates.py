"""How many requests a second an address may send."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from seedtopic.server.body import CLOSE
from seedtopic.server.refusal import Refusal

BURST = 5.0  # seconds of the allowed rate that may be used at once
MOST_ADDRESSES = 10_000  # that are remembered; those that have sent nothing for a while are forgotten


class RateLimit:
    """Refuse the requests of an address that sends too many, with status 429.

    Each address has an allowance, which refills at the allowed rate, and from which each request takes one.

    Parameters
    ----------
    app : ASGI application
    per_second : float
        Requests a second, on average; five seconds' worth may be sent at once.
    clock : callable
        Gives seconds.

    Examples
    --------
    >>> from starlette.responses import PlainTextResponse
    >>> from starlette.testclient import TestClient
    >>> client = TestClient(RateLimit(PlainTextResponse("hello"), 0.4, clock=lambda: 0.0))
    >>> [client.get("/").status_code for _ in range(3)]
    [200, 200, 429]
    """

    def __init__(self, app: ASGIApp, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.app = app
        self._rate, self._most, self._clock = per_second, max(1.0, per_second * BURST), clock
        self._left: dict[str, tuple[float, float]] = {}  # by address: the allowance, and when

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._allows(str((scope.get("client") or ("",))[0])):
            wait = {"Retry-After": str(math.ceil(1 / self._rate)), **CLOSE}
            sentence = f"this address sends more than {self._rate:g} requests a second: send fewer."
            await Refusal(429, sentence, wait).answer()(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _allows(self, address: str) -> bool:
        now = self._clock()
        left, since = self._left.pop(address, (self._most, now))
        left = min(self._most, left + (now - since) * self._rate)
        allowed = left >= 1.0
        self._left[address] = (left - allowed, now)
        if len(self._left) > MOST_ADDRESSES:
            del self._left[next(iter(self._left))]  # the one that was seen longest ago
        return allowed
