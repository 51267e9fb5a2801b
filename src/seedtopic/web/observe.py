"""Metrics for Prometheus, and the middleware that gives every request an id, logs it and counts it."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Collection
from pathlib import Path
from traceback import extract_tb
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from seedtopic.web.errors import Log, Refusal
from seedtopic.web.limits import header

N_TEXTS = "seedtopic.n_texts"  # scope key in which a handler stores the number of texts
METHODS = ("GET", "HEAD", "POST", "OPTIONS")
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
_GOOD_NAME = re.compile(rb"[A-Za-z0-9._-]{1,64}")


class Metrics:
    """Requests by path and status, their times, their texts, and the number of running requests."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        options: dict[str, Any] = {"namespace": "seedtopic", "registry": self.registry}
        labels = ("method", "path", "status")
        self.requests = Counter("requests", "Requests answered.", labels, **options)
        self.seconds = Histogram(
            "request_seconds", "Time from a request to its response.", ("path",), buckets=BUCKETS, **options
        )
        self.texts = Counter("texts", "Texts labelled.", ("path",), **options)
        self.under_way = Gauge("requests_under_way", "Requests that are still running.", **options)


class FailedElsewhere(Exception):
    """Work failed in another process: what kind of exception was raised, and where."""


class Observe:
    """Give requests an id, log them and count them, those for paths not in `paths` together; outermost.

    An exception is logged by its type and place, never by its message, which may contain a document.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, log: Log, paths: Collection[str]) -> None:
        self.app, self._metrics, self._log, self._paths = app, metrics, log, frozenset(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name = request_id(scope)
        sent: dict[str, Any] = {"status": 0, "bytes": 0}

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent["status"] = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", name)]
            elif message["type"] == "http.response.body":
                sent["bytes"] += len(message.get("body", b""))
            await send(message)

        self._metrics.under_way.inc()
        started = time.perf_counter()
        try:
            await self.app(scope, receive, watched)
        except Exception as failure:
            elsewhere = isinstance(failure, FailedElsewhere)
            kind, at = failure.args if elsewhere else (type(failure).__name__, place(failure))
            self._log("failure", {"id": name.decode(), "kind": kind, "at": at})
            if not sent["status"]:
                sentence = "the server failed while handling this request: see its log."
                await Refusal(500, sentence).answer()(scope, receive, watched)
        finally:
            self._metrics.under_way.dec()
            seconds, n_texts = time.perf_counter() - started, scope.get(N_TEXTS, 0)
            method = scope["method"] if scope["method"] in METHODS else "other"
            path = scope["path"] if scope["path"] in self._paths else "other"
            self._metrics.requests.labels(method, path, sent["status"]).inc()
            self._metrics.seconds.labels(path).observe(seconds)
            self._metrics.texts.labels(path).inc(n_texts)
            line = {"id": name.decode(), "method": scope["method"][:20], "path": scope["path"][:200], **sent}
            self._log("request", {**line, "ms": round(seconds * 1000, 2), "texts": n_texts})


def request_id(scope: Scope) -> bytes:
    """Return the id that the client gave a request, if it cannot forge a line of the log, or a new one."""
    name = header(scope, b"x-request-id")
    return name if name and _GOOD_NAME.fullmatch(name) else secrets.token_hex(8).encode()


def place(failure: BaseException) -> str:
    """Return where an exception was raised: file and line."""
    frames = extract_tb(failure.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown"
