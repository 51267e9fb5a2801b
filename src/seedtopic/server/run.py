"""Run an application until it is stopped: running requests finish, and no new ones are accepted."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import socket
import ssl
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp

from seedtopic.base.errors import InputError
from seedtopic.server.connection import Connection
from seedtopic.server.heap import give_back_memory
from seedtopic.server.limits import Limits
from seedtopic.server.log import LineHandler, Log
from seedtopic.server.slow_clients import SlowClients

Reload = Callable[[], Coroutine[Any, Any, None]]

KEEP_ALIVE = 30  # seconds that a connection may be idle between two requests
FIRST = 10  # seconds for the first request of a connection
TICKS = 10  # of a tenth of a second each, between two checks of the connections
GIVE_BACK = 20  # ticks; more often, memory would be taken again at once while large bodies come


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, slow_clients: SlowClients, reload: Reload | None) -> None:
        super().__init__(config)
        self._slow_clients, self._reload = slow_clients, reload
        self._reloading: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._reload is not None and hasattr(signal, "SIGHUP"):
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._begin_reload, self._reload)

    def _begin_reload(self, reload: Reload) -> None:
        self._reloading = asyncio.ensure_future(reload())

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS == 0:
            self._slow_clients.look(self.server_state.connections, asyncio.get_running_loop().time())
        if counter % GIVE_BACK == 0:
            give_back_memory()  # of large bodies; ten microseconds where there were none
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept what waits in the queue of the system, which would reset it, then stop listening."""
        accepted = [connection for at in sockets or () for connection in waiting_connections(at)]
        for server in self.servers:
            server.close()
        loop = asyncio.get_running_loop()

        def protocol() -> asyncio.Protocol:
            make: Any = self.config.http_protocol_class
            connection: asyncio.Protocol = make(self.config, self.server_state, self.lifespan.state)
            return connection

        opened = (loop.connect_accepted_socket(protocol, at, ssl=self.config.ssl) for at in accepted)
        await asyncio.gather(*opened, return_exceptions=True)
        await super().shutdown(sockets)


def waiting_connections(at: socket.socket) -> list[socket.socket]:
    """Accept all connections that wait, from a socket that does not block.

    Examples
    --------
    >>> with listen("127.0.0.1", 0) as at, socket.create_connection(at.getsockname()):
    ...     at.setblocking(False)
    ...     accepted = waiting_connections(at)
    ...     len(accepted), len(waiting_connections(at))
    (1, 0)
    >>> accepted[0].close()
    """
    accepted: list[socket.socket] = []
    while True:
        try:
            connection, _ = at.accept()
        except OSError:  # none is left, or there is no place for another
            return accepted
        connection.setblocking(False)
        accepted.append(connection)


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 means any free port.

    Examples
    --------
    >>> with listen("127.0.0.1", 0) as taken:
    ...     listen("127.0.0.1", taken.getsockname()[1])
    Traceback (most recent call last):
        ...
    seedtopic.base.errors.InputError: ...Address already in use...
    """
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
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"the server cannot listen on {host}, port {port} ({said}): choose another --port or --host."
        ) from None


def run(
    app: ASGIApp,
    at: socket.socket,
    limits: Limits,
    *,
    most_connections: int,
    grace: float,
    log: Log,
    answer_seconds: float | None = None,
    most_per_address: int | None = None,
    tls: ssl.SSLContext | None = None,
    reload: Reload | None = None,
) -> None:
    """Serve an application until the process is stopped (SIGTERM, or Ctrl-C).

    Parameters
    ----------
    app : ASGI application
    at : socket
        See `listen`.
    limits : Limits
    most_connections : int
        Further connections are refused with status 503.
    grace : float
        Seconds to finish running requests after a stop signal.
    log : callable
    answer_seconds : float, optional
        Seconds after which a client that has not received the whole response is disconnected; infinite for
        endless responses. Default: twice the longest time the limits allow for a response.
    most_per_address : int, optional
        Connections that an address may have.
    tls : SSLContext, optional
        See `seedtopic.server.tls`.
    reload : coroutine function, optional
        Called on SIGHUP.
    """
    logging.captureWarnings(True)
    for name in ("uvicorn.error", "asyncio", "py.warnings"):
        logger = logging.getLogger(name)
        logger.addHandler(LineHandler(log))
        logger.propagate = False
    config = uvicorn.Config(
        app,
        http=cast(Any, partial(Connection, most_per_address=most_per_address)),
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
    if answer_seconds is None:
        answer_seconds = 2 * (limits.body_seconds + max(limits.predict_seconds, limits.label_seconds))
    slow_clients = SlowClients(FIRST, KEEP_ALIVE + FIRST, answer_seconds)
    # uvicorn shuts down, then sends itself the signal again: a requested stop is not a failure.
    for asked in (signal.SIGINT, signal.SIGTERM):
        signal.signal(asked, lambda number, frame: None)
    gc.collect()
    gc.freeze()  # the model lives as long as the process and is never garbage
    log("start", {"address": address_of(at, "http" if tls is None else "https")})
    _Server(config, slow_clients, reload).run(sockets=[at])
    log("stop", {})


def address_of(at: socket.socket, scheme: str = "http") -> str:
    """Return the address of a socket as a URL.

    Examples
    --------
    >>> with listen("127.0.0.1", 0) as taken:
    ...     address_of(taken) == f"http://127.0.0.1:{taken.getsockname()[1]}"
    True
    """
    host, port = at.getsockname()[:2]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
