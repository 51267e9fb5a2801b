"""Run an application until it is stopped: running requests finish, and no new ones are accepted."""

from __future__ import annotations

import asyncio
import gc
import logging
import math
import signal
import socket
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

import prometheus_client
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from seedtopic.base.errors import InputError
from seedtopic.web.errors import LineHandler, Log, json_bytes
from seedtopic.web.limits import RECEIVED, Limits
from seedtopic.web.processes import give_back_memory

Reload = Callable[[], Coroutine[Any, Any, None]]

KEEP_ALIVE = 30  # seconds that a connection may be idle between two requests
FIRST = 10  # seconds for the head of a request
MOST_IN_A_HEADER = 32_768  # bytes of the request line and all headers
MOST_READ = 4096  # bytes read at a time: they may be hundreds of chunks, in which nobody else is served
LINGER = 0.25  # seconds after a stop signal in which requests arrive that were sent before it


class Connection(asyncio.BufferedProtocol):
    """Passes a connection on to the server in small reads, and ends it if nothing happens for too long.

    uvicorn closes a connection that is idle after a response, but waits forever for the head of a request,
    and for a client to read a response.
    """

    _buffer = bytearray(MOST_READ)  # of all connections: what is read is passed on at once

    def __init__(self, server: asyncio.Protocol, connections: Connections) -> None:
        self._server, self._connections = server, connections
        self.address: tuple[str, int] = ("", 0)
        self.until, self.received = math.inf, 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.address = transport.get_extra_info("peername")[:2]
        refusal = self._connections.opened(self)
        if refusal is None:
            self._server.connection_made(transport)
        else:
            self._server = asyncio.Protocol()  # which does nothing
            content = json_bytes({"error": refusal})
            head = b"HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\n"
            head += b"connection: close\r\ncontent-length: %d\r\n\r\n" % len(content)
            self.transport.write(head + content)
            self.transport.close()

    def get_buffer(self, sizehint: int) -> bytearray:
        """Return where the next bytes are written."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.received += nbytes
        self._server.data_received(bytes(self._buffer[:nbytes]))

    def eof_received(self) -> None:
        self._server.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.closed(self)
        self._server.connection_lost(exc)

    def pause_writing(self) -> None:
        self._server.pause_writing()

    def resume_writing(self) -> None:
        self._server.resume_writing()


class Connections:
    """All open connections, by the address of their clients; as an application, it sees their requests."""

    def __init__(self, app: ASGIApp, answer_seconds: float, most_per_address: int | None) -> None:
        self._app, self._answer_seconds, self._most = app, answer_seconds, most_per_address
        self._open: dict[tuple[str, int], Connection] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = self._open.get(scope["client"]) if scope["type"] == "http" else None
        if connection is not None:
            connection.until = asyncio.get_running_loop().time() + self._answer_seconds
            before = connection.received
            scope[RECEIVED] = lambda: connection.received - before
        try:
            await self._app(scope, receive, send)
        finally:
            if connection is not None:
                connection.until = asyncio.get_running_loop().time() + KEEP_ALIVE + FIRST

    def opened(self, connection: Connection) -> str | None:
        """Take in a connection, unless its address has too many: then say so."""
        of_address = sum(address[0] == connection.address[0] for address in self._open)
        if self._most is not None and of_address >= self._most:
            return f"this address has more than {self._most:,} connections: close some."
        self._open[connection.address] = connection
        connection.until = asyncio.get_running_loop().time() + FIRST
        return None

    def closed(self, connection: Connection) -> None:
        if self._open.get(connection.address) is connection:
            del self._open[connection.address]

    async def look_after(self) -> None:
        """End connections whose time is over, and give memory back, every second."""
        while True:
            await asyncio.sleep(1.0)
            now = asyncio.get_running_loop().time()
            for connection in list(self._open.values()):
                if connection.until < now:
                    connection.transport.abort()
            give_back_memory()  # of large bodies; ten microseconds where there were none


class Server(uvicorn.Server):
    """Calls a function when it accepts requests, and waits for another before it stops."""

    def __init__(
        self,
        config: uvicorn.Config,
        before_stop: Callable[[], Awaitable[None]],
        ready: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(config)
        self._before_stop, self._ready = before_stop, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._before_stop()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 means any free port."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # With the protocol given as TCP, asyncio disables the delay of small packets (40 ms and more).
        at = socket.socket(family, kind, socket.IPPROTO_TCP)
        try:
            at.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            at.bind(address)
            at.listen(2048)
        except BaseException:
            at.close()
            raise
        return at
    except (OSError, OverflowError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"the server cannot listen on {host}, port {port} ({reason}): choose another --port or --host."
        ) from None


def address_of(at: socket.socket, scheme: str = "http") -> str:
    """Return the address of a socket as a URL."""
    host, port = at.getsockname()[:2]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def tls_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Read a certificate, which comes first in its file, then those that sign it, and its key, PEM files."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    load_certificate(context, certificate, key)
    return context


def load_certificate(context: ssl.SSLContext, certificate: Path, key: Path) -> None:
    """Read the certificate and its key, perhaps again: new connections use them."""
    try:
        context.load_cert_chain(certificate, key, password=lambda: "")  # rather than ask for one
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise InputError(
            f"the certificate {certificate} and the key {key} cannot be used ({reason}): "
            "give two PEM files that belong together, the key without a password."
        ) from None


def run(
    app: ASGIApp,
    at: socket.socket,
    limits: Limits,
    *,
    most_connections: int,
    grace: float,
    log: Log,
    most_per_address: int | None = None,
    tls: ssl.SSLContext | None = None,
    reload: Reload | None = None,
) -> None:
    """Serve an application on a socket until the process is stopped (SIGTERM, or Ctrl-C).

    Beyond `most_connections`, requests are refused with status 503, beyond `most_per_address`, connections
    with status 429. After a stop signal, running requests have `grace` seconds. `reload` is called on SIGHUP.
    """
    logging.captureWarnings(True)
    for name in ("uvicorn.error", "asyncio", "py.warnings"):
        logger = logging.getLogger(name)
        logger.addHandler(LineHandler(log))
        logger.propagate = False
    prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]
    # A client that has not received the whole response after twice the longest time for one is disconnected.
    seconds = 2 * (limits.body_seconds + max(limits.predict_seconds, limits.label_seconds))
    connections = Connections(app, seconds, most_per_address)
    config = uvicorn.Config(
        connections,
        http="h11",
        h11_max_incomplete_event_size=MOST_IN_A_HEADER,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=int(grace),
        limit_concurrency=most_connections,
    )
    config.load()
    config.ssl = tls
    http: Any = config.http_protocol_class
    protocols: Any = config
    protocols.http_protocol_class = lambda **options: Connection(http(**options), connections)
    # uvicorn shuts down, then sends itself the signal again: a requested stop is not a failure.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: None)
    gc.collect()
    gc.freeze()  # the model lives as long as the process and is never garbage
    log("start", {"address": address_of(at, "http" if tls is None else "https")})
    # Serve for a moment what was sent before the signal, then stop.
    server = Server(config, partial(asyncio.sleep, LINGER))
    asyncio.run(_serve(server, connections, at, reload))
    log("stop", {})


async def _serve(
    server: uvicorn.Server, connections: Connections, at: socket.socket, reload: Reload | None
) -> None:
    tasks = [asyncio.ensure_future(connections.look_after())]
    if reload is not None and hasattr(signal, "SIGHUP"):
        begin = reload
        asyncio.get_running_loop().add_signal_handler(
            signal.SIGHUP, lambda: tasks.append(asyncio.ensure_future(begin()))
        )
    await server.serve(sockets=[at])
    for task in tasks:
        task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*tasks)
