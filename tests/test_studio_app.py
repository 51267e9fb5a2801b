"""The studio over HTTP: every address of the contract, who may ask, and what is never given."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from starlette.testclient import TestClient

from seedtopic import Answers, Seeds
from seedtopic import load as load_model
from seedtopic.io.rows import Rows
from seedtopic.web.studio.app import create_app
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.draft import Draft
from seedtopic.web.studio.listing import open_document
from seedtopic.web.studio.session import MOST_WAITING, Events, Session

PATIENCE = 60.0
TOKEN = "secret"
HERE = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("studio")


@pytest.fixture(scope="module")
def session(toy_texts: list[str], toy_seeds: dict[str, list[str]], place: Path) -> Session:
    texts = [f"<b>{toy_texts[0]}</b>", *toy_texts[1:-1], "??? <>"]
    rows = [{"id": f"t{number}", "text": text, "stars": 5} for number, text in enumerate(texts)]
    collection = Collection(Rows(texts=texts, rows=rows, ids=[str(row["id"]) for row in rows]), "toy.csv")
    return Session(collection, Seeds(toy_seeds), place / "toy.studio", pause=0.0)


@pytest.fixture(scope="module")
def client(session: Session, place: Path) -> Iterator[TestClient]:
    (place / "out").mkdir()
    (place / "out" / "docs.toml").write_text("the documents")
    app = create_app(session, place / "out", TOKEN, protected=[place / "out" / "docs.toml"])
    with TestClient(app, HERE, headers={"X-Seedtopic-Token": TOKEN}, raise_server_exceptions=False) as client:
        session.wait_until_settled(PATIENCE)
        yield client


def stranger(client: TestClient, base: str = HERE) -> TestClient:
    return TestClient(client.app, base)


def edit(client: TestClient, session: Session, **request: Any) -> dict[str, Any]:
    answer = client.post("/api/edit", json=request)
    assert answer.status_code == 200, answer.text
    session.wait_until_settled(PATIENCE)
    state: dict[str, Any] = client.get("/api/state").json()
    return state


def test_the_state_is_as_the_page_expects(client: TestClient) -> None:
    state = client.get("/api/state").json()
    assert state.keys() == {
        "revision", "documents", "categories", "estimate", "warnings", "undo", "redo", "fit", "changes",
        "confirmed", "answers", "workspace", "saved", "quality",
    }  # fmt: skip
    assert state["documents"] == {"name": "toy.csv", "total": 36, "without_text": 0, "without_known_word": 1}
    assert state["workspace"] == "toy.studio"
    assert state["fit"].keys() == {
        "status", "revision", "stage", "done", "total", "on", "settled", "seconds", "message",
    }  # fmt: skip
    assert state["categories"][0]["words"][0].keys() == {
        "word",
        "weight",
        "excluded",
        "documents",
        "warnings",
    }


def test_an_edit_is_answered_with_the_state_and_followed_by_labels(
    client: TestClient, session: Session
) -> None:
    before = client.get("/api/state").json()["revision"]
    state = edit(client, session, action="add_words", category="money", words=["loan"])
    assert state["revision"] == state["fit"]["revision"] == before + 1
    assert state["undo"] == "add 'loan' to money"
    assert edit(client, session, action="undo")["redo"] == "add 'loan' to money"


@pytest.mark.parametrize(
    "request_", [{"action": "add_words", "category": "tea", "words": ["a"]}, {"action": 3}, {}]
)
def test_wrong_edits_are_422_with_a_sentence(client: TestClient, request_: dict[str, Any]) -> None:
    answer = client.post("/api/edit", json=request_)
    assert answer.status_code == 422
    assert answer.json()["error"].endswith(".")


def test_bodies_that_are_none_are_refused(client: TestClient) -> None:
    post = {"url": "/api/edit", "headers": {"Content-Type": "application/json"}}
    assert client.post(**post, content=b"{").status_code == 400
    assert client.post(**post, content=b"[]").status_code == 400
    assert client.post("/api/edit", content=b"{}").status_code == 415
    assert client.post(**post, content=b'{"toml": "' + b"a" * 1_000_001 + b'"}').status_code == 413


def test_documents_are_listed_searched_and_opened(client: TestClient) -> None:
    listed = client.get("/api/documents?limit=2&offset=1").json()
    assert listed["total"] == 36
    assert [document["id"] for document in listed["documents"]] == [1, 2]
    assert listed["documents"][0].keys() == {
        "id", "name", "snippet", "label", "probability", "runner_up", "before", "confirmed",
    }  # fmt: skip
    assert listed["documents"][0]["name"] == "t1"
    assert client.get("/api/documents?search=coach&category=sports").json()["total"] == 3
    opened = client.get("/api/documents/0").json()
    assert "".join(piece["text"] for piece in opened["pieces"]) == opened["text"]
    marked = {piece["text"]: piece for piece in opened["pieces"] if piece["category"]}
    assert marked["game"]["category"] == "sports"
    assert 0 < marked["game"]["strength"] <= 1
    assert opened["words"][0].keys() == {"word", "category", "evidence"}
    assert "sports" in opened["prose"]


def test_a_document_without_a_known_word_has_no_label(client: TestClient) -> None:
    opened = client.get("/api/documents/35").json()
    assert opened["label"] is None
    assert opened["probability"] is None
    assert opened["pieces"] == [{"text": "??? <>", "category": None, "strength": 0.0}]
    for wrong in ("36", "-1", "x", "9" * 5000):  # of which Python makes no number beyond 4,300 digits
        assert client.get(f"/api/documents/{wrong}").status_code == 404


@pytest.mark.parametrize(
    "query", ["order=best", "limit=-1", "limit=100000", "offset=x", "least=2", "most=nan"]
)
def test_wrong_queries_are_422(client: TestClient, query: str) -> None:
    assert client.get(f"/api/documents?{query}").status_code == 422


def test_a_confirmed_label_is_held_and_taken_back(client: TestClient, session: Session) -> None:
    state = edit(client, session, action="confirm", document=1, label="weather")
    assert state["confirmed"] == 3  # with its copies
    assert state["undo"] == "confirm document 1 as weather, and 2 copies of its text"
    opened = client.get("/api/documents/1").json()
    assert opened["answers"] == "3 documents have this text, and have its answer together."
    assert client.get("/api/documents/13").json()["confirmed"] == ["weather"]
    assert [opened["label"]] == opened["confirmed"] == ["weather"]
    assert "You said weather" in opened["prose"]
    moved = client.get("/api/documents?changed=1").json()["documents"]
    assert {"id": 1, "before": "money"} in [{"id": each["id"], "before": each["before"]} for each in moved]
    assert edit(client, session, action="confirm", document=1, label=None)["confirmed"] == 0
    assert client.get("/api/documents/1").json()["label"] == "money"


def test_suggestions_are_words_that_are_no_seeds_yet(client: TestClient) -> None:
    found = client.get("/api/suggestions?category=sports").json()
    assert found["category"] == "sports"
    words = [suggestion["word"] for suggestion in found["suggestions"]]
    assert {"league", "team"} <= set(words)  # by the labels; near in meaning
    assert not {"game", "player"} & set(words)
    near = {suggestion["word"]: suggestion["near"] for suggestion in found["suggestions"]}
    assert near["team"] == ["player", "game"]
    assert all(suggestion["examples"] for suggestion in found["suggestions"])
    assert client.get("/api/suggestions?category=tea").status_code == 422


def test_places_on_the_map_stay_while_labels_change(client: TestClient, session: Session) -> None:
    before = client.get("/api/map").json()
    assert before["ids"] == list(range(36))
    assert all(-1 <= value <= 1 for value in [*before["x"], *before["y"]])
    edit(client, session, action="remove_category", category="weather")
    after = client.get("/api/map").json()
    edit(client, session, action="undo")
    assert (after["x"], after["y"]) == (before["x"], before["y"])
    assert set(before["labels"]) == {-1, 0, 1, 2}
    assert set(after["labels"]) == {-1, 0, 1}


def test_everything_can_be_taken_away(client: TestClient, session: Session, tmp_path: Path) -> None:
    seeds = client.get("/api/export?what=seeds&format=toml")
    assert "attachment" in seeds.headers["content-disposition"]
    assert 'sports = ["game", "player"]' in seeds.text
    assert json.loads(client.get("/api/export?what=seeds&format=json").content)["money"] == ["bank", "stock"]
    rows = [json.loads(line) for line in client.get("/api/export?what=labels&format=jsonl").text.splitlines()]
    assert [row["id"] for row in rows] == [f"t{number}" for number in range(36)]
    sheet = client.get("/api/export?what=labels&format=xlsx").content
    assert openpyxl.load_workbook(io.BytesIO(sheet), read_only=True).worksheets[0]["A2"].value == "t0"
    assert client.get("/api/export?what=labels&format=xls").status_code == 422
    assert client.get("/api/export?what=sea").status_code == 422
    packed = zipfile.ZipFile(io.BytesIO(client.get("/api/export?what=model&format=zip").content))
    packed.extractall(tmp_path / "model")
    model = load_model(tmp_path / "model")
    assert model.predict(["snow and cold"]).tolist() == ["weather"]
    assert type(model).__name__ == "SeedTopicClassifier"


def test_a_document_whose_category_was_just_removed_is_explained_without_it(
    client: TestClient, session: Session
) -> None:
    opened = open_document(0, session.collection, Draft(), session.labels, None)
    assert opened["prose"].startswith("a category that is gone (")
    assert "None" not in f"{opened['prose']} {opened['flips'] or ''}"


def test_files_are_saved_into_the_output_folder_alone(client: TestClient, place: Path) -> None:
    saved = client.post("/api/save", json={"what": "labels", "name": "labels.jsonl"}).json()
    assert Path(saved["path"]) == place / "out" / "labels.jsonl"
    rows = [json.loads(line) for line in Path(saved["path"]).read_text().splitlines()]
    assert rows[1]["predicted"] == "money"
    assert rows[1]["stars"] == 5
    assert client.post("/api/save", json={"what": "workspace", "name": "copy.studio"}).status_code == 200
    before = sorted(path.name for path in place.rglob("*"))
    (place / "out" / "link.toml").symlink_to(place / "toy.studio")
    for name in (
        "../x.toml", "..", "/tmp/x.toml", ".x.toml", "a/b.toml", "a\\b.toml", "", None, 3, "c:x.toml", "x\x00.toml",
        "link.toml", "docs.toml", "x.exe", "x", "a" * 300 + ".toml",
        "\N{GRINNING FACE}" * 100 + ".toml",
    ):  # fmt: skip
        assert client.post("/api/save", json={"what": "seeds", "name": name}).status_code == 422, name
    half = client.post(
        "/api/save",
        content=rb'{"what": "seeds", "name": "\ud83d.toml"}',
        headers={"Content-Type": "application/json"},
    )
    assert half.status_code == 422
    (place / "out" / "link.toml").unlink()
    assert sorted(path.name for path in place.rglob("*")) == before


def test_a_file_is_replaced_only_if_that_was_asked_for(client: TestClient, place: Path) -> None:
    file = place / "out" / "seeds.toml"
    file.write_bytes(b"of somebody else")
    wish = {"what": "seeds", "name": "seeds.toml"}
    for asked in ({}, {"replace": False}, {"replace": "yes"}, {"replace": None}):
        answer = client.post("/api/save", json={**wish, **asked})
        assert (answer.status_code, "exists in the folder" in answer.json()["error"]) == (409, True)
    assert file.read_bytes() == b"of somebody else"
    assert client.post("/api/save", json={**wish, "replace": True}).status_code == 200
    assert b"game" in file.read_bytes()


@pytest.mark.parametrize("action", ["undo", "redo", "replace_seeds"])
def test_an_edit_of_the_whole_is_refused_if_another_tab_was_faster(client: TestClient, action: str) -> None:
    seen = client.get("/api/state").json()["revision"]
    add = {"action": "add_category", "name": f"from another tab, before {action}"}
    now = client.post("/api/edit", json=add).json()
    edit = {"action": action, "toml": 'a = ["b"]', "revision": seen}
    answer = client.post("/api/edit", json=edit)
    assert (answer.status_code, "another tab" in answer.json()["error"]) == (422, True)
    assert client.get("/api/state").json()["revision"] == now["revision"]
    undo = {"action": "undo", "revision": now["revision"]}
    assert client.post("/api/edit", json=undo).status_code == 200


def test_a_model_that_cannot_be_written_leaves_nothing_and_the_old_one_stays(
    client: TestClient, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "out" / "model.zip").write_bytes(b"old")
    before = sorted(path.name for path in place.rglob("*"))

    def full(*args: Any, **kwargs: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "write", full)
    answer = client.post("/api/save", json={"what": "model", "name": "model.zip", "replace": True})
    assert (answer.status_code, "No space left" in answer.json()["error"]) == (422, True)
    assert (place / "out" / "model.zip").read_bytes() == b"old"
    assert sorted(path.name for path in place.rglob("*")) == before


def test_requests_are_counted(client: TestClient) -> None:
    def counted() -> int:
        text = client.get("/metrics").text
        found = re.search(
            r'^seedtopic_requests_total{method="GET",path="/api/map",status="200"} (\d+)\.0$', text, re.M
        )
        return int(found[1]) if found else 0

    before = counted()
    client.get("/api/map")
    assert counted() == before + 1
    labelled = client.post("/predict", json={"texts": ["a game", "the bank"]})
    assert labelled.status_code == 200
    assert 'seedtopic_texts_total{path="/predict"}' in client.get("/metrics").text


def test_without_the_token_nothing_is_told(client: TestClient) -> None:
    for path in (
        "/api/state",
        "/api/documents",
        "/api/documents/0",
        "/api/map",
        "/api/events",
        "/api/nothing",
        "/version",
        "/metrics",
    ):
        assert stranger(client).get(path).status_code == 403
        assert stranger(client).get(path + "?token=guess").status_code == 403
    assert stranger(client).post("/api/edit", json={"action": "undo"}).status_code == 403
    assert stranger(client).post("/predict", json={"texts": ["a game"]}).status_code == 403
    assert stranger(client).get(f"/api/state?token={TOKEN}").status_code == 200


def test_other_hosts_and_origins_are_refused(client: TestClient) -> None:
    header = {"X-Seedtopic-Token": TOKEN}
    assert stranger(client, "http://evil.example").get("/api/state", headers=header).status_code == 403
    assert stranger(client, "http://evil.example").get("/").status_code == 403
    evil = {**header, "Origin": "http://evil.example"}
    assert client.post("/api/edit", json={"action": "undo"}, headers=evil).status_code == 403
    own = {**header, "Origin": HERE}
    assert client.post("/api/edit", json={"action": "nothing"}, headers=own).status_code == 422


def test_the_page_is_served_with_a_strict_policy_and_nothing_beside_its_files(client: TestClient) -> None:
    page = stranger(client).get("/")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"):
        assert stranger(client).get(path).status_code in (403, 404)
    assert stranger(client).get("/static/icon.svg").status_code == 200


def test_the_rest_api_answers_beside_the_page(client: TestClient) -> None:
    assert client.post("/predict", json={"texts": ["a snow storm"]}).json()["labels"] == ["weather"]
    assert client.get("/health").json() == {"status": "ready"}
    assert client.get("/version").json()["model"] is not None
    assert client.get("/nowhere").status_code == 404


def test_csv_keeps_the_columns_of_the_input(
    toy_texts: list[str], toy_seeds: dict[str, list[str]], tmp_path: Path
) -> None:
    rows = [{"id": number, "text": text, "stars": 5} for number, text in enumerate(toy_texts)]
    session = Session(Collection(Rows(texts=toy_texts, rows=rows), "toy"), Seeds(toy_seeds), pause=0.0)
    app = create_app(session, tmp_path, TOKEN)
    with TestClient(app, HERE, headers={"X-Seedtopic-Token": TOKEN}) as client:
        answer = client.get("/api/export?what=labels&format=csv")
        written = list(csv.DictReader(io.StringIO(answer.text)))
        assert [row["stars"] for row in written] == ["5"] * 36
        assert written[2]["predicted"] == "weather"
        assert client.get("/api/export?what=labels&format=parquet").content[:4] == b"PAR1"
        assert "<!DOCTYPE html>" in client.get("/api/export?what=report&format=html").text


def test_events_reach_all_who_listen_and_nobody_holds_up_the_others() -> None:
    async def story() -> tuple[list[str], int, int]:
        events = Events()
        first, second = events.listen(), events.listen()
        heard = [await anext(first), await anext(second)]
        for number in range(MOST_WAITING + 50):  # more than a tab that is asleep is kept
            events.send("state", {"revision": number})
        heard += [await anext(first)]
        await second.aclose()  # a tab that vanishes
        listening = len(events.streams)
        events.close()
        heard += [text async for text in first][-1:]
        return heard, listening, len(events.streams)

    heard, listening, left = asyncio.run(story())
    assert heard[0].startswith(":")
    assert heard[2].startswith("event: state\ndata: {")
    assert f'"revision": {MOST_WAITING + 49}' in heard[3]
    assert (listening, left) == (1, 0)


def test_an_event_can_be_sent_whatever_it_holds() -> None:
    async def story() -> bytes:
        events = Events()
        stream = events.listen()
        await anext(stream)
        events.send("fit", {"message": "half of a pair: \ud83d"})
        return (await anext(stream)).encode("utf-8")

    assert json.loads(asyncio.run(story()).split(b"data: ")[1])["message"].endswith("\ud83d")


def test_programs_send_answers_to_the_file_of_the_studio(
    toy_texts: list[str], toy_seeds: dict[str, list[str]], tmp_path: Path
) -> None:
    answers = Answers.read(tmp_path / "toy.answers.csv")
    collection = Collection(Rows(texts=toy_texts, rows=[{}] * len(toy_texts)), "toy.csv")
    session = Session(collection, Seeds(toy_seeds), tmp_path / "toy.studio", pause=0.0, answers=answers)
    app = create_app(session, tmp_path, TOKEN)
    with TestClient(app, HERE, headers={"X-Seedtopic-Token": TOKEN}) as client:
        session.wait_until_settled(PATIENCE)
        body = {"answers": [{"text": "rain and snow", "answer": "Money", "by": "ben"}]}
        assert client.post("/answers", json=body).json() == {"new": 1, "unnamed": []}
        assert client.post("/predict", json={"texts": ["rain and snow"]}).json()["labels"] == ["money"]
    (row,) = Answers.read(tmp_path / "toy.answers.csv")
    assert (row.answer, row.by, row.how) == ("money", "ben", "api")
