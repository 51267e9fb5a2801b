"""The complete application: FastAPI with the routes, and the middleware that every request passes through."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from seedtopic.web.access import AddressCheck, RateLimit, origin_of
from seedtopic.web.api import Api
from seedtopic.web.errors import HANDLERS, Log, log_to_stderr
from seedtopic.web.observe import Observe

# For responses to programs: a browser that shows one loads nothing, runs nothing and does not frame it.
NOTHING_ALLOWED = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class SecurityHeaders:
    """Add security headers, which tell a browser what it may not do with a response; its own are kept."""

    def __init__(self, app: ASGIApp, policy: str = NOTHING_ALLOWED) -> None:
        self.app = app
        headers = {**ALWAYS, "Content-Security-Policy": policy}
        self._headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                names = {name for name, _ in headers}
                message["headers"] = headers + [pair for pair in self._headers if pair[0] not in names]
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


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
    host : str
        The address that the server listens on, see `seedtopic.web.access.AddressCheck`.
    hosts : collection of str
        Further host names of the server, ``"*"`` for any.
    origins : collection of str
        Further origins, such as ``"https://example.org"``, whose pages may send requests and read responses.
    log : callable
    per_second : float, optional
        Requests a second that an address may send, see `seedtopic.web.access.RateLimit`.

    Examples
    --------
    >>> from starlette.testclient import TestClient
    >>> app = make_app(Api(lambda: None), log=lambda event, values: None)
    >>> client = TestClient(app, "http://localhost:8000")
    >>> client.get("/health").json()
    {'status': 'no model'}
    """

    @asynccontextmanager
    async def until_closed(app: FastAPI) -> AsyncIterator[None]:
        api.prepare()
        yield
        api.close()

    api.log = api.drift.log = log
    origins = [origin_of(origin) for origin in origins]
    routes = FastAPI(
        lifespan=until_closed,
        exception_handlers=HANDLERS,
        openapi_url=None,  # the API has a description of its own, and a page that loads nothing
        redirect_slashes=False,  # a redirect would make clients send the body twice
    )
    routes.include_router(api.router)
    app: ASGIApp = routes
    if origins:
        app = CORSMiddleware(
            app, allow_origins=origins, allow_methods=["GET", "POST"], allow_headers=["Content-Type"]
        )
    app = AddressCheck(app, host, hosts, origins)
    if per_second is not None:
        app = RateLimit(app, per_second)
    return Observe(SecurityHeaders(app), api.metrics, log, api.paths)
