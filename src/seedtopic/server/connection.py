"""One connection: HTTP/1.1 by httptools, within limits of what a client may send before anybody looks at it.

Every limit here bounds the time that the event loop spends on one read, in which no other client is served.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Iterable
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from seedtopic.server.refusal import json_bytes

MOST_IN_A_HEADER = 32_768  # bytes of the request line and all headers
MOST_HEADERS = 100
MOST_CHUNKS, LEAST_CHUNK = 1000, 256  # more chunks must have this many bytes on average
MOST_PIPELINED = 100  # requests that wait for the response to an earlier one
MOST_READ = 65_536  # bytes read at a time
LINGER = 0.25  # seconds in which a request that was sent before a stop signal arrives


class _Refused(Exception):
    """Ends the parsing of what was read; httptools passes it on as an error of the request."""


class OneWrite:
    """Writes the head of a response together with its body: a call of the system takes as long as the rest.

    Parameters
    ----------
    transport : asyncio.Transport
    loop : asyncio.AbstractEventLoop
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._head = b""

    def write(self, data: bytes) -> None:
        """Write what follows a head, or keep a head until the end of this round of the event loop."""
        if self._head:
            data, self._head = self._head + data, b""
            self._transport.write(data)
        elif data.startswith(b"HTTP/1.1 "):
            self._head = data
            self._loop.call_soon(self._flush)
        else:
            self._transport.write(data)

    def _flush(self) -> None:
        if self._head:
            head, self._head = self._head, b""
            self._transport.write(head)

    def close(self) -> None:
        """Write what was kept, and close."""
        self._flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Connection(HttpToolsProtocol):
    """A connection to a client; uvicorn makes one for each.

    Parameters
    ----------
    most_per_address : int, optional
        Connections that an address may have; further ones are refused with status 429.
    """

    def __init__(self, *args: Any, most_per_address: int | None = None, **named: Any) -> None:
        super().__init__(*args, **named)
        self._most_per_address = most_per_address
        self._refusal = (400, "the request is not valid HTTP/1.1.")
        self._closes: Any = None  # the request that we made the last
        self._last = False  # whether the next response is the last
        self._begun = False  # whether a request has been received in part
        self._in_header = False
        self._header_bytes = self._read_bytes = 0  # of complete headers, and since the request began
        self._chunks = self._body_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if hasattr(transport, "max_size"):
            transport.max_size = MOST_READ
        self.transport = OneWrite(transport, self.loop)  # type: ignore[assignment]
        if self._most_per_address is not None and self._of_this_address() > self._most_per_address:
            sentence = f"this address has more than {self._most_per_address:,} connections: close some."
            self._refusal = (429, sentence)
            self.send_400_response("")

    def _of_this_address(self) -> int:
        others: Iterable[Any] = self.connections
        address = (self.client or ("",))[0]
        return sum((other.client or ("",))[0] == address for other in others)

    def data_received(self, data: bytes) -> None:
        self._read_bytes += len(data)
        super().data_received(data)
        if (
            self._in_header
            and self._read_bytes > MOST_IN_A_HEADER + MOST_READ
            and not self.transport.is_closing()
        ):
            self._refusal = _HEADER_TOO_LARGE
            self.send_400_response("")

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= MOST_PIPELINED:
            self._refuse(429, f"more than {MOST_PIPELINED} requests wait for a response: read the responses.")
        super().on_message_begin()
        self._begun = self._in_header = True
        self._header_bytes = self._read_bytes = self._chunks = self._body_bytes = 0

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count_header(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_header:
            return  # after the body, where nothing may change what was checked
        super().on_header(name, value)
        self._count_header(len(name) + len(value) + 4)
        if len(self.headers) > MOST_HEADERS:
            self._refuse(431, f"the request has more than {MOST_HEADERS} headers.")

    def on_headers_complete(self) -> None:
        self._in_header = False
        before = self.cycle
        super().on_headers_complete()
        if self._last:
            self._make_last(before)

    def on_chunk_header(self) -> None:
        """Count the chunks of a body, which cost time whatever their size."""
        self._chunks += 1
        if self._chunks > MOST_CHUNKS and self._body_bytes < LEAST_CHUNK * self._chunks:
            self._refuse(
                413, f"the body has more than {MOST_CHUNKS:,} small chunks: send it with Content-Length."
            )

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._begun = False
        super().on_message_complete()

    def _unsupported_upgrade_warning(self) -> None:
        # The request is answered as if it had not asked; what follows would be in no protocol that we know.
        self.cycle.keep_alive = False

    def _count_header(self, n_bytes: int) -> None:
        self._header_bytes += n_bytes
        if self._header_bytes > MOST_IN_A_HEADER:
            self._refuse(*_HEADER_TOO_LARGE)

    def _refuse(self, status: int, sentence: str) -> None:
        self._refusal = (status, sentence)
        raise _Refused

    def send_400_response(self, msg: str) -> None:
        """Answer what cannot be a request, and close: what follows on this connection could be anything."""
        status, sentence = self._refusal
        cycle = self.cycle
        if cycle is None or cycle.response_complete or not cycle.response_started:
            content = json_bytes({"error": sentence})
            head = [STATUS_LINE[status], b"content-type: application/json\r\nconnection: close\r\n"]
            head.append(b"content-length: %d\r\n\r\n" % len(content))
            self.transport.write(b"".join(head) + content)
        self.transport.close()

    def shutdown(self) -> None:
        """Answer what was sent, then close: the server stops."""
        self._last = True
        if self.cycle is not None and not self.cycle.response_complete:
            self._make_last()
        else:
            self.loop.call_later(LINGER, self._close_if_idle)

    def _make_last(self, before: Any = None) -> None:
        """Close the connection after the latest request, not after the one before it, which waits as well."""
        if before is not None and before is self._closes and not before.response_started:
            before.keep_alive = True
        if self.cycle.keep_alive:
            self._closes, self.cycle.keep_alive = self.cycle, False

    def _close_if_idle(self) -> None:
        idle = not self._begun and (self.cycle is None or self.cycle.response_complete)
        if not idle or self.transport.is_closing():
            return
        if self._has_unread():
            self.loop.call_later(LINGER, self._close_if_idle)
        else:
            self.transport.close()

    def _has_unread(self) -> bool:
        """Tell whether the system has received bytes that we have not read."""
        at = self.transport.get_extra_info("socket")
        with selectors.DefaultSelector() as look:
            look.register(at, selectors.EVENT_READ)
            return bool(look.select(0))


_HEADER_TOO_LARGE = (431, f"the headers have more than {MOST_IN_A_HEADER:,} bytes.")
