"""A log of JSON lines, which contains no text of a request."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

Log = Callable[[str, dict[str, Any]], None]


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
