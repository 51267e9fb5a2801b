"""Request bodies: read within limits of size and time, and parsed as JSON."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.types import Receive, Scope

from seedtopic.base import json as strict_json
from seedtopic.server.body_memory import Held, too_many_bytes
from seedtopic.server.refusal import Refusal

CLOSE = {"Connection": "close"}  # the rest of the body is never read


async def read_json(scope: Scope, receive: Receive, most_bytes: int, seconds: float) -> Any:
    """Read the body of a request as JSON.

    Raises
    ------
    Refusal
        400 if it is not JSON, 408 if it takes longer than `seconds`, 413 if it is larger than `most_bytes`,
        415 if the Content-Type is not JSON.
    """
    require_json(scope)
    return parse_json(await read_body(scope, receive, most_bytes, seconds))


async def read_body(
    scope: Scope, receive: Receive, most_bytes: int, seconds: float, held: Held | None = None
) -> bytes:
    """Read the body of a request, whatever it contains; see `read_json`.

    Parameters
    ----------
    held : Held, optional
        Where its memory is counted; then 503 if there is too little.
    """
    announced = header(scope, b"content-length")
    if announced is not None and announced.isdigit() and int(announced[:20]) > most_bytes:
        raise _too_large(most_bytes)
    body = bytearray()  # grows in place; as parts, a body would leave holes in memory that stay
    try:
        async with asyncio.timeout(seconds) as limit:
            if held is not None:
                held.limit = limit
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refusal(400, "the connection was closed before the body was complete.")
                part: bytes = message.get("body", b"")
                if len(body) + len(part) > most_bytes:
                    raise _too_large(most_bytes)
                if held is not None:
                    held.grow(len(body) + len(part))
                more = message.get("more_body", False)
                if not body and not more:
                    break
                body += part
                if not more:
                    part = bytes(body)
                    break
    except TimeoutError:
        if held is not None and held.given_up:
            raise too_many_bytes() from None
        raise Refusal(408, f"the body was not complete after {seconds:g} seconds.", CLOSE) from None
    if held is not None:
        held.finish()
    return part


def _too_large(most_bytes: int) -> Refusal:
    return Refusal(413, f"the body is larger than {most_bytes:,} bytes: send it in parts.", CLOSE)


def parse_json(body: bytes) -> Any:
    """Parse JSON strictly: no NaN, no duplicate keys, UTF-8 only.

    Examples
    --------
    >>> parse_json(b'{"texts": ["rain"]}')
    {'texts': ['rain']}
    >>> parse_json(b'{"texts": NaN}')
    Traceback (most recent call last):
        ...
    seedtopic.server.refusal.Refusal: the body is not JSON: NaN is not a number.
    """
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


def header(scope: Scope, name: bytes) -> bytes | None:
    """Return the value of a header, the first if there are several.

    Examples
    --------
    >>> header({"headers": [(b"host", b"localhost")]}, b"host")
    b'localhost'
    """
    return next((value for key, value in scope["headers"] if key == name), None)


def require_json(scope: Scope) -> None:
    """Refuse a request whose body is not said to be JSON, with status 415."""
    kind, _, parameters = (header(scope, b"content-type") or b"").decode("latin-1").lower().partition(";")
    charset = parameters.replace(" ", "").replace('"', "").partition("charset=")[2] or "utf-8"
    if kind.strip() != "application/json" or charset not in ("utf-8", "utf8"):
        raise Refusal(415, "the Content-Type is not JSON: send Content-Type: application/json.", CLOSE)
    if (header(scope, b"content-encoding") or b"identity").lower() != b"identity":
        raise Refusal(415, "the body is compressed: send it as it is, without Content-Encoding.", CLOSE)
