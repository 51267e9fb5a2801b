"""Error responses, each a status and one sentence as JSON, and the log of JSON lines."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from seedtopic.base.errors import InputError, MissingExtraError

Log = Callable[[str, dict[str, Any]], None]

CLOSE = {"Connection": "close"}  # the rest of the body is never read
SENTENCES = {
    404: "there is nothing at this address: GET /docs lists all addresses.",
    405: "this address does not allow that method: the Allow header lists the allowed ones.",
}
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Refusal(Exception):
    """A request that is refused with a status, a sentence that says how to mend it, and headers."""

    def __init__(self, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.headers = status, sentence, dict(headers or {})

    def answer(self) -> Response:
        return JsonAnswer({"error": self.sentence}, self.status, self.headers)


class JsonAnswer(JSONResponse):
    """A JSON response, of a value or of written JSON; its texts may contain any characters."""

    def render(self, content: Any) -> bytes:
        return content if isinstance(content, bytes) else json_bytes(content)


def json_bytes(value: Any) -> bytes:
    """Write JSON, in which lone surrogates are escaped: UTF-8 cannot encode them, JSON can."""
    return _ENCODER.encode(value).encode("utf-8", "backslashreplace")


def shortened(sentence: str, most: int = 1000) -> str:
    """Shorten a sentence that quotes too much of its input."""
    return sentence if len(sentence) <= most else sentence[:most] + " …"


async def error_answer(request: Request, error: Exception) -> Response:
    """Turn an exception into a response, as Starlette's `exception_handlers` do, see `HANDLERS`."""
    if isinstance(error, Refusal):
        return error.answer()
    if isinstance(error, InputError | MissingExtraError):
        return Refusal(422, shortened(str(error))).answer()
    if isinstance(error, HTTPException):
        sentence = SENTENCES.get(error.status_code, f"{HTTPStatus(error.status_code).phrase}.")
        return Refusal(error.status_code, sentence, error.headers).answer()
    return Refusal(500, "the server failed while handling this request: see its log.").answer()


HANDLERS: dict[Any, Any] = dict.fromkeys(
    (Refusal, InputError, MissingExtraError, HTTPException, Exception), error_answer
)


def log_to_stderr(event: str, values: dict[str, Any]) -> None:
    """Write one line: the time, the event, and its values."""
    time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    line = json.dumps({"time": time, "event": event, **values}, separators=(",", ":"))
    try:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except OSError:  # the reader of the log has gone; the server keeps running
        pass


def failures_to_stderr(event: str, values: dict[str, Any]) -> None:
    """Write events other than requests, requests that failed in the server, and drift to look at."""
    if event == "drift" and not values["look_again"]:
        return
    if event != "request" or values["status"] == 500:
        log_to_stderr(event, values)


class LineHandler(logging.Handler):
    """Passes the log records of libraries to a log of lines, such as uvicorn's about malformed requests."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log("warning", {"from": record.name, "what": record.getMessage()[:200]})
