"""What people say of texts, in the server: added by requests, read from a file, before what the model says."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from faults import Faults
from hostile_requests import ODD_STRINGS
from seedtopic import SeedTopicClassifier, cli
from seedtopic.answers.ledger import Answer, Answers
from seedtopic.base.files import lock
from seedtopic.web.api import Api
from seedtopic.web.app import make_app
from seedtopic.web.limits import Limits
from seedtopic.web.work import SMALL
from serving import Served, start

TOKEN = "of-the-test-1234"
LIMITS = Limits(most_texts=50, most_characters=3000)
GUARD = {"X-Seedtopic-Token": TOKEN}
Lines = list[tuple[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def model(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> SeedTopicClassifier:
    return SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "docs.answers.csv"


@pytest.fixture
def lines() -> Lines:
    return []


@pytest.fixture
def client(model: SeedTopicClassifier, path: Path, lines: Lines) -> Iterator[TestClient]:
    with served(model, lines, answers=path) as client:
        yield client


def served(model: SeedTopicClassifier | None, lines: Lines, **more: Any) -> TestClient:
    api = Api(lambda: model, LIMITS, **{"token": TOKEN, **more})
    app = make_app(api, log=lambda *line: lines.append(line))
    return TestClient(app, "http://localhost:8000", headers=GUARD, raise_server_exceptions=False)


def post(client: TestClient, *answers: Any, **headers: str) -> Any:
    # Escaped, so that half a pair can be sent.
    body = json.dumps({"answers": list(answers)})
    return client.post("/answers", content=body, headers={"Content-Type": "application/json", **headers})


def predict(client: TestClient, *texts: str, **more: Any) -> dict[str, Any]:
    answer = client.post("/predict", json={"texts": list(texts), **more})
    assert answer.status_code == 200
    return dict(answer.json())


def later(client: TestClient, text: str, label: str | None) -> dict[str, Any]:
    """Ask until the server has read its file again."""
    until = time.monotonic() + 60
    while (answer := predict(client, text))["labels"] != [label]:
        assert time.monotonic() < until, answer
    return answer


def test_an_answer_is_kept_and_goes_before_what_the_model_says(client: TestClient, path: Path) -> None:
    before = predict(client, "a late goal", "rain and snow")
    assert before["labels"] == ["sports", "weather"]
    assert before["sources"] == ["labelled", "labelled"]
    answer = post(client, {"text": "a late  goal", "answer": "MONEY ", "id": "t7", "by": "anna"})
    assert (answer.status_code, answer.json()) == (200, {"new": 1, "unnamed": []})
    after = predict(client, " a late goal\n", "rain and snow")
    assert after["labels"] == ["money", "weather"]
    assert after["sources"] == ["confirmed", "labelled"]
    assert after["probabilities"][0] == after["margins"][0] == 1.0
    assert after["probabilities"][1] == before["probabilities"][1]
    (row,) = Answers.read(path)
    assert row[:4] == ("a late goal", "t7", "money", "anna")
    assert row.how == "api"
    assert post(client, {"text": "a late goal", "answer": "money", "by": "anna"}).json()["new"] == 0


def test_who_is_not_named_is_one_voice(client: TestClient, path: Path) -> None:
    post(client, {"text": "a late goal", "answer": "money"}, {"text": "a late goal", "answer": "weather"})
    assert {row.by for row in Answers.read(path)} == {"api"}
    assert predict(client, "a late goal")["labels"] == ["weather"]


def test_several_categories_none_and_withdrawn(client: TestClient) -> None:
    post(
        client,
        {"text": "one", "answer": "money; sports"},
        {"text": "two", "answer": "none"},
        {"text": "three rain", "answer": "sports"},
        {"text": "three rain", "answer": "(withdrawn)"},
    )
    answer = predict(client, "one", "two", "three rain", all_labels=True, all_probabilities=True)
    assert answer["labels"] == ["money", None, "weather"]
    assert answer["all_labels"] == [["sports", "money"], None, ["weather"]]
    assert answer["sources"] == ["confirmed", "confirmed", "labelled"]
    assert answer["all_probabilities"][0] == [0.0, 1.0, 0.0]


def test_what_names_no_category_is_kept_and_named(client: TestClient, path: Path) -> None:
    answer = post(
        client,
        {"text": "a late goal", "answer": "sprots"},
        {"text": "rain", "answer": "opera"},
        {"text": "snow", "answer": "opera"},
    )
    assert answer.json() == {
        "new": 3,
        "unnamed": [{"answer": "sprots", "near": ["sports"]}, {"answer": "opera", "near": []}],
    }
    assert [row.answer for row in Answers.read(path)] == ["sprots", "opera", "opera"]
    assert predict(client, "rain")["sources"] == ["labelled"]


def test_large_requests_know_answers_too(client: TestClient, toy_texts: list[str]) -> None:
    texts = [f"{text} " * 8 for text in toy_texts]
    assert sum(map(len, texts)) > SMALL  # so that a thread does it
    before = predict(client, *texts)
    post(client, {"text": texts[3], "answer": "weather", "by": "anna"})
    after = predict(client, *texts)
    same = [text == texts[3] for text in texts]
    expected = zip(same, before["labels"], strict=True)
    assert after["labels"] == ["weather" if answered else label for answered, label in expected]
    assert [source == "confirmed" for source in after["sources"]] == same


def test_answers_do_not_count_as_drift(client: TestClient) -> None:
    post(client, {"text": "rain", "answer": "money"})
    predict(client, *["rain"] * 20)
    counted = [
        line for line in client.get("/metrics").text.splitlines() if "share" in line and "money" in line
    ]
    assert counted
    assert all(float(line.rsplit(" ", 1)[1]) < 0.5 for line in counted)


def test_the_file_is_read_again_when_somebody_else_changes_it(client: TestClient, path: Path) -> None:
    assert predict(client, "a late goal")["labels"] == ["sports"]
    Answers.read(path).add([Answer("a late goal", answer="money", by="ben")])
    assert later(client, "a late goal", "money")["sources"] == ["confirmed"]
    path.unlink()
    assert later(client, "a late goal", "sports")["sources"] == ["labelled"]


def test_a_file_that_somebody_breaks_leaves_the_answers_of_before(
    client: TestClient, path: Path, lines: Lines
) -> None:
    post(client, {"text": "a late goal", "answer": "money"})
    path.write_text("a,table\nof,something\n", encoding="utf-8")
    until = time.monotonic() + 60
    while not (said := [values for event, values in lines if event == "answers"]):
        assert predict(client, "a late goal")["labels"] == ["money"]
        assert time.monotonic() < until
    assert "is no file of answers, it has no column 'text'" in said[0]["error"]
    assert post(client, {"text": "rain", "answer": "money"}).status_code == 503
    assert path.read_text(encoding="utf-8") == "a,table\nof,something\n"


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ({}, "answers is an object, not a list."),
        ("goal", "answers is a text, not a list."),
        (["goal"], "answers[0] is a text, not an object."),
        ([{"text": "goal"}], "answers[0] has no 'answer'."),
        ([{"answer": "sports"}], "answers[0] has no 'text'."),
        ([{"text": 7, "answer": "sports"}], "answers[0]['text'] is a number, not a text."),
        ([{"text": "goal", "answer": None}], "answers[0]['answer'] is null, not a text."),
        ([{"text": " \n", "answer": "sports"}], "answers[0]['text'] is blank: leave it out."),
        ([{"text": "goal", "answer": "\t"}], "answers[0]['answer'] is blank: leave it out."),
        (
            [{"text": "goal", "answer": "a" * 1001}],
            "answers[0]['answer'] has 1,001 characters, more than 1,000.",
        ),
        ([{"text": "g" * 3001, "answer": "a"}], "answers[0]['text'] has 3,001 characters, more than 3,000."),
        (
            [{"text": "goal", "answer": "a", "by": "b" * 201}],
            "answers[0]['by'] has 201 characters, more than 200.",
        ),
        (
            [{"text": "goal", "answer": "a", "at": "1999"}],
            "answers[0] has the unknown key 'at': use text, answer, id, by.",
        ),
        ([{"text": "goal", "answer": "a"}] * 51, "answers has 51 entries, more than 50."),
    ],
)
def test_a_wrong_shape_is_refused_in_a_sentence(
    client: TestClient, path: Path, answers: Any, sentence: str
) -> None:
    answer = client.post("/answers", json={"answers": answers})
    assert (answer.status_code, answer.json()) == (422, {"error": sentence})
    assert not path.exists()


def test_no_answer_is_no_error(client: TestClient, path: Path) -> None:
    assert post(client).json() == {"new": 0, "unnamed": []}
    assert not path.exists()


@pytest.mark.parametrize(
    "text", ["=1+1", "\0", "\ud800 goal", 'a "quoted", text;\r\nin two lines', "\u2028x", "-"]
)
def test_any_text_comes_back_as_it_was(client: TestClient, path: Path, text: str) -> None:
    assert post(client, {"text": text, "answer": "money", "id": text, "by": text}).json()["new"] == 1
    assert post(client, {"text": text, "answer": "money", "id": text, "by": text}).json()["new"] == 0
    body = json.dumps({"texts": [text]})
    answer = client.post("/predict", content=body, headers={"Content-Type": "application/json"})
    assert answer.json()["sources"] == ["confirmed"]
    again = Answers.read(path)
    assert again.problems == []
    assert again.verdicts(texts=[text]) == again.verdicts() != {}


def test_odd_strings_leave_the_file_whole(client: TestClient, path: Path) -> None:
    for text in ODD_STRINGS:
        body = {"text": text, "answer": text[:1000], "id": text[:200], "by": text[:200]}
        assert post(client, body).status_code in (200, 422)
    again = Answers.read(path)
    assert again.problems == []
    assert len(again) > len(ODD_STRINGS) / 2


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN + "0", "ä"])
def test_without_the_token_nothing_is_added(client: TestClient, path: Path, lines: Lines, token: str) -> None:
    answer = client.post(
        "/answers", json={"answers": [{"text": "goal", "answer": "money"}]},
        headers=[("X-Seedtopic-Token", token.encode())],
    )  # fmt: skip
    assert answer.status_code == 403
    assert answer.json()["error"].startswith("the token is missing or wrong: send it in the header")
    assert not path.exists()
    assert predict(client, "goal")["sources"] == ["labelled"]  # reading needs none
    assert TOKEN not in str(lines)


def test_a_server_without_a_token_or_a_file_says_how_to_give_one(
    model: SeedTopicClassifier, path: Path, lines: Lines
) -> None:
    with served(model, lines, answers=path, token=None) as client:
        refused = post(client, {"text": "goal", "answer": "money"})
    assert refused.status_code == 403
    assert refused.json()["error"] == (
        "this server takes no answers: start it with a token in SEEDTOPIC_TOKEN."
    )
    with served(model, lines) as client:
        refused = post(client, {"text": "goal", "answer": "money"})
    assert refused.status_code == 403
    assert refused.json()["error"] == (
        "this server was given no file of answers: start it with --answers FILE."
    )


def test_answers_can_be_kept_before_there_is_a_model(path: Path, lines: Lines) -> None:
    with served(None, lines, answers=path) as client:
        assert post(client, {"text": "goal", "answer": "anything"}).json() == {"new": 1, "unnamed": []}


def test_a_file_that_cannot_be_written_is_said_and_logged(
    model: SeedTopicClassifier, tmp_path: Path, lines: Lines
) -> None:
    with served(model, lines, answers=tmp_path / "nowhere" / "a.csv") as client:
        refused = post(client, {"text": "private goal", "answer": "money"})
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        assert refused.json()["error"].startswith("the answers could not be written")
        assert predict(client, "private goal")["sources"] == ["labelled"]
    (said,) = [values for event, values in lines if event == "answers"]
    assert "cannot be written (No such file or directory)" in said["error"]
    assert "private" not in str(lines)


@pytest.mark.parametrize("way", ["no space", "broken disk"])
def test_a_full_disk_keeps_the_file_whole(client: TestClient, path: Path, way: str) -> None:
    post(client, {"text": "first", "answer": "money", "by": "anna"})
    before, statuses, at = path.read_bytes(), set(), 0
    while True:
        text = f"a text of call {at}"
        with Faults(path.parent, at, way).made() as faults:
            status = post(client, {"text": text, "answer": "weather", "by": "anna"}).status_code
        statuses.add(status)
        again = Answers.read(path)
        assert again.problems == []
        assert path.read_bytes().startswith(before)
        assert {row.text for row in again} >= ({text} if status == 200 else set())
        before = path.read_bytes()
        if not faults.happened:
            break
        at += 1
    assert statuses == {200, 503}


def test_the_server_stays_well_while_another_program_holds_the_file(client: TestClient, path: Path) -> None:
    path.touch()
    with ThreadPoolExecutor(1) as other:
        descriptor = os.open(path, os.O_RDWR)
        try:
            lock(descriptor)
            waiting = other.submit(post, client, {"text": "a late goal", "answer": "money"})
            for _ in range(20):
                begun = time.monotonic()
                assert client.get("/health").status_code == 200
                assert predict(client, "a late goal")["labels"] == ["sports"]
                assert time.monotonic() - begun < 5  # of which at most one look at the file
            assert not waiting.done()
        finally:
            os.close(descriptor)
        assert waiting.result(60).json()["new"] == 1
    assert predict(client, "a late goal")["labels"] == ["money"]


def test_the_guarded_address_is_described(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    operation = described["paths"]["/answers"]["post"]
    assert operation["security"] == [{"token": []}]
    assert described["components"]["securitySchemes"]["token"]["name"] == "X-Seedtopic-Token"
    (example,) = described["components"]["schemas"]["AnswersRequest"]["examples"]
    assert set(post(client, *example["answers"]).json()) == {"new", "unnamed"}
    schema = described["components"]["schemas"]["AnswersRequest"]["properties"]["answers"]
    assert schema["maxItems"] == LIMITS.most_texts
    assert "/answers" in client.get("/docs").text


@pytest.fixture(scope="module")
def server(
    model: SeedTopicClassifier, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Served, Path]]:
    folder = tmp_path_factory.mktemp("serve")
    model.save(folder / "model")
    path = folder / "docs.answers.csv"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SEEDTOPIC_TOKEN", TOKEN)
        process = start(folder / "model", folder / "log.jsonl", "--answers", str(path))
    yield process, path
    process.process.kill()
    process.process.wait()


def test_two_processes_lose_no_answer(server: tuple[Served, Path]) -> None:
    process, path = server
    with connected(process) as client, ThreadPoolExecutor(4) as threads:
        posted = [
            threads.submit(post, client, {"text": f"posted {number}", "answer": "money", "by": "anna"})
            for number in range(40)
        ]
        ours = Answers.read(path)
        for number in range(40):
            assert ours.add([Answer(f"written {number}", answer="sports", by="ben")]) == 1
        assert [one.result().json()["new"] for one in posted] == [1] * 40
        assert later(client, "written 39", "sports")["sources"] == ["confirmed"]
        texts = [f"{kind} {number}" for kind in ("posted", "written") for number in range(40)] * 3
        large = predict(client, *texts)  # in another process
    assert large["labels"] == (["money"] * 40 + ["sports"] * 40) * 3
    assert set(large["sources"]) == {"confirmed"}
    again = Answers.read(path)
    assert (len(again), again.problems) == (80, [])
    assert "posted" not in process.log.read_text()


def test_a_large_request_knows_the_newest_answer(server: tuple[Served, Path]) -> None:
    process, _ = server
    texts = [f"rain and snow {number}" for number in range(300)]
    with connected(process) as client:
        for label in ("money", "sports"):
            assert predict(client, *texts)["labels"][0] != label
            post(client, {"text": texts[0], "answer": label, "by": "carl"})
            assert predict(client, *texts)["labels"][0] == label


def connected(process: Served) -> Any:

    return httpx2.Client(base_url=f"http://127.0.0.1:{process.port}", headers=GUARD, timeout=60)


@pytest.mark.parametrize("token", ["short", "with a blank in it", "ä" * 20])
def test_a_token_that_is_easy_to_guess_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], token: str
) -> None:
    monkeypatch.setenv("SEEDTOPIC_TOKEN", token)
    assert cli.run(["serve", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "openssl rand -hex 16" in said
    assert token not in said
