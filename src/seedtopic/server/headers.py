"""Security headers: they tell a browser what it may not do with a response."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
    """Add security headers to every response; headers that it already has are kept.

    Parameters
    ----------
    app : ASGI application
    policy : str
        The content security policy.
    also : mapping of str to str, optional
        Further headers, or other values of those in `ALWAYS`.

    Examples
    --------
    >>> from starlette.responses import PlainTextResponse
    >>> from starlette.testclient import TestClient
    >>> answer = TestClient(SecurityHeaders(PlainTextResponse("hello"))).get("/")
    >>> answer.headers["referrer-policy"]
    'no-referrer'
    """

    def __init__(
        self, app: ASGIApp, policy: str = NOTHING_ALLOWED, also: Mapping[str, str] | None = None
    ) -> None:
        self.app = app
        named = {**ALWAYS, "Content-Security-Policy": policy, **(also or {})}
        self._headers = [
            (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in named.items()
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                there = {name for name, _ in given}
                message["headers"] = given + [pair for pair in self._headers if pair[0] not in there]
            await send(message)

        await self.app(scope, receive, send_with_headers)
