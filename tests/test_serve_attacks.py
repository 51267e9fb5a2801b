"""`seedtopic serve` under attack: whatever one client does, the server answers the others in time."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hostile_requests import post
from seedtopic import SeedTopicClassifier
from serving import Served, ask, patience, start

SECONDS = 1  # the time limit of the server


@pytest.fixture(scope="module")
def model(
    toy_texts: list[str], toy_seeds: dict[str, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("attacked") / "model"
    SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts).save(folder)
    return folder


@pytest.fixture(scope="module")
def served(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    limits = ["--timeout", str(SECONDS), "--label-timeout", str(SECONDS), "--max-total-bytes", "20000000"]
    server = start(model, tmp_path_factory.mktemp("log") / "log.jsonl", *limits)
    yield server
    server.process.kill()
    server.process.wait()


@contextmanager
def health_answers_within(port: int, seconds: float) -> Iterator[None]:
    """Ask for /health all the time inside the block, and once more: no answer may take longer."""
    times: list[float] = []
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            started = time.monotonic()
            assert ask(port, "/health")[0] == 200
            times.append(time.monotonic() - started)
            over.wait(0.02)

    with ThreadPoolExecutor(1) as client:
        looked = client.submit(look)
        try:
            yield
        finally:
            over.set()
            looked.result()
    assert max(times) < seconds * patience()


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    started = time.monotonic()
    given = call()
    return time.monotonic() - started, given


def test_a_text_that_takes_long_stops_nobody_and_is_given_up_in_time(served: Served) -> None:
    marks = {"texts": ["\u0300\u0316" * 49_000] * 3}
    with health_answers_within(served.port, 1):
        seconds, (status, _) = timed(lambda: ask(served.port, "/predict", marks))
    assert status in (200, 504)
    assert seconds < (SECONDS + 1) * patience()


def test_a_fit_that_takes_long_is_given_up_in_time(served: Served) -> None:
    phrases = [" ".join(["a"] * (2 + number % 90) + [f"b{number}"]) for number in range(900)]
    body = {"texts": ["a " * 49_000] * 10 + ["b0", "c"] * 5, "seeds": {"one": phrases, "two": ["c"]}}
    with health_answers_within(served.port, 1):
        seconds, (status, _) = timed(lambda: ask(served.port, "/label", body))
    assert status in (200, 422, 504)
    assert seconds < (SECONDS + 1) * patience()
    assert (
        ask(served.port, "/label", {"texts": ["game", "rate"] * 9, "seeds": {"x": ["game"], "y": ["rate"]}})[
            0
        ]
        == 200
    )


def test_json_that_takes_long_to_read_stops_nobody(served: Served) -> None:
    nested = b'{"texts": [' + b"[]," * 2_000_000 + b"[]]}"
    with health_answers_within(served.port, 0.5), ThreadPoolExecutor(3) as clients:
        statuses = list(clients.map(lambda _: exchanged(served.port, post(nested))[:12], range(3)))
    assert set(statuses) <= {b"HTTP/1.1 422", b"HTTP/1.1 504"}


def exchanged(port: int, sent: bytes) -> bytes:
    """Send bytes, and give all that comes back until the server closes or has answered."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        received = b""
        try:
            connection.sendall(sent)
            while part := connection.recv(65536):
                received += part
                if b"connection: close" not in received and received.endswith(b"}"):
                    break
        except (ConnectionResetError, BrokenPipeError):
            pass
        return received


CHUNKED = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


def test_a_body_in_chunks_of_a_byte_is_refused(served: Served) -> None:
    body = b'{"texts": ["' + b"a" * 90_000 + b'"]}'
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body)
    with health_answers_within(served.port, 0.5), ThreadPoolExecutor(8) as clients:
        answers = list(clients.map(lambda _: exchanged(served.port, CHUNKED + chunks), range(32)))
    assert all(not answer or answer.startswith(b"HTTP/1.1 413 ") for answer in answers)
    few = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:400], body[400:]))
    assert exchanged(served.port, CHUNKED + few + b"0\r\n\r\n").startswith(b"HTTP/1.1 200 ")


def test_requests_piled_on_one_connection_stop_nobody(served: Served) -> None:
    with health_answers_within(served.port, 0.5), ThreadPoolExecutor(8) as clients:
        pile = b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20_000
        assert all(list(clients.map(lambda _: exchanged(served.port, pile), range(8))))


def test_unfinished_bodies_share_a_bound_and_short_requests_are_still_answered(served: Served) -> None:
    before = served.memory()
    head = post(b"x" * 7_900_000)[: -7_900_000 + 7_000_000]
    with ExitStack() as opened:
        for _ in range(12):
            connection = opened.enter_context(
                socket.create_connection(("127.0.0.1", served.port), timeout=20)
            )
            with_refusals_in_the_way(connection, head)
        assert ask(served.port, "/predict", {"texts": ["rain"]})[0] == 200
        assert served.memory() - before < 60_000_000
        # A large body that makes progress takes the place of those that have not for a second.
        time.sleep(1.1)
        large = {"texts": ["rain and snow " * 4000] * 60}
        assert ask(served.port, "/predict", large)[0] in (200, 504)


def with_refusals_in_the_way(connection: socket.socket, sent: bytes) -> None:
    with suppress(ConnectionResetError, BrokenPipeError):  # refused: there was no memory left for it
        connection.sendall(sent)


SMUGGLED = b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "sent",
    [
        POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
        POST + b"Content-Length: 0\r\nContent-Length: 44\r\n\r\n",
        POST + b"Content-Length: 0, 44\r\n\r\n",
        POST + b"Content-Length: +0\r\n\r\n",
        POST + b"Content-Length: -1\r\n\r\n",
        POST + b"Content-Length: 0x10\r\n\r\n",
        POST + b"Content-Length : 0\r\n\r\n",
        POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: identity\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n1\nx0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n0x1\r\nx\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx\r\n",
        POST + b"Header\r\n\r\n",
        POST + b"A: b\rContent-Length: 5\r\n\r\n",
        POST + b"A: b\0c\r\n\r\n",
    ],
    ids=lambda sent: repr(sent.removeprefix(POST)[:40]),
)  # fmt: skip
def test_a_request_of_two_meanings_closes_the_connection(served: Served, sent: bytes) -> None:
    answer = exchanged(served.port, sent + SMUGGLED)
    assert b'"seedtopic":' not in answer  # which /version says
    assert b"200 OK" not in answer
    assert answer == b"" or b"connection: close" in answer.lower()


def test_what_follows_a_body_changes_nothing_of_the_request(served: Served) -> None:
    body = b'{"texts": ["rain"]}'
    trailing = CHUNKED + b"%x\r\n%b\r\n0\r\nX-Request-ID: evil\r\n\r\n" % (
        len(body),
        body,
    )
    answer = exchanged(served.port, trailing)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"evil" not in answer


@pytest.mark.parametrize("head", [b"A: " + b"b" * 200_000, b"A: b\r\n" * 10_000, b"A" * 200_000])
def test_a_header_is_limited(served: Served, head: bytes) -> None:
    answer = exchanged(served.port, b"GET /version HTTP/1.1\r\nHost: localhost\r\n" + head)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")


def test_an_upgrade_is_not_followed(served: Served) -> None:
    asked = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    answer = exchanged(served.port, asked + SMUGGLED)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"upgrade" not in answer.lower()


def test_no_request_that_was_sent_before_a_stop_signal_is_lost(model: Path, tmp_path: Path) -> None:
    server = start(model, tmp_path / "log.jsonl", "--quiet")
    asked = post(json.dumps({"texts": ["rain and snow"]}).encode())
    with ExitStack() as opened:

        def connect() -> socket.socket:
            return opened.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60))

        kept = [connect() for _ in range(50)]
        for connection in kept:  # so that half of the connections are known to the server
            connection.sendall(asked)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
        everyone = kept + [connect() for _ in range(50)]
        for connection in everyone:
            connection.sendall(asked * 2)
        server.process.terminate()
        for connection in everyone:
            received = b""
            while part := connection.recv(65536):
                received += part
            assert received.count(b"HTTP/1.1 200 ") == 2
    assert server.process.wait(60) == 0
