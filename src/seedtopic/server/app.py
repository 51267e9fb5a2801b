"""The API as a whole application: routes, and the layers that every request passes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from seedtopic.server.addresses import AddressCheck, origin_of
from seedtopic.server.api import Api
from seedtopic.server.headers import SecurityHeaders
from seedtopic.server.log import Log, log_to_stderr
from seedtopic.server.observe import Observe
from seedtopic.server.refusal import HANDLERS


def make_app(
    api: Api,
    host: str = "127.0.0.1",
    hosts: Collection[str] = (),
    origins: Collection[str] = (),
    log: Log = log_to_stderr,
) -> ASGIApp:
    """Make the application that `seedtopic serve` runs.

    Parameters
    ----------
    api : Api
    host, hosts, origins
        See `seedtopic.server.addresses.AddressCheck`; pages of `origins` may read the answers, too.
    log : callable

    Examples
    --------
    >>> from starlette.testclient import TestClient
    >>> app = make_app(Api(lambda: None), log=lambda event, values: None)
    >>> client = TestClient(app, "http://localhost:8000")
    >>> client.get("/health").json()
    {'status': 'no model'}
    """

    @asynccontextmanager
    async def until_closed(app: Starlette) -> AsyncIterator[None]:
        yield
        api.close()

    origins = [origin_of(origin) for origin in origins]
    routes = api.routes()
    routed = Starlette(routes=routes, exception_handlers=HANDLERS, lifespan=until_closed)
    routed.router.redirect_slashes = False  # an address is right or wrong, and no body is sent twice
    app: ASGIApp = routed
    if origins:
        app = CORSMiddleware(
            app, allow_origins=origins, allow_methods=["GET", "POST"], allow_headers=["Content-Type"]
        )
    app = SecurityHeaders(AddressCheck(app, host, hosts, origins))
    return Observe(app, api.metrics, log, [route.path for route in routes])
