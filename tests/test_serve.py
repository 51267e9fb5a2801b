"""`seedtopic serve` as a process of its own: hostile requests, slow clients, signals, and errors of the command."""

from __future__ import annotations

import json
import re
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import seedtopic
import seedtopic.web
from hostile_requests import hostile_requests, post
from seedtopic import SeedTopicClassifier, cli
from serving import Served, ask, exchange, start

MOST_GROWTH = 20_000_000  # bytes


@pytest.fixture(scope="module")
def model(
    toy_texts: list[str], toy_seeds: dict[str, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("serve") / "model"
    SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts).save(folder)
    return folder


@pytest.fixture(scope="module")
def served(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    server = start(model, tmp_path_factory.mktemp("log") / "log.jsonl")
    yield server
    server.process.kill()
    server.process.wait()


def test_a_thousand_hostile_requests_do_no_harm(served: Served) -> None:
    requests = hostile_requests()
    assert len(requests) > 1000
    before = ask(served.port, "/predict", {"texts": ["rain and snow"]})
    for request in requests[::3]:  # so that what is made once is made
        exchange(served.port, request)
    memory, files = served.memory(), served.open_files()
    statuses: Counter[int] = Counter()
    for request in requests:
        answer = exchange(served.port, request)
        for status in re.findall(rb"HTTP/1\.1 (\d+) ", answer):
            statuses[int(status)] += 1
            assert int(status) < 500, (request.name, answer)
        head, _, body = answer.partition(b"\r\n\r\n")
        assert b"evil" not in head
        assert b"Traceback" not in body
        if body and b"application/json" in head and re.match(rb"HTTP/1\.1 4", head):
            assert list(json.loads(body)) == ["error"], request.name
    assert {200, 400, 403, 404, 405, 413, 415, 422} <= set(statuses)
    assert sum(statuses.values()) > 1000
    assert served.process.poll() is None
    assert ask(served.port, "/predict", {"texts": ["rain and snow"]}) == before
    assert served.memory() - memory < MOST_GROWTH
    until = time.monotonic() + 60
    while served.open_files() > files + 2 and time.monotonic() < until:  # processes are being replaced
        assert ask(served.port, "/health")[0] == 200
    assert served.open_files() <= files + 2
    logged = served.lines()
    assert {line["event"] for line in logged} == {"start", "request", "warning"}
    assert all(line["status"] != 500 for line in logged if line["event"] == "request")
    assert 'status="500"' not in ask(served.port, "/metrics")[1]


def test_many_clients_get_what_one_gets(served: Served, toy_texts: list[str]) -> None:
    texts = [f"{first} {second}" for first in toy_texts[:12] for second in toy_texts[:12]]
    alone = [ask(served.port, "/predict", {"texts": [text]}) for text in texts]
    large = {"texts": texts}  # done by threads, between the small ones
    with ThreadPoolExecutor(8) as clients:
        answers = [clients.submit(ask, served.port, "/predict", large) for _ in range(8)]
        together = list(clients.map(lambda text: ask(served.port, "/predict", {"texts": [text]}), texts))
    assert together == alone
    assert all(answer.result()[1]["labels"] == [one[1]["labels"][0] for one in alone] for answer in answers)


def test_the_machine_alone_can_reach_it(served: Served) -> None:
    listening = Path("/proc/net/tcp").read_text().splitlines()
    at = {line.split()[1] for line in listening if line.split()[3] == "0A"}
    assert f"0100007F:{served.port:04X}" in at
    assert f"00000000:{served.port:04X}" not in at


@pytest.mark.parametrize("asked", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_server_that_is_told_to_stop_finishes_what_runs(
    model: Path, tmp_path: Path, asked: signal.Signals, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    server = start(model, tmp_path / "log.jsonl")
    body = {"texts": [f"{text} {number}" for number, text in enumerate(toy_texts * 100)], "seeds": toy_seeds}
    answers: list[tuple[int, Any]] = []
    client = threading.Thread(target=lambda: answers.append(ask(server.port, "/label", body)))
    client.start()
    while "seedtopic_requests_under_way 2" not in ask(server.port, "/metrics")[1]:
        assert client.is_alive()  # or the fit was over before it was seen
    server.process.send_signal(asked)
    assert server.process.wait(60) == 0
    client.join(60)
    ((status, answer),) = answers
    assert (status, len(answer["labels"])) == (200, len(body["texts"]))
    assert [line["event"] for line in server.lines()][-1] == "stop"
    with pytest.raises(ConnectionRefusedError):
        ask(server.port, "/health")


@pytest.mark.slow
def test_slow_clients_are_not_waited_for(served: Served) -> None:
    def silence(sent: bytes) -> tuple[float, bytes]:
        with socket.create_connection(("127.0.0.1", served.port), timeout=60) as connection:
            connection.sendall(sent)
            started, received = time.monotonic(), b""
            while part := connection.recv(65536):
                received += part
            return time.monotonic() - started, received

    good = post(b'{"texts": ["rain"]}')
    with ThreadPoolExecutor(4) as clients:
        nothing, half_a_head, half_a_body, idle = clients.map(silence, (b"", good[:40], good[:-5], good))
    assert 8 < nothing[0] < 20
    assert nothing[1] == b""
    assert 8 < half_a_head[0] < 20
    assert half_a_head[1] == b""
    assert 8 < half_a_body[0] < 20
    assert half_a_body[1].startswith(b"HTTP/1.1 408")
    assert 25 < idle[0] < 50
    assert idle[1].startswith(b"HTTP/1.1 200")


def test_a_port_that_is_taken_is_told_in_a_sentence(
    model: Path, served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["serve", str(model), "--port", str(served.port)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(
        f"seedtopic: the server cannot listen on 127.0.0.1, port {served.port} (Address already"
    )
    assert len(said.splitlines()) == 1


def test_a_host_that_is_not_there_is_told_in_a_sentence(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["serve", str(model), "--host", "203.0.113.1"]) == 2
    assert "choose another --port or --host" in capsys.readouterr().err


def test_a_folder_without_a_model_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["serve", str(tmp_path)]) == 2
    assert (
        capsys.readouterr().err
        == f"seedtopic: {tmp_path} is not a model folder, it has no model.json: give a folder written by fit.\n"
    )


def test_a_missing_extra_is_told_with_the_command_that_installs_it(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(seedtopic, "web", seedtopic.web)  # so that it is put back as sys.modules is
    for name in list(sys.modules):
        if name.startswith("seedtopic.web"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert cli.run(["serve", str(model), "--port", "0"]) == 2
    assert "needs fastapi" in (said := capsys.readouterr().err)
    assert "pip install 'seedtopic[serve]'" in said
