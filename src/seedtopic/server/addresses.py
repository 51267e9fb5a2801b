"""Which requests the server accepts: those for its own host names, and changes from its own pages."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address

from starlette.types import ASGIApp, Receive, Scope, Send

from seedtopic.base.errors import InputError
from seedtopic.server.body import CLOSE
from seedtopic.server.refusal import Refusal

READING = ("GET", "HEAD", "OPTIONS")
ANY = "*"


class AddressCheck:
    """Refuse requests for another host, and changes requested by pages of another origin.

    A page from elsewhere can make its own host name resolve to this machine (DNS rebinding) and could then
    read every response: the Host header, which contains that name, gives it away. A page from elsewhere can
    also send requests whose responses it cannot read: the Origin header gives it away.

    Parameters
    ----------
    app : ASGI application
    host : str
        The address that the server listens on. For a loopback address, localhost and 127.0.0.1 are accepted
        as host names; for any other, all numeric addresses are, since a numeric address cannot be rebound.
    hosts : collection of str
        Further host names of the server, ``"*"`` for any.
    origins : collection of str
        Further origins, such as ``"https://example.org"``, whose pages may request changes.

    Examples
    --------
    >>> from starlette.responses import PlainTextResponse
    >>> from starlette.testclient import TestClient
    >>> app = AddressCheck(PlainTextResponse("hello"), "127.0.0.1")
    >>> TestClient(app, "http://127.0.0.1:8000").get("/").text
    'hello'
    >>> TestClient(app, "http://elsewhere.example").get("/").status_code
    403
    """

    def __init__(
        self,
        app: ASGIApp,
        host: str = "127.0.0.1",
        hosts: Collection[str] = (),
        origins: Collection[str] = (),
    ) -> None:
        self.app = app
        self._names = {"localhost", "127.0.0.1", "::1", host.lower(), *(name.lower() for name in hosts)}
        self._any_name = ANY in hosts
        self._any_number = not is_loopback(host)
        self._origins = {origin_of(origin) for origin in origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                self._check(scope)
            except Refusal as refusal:
                await refusal.answer()(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        named: dict[bytes, list[str]] = {b"host": [], b"origin": []}
        for key, value in scope["headers"]:
            if key in named:
                named[key].append(value.decode("latin-1").lower())
        if len(named[b"host"]) != 1:
            raise Refusal(400, "the request must have exactly one Host header.", CLOSE)
        (host,) = named[b"host"]
        if not self._is_ours(host_name(host)):
            raise Refusal(
                403,
                "the server does not accept the name in the Host header: start it with --allow-host.",
                CLOSE,
            )
        if scope["method"] in READING:
            return
        ours = {f"http://{host}", f"https://{host}", *self._origins}
        if any(origin not in ours for origin in named[b"origin"]):
            raise Refusal(
                403,
                "pages of this origin may not send that: start the server with --allow-origin.",
                CLOSE,
            )

    def _is_ours(self, name: str) -> bool:
        return name in self._names or self._any_name or (self._any_number and is_number(name))


def origin_of(address: str) -> str:
    """Normalize an origin to the form that browsers send.

    Raises
    ------
    InputError
        When it is not an origin, such as an address with a path, or ``"*"``.

    Examples
    --------
    >>> origin_of("https://Example.org/")
    'https://example.org'
    """
    origin = address.lower().rstrip("/")
    scheme, _, host = origin.partition("://")
    if scheme not in ("http", "https") or not host or "/" in host or "*" in host:
        raise InputError(f"{address!r} is not an origin: write it like https://example.org, without a path.")
    return origin


def host_name(host: str) -> str:
    """Remove the port from the value of a Host header.

    Examples
    --------
    >>> [host_name(host) for host in ("localhost:8000", "[::1]:8000", "::1", "127.0.0.1")]
    ['localhost', '::1', '::1', '127.0.0.1']
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host if host.count(":") > 1 else host.partition(":")[0]


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from this machine only.

    Examples
    --------
    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    return host.lower() == "localhost" or (is_number(host) and ip_address(host).is_loopback)


def is_number(host: str) -> bool:
    """Return whether a host is a numeric address, not a name.

    Examples
    --------
    >>> is_number("10.0.0.7"), is_number("example.org")
    (True, False)
    """
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
