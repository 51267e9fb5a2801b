"""`seedtopic serve`: TLS, limits of an address, reloading, and the real nginx in front of it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hostile_requests import post
from seedtopic import SeedTopicClassifier, cli
from serving import Served, ask, start

pytestmark = pytest.mark.slow

TEXTS = {"texts": ["rain and snow"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("options")


@pytest.fixture(scope="module")
def model(folder: Path, toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> Path:
    SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts).save(folder / "model")
    return folder / "model"


@pytest.fixture(scope="module")
def certificate(folder: Path) -> tuple[Path, Path]:
    cert, key = folder / "cert.pem", folder / "key.pem"
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    make += ["-keyout", str(key), "-out", str(cert), "-days", "2", "-subj", "/CN=localhost"]
    make += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run(make, check=True, capture_output=True)
    return cert, key


@pytest.fixture(scope="module")
def served(model: Path, folder: Path, certificate: tuple[Path, Path]) -> Iterator[Served]:
    cert, key = map(str, certificate)
    limits = ["--tls-cert", cert, "--tls-key", key, "--max-per-address", "4", "--max-rate", "20"]
    server = start(model, folder / "log.jsonl", *limits)
    yield server
    server.process.kill()
    server.process.wait()


def connected(served: Served, certificate: tuple[Path, Path]) -> ssl.SSLSocket:
    trusting = ssl.create_default_context(cafile=str(certificate[0]))
    plain = socket.create_connection(("127.0.0.1", served.port), timeout=60)
    return trusting.wrap_socket(plain, server_hostname="localhost")


def test_labels_come_encrypted(served: Served, certificate: tuple[Path, Path]) -> None:
    with connected(served, certificate) as connection:
        connection.sendall(post(json.dumps(TEXTS).encode()))
        answer = b""
        while not answer.endswith(b"}"):
            answer += connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b'"labels":["weather"]' in answer
    assert connection.version() in (None, "TLSv1.3", "TLSv1.2")


def test_an_address_has_so_many_connections(served: Served, certificate: tuple[Path, Path]) -> None:
    open_ones = [connected(served, certificate) for _ in range(5)]
    assert open_ones[-1].recv(65536).startswith(b"HTTP/1.1 429 ")
    open_ones[0].sendall(post(json.dumps(TEXTS).encode()))
    assert open_ones[0].recv(65536).startswith(b"HTTP/1.1 200 ")
    for connection in open_ones:
        connection.close()


def test_an_address_sends_so_many_requests_a_second(served: Served, certificate: tuple[Path, Path]) -> None:
    received = b""
    for _ in range(40):
        with connected(served, certificate) as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" * 80)
            received = b""
            while received.count(b"HTTP/1.1 ") < 80 and (part := connection.recv(65536)):
                received += part
        if b"HTTP/1.1 429 " in received:
            break
    assert b"HTTP/1.1 429 " in received
    assert b"retry-after: 1" in received


@pytest.mark.parametrize("given", [("--tls-cert",), ("--tls-key",)])
def test_a_certificate_needs_its_key(
    model: Path, certificate: tuple[Path, Path], given: tuple[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["serve", str(model), "--port", "0", *given, str(certificate[0])]) == 2
    assert "belong together" in capsys.readouterr().err


def test_a_certificate_that_cannot_be_used_is_refused(
    model: Path, certificate: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    tls = ["--tls-cert", str(certificate[0]), "--tls-key", str(certificate[0])]
    assert cli.run(["serve", str(model), "--port", "0", *tls]) == 2
    said = capsys.readouterr().err
    assert "give two PEM files that belong together" in said
    assert len(said.splitlines()) == 1


def test_a_model_is_replaced_without_a_lost_request(
    model: Path, tmp_path: Path, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    place = tmp_path / "served"
    shutil.copytree(model, place)
    server = start(place, tmp_path / "log.jsonl")
    renamed = {f"new {name}": words for name, words in toy_seeds.items()}
    SeedTopicClassifier(renamed, random_state=0).fit(toy_texts).save(tmp_path / "next")
    labels: list[str] = []
    statuses: set[int] = set()
    over = threading.Event()

    def client(text: str) -> None:
        while not over.is_set():
            status, answer = ask(server.port, "/predict", {"texts": [text]})
            statuses.add(status)
            labels.append(answer["labels"][0])

    large = "rain and snow " * 500
    clients = [threading.Thread(target=client, args=(text,)) for text in ("rain and snow", large)]
    for one in clients:
        one.start()
    place.rename(tmp_path / "before")
    os.kill(server.process.pid, signal.SIGHUP)  # there is no folder: the model stays
    until = time.monotonic() + 60
    while "cannot" not in (said := server.log.read_text()) and '"reload","error"' not in said:
        assert time.monotonic() < until
        time.sleep(0.01)
    (tmp_path / "next").rename(place)
    os.kill(server.process.pid, signal.SIGHUP)
    while labels.count("new weather") < 20:
        assert time.monotonic() < until
        time.sleep(0.01)
    over.set()
    for one in clients:
        one.join()
    server.process.terminate()
    assert server.process.wait(60) == 0
    assert statuses == {200}
    assert set(labels) == {"weather", "new weather"}
    assert [line["event"] for line in server.lines()].count("reload") == 2


@pytest.mark.nginx
def test_the_documented_nginx_passes_requests_on(
    model: Path, tmp_path: Path, certificate: tuple[Path, Path]
) -> None:
    """The file of docs/howto/serve.md, with other paths and ports and without passwords, in Debian's nginx."""
    page = Path(__file__).parents[1] / "docs/howto/serve.md"
    config = page.read_text().partition("```nginx\n")[2].partition("```")[0]
    server = start(model, tmp_path / "log.jsonl", "--allow-host", "labels.example.org")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    config = "".join(line for line in config.splitlines(True) if "auth_basic" not in line)
    for there, here in (
        ("127.0.0.1:8000", f"127.0.0.1:{server.port}"),
        ("listen 443", f"listen 127.0.0.1:{port}"),
        ("/etc/ssl/labels.pem", str(certificate[0])),
        ("/etc/ssl/labels.key", str(certificate[1])),
    ):
        assert there in config
        config = config.replace(there, here)
    places = "".join(
        f"{kind}_temp_path {tmp_path}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = f"pid {tmp_path}/pid; error_log {tmp_path}/error.log; daemon off; events {{}}"
    (tmp_path / "nginx.conf").write_text(f"{whole} http {{ access_log off; {places} {config} }}")
    tmp_path.chmod(0o755)
    nginx = subprocess.Popen(["nginx", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")])
    try:
        until = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert nginx.poll() is None
                assert time.monotonic() < until
                time.sleep(0.02)
        trusting = ssl.create_default_context(cafile=str(certificate[0]))
        trusting.check_hostname = False

        def exchanged(sent: bytes) -> bytes:
            plain = socket.create_connection(("127.0.0.1", port), timeout=60)
            with trusting.wrap_socket(plain) as connection:
                connection.sendall(sent)
                received = b""
                while part := connection.recv(65536):
                    received += part
                return received

        named = b"Host: labels.example.org\r\nConnection: close\r\n"
        body = json.dumps(TEXTS).encode()
        asked = post(body).replace(b"Host: 127.0.0.1\r\n", named)
        answer = exchanged(asked)
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert b'"labels":["weather"]' in answer
        assert b"X-Request-ID" in answer or b"x-request-id" in answer
        too_large = b"POST /predict HTTP/1.1\r\n" + named + b"Content-Length: 9000000\r\n\r\n"
        assert exchanged(too_large).startswith(b"HTTP/1.1 413 ")
        health = b"GET /health HTTP/1.1\r\n" + named + b"\r\n"
        with ThreadPoolExecutor(8) as clients:
            pile = [answer[:12] for answer in clients.map(exchanged, [health] * 400)]
        assert pile[0] == b"HTTP/1.1 200"
        assert b"HTTP/1.1 503" in pile  # more than 100 at once, and 20 a second
    finally:
        nginx.terminate()
        nginx.wait()
        server.process.terminate()
        server.process.wait()
