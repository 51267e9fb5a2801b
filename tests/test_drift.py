"""Drift: what a model remembers of its fit, how new documents are compared with it, and who says so."""

from __future__ import annotations

import json
from dataclasses import replace
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import chdtri
from starlette.testclient import TestClient

from seedtopic import SeedTopicClassifier, cli, load
from seedtopic.io.predictions import Predictions
from seedtopic.model.drift import LEAST, NO_LABEL, Drift, Fitted, LabelStatistics, drift, drift_sentence
from seedtopic.web import drift as server_drift
from seedtopic.web.api import Api
from seedtopic.web.app import make_app
from seedtopic_lab.corpora import fetch_corpus, published_seeds

SEEDS = {"sports": ["game", "team"], "money": ["bank"]}
TEXTS = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"] * 20


@pytest.fixture(scope="module")
def model() -> SeedTopicClassifier:
    return SeedTopicClassifier(SEEDS, random_state=0).fit(TEXTS)


def compared(model: SeedTopicClassifier, texts: list[str]) -> Drift:
    fitted = Fitted.of(model)
    assert fitted is not None
    return drift(fitted, LabelStatistics.of(model.predict_all(texts)))


def test_labels_are_counted_with_none_and_without() -> None:
    probabilities = np.array([[0.8, 0.2], [0.3, 0.7], [0.6, 0.4], [0.5, 0.5]])
    none = {"none_label": "other", "none_probability": np.array([0.1, 0.2, 0.9, 0.0])}
    said = Predictions.of("ab", probabilities, has_words=np.array([True, True, True, False]))
    seen = LabelStatistics.of(replace(said, **none, unknown=np.array([0.0, 0.5, 0.5, 1.0])))
    # With a label for none of these, a document without a known word has that label.
    assert seen.labels.tolist() == [2, 1, 1, 0]
    seen = LabelStatistics.of(said)
    assert seen.labels.tolist() == [2, 1, 0, 1]
    assert seen.probability.tolist() == pytest.approx([3, 0.8 + 0.7 + 0.6, 0.64 + 0.49 + 0.36])
    assert seen.unknown.tolist() == [0, 0, 0]


def test_the_index_of_labels_by_hand() -> None:
    fitted = Fitted(["a", "b", "", NO_LABEL], LabelStatistics(np.array([60, 40, 0, 0])), None)
    found = drift(fitted, LabelStatistics(np.array([10, 30, 0, 0])))
    before, now = (60.5 / 101, 40.5 / 101), (10.5 / 41, 30.5 / 41)
    assert found.labels.difference == pytest.approx(
        sum((n - b) * log(n / b) for b, n in zip(before, now, strict=True))
    )
    assert found.labels.threshold == pytest.approx(0.2 + chdtri(1, 0.01) * (1 / 100 + 1 / 40))
    assert found.shares == {"a": (0.6, 0.25), "b": (0.4, 0.75), NO_LABEL: (0.0, 0.0)}
    assert found.look_again
    assert "(a: 60% in the fit, 25% now)" in str(drift_sentence(found))


def test_unknown_words_and_probabilities_by_hand() -> None:
    before = LabelStatistics(np.array([100, 0, 0]), np.array([100.0, 90.0, 82.0]))
    now = LabelStatistics(np.array([50, 0, 0]), np.array([50.0, 30.0, 20.0]), np.array([50.0, 10.0, 4.0]))
    found = drift(Fitted(["a", "", NO_LABEL], before, (0.1, 0.2)), now)
    assert found.probability.difference == pytest.approx(0.3)
    assert found.probability.threshold == pytest.approx(0.15 + 2.326348 * sqrt(0.01 / 100 + 0.04 / 50))
    assert found.unknown_words.difference == pytest.approx(0.1)
    assert found.unknown_words.threshold == pytest.approx(0.05 + 2.326348 * sqrt(0.04 / 100 + 0.04 / 50))
    assert (found.probability.look_again, found.unknown_words.look_again) == (True, False)


@given(st.lists(st.integers(1, 500), min_size=2, max_size=6), st.integers(1, 5))
def test_the_same_shares_never_look_different(counts: list[int], times: int) -> None:
    names = [*map(str, range(len(counts) - 1)), NO_LABEL]
    labels = np.array(counts)
    assert not drift(Fitted(names, LabelStatistics(labels * times), None), LabelStatistics(labels)).look_again


@given(st.lists(st.tuples(st.floats(0.5, 1), st.floats(0, 1)), min_size=1, max_size=40), st.integers(1, 39))
def test_counting_in_parts_is_counting_at_once(found: list[tuple[float, float]], cut: int) -> None:
    sure = np.array([[p, 1 - p] for p, _ in found])
    unknown = np.array([share for _, share in found])
    said = Predictions.of("ab", sure, unknown=unknown)
    whole, parts = LabelStatistics.of(said), LabelStatistics.nothing(2)
    for rows in (slice(0, cut), slice(cut, None)):
        parts.add(LabelStatistics.of(said[rows]))
    assert parts.labels.tolist() == whole.labels.tolist()
    assert np.allclose(parts.probability, whole.probability)
    assert np.allclose(parts.unknown, whole.unknown)


def test_few_documents_are_not_judged(model: SeedTopicClassifier) -> None:
    found = compared(model, ["unheard words of an unknown kind, and the game"] * (LEAST - 1))
    assert not found.enough
    assert not found.look_again


def test_what_a_fit_expects_of_new_documents() -> None:
    """Each word of the last document is in one document alone: without it, the model would know none of them."""
    texts = ["game team", "game team", "bank rate", "bank rate", "game unheard words"]
    model = SeedTopicClassifier(SEEDS, random_state=0).fit(texts)
    assert model.unknown_words_ is not None
    assert model.unknown_words_[0] == pytest.approx((2 / 3) / 5)
    said = model.predict_all(["the game of unheard things", "", "the"])
    assert said.unknown is not None
    assert said.unknown.tolist() == pytest.approx([1 / 3, 0.0, 0.0])


def test_rare_words_are_unknown_words() -> None:
    """`min_df=2` drops what is in one document, and what is in two would be dropped without one of them."""
    texts = ["game team alpha", "game team beta", "bank rate beta", "bank rate", "game team", "bank rate the"]
    model = SeedTopicClassifier(SEEDS, min_df=2, random_state=0).fit(texts)
    assert model.unknown_words_ is not None
    assert model.unknown_words_[0] == pytest.approx((1 / 3 + 1 / 3 + 1 / 3) / 6)


def test_other_words_are_noticed_and_the_same_ones_are_not(model: SeedTopicClassifier) -> None:
    assert not compared(model, TEXTS).look_again
    found = compared(model, [f"{text} with things unheard and never seen" for text in TEXTS])
    assert found.unknown_words.look_again
    assert "more words are unknown (0% in the fit, " in str(drift_sentence(found))


def test_a_saved_model_remembers(model: SeedTopicClassifier, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert np.array_equal(again.unknown_words_, model.unknown_words_)
    assert compared(again, TEXTS).as_dict() == compared(model, TEXTS).as_dict()


def test_training_on_keeps_what_is_expected(model: SeedTopicClassifier) -> None:
    learning = SeedTopicClassifier(SEEDS, random_state=0).partial_fit(TEXTS)
    assert learning.unknown_words_ is not None
    assert learning.unknown_words_.tolist() == pytest.approx(np.asarray(model.unknown_words_).tolist())
    counts = SeedTopicClassifier(SEEDS, vocabulary=["bank", "game", "rate", "team"], random_state=0)
    assert counts.fit(np.array([[0, 1, 0, 1], [1, 0, 1, 0]] * 5)).unknown_words_ is None


def test_predict_says_it_and_writes_it(
    model: SeedTopicClassifier,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    model.save("model")
    predict = ["predict", "model", "new.txt", "-o", "new.csv"]
    Path("new.txt").write_text("".join(f"{text} unheard things\n" for text in TEXTS))
    assert cli.run([*predict, "--drift", "drift.json", "--json"]) == 0
    told = capsys.readouterr()
    assert "these 80 documents are not like those of the fit" in told.err
    written = json.loads(Path("drift.json").read_text())
    assert written["look_again"] is True
    assert json.loads(told.out)["drift"] == written
    assert cli.run([*predict, "--drift", "drift.csv"]) == 2
    assert "name a .json file" in capsys.readouterr().err
    Path("new.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    assert cli.run(predict) == 0
    assert "not like those of the fit" not in capsys.readouterr().err


def test_the_server_counts_compares_and_logs(
    model: SeedTopicClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_drift, "WINDOW", 80)
    logged: list[tuple[str, dict[str, object]]] = []
    api = Api(lambda: model)
    app = make_app(api, log=lambda event, values: logged.append((event, values)))
    client = TestClient(app, "http://localhost:8000")
    assert client.get("/drift").json() == {"known": False, "window": 80, "last": None, "now": None}
    for text in TEXTS:
        client.post("/predict", json={"texts": [text]})
    client.post("/predict", json={"texts": ["", "the game"]})
    state = client.get("/drift").json()
    assert (state["known"], state["last"]["documents"], state["last"]["look_again"]) == (True, 80, False)
    assert state["now"]["documents"] == 2
    assert state["now"]["shares"][NO_LABEL] == {"fit": 0.0, "now": 0.5}
    strange = [f"{text} with things unheard and never seen, again and again" for text in TEXTS]
    client.post("/predict", json={"texts": strange})
    events = [values for event, values in logged if event == "drift"]
    assert [values["look_again"] for values in events] == [False, True]
    assert events[1]["texts"] == 82
    metrics = client.get("/metrics").text
    assert 'seedtopic_labels_total{label="sports"} 81.0' in metrics
    assert 'seedtopic_labels_total{label="(no label)"} 1.0' in metrics
    assert "seedtopic_label_probability_count 161.0" in metrics
    assert 'seedtopic_fit_label_share{label="money"} 0.5' in metrics
    assert 'seedtopic_look_again{signal="unknown_words"} 1.0' in metrics
    assert 'seedtopic_look_again{signal="labels"} 0.0' in metrics


def test_another_model_begins_anew(model: SeedTopicClassifier) -> None:
    watch, seen = server_drift.DriftWatch(), LabelStatistics.of(model.predict_all(TEXTS[:4]))
    watch.note(model, seen)
    other = SeedTopicClassifier({"a": ["game"], "b": ["bank"], "c": ["rate"]}, random_state=0).fit(TEXTS)
    watch.note(other, LabelStatistics.of(other.predict_all(TEXTS[:3])))
    assert watch.state()["now"]["documents"] == 3
    assert list(watch.state()["now"]["shares"]) == ["a", "b", "c", NO_LABEL]


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", ["ag_news", "bbc_news", "newsgroups20", "reuters10", "stackoverflow"])
@pytest.mark.filterwarnings("ignore::seedtopic.SeedWarning")
def test_another_corpus_raises_an_alarm_and_the_same_does_not(corpus: str) -> None:
    random = np.random.default_rng(0)

    def train_texts(name: str) -> list[str]:
        documents = fetch_corpus(name)
        rows = random.permutation(np.flatnonzero(np.array(documents.split) == "train"))[:2000]
        return [documents.texts[row] for row in rows]

    texts, other = train_texts(corpus), train_texts(_OTHER[corpus])
    model = SeedTopicClassifier(published_seeds(corpus, "SL"), random_state=0).fit(texts[: len(texts) // 2])
    for n in (50, 200):
        same = [compared(model, random.choice(texts[len(texts) // 2 :], n).tolist()) for _ in range(10)]
        else_ = [compared(model, random.choice(other, n).tolist()) for _ in range(10)]
        rates = [float(np.mean([found.look_again for found in part])) for part in (same, else_)]
        print(f"{corpus}, {n} documents: alarm {rates[0]:.2f} without drift, {rates[1]:.2f} with")  # noqa: T201
        assert rates[0] <= 0.2
        assert rates[1] >= 0.9


_OTHER = {
    "ag_news": "stackoverflow",
    "bbc_news": "newsgroups20",
    "newsgroups20": "ag_news",
    "reuters10": "bbc_news",
    "stackoverflow": "reuters10",
}
