"""Error responses: a status, and one sentence as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from seedtopic.base.errors import InputError

SENTENCES = {
    404: "there is nothing at this address: GET /docs lists all addresses.",
    405: "this address does not allow that method: the Allow header lists the allowed ones.",
}


class Refusal(Exception):
    """A request that is refused with an error response.

    Parameters
    ----------
    status : int
        400 or above.
    sentence : str
        What is wrong, and how to fix it.
    headers : mapping, optional
        Headers of the response. ``Connection: close`` ends a connection whose body was not read completely.

    Examples
    --------
    >>> Refusal(413, "the body is too large.").status
    413
    """

    def __init__(self, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.headers = dict(headers or {})

    def answer(self) -> Response:
        """Return the error response."""
        return JsonAnswer({"error": self.sentence}, self.status, self.headers)


class JsonAnswer(Response):
    """A JSON response, of a value or of JSON that is written already; its texts may contain any characters.

    Examples
    --------
    >>> JsonAnswer({"label": "Wörter"}).body.decode()
    '{"label":"Wörter"}'
    >>> JsonAnswer({"label": chr(0xD800)}).body  # UTF-8 cannot encode it, JSON can
    b'{"label":"\\\\ud800"}'
    """

    media_type = "application/json"

    def __init__(self, value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(value, status, headers)

    def render(self, content: Any) -> bytes:
        return content if isinstance(content, bytes) else json_bytes(content)


def json_bytes(value: Any) -> bytes:
    """Write JSON, in which lone surrogates are escaped: UTF-8 cannot encode them, JSON can."""
    return _ENCODER.encode(value).encode("utf-8", "backslashreplace")


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


async def refused(request: Request, error: Exception) -> Response:
    """Turn an exception into a response; for Starlette's `exception_handlers`, see `HANDLERS`."""
    if isinstance(error, Refusal):
        return error.answer()
    if isinstance(error, InputError):
        return Refusal(422, shortened(str(error))).answer()
    if isinstance(error, HTTPException):
        sentence = SENTENCES.get(error.status_code, f"{HTTPStatus(error.status_code).phrase}.")
        return Refusal(error.status_code, sentence, error.headers).answer()
    return Refusal(500, "the server failed while handling this request: see its log.").answer()


def shortened(sentence: str, most: int = 1000) -> str:
    """Shorten a sentence that quotes too much of its input.

    Examples
    --------
    >>> shortened("one, two, three", 8)
    'one, two …'
    """
    return sentence if len(sentence) <= most else sentence[:most] + " …"


HANDLERS: dict[Any, Any] = dict.fromkeys((Refusal, InputError, HTTPException, Exception), refused)
