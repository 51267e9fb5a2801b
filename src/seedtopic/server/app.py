"""The complete application: the routes, and the middleware that every request passes through."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from seedtopic.server.addresses import AddressCheck, origin_of
from seedtopic.server.api import Api
from seedtopic.server.direct import Direct
from seedtopic.server.headers import SecurityHeaders
from seedtopic.server.log import Log, log_to_stderr
from seedtopic.server.observe import Observe
from seedtopic.server.rates import RateLimit
from seedtopic.server.refusal import HANDLERS


def make_app(
    api: Api,
    host: str = "127.0.0.1",
    hosts: Collection[str] = (),
    origins: Collection[str] = (),
    log: Log = log_to_stderr,
    *,
    per_second: float | None = None,
) -> ASGIApp:
    """Create the application that `seedtopic serve` runs.

    Parameters
    ----------
    api : Api
    host, hosts, origins
        See `seedtopic.server.addresses.AddressCheck`; pages of `origins` may also read the responses.
    log : callable
    per_second : float, optional
        Requests a second that an address may send, see `seedtopic.server.rates.RateLimit`.

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
        api.prepare()
        yield
        api.close()

    api.drift.log = log
    origins = [origin_of(origin) for origin in origins]
    routes = api.routes()
    routed = Starlette(routes=routes, exception_handlers=HANDLERS, lifespan=until_closed)
    routed.router.redirect_slashes = False  # a redirect would make clients send the body twice
    app: ASGIApp = Direct(routed, {("POST", "/predict"): api.predict})
    if origins:
        app = CORSMiddleware(
            app, allow_origins=origins, allow_methods=["GET", "POST"], allow_headers=["Content-Type"]
        )
    app = AddressCheck(app, host, hosts, origins)
    if per_second is not None:
        app = RateLimit(app, per_second)
    app = SecurityHeaders(app)
    return Observe(app, api.metrics, log, [route.path for route in routes])
