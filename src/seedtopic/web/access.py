"""Who may send requests, and how often: middleware for host names, origins, rates and a token."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable, Collection
from ipaddress import ip_address
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from seedtopic.base.errors import InputError
from seedtopic.web.errors import CLOSE, Refusal
from seedtopic.web.limits import header

READING = ("GET", "HEAD", "OPTIONS")
BURST = 5.0  # seconds of the allowed rate that may be used at once
MOST_ADDRESSES = 10_000  # that are remembered; those that have sent nothing for a while are forgotten
TOKEN_HEADER, TOKEN_PARAMETER = b"x-seedtopic-token", "token"


class Check:
    """Middleware that refuses some requests: `check` raises a `Refusal` for them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                self.check(scope)
            except Refusal as refusal:
                await refusal.answer()(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def check(self, scope: Scope) -> None:
        """Raise a `Refusal`, or return."""
        raise NotImplementedError


class AddressCheck(Check):
    """Refuse requests for another host, and changes requested by pages of another origin.

    A page from elsewhere can make its own host name resolve to this machine (DNS rebinding) and could then
    read every response: the Host header, which contains that name, gives it away. It can also send requests
    whose responses it cannot read: the Origin header gives it away. A numeric address cannot be rebound.
    """

    def __init__(
        self,
        app: ASGIApp,
        host: str = "127.0.0.1",
        hosts: Collection[str] = (),
        origins: Collection[str] = (),
    ) -> None:
        super().__init__(app)
        self._names = {"localhost", "127.0.0.1", "::1", host.lower(), *(name.lower() for name in hosts)}
        self._any_name = "*" in hosts
        self._any_number = not is_loopback(host)
        self._origins = {origin_of(origin) for origin in origins}

    def check(self, scope: Scope) -> None:
        hosts, origins = (
            [value.decode("latin-1").lower() for key, value in scope["headers"] if key == name]
            for name in (b"host", b"origin")
        )
        lengths = [key for key, _ in scope["headers"] if key in (b"content-length", b"transfer-encoding")]
        if len(lengths) > 1:  # a proxy might have believed the other, and the rest is a request in disguise
            raise Refusal(400, "the request has two lengths: send Content-Length alone.", CLOSE)
        if len(hosts) != 1:
            raise Refusal(400, "the request must have exactly one Host header.", CLOSE)
        (host,) = hosts
        name = host_name(host)
        if not (name in self._names or self._any_name or (self._any_number and is_number(name))):
            sentence = "the server does not accept the name in the Host header: start it with --allow-host."
            raise Refusal(403, sentence, CLOSE)
        ours = {f"http://{host}", f"https://{host}", *self._origins}
        if scope["method"] not in READING and any(origin not in ours for origin in origins):
            sentence = "pages of this origin may not send that: start the server with --allow-origin."
            raise Refusal(403, sentence, CLOSE)


def origin_of(address: str) -> str:
    """Normalize an origin to the form that browsers send."""
    origin = address.lower().rstrip("/")
    scheme, _, host = origin.partition("://")
    if scheme not in ("http", "https") or not host or "/" in host or "*" in host:
        raise InputError(f"{address!r} is not an origin: write it like https://example.org, without a path.")
    return origin


def host_name(host: str) -> str:
    """Remove the port from the value of a Host header."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host if host.count(":") > 1 else host.partition(":")[0]


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from this machine only."""
    return host.lower() == "localhost" or (is_number(host) and ip_address(host).is_loopback)


def is_number(host: str) -> bool:
    """Return whether a host is a numeric address, not a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


class RateLimit(Check):
    """Refuse the requests of an address that sends more than so many per second, with status 429."""

    def __init__(self, app: ASGIApp, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(app)
        self._rate, self._most, self._clock = per_second, max(1.0, per_second * BURST), clock
        self._left: dict[str, tuple[float, float]] = {}  # by address: the allowance, and when

    def check(self, scope: Scope) -> None:
        now, address = self._clock(), str((scope.get("client") or ("",))[0])
        left, since = self._left.pop(address, (self._most, now))
        left = min(self._most, left + (now - since) * self._rate)
        allowed = left >= 1.0
        self._left[address] = (left - allowed, now)
        if len(self._left) > MOST_ADDRESSES:
            del self._left[next(iter(self._left))]  # the one that was seen longest ago
        if not allowed:
            wait = {"Retry-After": str(math.ceil(1 / self._rate)), **CLOSE}
            sentence = f"this address sends more than {self._rate:g} requests a second: send fewer."
            raise Refusal(429, sentence, wait)


class TokenCheck(Check):
    """Refuse requests for the paths that it protects without the token."""

    def __init__(self, app: ASGIApp, token: str, protects: Callable[[str], bool] = lambda path: True) -> None:
        super().__init__(app)
        self._token, self._protects = token, protects

    def check(self, scope: Scope) -> None:
        if self._protects(scope["path"]):
            require_token(scope, self._token, "open the address that the server printed")


def require_token(scope: Scope, token: str, mend: str) -> None:
    """Refuse a request without the token, in the header or the query parameter."""
    sent = header(scope, TOKEN_HEADER)
    if sent is None:
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"), max_num_fields=None)
        sent = query.get(TOKEN_PARAMETER, [""])[0].encode("utf-8", "replace")
    if not secrets.compare_digest(sent, token.encode("ascii")):  # in constant time
        raise Refusal(403, f"the token is missing or wrong: {mend}.", CLOSE)
