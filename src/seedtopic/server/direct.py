"""A short way to the address that is asked most, past the middleware and the search of a framework."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from seedtopic.base.errors import InputError
from seedtopic.server.refusal import Refusal, refused

Handler = Callable[[Request], Awaitable[Response]]


class Direct:
    """Call the handlers of some addresses at once, and an application for all others.

    An exception that is no refusal is passed on, as Starlette does.

    Parameters
    ----------
    app : ASGI application
    handlers : mapping
        By method and path.

    Examples
    --------
    >>> from starlette.responses import PlainTextResponse
    >>> from starlette.testclient import TestClient
    >>> async def quick(request):
    ...     return PlainTextResponse("quick")
    >>> client = TestClient(Direct(PlainTextResponse("other"), {("POST", "/quick"): quick}))
    >>> client.post("/quick").text, client.get("/quick").text
    ('quick', 'other')
    """

    def __init__(self, app: ASGIApp, handlers: Mapping[tuple[str, str], Handler]) -> None:
        self.app = app
        self._handlers = handlers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        handler = None
        if scope["type"] == "http":
            handler = self._handlers.get((scope["method"], scope["path"]))
        if handler is None:
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            response = await handler(request)
        except (Refusal, InputError, HTTPException) as error:
            response = await refused(request, error)
        await response(scope, receive, send)
