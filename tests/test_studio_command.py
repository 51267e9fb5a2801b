"""The studio as a process: killed at any moment, interrupted, opened again."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from seedtopic import Answers, Seeds, cli
from seedtopic.io.rows import Rows
from seedtopic.web.run import listen
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.session import Session

TEXTS = ["a game", "the team", "a bank", "my rate"]

EDITING = f"""
import itertools
from pathlib import Path
from seedtopic import Answers
from seedtopic.io.rows import Rows
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.session import Session

texts = {TEXTS!r}
ledger = Answers.read("toy.answers.csv")
session = Session(Collection(Rows(texts=texts, rows=[{{}}] * 4)), None, Path("toy.studio"), answers=ledger)
session.edit({{"action": "add_category", "name": "sport"}})
for number in itertools.count():
    labels = ["sport"] if number % 8 < 4 else []
    session.edit({{"action": "confirm", "document": number % 4, "labels": labels}})
    state = session.edit({{"action": "add_words", "category": "sport", "words": [f"word{{number}}"]}})
    assert state["saved"]
    if number % 3 == 2:
        session.edit({{"action": "undo"}})
        session.edit({{"action": "redo"}})
    print(number, flush=True)
"""


@pytest.mark.parametrize("lines", [1, 7, 20])
def test_what_was_answered_survives_a_kill_at_any_moment(tmp_path: Path, lines: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", EDITING], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    last = -1
    for _ in range(lines):
        last = int(process.stdout.readline())
    process.kill()
    last = max(
        [last, *map(int, process.stdout.read().split())]
    )  # what was answered while the kill was under way
    process.wait()
    process.stdout.close()
    again = Session(Collection(Rows(texts=TEXTS, rows=[{}] * 4)), None, tmp_path / "toy.studio")
    words = [word["word"] for word in again.state()["categories"][0]["words"]]
    assert words[: last + 1] == [f"word{number}" for number in range(last + 1)]
    assert len(words) <= last + 2  # at most the one whose answer was still on its way
    answers = Answers.read(tmp_path / "toy.answers.csv")
    assert answers.problems == []
    assert last + 1 <= len(answers) <= last + 2


@pytest.fixture
def workplace(tmp_path: Path, toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> Path:
    lines = [json.dumps({"id": f"t{number}", "text": text}) for number, text in enumerate(toy_texts)]
    (tmp_path / "docs.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "seeds.toml").write_text(Seeds(toy_seeds).to_toml())
    return tmp_path


@contextmanager
def running(workplace: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    command = [sys.executable, "-m", "seedtopic", "studio", "docs.jsonl", "--no-browser", *options]
    process = subprocess.Popen(
        command, cwd=workplace, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        found = re.search(r"(http://127\.0\.0\.1:\d+)/#token=(\S+)", process.stdout.readline())
        assert found is not None
        yield process, found[1], found[2]
    finally:
        process.kill()
        process.communicate()


def ask(address: str, token: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    headers = {"X-Seedtopic-Token": token, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address + path, data, headers)) as answer:
        state: dict[str, Any] = json.load(answer)
        return state


@pytest.mark.slow
def test_the_command_goes_on_after_a_kill_and_ends_with_one_line(workplace: Path) -> None:
    with running(workplace, "--seeds", "seeds.toml") as (process, address, token):
        left = ask(
            address, token, "/api/edit", {"action": "add_words", "category": "money", "words": ["loan"]}
        )
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    with running(workplace) as (process, address, token):
        state = ask(address, token, "/api/state")
        assert state["revision"] == left["revision"] == 1
        assert state["undo"] == "add 'loan' to money"
        with urllib.request.urlopen(f"{address}/api/events?token={token}") as events:
            assert events.readline().startswith(b":")
            process.send_signal(signal.SIGINT)  # with a tab open, and a fit under way
            _, said = process.communicate(timeout=60)
        assert process.returncode == 0
        assert said.splitlines() == ["seedtopic: the studio has ended; your seeds are in docs.jsonl.studio."]


def test_wrong_options_are_told_before_any_work(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    taken = listen("127.0.0.1", 0)
    for options, said in (
        (["missing.csv"], "missing.csv"),
        (["docs.jsonl", "--output", "nowhere"], "nowhere does not exist"),
        (["docs.jsonl", "--seeds", "missing.toml"], "missing.toml does not exist"),
        (["docs.jsonl", "--workspace", "nowhere/w.studio"], "--workspace"),
        (["docs.jsonl", "--label-field", "topic"], "has no column 'topic'"),
        (["docs.jsonl", "--vectors", "missing.vec"], "--vectors is 'missing.vec', which is not a file"),
        (["docs.jsonl", "--port", str(taken.getsockname()[1])], "choose another --port"),
    ):
        assert cli.run(["studio", *options, "--no-browser"]) == 2
        assert said in capsys.readouterr().err
    (workplace / "news").mkdir()
    for number in range(4):
        (workplace / "news" / f"{number}.txt").write_text(f"a game of team {number % 2}")
    monkeypatch.chdir(workplace / "news")  # whose name the workspace has
    assert cli.run(["studio", ".", "--no-browser", "--port", str(taken.getsockname()[1])]) == 2
    assert "choose another --port" in capsys.readouterr().err
    monkeypatch.chdir(workplace)
    taken.close()
    (workplace / "docs.jsonl.studio").write_text("{}")
    assert cli.run(["studio", "docs.jsonl", "--no-browser"]) == 2
    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "taken"), [("none", "NoneType"), ("auto", "str"), ("own.txt", "WordVectors")]
)
def test_the_vectors_reach_the_fits(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, option: str, taken: str
) -> None:
    (workplace / "own.txt").write_text("game 1 0\nbank 0 1\n")
    found = []
    monkeypatch.chdir(workplace)
    monkeypatch.setattr(
        "seedtopic.web.studio.app.serve", lambda session, *others, **named: found.append(session.collection)
    )
    assert cli.run(["studio", "docs.jsonl", "--no-browser", "--vectors", option]) == 0
    assert [type(collection.vectors).__name__ for collection in found] == [taken]


def test_the_column_of_known_labels_is_compared_with(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    monkeypatch.chdir(workplace)
    monkeypatch.setattr(
        "seedtopic.web.studio.app.serve", lambda session, *others, **named: found.append(session)
    )
    (workplace / "docs.csv").write_text("text,topic\na game,sport\nthe team,sport\na bank,money\n")
    assert cli.run(["studio", "docs.csv", "--no-browser", "--label-field", "topic"]) == 0
    assert found[0].state()["quality"]["compared"] == "topic"


def test_the_browser_is_started_without_the_token(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = "http://127.0.0.1:1/#token=secret"
    opened: list[Path] = []

    def browser(given: str) -> None:
        assert "secret" not in given
        opened.append(Path(given.removeprefix("file://")))
        assert address in opened[0].read_text(encoding="utf-8")
        assert opened[0].stat().st_mode & 0o777 == 0o600
        assert opened[0].parent.stat().st_mode & 0o777 == 0o700

    monkeypatch.chdir(workplace)
    monkeypatch.setattr("webbrowser.open", browser)
    monkeypatch.setattr(
        "seedtopic.web.studio.app.serve",
        lambda session, folder, port, ready, **named: ready(address),
    )
    assert cli.run(["studio", "docs.jsonl"]) == 0
    assert len(opened) == 1
    assert not opened[0].parent.exists()


def test_says_where_nothing_is_kept(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    monkeypatch.setattr("seedtopic.web.studio.app.serve", lambda *arguments, **options: None)
    assert cli.run(["studio", "docs*.jsonl", "--no-browser"]) == 0
    assert "your seeds are lost when the studio ends" in capsys.readouterr().err
    assert cli.run(["studio", "docs*.jsonl", "--no-browser", "--workspace", "docs.studio"]) == 0
    assert "is lost" not in capsys.readouterr().err


def test_a_folder_that_may_not_be_written_to_is_no_place_for_a_workspace(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)
    assert cli.run(["studio", "docs.jsonl", "--no-browser"]) == 2
    assert "name a file with --workspace" in capsys.readouterr().err


def test_the_end_says_when_the_last_edits_are_not_kept(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def edit_without_a_disk(session: Session, *arguments: object, **options: object) -> None:
        (workplace / "docs.jsonl.studio").mkdir()  # in the place of the file
        session.edit({"action": "add_category", "name": "tea"})

    monkeypatch.chdir(workplace)
    monkeypatch.setattr("seedtopic.web.studio.app.serve", edit_without_a_disk)
    assert cli.run(["studio", "docs.jsonl", "--no-browser"]) == 0
    assert "docs.jsonl.studio could not be written" in capsys.readouterr().err
