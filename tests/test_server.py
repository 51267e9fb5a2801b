"""The REST API: what it answers, what it refuses, and what it says of itself."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from starlette.testclient import TestClient

from seedtopic import InputError, MissingExtraError, SeedTopicClassifier
from seedtopic.web.api import Api, CurrentModel
from seedtopic.web.app import make_app
from seedtopic.web.errors import Refusal, failures_to_stderr, log_to_stderr
from seedtopic.web.limits import Limits
from seedtopic.web.processes import ThreadPool
from seedtopic.web.work import SMALL, Stopped

pytestmark = pytest.mark.filterwarnings("ignore::seedtopic.base.errors.SeedWarning")

LIMITS = Limits(most_bytes=200_000, most_texts=50, most_characters=3000)
Lines = list[tuple[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def model(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> SeedTopicClassifier:
    return SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts)


@pytest.fixture(scope="module")
def lines() -> Lines:
    return []


@pytest.fixture(scope="module")
def client(model: SeedTopicClassifier, lines: Lines) -> Iterator[TestClient]:
    app = make_app(Api(lambda: model, LIMITS), log=lambda *line: lines.append(line))
    with TestClient(app, "http://localhost:8000", raise_server_exceptions=False) as client:
        yield client


def test_predict_gives_what_the_model_gives(
    client: TestClient, model: SeedTopicClassifier, toy_texts: list[str]
) -> None:
    answer = client.post(
        "/predict", json={"texts": toy_texts[:6], "all_probabilities": True, "all_labels": True}
    )
    assert answer.status_code == 200
    given = answer.json()
    probabilities = model.predict_proba(toy_texts[:6])
    assert given["labels"] == model.predict(toy_texts[:6]).tolist()
    assert given["probabilities"] == pytest.approx(probabilities.max(axis=1), abs=1e-6)
    assert given["categories"] == ["sports", "money", "weather"]
    assert given["all_probabilities"] == [pytest.approx(row, abs=1e-6) for row in probabilities.tolist()]
    assert given["all_labels"] == [list(labels) for labels in model.predict_labels(toy_texts[:6])]
    for best, runner_up, margin in zip(
        given["probabilities"], given["runner_up_probabilities"], given["margins"], strict=True
    ):
        assert margin == pytest.approx(best - runner_up, abs=2e-6)


def test_many_texts_are_labelled_like_few(client: TestClient, toy_texts: list[str]) -> None:
    texts = [f"{text} " * 8 for text in toy_texts]
    assert sum(map(len, texts)) > SMALL  # so that a thread does it
    together = client.post("/predict", json={"texts": texts}).json()
    alone = [client.post("/predict", json={"texts": [text]}).json() for text in texts]
    assert together["labels"] == [answer["labels"][0] for answer in alone]
    assert together["probabilities"] == pytest.approx(
        [answer["probabilities"][0] for answer in alone], abs=1e-6
    )


def test_no_texts_have_no_labels(client: TestClient) -> None:
    answer = client.post("/predict", json={"texts": [], "all_probabilities": True, "all_labels": True})
    assert answer.status_code == 200
    assert answer.json()["labels"] == answer.json()["all_probabilities"] == answer.json()["all_labels"] == []


@pytest.mark.parametrize(
    "text", ["", " ", "\0", "\ud800 goal", "é" * 3000, "unheard of", "🎉" * 10, "\u202egoal"]
)
def test_any_text_gets_an_answer(client: TestClient, text: str) -> None:
    body = json.dumps({"texts": [text]})  # escaped, so that half a pair can be sent
    answer = client.post("/predict", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200
    known = text.endswith("goal") or text == "unheard of"  # the last by the word vectors
    assert (answer.json()["labels"][0] in ("sports", "money", "weather")) == known
    assert (answer.json()["labels"][0] is None) == (not known)


def test_label_fits_and_labels(
    client: TestClient, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    seeds = {**toy_seeds, "sports": [*toy_seeds["sports"], "unheard"]}
    body = {"texts": toy_texts, "seeds": seeds, "all_labels": True, "all_probabilities": True}
    answer = client.post("/label", json=body)
    assert answer.status_code == 200
    fitted = SeedTopicClassifier(seeds, random_state=0).fit(toy_texts)
    assert answer.json()["labels"] == fitted.transduction_.tolist()
    assert answer.json()["probabilities"] == pytest.approx(fitted.label_distributions_.max(axis=1), abs=1e-6)
    assert answer.json()["warnings"] == [
        "these seed words do not occur in the documents: 'unheard' (sports)."
    ]
    answer = client.post("/label", json={"texts": toy_texts, "seeds": {**toy_seeds, "opera": ["aria"]}})
    assert answer.json()["warnings"] == [
        "these seed words do not occur in the documents: 'aria' (opera); opera is labelled by meaning alone."
    ]


def test_label_fits_with_the_vectors_of_the_server(
    toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    read: list[str] = []

    def encode(texts: list[str]) -> list[list[float]]:
        read.extend(texts)
        return [[float(len(text)), 1.0] for text in texts]

    app = make_app(Api(lambda: None, LIMITS, vectors=encode), log=lambda *line: None)
    with TestClient(app, "http://localhost:8000") as client:
        answer = client.post("/label", json={"texts": toy_texts, "seeds": toy_seeds})
    fitted = SeedTopicClassifier(toy_seeds, vectors=encode, random_state=0)
    assert set(toy_texts) <= set(read)
    assert answer.json()["labels"] == fitted.fit(toy_texts).transduction_.tolist()


def test_label_takes_all_that_a_seeds_file_may_say(client: TestClient, toy_texts: list[str]) -> None:
    seeds = {
        "indoors": {"words": ["bank", "stock"], "weights": {"bank": 2}, "exclude": ["rain"]},
        "rainy": {"words": ["rain", "snow"], "parent": "weather"},
        "sunny": {"words": ["sun"], "parent": "weather"},
        "weather": {"words": ["sky"]},
    }
    answer = client.post("/label", json={"texts": toy_texts, "seeds": seeds, "none_label": "other"})
    assert answer.status_code == 200, answer.json()
    assert set(answer.json()["labels"]) <= {"indoors", "rainy", "sunny", "other"}
    assert "weather > rainy" in answer.json()["paths"]
    assert len(answer.json()["none_probabilities"]) == len(toy_texts)


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/predict", [], "the body is a list, not an object."),
        ("/predict", "texts", "the body is a text, not an object."),
        ("/predict", {}, "the body has no 'texts'."),
        ("/predict", {"texts": "goal"}, "texts is a text, not a list."),
        ("/predict", {"texts": ["goal", 7]}, "texts[1] is a number, not a text."),
        ("/predict", {"texts": ["goal", True]}, "texts[1] is true or false, not a text."),
        ("/predict", {"texts": [None]}, "texts[0] is null, not a text."),
        ("/predict", {"texts": [["goal"]]}, "texts[0] is a list, not a text."),
        ("/predict", {"texts": [], "all_labels": 1}, "all_labels is a number, not true or false."),
        (
            "/predict",
            {"texts": [], "text": "goal"},
            "the body has the unknown key 'text': use texts, all_probabilities, all_labels.",
        ),
        ("/predict", {"texts": ["x"] * 51}, "texts has 51 entries, more than 50."),
        ("/predict", {"texts": ["x" * 3001]}, "texts[0] has 3,001 characters, more than 3,000."),
        ("/label", {"texts": ["a", "b"]}, "the body has no 'seeds'."),
        ("/label", {"texts": ["a"], "seeds": {"a": ["a"], "b": ["b"]}}, "texts has 1 entries, fewer than 2."),
        ("/label", {"texts": ["a", "b"], "seeds": {"a": ["a"]}}, "seeds has 1 entries, fewer than 2."),
        (
            "/label",
            {"texts": ["a", "b"], "seeds": {"a": "a", "b": ["b"]}},
            "seeds['a'] is a text, not a list or an object.",
        ),
        (
            "/label",
            {"texts": ["a", "b"], "seeds": {"a": {"words": ["a"], "weights": {"a": 0}}, "b": ["b"]}},
            "seeds['a']['weights']['a'] is not above 0.",
        ),
        (
            "/label",
            {"texts": ["a", "b"], "seeds": {"a": {"words": ["a"], "weights": {"a": 2e6}}, "b": ["b"]}},
            "seeds['a']['weights']['a'] is above 1,000,000.",
        ),
        (
            "/label",
            {"texts": ["a", "b"], "seeds": {"a": {"weights": {str(n): 1 for n in range(1001)}}, "b": ["b"]}},
            "seeds['a']['weights'] has 1,001 entries, more than 1,000.",
        ),
        (
            "/label",
            {"texts": ["a", "b"], "seeds": {"\ud800": ["a", 7], "b": ["b"]}},
            "seeds['\ufffd\ufffd\ufffd'][1] is a number, not a text.",
        ),
        (
            "/label",
            {"texts": ["gold", "ore"], "seeds": {"a": {"word": ["gold"]}, "b": ["ore"]}},
            "seeds['a'] has the unknown key 'word': use words, weights, exclude, parent.",
        ),
        (
            "/label",
            {"texts": ["gold", "ore"], "seeds": {"": ["gold"], "b": ["ore"]}},
            "a key of seeds has 0 characters, fewer than 1.",
        ),
        (
            "/label",
            {"texts": ["gold", "ore"], "seeds": {"a": ["gold"], "b": ["tjn"]}},
            "fewer than two categories have a seed word that occurs in the documents, or of which the word vectors "
            "know the meaning; the seed words are a: gold; b: tjn: add words that do occur.",
        ),
        (
            "/label",
            {"texts": ["gold", "ore"], "seeds": {"a": ["gold"], "b": ["ore"]}, "none_label": "a"},
            "none_label is 'a', which is the name of a category: use another name.",
        ),
    ],
)
def test_a_wrong_shape_is_refused_in_a_sentence(
    client: TestClient, path: str, body: Any, sentence: str
) -> None:
    content = json.dumps(body)  # escaped, so that half a pair can be sent
    answer = client.post(path, content=content, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()) == (422, {"error": sentence})


def test_what_cannot_be_read_is_refused(client: TestClient) -> None:
    assert (
        client.post("/predict", content=b"{", headers={"Content-Type": "application/json"}).status_code == 400
    )
    assert client.post("/predict", content=b"{}").status_code == 415
    assert client.post("/predict", json={"texts": ["x" * 200_000]}).status_code == 413
    assert client.get("/predict").status_code == 405
    assert client.get("/predict").headers["allow"] == "POST"
    assert sorted(client.post("/health").headers["allow"].split(", ")) == ["GET", "HEAD"]
    assert client.head("/health").status_code == 200
    described = client.get("/openapi.json").json()["paths"]
    names = [operation["operationId"] for path in described.values() for operation in path.values()]
    others = ["answers", "health", "version", "metrics", "drift", "openapi", "docs"]
    assert names == ["predict", "label", *others]
    assert [*described["/docs"]["get"]["responses"]["403"]["content"]] == ["application/json"]
    assert client.get("/../../etc/passwd").status_code == 404
    assert client.post("/predict/", json={"texts": []}, follow_redirects=False).status_code == 404
    assert client.post("/predict", json={"texts": []}, headers={"Host": "evil.example"}).status_code == 403
    assert (
        client.post("/predict", json={"texts": []}, headers={"Origin": "http://evil.example"}).status_code
        == 403
    )


def test_a_server_without_a_model_says_so(toy_texts: list[str]) -> None:
    client = TestClient(make_app(Api(lambda: None), log=lambda *line: None), "http://localhost:8000")
    refused = client.post("/predict", json={"texts": toy_texts})
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    assert (client.get("/health").status_code, client.get("/health").json()) == (503, {"status": "no model"})
    assert client.get("/version").json()["model"] is None
    assert client.get("/metrics").status_code == 200


def test_label_can_be_left_out(model: SeedTopicClassifier) -> None:
    app = make_app(Api(lambda: model, Limits(labellings=0)), log=lambda *line: None)
    with TestClient(app, "http://localhost:8000") as client:
        assert client.post("/label", json={}).status_code == 404
        assert "/label" not in client.get("/openapi.json").json()["paths"]


def test_health_and_version(client: TestClient, model: SeedTopicClassifier) -> None:
    assert (client.get("/health").status_code, client.get("/health").json()) == (200, {"status": "ready"})
    described = client.get("/version").json()["model"]
    assert described["categories"] == ["sports", "money", "weather"]
    assert described["words"] == len(model.vocabulary_)


def test_requests_are_logged_without_their_texts(client: TestClient, lines: Lines) -> None:
    lines.clear()
    named = client.post(
        "/predict?token=secret", json={"texts": ["private goal", "b"]}, headers={"X-Request-ID": "mine-1"}
    )
    assert named.headers["x-request-id"] == "mine-1"
    client.post("/nowhere", json={})
    (event, first), (_, second) = lines
    assert event == "request"
    assert first["id"] == "mine-1"
    assert (first["method"], first["path"], first["status"], first["texts"]) == ("POST", "/predict", 200, 2)
    assert first["bytes"] == len(named.content)
    assert first["ms"] > 0
    assert second["status"] == 404
    assert "private" not in str(lines)
    assert "secret" not in str(lines)


def test_the_log_is_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr("request", {"status": 200, "path": "/a\nb\u2028"})
    failures_to_stderr("request", {"status": 200})
    failures_to_stderr("request", {"status": 500})
    written = capsys.readouterr().err.splitlines()
    assert [json.loads(line)["status"] for line in written] == [200, 500]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", json.loads(written[0])["time"])


def test_a_failure_is_logged_by_its_place_and_never_by_what_it_says(lines: Lines) -> None:
    def broken() -> Any:
        raise RuntimeError("a private text")

    app = make_app(Api(broken), log=lambda *line: lines.append(line))
    lines.clear()
    answer = TestClient(app, "http://localhost:8000").get("/health")
    assert (answer.status_code, list(answer.json())) == (500, ["error"])
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert [event for event, _ in lines] == ["failure", "request"]
    assert lines[0][1]["kind"] == "RuntimeError"
    assert lines[0][1]["at"].startswith("test_server.py:")
    assert "private" not in str(lines) + answer.text


def test_metrics_add_up(model: SeedTopicClassifier) -> None:
    client = TestClient(make_app(Api(lambda: model), log=lambda *line: None), "http://localhost:8000")
    for texts in (["goal"], ["goal", "rain"], []):
        assert client.post("/predict", json={"texts": texts}).status_code == 200
    client.get("/nowhere")
    text = client.get("/metrics").text
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(values['seedtopic_requests_total{method="POST",path="/predict",status="200"}']) == 3
    assert float(values['seedtopic_requests_total{method="GET",path="other",status="404"}']) == 1
    buckets = [float(value) for name, value in values.items() if 'bucket{le="' in name and "/predict" in name]
    assert buckets == sorted(buckets)
    assert buckets[-1] == float(values['seedtopic_request_seconds_count{path="/predict"}']) == 3
    assert 0 < float(values['seedtopic_request_seconds_sum{path="/predict"}']) < 60
    assert float(values['seedtopic_texts_total{path="/predict"}']) == 3
    assert any(
        name.startswith("seedtopic_model_info{") and 'name="SeedTopicClassifier"' in name for name in values
    )


def test_paths_that_are_made_up_do_not_swell_the_counts(client: TestClient) -> None:
    for number in range(50):
        client.request(f"M{number}", f"/made/up/{number}")
    text = client.get("/metrics").text
    assert "made" not in text
    assert 'method="other",path="other",status="404"' in text
    assert "seedtopic_requests_under_way 1.0" in text  # the one that asks


def test_pages_of_another_origin_may_ask_where_that_is_allowed(model: SeedTopicClassifier) -> None:
    app = make_app(Api(lambda: model), origins=["https://friend.example"], log=lambda *line: None)
    client = TestClient(app, "http://localhost:8000")
    friend, stranger = {"Origin": "https://friend.example"}, {"Origin": "https://stranger.example"}
    wish = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    assert (
        client.options("/predict", headers=friend | wish).headers["access-control-allow-origin"]
        == friend["Origin"]
    )
    assert "access-control-allow-origin" not in client.options("/predict", headers=stranger | wish).headers
    allowed = client.post("/predict", json={"texts": ["goal"]}, headers=friend)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, friend["Origin"])
    assert client.post("/predict", json={"texts": ["goal"]}, headers=stranger).status_code == 403


def test_an_origin_is_known_however_it_was_written(model: SeedTopicClassifier) -> None:
    app = make_app(Api(lambda: model), origins=["https://Friend.example/"], log=lambda *line: None)
    client = TestClient(app, "http://localhost:8000")
    allowed = client.post("/predict", json={"texts": ["goal"]}, headers={"Origin": "https://friend.example"})
    assert allowed.headers["access-control-allow-origin"] == "https://friend.example"


@pytest.mark.parametrize("origin", ["*", "https://*", "friend.example", "https://friend.example/page", ""])
def test_what_is_no_origin_is_refused_at_the_start(origin: str) -> None:
    with pytest.raises(InputError, match="is not an origin: write it like"):
        make_app(Api(lambda: None), origins=[origin])


def test_no_page_of_another_origin_may_read_by_default(client: TestClient) -> None:
    answer = client.get("/version", headers={"Origin": "https://friend.example"})
    assert "access-control-allow-origin" not in answer.headers


def test_the_page_needs_nothing_from_elsewhere_and_its_policy_allows_nothing(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert not re.search(r"https?://|<script|<style|<link|<img|on\w+=", page.text)
    for path in client.get("/openapi.json").json()["paths"]:
        assert f"<code>{path}</code>" in page.text


def test_every_route_is_described_and_the_examples_work(
    client: TestClient, model: SeedTopicClassifier
) -> None:
    described = client.get("/openapi.json").json()
    assert sorted(described["paths"]) == sorted(Api(lambda: model).paths)
    for path, name in (("/predict", "PredictRequest"), ("/label", "LabelRequest")):
        (example,) = described["components"]["schemas"][name]["examples"]
        answer = client.post(path, json=example)
        assert answer.status_code == 200
        check_described(answer.json(), described["components"]["schemas"]["Labels"])
        limit = described["components"]["schemas"][name]["properties"]["texts"]["maxItems"]
        assert limit == LIMITS.most_texts


def check_described(value: dict[str, Any], schema: dict[str, Any]) -> None:
    assert set(schema["required"]) <= set(value) <= set(schema["properties"])


async def silent() -> Any:
    return await asyncio.Event().wait()  # a client that waits


def test_work_beyond_what_fits_is_refused_and_taken_again_later() -> None:
    async def story() -> None:
        pool, may_end = ThreadPool("counting", at_once=1, waiting=1, seconds=60), Event()
        first = asyncio.ensure_future(pool.run(lambda body, stop: may_end.wait(), b"", silent))
        second = asyncio.ensure_future(pool.run(lambda body, stop: 2, b"", silent))
        await asyncio.sleep(0)
        with pytest.raises(Refusal, match="busy with other counting") as raised:
            await pool.run(lambda body, stop: 3, b"", silent)
        assert (raised.value.status, raised.value.headers) == (503, {"Retry-After": "1"})
        may_end.set()
        assert [await first, await second] == [True, 2]
        await asyncio.sleep(0)
        assert await pool.run(lambda body, stop: 4, b"", silent) == 4
        pool.close()

    asyncio.run(story())


def test_work_that_takes_too_long_is_told_to_stop() -> None:
    async def story() -> None:
        pool, stopped = ThreadPool("counting", at_once=1, waiting=0, seconds=0.01), Event()

        def endless(body: bytes, stop: Event) -> None:
            stop.wait()
            stopped.set()

        with pytest.raises(Refusal, match="took longer than 0.01 seconds") as raised:  # noqa: RUF043
            await pool.run(endless, b"", silent)
        assert raised.value.status == 504
        assert await asyncio.to_thread(stopped.wait, 10)
        pool.close()

    asyncio.run(story())


def test_work_that_outlives_the_server_ends_in_silence(caplog: pytest.LogCaptureFixture) -> None:
    pool, may_end = ThreadPool("counting", at_once=1, waiting=0, seconds=0.01), Event()
    with pytest.raises(Refusal):
        asyncio.run(pool.run(lambda body, stop: may_end.wait(), b"", silent))
    may_end.set()
    for thread in threading.enumerate():
        if thread.name.startswith("counting"):
            thread.join(10)
    assert caplog.records == []


def test_work_of_a_client_that_has_gone_is_told_to_stop() -> None:
    async def gone() -> Any:
        return {"type": "http.disconnect"}

    async def story() -> None:
        pool, stopped = ThreadPool("counting", at_once=1, waiting=0, seconds=60), Event()

        def endless(body: bytes, stop: Event) -> None:
            stop.wait()
            stopped.set()

        with pytest.raises(Refusal, match="connection was closed"):
            await pool.run(endless, b"", gone)
        assert await asyncio.to_thread(stopped.wait, 10)
        pool.close()

    asyncio.run(story())


def test_a_fit_that_takes_too_long_is_given_up(
    toy_texts: list[str], toy_seeds: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = Event()

    def endless_fit(self: SeedTopicClassifier, texts: list[str], progress: Any) -> None:
        try:
            while True:
                progress("learning", 1, 2)
        except Stopped:
            ended.set()
            raise

    monkeypatch.setattr(SeedTopicClassifier, "fit", endless_fit)
    app = make_app(Api(lambda: None, Limits(label_seconds=0.05)), log=lambda *line: None)
    with TestClient(app, "http://localhost:8000") as client:
        answer = client.post("/label", json={"texts": toy_texts, "seeds": toy_seeds})
        assert answer.status_code == 504
        assert ended.wait(10)


def test_a_model_that_needs_what_is_not_installed_does_not_replace_the_one_before(model: Any) -> None:
    loads = iter([lambda: model, _not_installed])
    current = CurrentModel(lambda: next(loads)())
    said: list[Any] = []
    asyncio.run(current.reload(Api(current), lambda event, values: said.append((event, values))))
    assert current() is model
    assert [event for event, _ in said] == ["reload"]
    assert "pip install" in said[0][1]["error"]


def _not_installed() -> Any:
    raise MissingExtraError("stop_words='german'", "stop-words", "languages")
