"""Requests that are refused: a status, and one sentence as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from seedtopic.errors import InputError

SENTENCES = {
    404: "there is nothing at this address: GET /docs lists what there is.",
    405: "this address does not take that method: the header Allow lists those it takes.",
}


class Refusal(Exception):
    """A request that is not answered as asked.

    Parameters
    ----------
    status : int
        From 400 on.
    sentence : str
        What is wrong, and how to mend it.
    headers : mapping, optional
        Of the answer. ``Connection: close`` ends a connection whose body was not read to its end.

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
        """Give the refusal as an answer."""
        return JsonAnswer({"error": self.sentence}, self.status, self.headers)


class JsonAnswer(Response):
    """An answer in JSON, whatever its texts hold.

    Examples
    --------
    >>> JsonAnswer({"label": "Wörter"}).body.decode()
    '{"label":"Wörter"}'
    >>> JsonAnswer({"label": chr(0xD800)}).body  # half a pair, which UTF-8 cannot hold and JSON can
    b'{"label":"\\\\ud800"}'
    """

    media_type = "application/json"

    def __init__(self, value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(value, status, headers)

    def render(self, content: Any) -> bytes:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")


async def refused(request: Request, error: Exception) -> Response:
    """Turn what a handler raised into an answer; for Starlette's `exception_handlers`, see `HANDLERS`."""
    if isinstance(error, Refusal):
        return error.answer()
    if isinstance(error, InputError):
        return Refusal(422, shortened(str(error))).answer()
    if isinstance(error, HTTPException):
        sentence = SENTENCES.get(error.status_code, f"{HTTPStatus(error.status_code).phrase}.")
        return Refusal(error.status_code, sentence, error.headers).answer()
    return Refusal(500, "the server failed at this request: its log says where.").answer()


def shortened(sentence: str, most: int = 1000) -> str:
    """Cut a sentence that names too much of what it was given.

    Examples
    --------
    >>> shortened("one, two, three", 8)
    'one, two …'
    """
    return sentence if len(sentence) <= most else sentence[:most] + " …"


HANDLERS: dict[Any, Any] = dict.fromkeys((Refusal, InputError, HTTPException, Exception), refused)
