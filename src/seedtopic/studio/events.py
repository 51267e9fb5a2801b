"""Server-sent events for any number of browser tabs; a slow tab does not block the work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from threading import Lock
from typing import Any

from seedtopic.base import json as strict_json

HEARTBEAT = 15.0  # seconds after which a silent stream says that it is alive
MOST_WAITING = 100  # events that a tab may lag behind before the oldest are dropped


class Events:
    """Passes events from worker threads to the streams that tabs have opened."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._streams: set[_Stream] = set()
        self._closed = False

    def send(self, name: str, data: Any) -> None:
        """Tell all tabs; from any thread, without waiting."""
        text = f"event: {name}\ndata: {strict_json.written(data, ensure_ascii=True)}\n\n"
        with self._lock:
            streams = list(self._streams)
        for stream in streams:
            stream.put(text)

    def close(self) -> None:
        """End all open streams; later ones end at once."""
        with self._lock:
            self._closed = True
            streams = list(self._streams)
        for stream in streams:
            stream.put(None)

    async def listen(self) -> AsyncIterator[str]:
        """Yield events as they arrive, and a comment if none arrives for a long time."""
        stream = _Stream(asyncio.get_running_loop())
        with self._lock:
            if self._closed:
                return
            self._streams.add(stream)
        try:
            yield ": welcome\n\n"
            while True:
                try:
                    text = await asyncio.wait_for(stream.queue.get(), HEARTBEAT)
                except TimeoutError:
                    text = ": still here\n\n"
                if text is None:
                    return
                yield text
        finally:
            with self._lock:
                self._streams.discard(stream)

    @property
    def listeners(self) -> int:
        """The number of open streams."""
        return len(self._streams)


class _Stream:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.queue: asyncio.Queue[str | None] = asyncio.Queue()

    def put(self, text: str | None) -> None:
        try:
            self.loop.call_soon_threadsafe(self._put, text)
        except RuntimeError:  # the event loop has ended, and with it the listeners
            return

    def _put(self, text: str | None) -> None:
        while self.queue.qsize() >= MOST_WAITING:
            self.queue.get_nowait()
        self.queue.put_nowait(text)
