"""Run the studio as a server on this machine only, until Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection
from pathlib import Path

import uvicorn

from seedtopic.server.run import address_of, listen
from seedtopic.server.token import new_token
from seedtopic.studio.app import create_app
from seedtopic.studio.session import Session

HERE = "127.0.0.1"


def serve(
    session: Session, output: Path, port: int, ready: Callable[[str], None], kept: Collection[Path] = ()
) -> None:
    """Serve a session until it is interrupted."""
    listening = listen(HERE, port)
    token = new_token()
    app = create_app(session, output.resolve(), token, HERE, kept)
    config = uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=2)
    server = _Server(config, lambda: ready(f"{address_of(listening)}/#token={token}"), session)
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:  # uvicorn raises the signal again after it has shut down
        pass
    finally:
        listening.close()


class _Server(uvicorn.Server):
    """Reports when it is ready, and ends the event streams first, which would block the shutdown."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], session: Session) -> None:
        super().__init__(config)
        self._ready, self._session = ready, session

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._session.events.close()
        await super().shutdown(sockets)
