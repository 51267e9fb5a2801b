"""A real process of `seedtopic serve`, and clients that ask it."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from hostile_requests import Hostile, post


class Served(NamedTuple):
    process: subprocess.Popen[bytes]
    port: int
    log: Path

    def memory(self) -> int:
        resident = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(resident) * os.sysconf("SC_PAGE_SIZE")

    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


def patience() -> float:
    """Return how many times as long an answer may take as on an idle machine, by the load of this one."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def start(model: Path, log: Path, *more: str) -> Served:
    command = [sys.executable, "-m", "seedtopic", "serve", str(model), "--port", "0", *more]
    with open(log, "wb") as file:
        process = subprocess.Popen(command, stderr=file)
    until = time.monotonic() + 120
    while not (found := re.search(r'"address":"https?://127\.0\.0\.1:(\d+)"', log.read_text())):
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < until
        time.sleep(0.02)
    return Served(process, int(found[1]), log)


def exchange(port: int, request: Hostile) -> bytes:
    """Send a request, and give what comes back: the whole answer, or what there was before the end."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        received = b""
        try:
            connection.sendall(request.sent)
            if not request.whole:
                connection.shutdown(socket.SHUT_WR)
            while not (request.whole and is_complete(received, request.sent)):
                if not (part := connection.recv(65536)):
                    break
                received += part
        except (ConnectionResetError, BrokenPipeError):  # refused before all of it was sent
            pass
        return received


def is_complete(answer: bytes, asked: bytes) -> bool:
    head, end, body = answer.partition(b"\r\n\r\n")
    if head.startswith(b"HTTP/1.1 100"):
        return is_complete(body, asked)
    length = re.search(rb"content-length: (\d+)", head)
    return bool(end) and (length is None or asked.startswith(b"HEAD") or len(body) >= int(length[1]))


def ask(port: int, path: str, body: Any = None) -> tuple[int, Any]:
    """Ask as a good client does."""
    sent = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    if body is not None:
        sent = post(json.dumps(body).encode(), path)
    answer = exchange(port, Hostile("good", sent))
    head, _, content = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(content) if b"application/json" in head else content.decode()
