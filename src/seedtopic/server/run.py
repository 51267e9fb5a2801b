"""An application at an address, until it is told to stop: what runs is finished, and nothing new is taken."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import socket

import uvicorn
from starlette.types import ASGIApp

from seedtopic.errors import InputError
from seedtopic.server.limits import Limits
from seedtopic.server.log import LineHandler, Log
from seedtopic.server.slow_clients import SlowClients

KEEP_ALIVE = 30  # seconds that a connection may be silent between two requests
FIRST = 10  # seconds for the first request of a connection
MOST_IN_A_HEADER = 32_768  # bytes
TICKS = 10  # of a tenth of a second each, between two looks at the connections


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, slow_clients: SlowClients) -> None:
        super().__init__(config)
        self._slow_clients = slow_clients

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS == 0:
            self._slow_clients.look(self.server_state.connections, asyncio.get_running_loop().time())
        return await super().on_tick(counter)


def listen(host: str, port: int) -> socket.socket:
    """Take an address; port 0 is any that is free.

    Examples
    --------
    >>> with listen("127.0.0.1", 0) as taken:
    ...     listen("127.0.0.1", taken.getsockname()[1])
    Traceback (most recent call last):
        ...
    seedtopic.errors.InputError: ...Address already in use...
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # Said to be TCP, or asyncio leaves it to delay small packets, by 40 ms and more.
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
            f"the server cannot listen at {host}, port {port} ({said}): choose another --port or --host."
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
) -> None:
    """Serve an application until the process is told to stop (SIGTERM, or Ctrl-C).

    Parameters
    ----------
    app : ASGI application
    at : socket
        See `listen`.
    limits : Limits
    most_connections : int
        Whoever comes beyond is refused, with the status 503.
    grace : float
        Seconds to finish in, after being told to stop.
    log : callable
    answer_seconds : float, optional
        After which a client that has not taken the whole of an answer is left; infinite where answers go on
        and on. Left out: twice as long as the limits let an answer take.
    """
    logging.captureWarnings(True)
    for name in ("uvicorn.error", "asyncio", "py.warnings"):
        logger = logging.getLogger(name)
        logger.addHandler(LineHandler(log))
        logger.propagate = False
    config = uvicorn.Config(
        app,
        http="h11",  # which holds headers to a size, and malformed requests to the standard
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
    if answer_seconds is None:
        answer_seconds = 2 * (limits.body_seconds + max(limits.predict_seconds, limits.label_seconds))
    slow_clients = SlowClients(FIRST, KEEP_ALIVE + FIRST, answer_seconds)
    # uvicorn finishes, then sends itself the signal again: for us a stop that was asked for is no failure.
    for asked in (signal.SIGINT, signal.SIGTERM):
        signal.signal(asked, lambda number, frame: None)
    gc.collect()
    gc.freeze()  # the model lives as long as the process: the collector need not look at it
    log("start", {"address": address_of(at)})
    _Server(config, slow_clients).run(sockets=[at])
    log("stop", {})


def address_of(at: socket.socket) -> str:
    """Write the address of a socket as a browser takes it.

    Examples
    --------
    >>> with listen("127.0.0.1", 0) as taken:
    ...     address_of(taken) == f"http://127.0.0.1:{taken.getsockname()[1]}"
    True
    """
    host, port = at.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
