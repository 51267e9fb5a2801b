"""Checking documents in the studio: one label, several or none, all of a list at once, and what comes next."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from seedtopic import InputError, Seeds
from seedtopic.io.rows import Rows
from seedtopic.web.studio.app import create_app
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.draft import Draft
from seedtopic.web.studio.edits import answer_to
from seedtopic.web.studio.listing import AHEAD, ROUND, Queue
from seedtopic.web.studio.session import Session

TOKEN, PATIENCE = "secret", 120.0
SPORT, MONEY = ["game", "goal", "team", "match", "coach"], ["bank", "rate", "loan", "market", "fund"]


@pytest.fixture(scope="module")
def collection() -> Collection:
    texts = []
    for number in range(40):
        words = (SPORT, MONEY)[number % 2]
        texts.append(
            f"the {words[number % 5]} and a {words[(number // 2 + 1) % 5]} of {words[number % 3]} n{number}"
        )
    texts += ["", "!?"]  # nobody can label these
    return Collection(Rows(texts=texts, rows=[{"text": text} for text in texts]), vectors=None)


@pytest.fixture
def session(collection: Collection, tmp_path: Path) -> Session:
    seeds = Seeds({"sport": ["game", "goal"], "money": ["bank", "rate"]})
    return Session(collection, seeds, tmp_path / "notes.studio", pause=0.0)


@pytest.fixture
def client(session: Session, tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(session, tmp_path, TOKEN)
    with TestClient(app, base_url="http://127.0.0.1", headers={"X-Seedtopic-Token": TOKEN}) as client:
        session.wait_until_settled(PATIENCE)
        yield client


def listed(client: TestClient, **asked: Any) -> dict[str, Any]:
    answer = client.get("/api/documents", params={"limit": 100, **asked})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def post(client: TestClient, session: Session, **request: Any) -> dict[str, Any]:
    answer = client.post("/api/edit", json=request)
    assert answer.status_code == 200, answer.text
    session.wait_until_settled(PATIENCE)
    return dict(answer.json())


def test_several_labels_and_none_are_confirmed_and_shown(client: TestClient, session: Session) -> None:
    post(client, session, action="confirm", document=0, labels=["money", "sport", "money"])
    opened = client.get("/api/documents/0").json()
    assert opened["confirmed"] == ["money", "sport"]
    assert opened["label"] == "money"  # the main label is held
    assert opened["prose"].startswith("You said money and sport.")
    exported = client.get("/api/export?what=labels&format=csv").text.splitlines()
    assert "money; sport" in exported[1].split(",")
    before = session.state()
    state = post(client, session, action="confirm", document=1, labels=[])
    assert state["undo"] == "confirm document 1 as none of these"
    opened = client.get("/api/documents/1").json()
    assert (opened["confirmed"], opened["label"]) == ([], None)
    assert opened["prose"].startswith("You said none of these. From its words alone: money")
    sizes = [sum(one["size"] for one in state["categories"]) for state in (before, session.state())]
    assert sizes == [40, 39]
    post(client, session, action="undo")
    assert client.get("/api/documents/1").json()["label"] == "money"


@pytest.mark.parametrize("labels", ["sport", [3], ["tea"], ["sport"] * 21, {"sport": 1}])
def test_labels_that_cannot_be_confirmed_are_refused(labels: object) -> None:
    draft = Draft.of(Seeds({"sport": ["game"], "money": ["bank"]}))
    with pytest.raises(InputError, match=r"give a list|no category"):
        answer_to(draft, {"action": "confirm", "document": 0, "labels": labels}, 9)


def test_all_of_a_search_are_confirmed_in_one_step_and_taken_back_in_one(
    client: TestClient, session: Session
) -> None:
    post(client, session, action="confirm", document=0, label="money")
    found = listed(client, search="game")
    n_game = sum("game" in text for text in session.collection.texts)
    assert (found["total"], found["checked"], found["confirmable"]) == (n_game, 1, n_game - 1)
    query = {"search": "game", "order": "given", "least": 0, "most": 1, "changed": 0}
    refused = client.post("/api/edit", json={"action": "confirm_all", "query": query, "count": n_game})
    assert refused.status_code == 422
    assert f"{n_game - 1} of its documents would be confirmed now" in refused.json()["error"]
    state = post(client, session, action="confirm_all", query=query, count=n_game - 1)
    assert state["confirmed"] == n_game
    assert state["undo"] == f"confirm {n_game - 1} documents"
    rows = listed(client, search="game")["documents"]
    assert rows[0]["confirmed"] == ["money"]  # was confirmed before, and stays
    assert [row["confirmed"] for row in rows[1:]] == [[row["label"]] for row in found["documents"][1:]]
    assert post(client, session, action="undo")["confirmed"] == 1
    assert post(client, session, action="redo")["confirmed"] == n_game
    nothing = client.post("/api/edit", json={"action": "confirm_all", "query": query, "count": 0})
    assert "no document left to confirm" in nothing.json()["error"]


def test_all_can_be_confirmed_as_one_category_even_those_without_a_label(
    client: TestClient, session: Session
) -> None:
    state = post(client, session, action="confirm_all", query={"search": "!?"}, label="money", count=1)
    assert state["confirmed"] == 1
    assert client.get("/api/documents/41").json()["confirmed"] == ["money"]


def test_exported_labels_say_what_a_person_said(client: TestClient, session: Session) -> None:
    post(client, session, action="confirm", document=0, labels=["money", "sport"])
    post(client, session, action="confirm", document=1, labels=[])
    post(client, session, action="confirm", document=2, labels=["money"])
    exported = client.get("/api/export", params={"what": "labels", "format": "jsonl"}).text
    rows = [json.loads(line) for line in exported.splitlines()]
    found = [(row["predicted"], row["source"], row["labels"]) for row in rows]
    assert found[0] == ("money", "confirmed", ["money", "sport"])
    assert found[1] == (None, "none", None)
    assert found[2] == ("money", "confirmed", ["money"])
    assert found[3] == ("money", "labelled", ["money"])
    assert found[40] == (None, "none", None)


def test_documents_that_cannot_be_labelled_are_not_doubtful(client: TestClient) -> None:
    doubtful = listed(client, order="doubtful")
    assert doubtful["total"] == 40
    assert not {40, 41} & {row["id"] for row in doubtful["documents"]}
    values = [row["probability"] for row in doubtful["documents"]]
    assert values == sorted(values)
    assert [row["id"] for row in listed(client, order="certain")["documents"]][-2:] == [40, 41]


def test_the_queue_loses_what_is_checked_and_is_renewed(client: TestClient, session: Session) -> None:
    queue = listed(client, queue=1)
    first, second, third, *_ = [row["id"] for row in queue["documents"]]
    assert queue["total"] <= AHEAD
    assert queue["queue"] == {"checked": 0, "goal": ROUND, "skipped": 0}
    post(client, session, action="confirm", document=first, labels=[])
    assert client.post("/api/queue", json={"skip": second}).json()["skipped"] == 1
    queue = listed(client, queue=1)
    assert not {first, second, 40, 41} & {row["id"] for row in queue["documents"]}
    assert third in {row["id"] for row in queue["documents"]} or queue["total"] == AHEAD
    assert queue["queue"] == {"checked": 1, "goal": ROUND, "skipped": 1}
    assert client.post("/api/queue", json={"more": True}).json()["goal"] == 2 * ROUND
    for wrong in ({}, {"skip": 99}, {"skip": "1"}, {"more": 1}):
        assert client.post("/api/queue", json=wrong).status_code == 422


def test_a_round_of_the_queue_ends(collection: Collection, session: Session) -> None:
    session.start()
    labels = session.wait_until_settled(PATIENCE)
    session.close()
    queue = Queue(collection)
    before = replace(session.draft, confirmed={0: (1,)})
    assert len(queue.documents(before, labels)) > 0
    assert queue.progress(replace(before, confirmed=dict.fromkeys(range(6), (1,))))["checked"] == 5
    enough = replace(before, confirmed=dict.fromkeys(range(ROUND + 1), ()))
    assert queue.progress(enough)["checked"] == ROUND
    assert queue.documents(enough, labels).tolist() == []
    assert queue.documents(before, None).tolist() == []


def test_very_many_confirmed_documents_do_not_make_previews_slow(collection: Collection) -> None:
    from seedtopic.web.studio.refit import Fitting

    draft = Draft.of(Seeds({"sport": ["game", "goal"], "money": ["bank", "rate"]}))
    seeds = draft.seeds()
    assert seeds is not None
    confirmed = {row: (1 + row % 2,) for row in range(40)}
    held = replace(draft, confirmed={**confirmed, 3: (1,)})
    _, probabilities, _, on = Fitting(collection, most_previewed=10).preview(
        held, seeds, lambda *_: None, lambda: None
    )
    assert on == "sample"
    assert np.array_equal(
        probabilities[:40].argmax(axis=1), [0 if row == 3 else row % 2 for row in range(40)]
    )
    assert probabilities[:40].max(axis=1).min() == 1.0
