"""A secret token in the address, so that other users and programs on the machine have no access."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from seedtopic.server.body import CLOSE, header
from seedtopic.server.refusal import Refusal

HEADER = "X-Seedtopic-Token"
PARAMETER = "token"


def new_token() -> str:
    """Return a random token of characters that are allowed in a URL.

    Examples
    --------
    >>> len(new_token()), new_token() == new_token()
    (43, False)
    """
    return secrets.token_urlsafe(32)


class TokenCheck:
    """Refuse requests without the token, in the X-Seedtopic-Token header or the query parameter token.

    Parameters
    ----------
    app : ASGI application
    token : str
    protects : callable
        Takes the path of a request and returns whether it needs the token. By default every path does.

    Examples
    --------
    >>> from starlette.responses import PlainTextResponse
    >>> from starlette.testclient import TestClient
    >>> client = TestClient(TokenCheck(PlainTextResponse("hello"), "secret"))
    >>> client.get("/").status_code, client.get("/?token=wrong").status_code
    (403, 403)
    >>> client.get("/?token=secret").text, client.get("/", headers={"X-Seedtopic-Token": "secret"}).text
    ('hello', 'hello')
    """

    def __init__(self, app: ASGIApp, token: str, protects: Callable[[str], bool] = lambda path: True) -> None:
        self.app = app
        self._token = token.encode("ascii")
        self._protects = protects

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._protects(scope["path"]) and not self._knows(scope):
            sentence = "the token is missing or wrong: open the address that the server printed."
            await Refusal(403, sentence, CLOSE).answer()(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _knows(self, scope: Scope) -> bool:
        given = header(scope, HEADER.lower().encode("ascii"))
        if given is None:
            query = parse_qs(scope.get("query_string", b"").decode("latin-1"), max_num_fields=None)
            given = query.get(PARAMETER, [""])[0].encode("utf-8", "replace")
        return secrets.compare_digest(given, self._token)  # in constant time
