"""Limits of a server, and bodies that are read within them."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.types import Receive, Scope

from seedtopic.base import json as strict_json
from seedtopic.web.errors import CLOSE, Refusal

FREE = 65_536  # bytes of each body that are not counted: short requests are served whatever others send
STALLED = 1.0  # seconds without a byte, after which a body gives way to others
MOST_AROUND = 16_384  # bytes that may be received beside a body, and as many as it has: chunks have headers
RECEIVED = "seedtopic.received"  # scope key of a function: the bytes received since the request began


@dataclass(frozen=True)
class Limits:
    """Limits of a server; the error response for each limit names it.

    Attributes
    ----------
    most_bytes : int
        Largest body, in bytes.
    most_total_bytes : int
        Bytes of all bodies together, without the first 64 kB of each.
    most_texts : int
        Most texts per request.
    most_characters : int
        Most characters per text.
    body_seconds : float
        Most seconds for reading a body.
    predict_seconds, label_seconds : float
        Most seconds for computing a response.
    waiting : int
        Large predictions that may wait for a process; small ones are made immediately.
    labellings : int
        Fits for `/label` at a time, each of which may use all cores; with 0 there is no `/label`.

    Examples
    --------
    >>> Limits(most_texts=100).most_texts
    100
    """

    most_bytes: int = 8_000_000
    most_total_bytes: int = 160_000_000
    most_texts: int = 10_000
    most_characters: int = 100_000
    body_seconds: float = 10.0
    predict_seconds: float = 30.0
    label_seconds: float = 120.0
    waiting: int = 32
    labellings: int = 1


class Bodies:
    """Reads bodies within a size and a time each, and within a bound on the memory of all of them together.

    When that bound is reached, the body that has waited longest for its next bytes is given up, if that is a
    second or more; otherwise the body that needs more.
    """

    def __init__(self, most_bytes: int, seconds: float, most_total_bytes: float = math.inf) -> None:
        self._most_bytes, self._seconds, self._most = most_bytes, seconds, most_total_bytes
        self._total = 0
        self._unfinished: dict[_Body, None] = {}  # the one that has waited longest comes first

    @asynccontextmanager
    async def read(self, scope: Scope, receive: Receive) -> AsyncIterator[bytes]:
        """Read a body that is said to be JSON; its memory is counted until the block ends."""
        require_json(scope)
        body = _Body()
        try:
            yield await self._content(body, scope, receive)
        finally:
            self._unfinished.pop(body, None)
            self._total -= body.counts

    async def _content(self, body: _Body, scope: Scope, receive: Receive) -> bytes:
        announced = header(scope, b"content-length")
        if announced is not None and announced.isdigit() and int(announced[:20]) > self._most_bytes:
            raise self._too_large()
        received = scope.get(RECEIVED, int)
        content = bytearray()  # grows in place; as parts, it would leave holes in memory that stay
        more = True
        try:
            async with asyncio.timeout(self._seconds) as body.limit:
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refusal(400, "the connection was closed before the body was complete.")
                    content += message.get("body", b"")
                    more = message.get("more_body", False)
                    if len(content) > self._most_bytes:
                        raise self._too_large()
                    if received() > 2 * len(content) + MOST_AROUND:
                        sentence = "the body has too many small chunks: send it with Content-Length."
                        raise Refusal(413, sentence, CLOSE)
                    if len(content) > FREE:
                        self._grow(body, len(content) - FREE)
        except TimeoutError:
            if body.given_up:
                raise _too_many_bytes() from None
            sentence = f"the body was not complete after {self._seconds:g} seconds."
            raise Refusal(408, sentence, CLOSE) from None
        self._unfinished.pop(body, None)
        return bytes(content)

    def _too_large(self) -> Refusal:
        return Refusal(413, f"the body is larger than {self._most_bytes:,} bytes: send it in parts.", CLOSE)

    def _grow(self, body: _Body, size: int) -> None:
        """Count the bytes of a body, which goes to the end of the line."""
        body.since = asyncio.get_running_loop().time()
        while self._total + size - body.counts > self._most:
            first = next((other for other in self._unfinished if other is not body), None)
            if first is None or first.limit is None or body.since - first.since < STALLED:
                raise _too_many_bytes()
            del self._unfinished[first]
            self._total -= first.counts
            first.counts, first.given_up = 0, True
            first.limit.reschedule(body.since)
        self._total += size - body.counts
        body.counts = size
        self._unfinished.pop(body, None)
        self._unfinished[body] = None


class _Body:
    """The memory of one body, when its last bytes came, and what ends its reading."""

    def __init__(self) -> None:
        self.counts, self.since, self.given_up = 0, 0.0, False
        self.limit: asyncio.Timeout | None = None


def _too_many_bytes() -> Refusal:
    sentence = "the server holds as many large requests as it can: try again later."
    return Refusal(503, sentence, {"Retry-After": "1", **CLOSE})


def require_json(scope: Scope) -> None:
    """Refuse a request whose body is not said to be JSON, with status 415."""
    kind, _, parameters = (header(scope, b"content-type") or b"").decode("latin-1").lower().partition(";")
    charset = parameters.replace(" ", "").replace('"', "").partition("charset=")[2] or "utf-8"
    if kind.strip() != "application/json" or charset not in ("utf-8", "utf8"):
        raise Refusal(415, "the Content-Type is not JSON: send Content-Type: application/json.", CLOSE)
    if (header(scope, b"content-encoding") or b"identity").lower() != b"identity":
        raise Refusal(415, "the body is compressed: send it as it is, without Content-Encoding.", CLOSE)


def header(scope: Scope, name: bytes) -> bytes | None:
    """Return the value of a header, the first if there are several."""
    return next((value for key, value in scope["headers"] if key == name), None)


async def read_json(scope: Scope, receive: Receive, most_bytes: int, seconds: float) -> Any:
    """Read the body of a request as JSON, within limits."""
    async with Bodies(most_bytes, seconds).read(scope, receive) as body:
        return parse_json(body)


def parse_json(body: bytes) -> Any:
    """Parse JSON strictly: no NaN, no duplicate keys, UTF-8 only."""
    try:
        return strict_json.parsed(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Refusal(400, f"the body is not UTF-8: byte {error.start} is invalid.") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Refusal(400, f"the body is not JSON: {error.msg} at {where}.") from None
    except strict_json.NotANumberError as error:
        raise Refusal(400, f"the body is not JSON: {error}.") from None
    except strict_json.RepeatedNameError:
        raise Refusal(400, "the body has a duplicate key in an object: keep one of them.") from None
    except RecursionError:
        raise Refusal(400, "the body is not usable JSON: it is nested too deeply.") from None
    except ValueError:  # a number with too many digits for Python
        raise Refusal(400, "the body is not usable JSON: a number in it is too long.") from None
