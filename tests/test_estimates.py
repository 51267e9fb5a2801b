"""How many labels are right, told without labels: wherever labels are shown, and by no model that cannot tell."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seedtopic import WSPTM, Seeds, SeedTopicClassifier, SeedWarning, cli
from seedtopic.base.wording import percent
from seedtopic.io.predictions import Predictions
from seedtopic.io.rows import Rows
from seedtopic.model.doubts import Doubt
from seedtopic.model.estimates import Estimate, few_sentence, remedy_sentence
from seedtopic.show.report import Report
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.session import Session

PATIENCE = 60
SWAPPED = {"sports": ["money", "bank"], "money": ["sports", "game"], "weather": ["rain"]}


@pytest.fixture
def workplace(
    tmp_path: Path, toy_texts: list[str], toy_seeds: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("docs.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in toy_texts * 3))
    Path("few.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in toy_texts[:24]))
    Path("seeds.toml").write_text(Seeds(toy_seeds).to_toml())
    return tmp_path


def run(*arguments: str) -> None:
    assert cli.run([*arguments]) == 0


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(capsys.readouterr().out)
    return values


@pytest.fixture(scope="module")
def model(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> SeedTopicClassifier:
    return SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts)


# -------------------------------------------------------------------------------------------- the numbers


def test_an_estimate_is_the_mean_probability_of_the_labels(model: SeedTopicClassifier) -> None:
    probabilities = np.array([[0.9, 0.05, 0.05], [0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.0, 0.9]])
    said = Predictions.of(model.classes_.tolist(), probabilities, has_words=np.arange(4) < 3)
    found = Estimate.of(model, said.summary())
    assert found is not None
    assert found.accuracy == pytest.approx(0.7)
    assert found.precisions == (pytest.approx(0.8), 0.5, None)
    assert Estimate.of(model, said[3:].summary()) is None
    whole = Estimate.of(model, model.fitted_predictions().summary())
    assert whole is not None
    assert whole.accuracy == pytest.approx(model.estimated_accuracy_)
    assert whole.precisions == pytest.approx(tuple(model.estimated_precisions_))


def test_models_that_cannot_tell_have_no_estimate(
    toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    for other in (WSPTM(toy_seeds, max_iter=2), SeedTopicClassifier(toy_seeds, calibrate=False)):
        other.fit(toy_texts)
        assert Estimate.of(other, other.fitted_predictions().summary()) is None
        assert few_sentence(other, 36) is None


def test_few_documents_are_said_to_be_few(
    model: SeedTopicClassifier, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    assert few_sentence(model, 60) == (
        "60 documents are few to learn from: labels rest mostly on what the seed words mean; more documents "
        "make them better."
    )
    assert few_sentence(model, 100) is few_sentence(model, 0) is None
    assert (few_sentence(model, 1) or "").startswith("1 document is few")
    without = SeedTopicClassifier(toy_seeds, vectors=None, random_state=0).fit(toy_texts)
    assert "on the seed words alone" in (few_sentence(without, 36) or "")


def test_the_remedy_names_the_weakest_categories_and_their_words() -> None:
    seeds = [("tea", list("abcde")), ("ink", ["pen"]), ("hats", ["cap"]), ("toys", ["ball"]), ("art", [])]
    remedy = remedy_sentence(0.5, [0.1, 0.9, 0.4, 0.3, 0.5], seeds)
    assert remedy == (
        "That is low: add seed words to tea (a, b, c, d, ...), toys (ball) and hats (cap) that occur in their "
        "documents and in no others; seedtopic seeds suggest proposes some."
    )
    assert remedy_sentence(0.6, [0.1, 0.9, 0.4, 0.3, 0.5], seeds) is None
    assert remedy_sentence(0.5, [], [], [Doubt("ink", "x"), Doubt("tea", "y")]) == (
        "That is low: change the seed words of ink and tea first."
    )


# -------------------------------------------------------------------------------------- the command line


def test_label_says_how_many_labels_are_right(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("label", "docs.jsonl", "--seeds", "seeds.toml", "-o", "out.jsonl")
    shown = capsys.readouterr()
    mean = np.mean([json.loads(line)["probability"] for line in Path("out.jsonl").read_text().splitlines()])
    assert f"About {percent(mean)} of the labels are right, as far as" in shown.out
    assert "seedtopic audit measures it." in shown.out
    assert shown.out.splitlines()[0] == "label    documents  share  right, about"
    assert all(line.endswith(" %") for line in shown.out.splitlines()[1:4])
    assert "few to learn from" not in shown.err
    run("label", "docs.jsonl", "--seeds", "seeds.toml")  # the labels go to standard output
    shown = capsys.readouterr()
    assert "labels are right" not in shown.out
    assert "seedtopic: About" in shown.err


def test_every_command_gives_the_estimate_as_json(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("label", "docs.jsonl", "--seeds", "seeds.toml", "-o", "out.jsonl", "--json")
    labelled = told(capsys)
    assert labelled["estimated_precisions"].keys() == {"sports", "money", "weather"}
    run("fit", "docs.jsonl", "--seeds", "seeds.toml", "-o", "model", "--json")
    assert told(capsys)["estimated_accuracy"] == labelled["estimated_accuracy"]
    run("report", "model", "docs.jsonl", "--fitted", "--json")
    assert told(capsys)["estimated_accuracy"] == pytest.approx(labelled["estimated_accuracy"])
    run("predict", "model", "few.jsonl", "-o", "new.jsonl", "--json")
    probabilities = [json.loads(line)["probability"] for line in Path("new.jsonl").read_text().splitlines()]
    assert told(capsys)["estimated_accuracy"] == pytest.approx(np.mean(probabilities), abs=1e-3)


def test_only_labels_that_are_given_count(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("label", "docs.jsonl", "--seeds", "seeds.toml", "-o", "a.jsonl", "--json")
    probabilities = [json.loads(line)["probability"] for line in Path("a.jsonl").read_text().splitlines()]
    everything, least = told(capsys)["estimated_accuracy"], float(np.median(probabilities))
    command = ["label", "docs.jsonl", "--seeds", "seeds.toml", "-o", "b.jsonl", "--json"]
    run(*command, "--min-probability", str(least))
    assert told(capsys)["estimated_accuracy"] > everything
    run(*command, "--min-probability", "1")
    assert "estimated_accuracy" not in told(capsys)


def test_a_fit_on_few_documents_says_so_once(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("label", "few.jsonl", "--seeds", "seeds.toml", "-o", "out.jsonl")
    assert capsys.readouterr().err.count("24 documents are few to learn from") == 1
    run("fit", "few.jsonl", "--seeds", "seeds.toml", "-o", "model")
    assert capsys.readouterr().err.count("24 documents are few to learn from") == 1
    run("predict", "model", "few.jsonl", "-o", "out.jsonl")
    assert "few to learn from" not in capsys.readouterr().err


def test_a_low_estimate_comes_with_a_remedy(
    workplace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seedtopic.model.estimates.LOW", 1.1)
    run("label", "docs.jsonl", "--seeds", "seeds.toml", "-o", "out.jsonl")
    assert "That is low: add seed words to " in capsys.readouterr().out
    Path("swapped.toml").write_text(Seeds(SWAPPED).to_toml())
    run("label", "docs.jsonl", "--seeds", "swapped.toml", "-o", "out.jsonl")
    shown = capsys.readouterr()
    assert "That is low: change the seed words of sports and money first." in shown.out
    assert "check that they were not swapped" in shown.err  # once, as the warning of the fit
    assert "swapped" not in shown.out


def test_other_models_say_nothing(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("fit", "few.jsonl", "--seeds", "seeds.toml", "-o", "model", "--model", "WSPTM", "--set", "max_iter=2")
    shown = capsys.readouterr()
    assert "right" not in shown.out + shown.err
    assert "few to learn from" not in shown.err
    run("report", "model", "few.jsonl", "-o", "report.md")
    assert "right" not in capsys.readouterr().out
    assert "mean probability" in Path("report.md").read_text()
    assert "labels are right" not in Path("report.md").read_text()


# --------------------------------------------------------------------------------------------- the report


def test_the_report_says_how_many_labels_are_right(model: SeedTopicClassifier, toy_texts: list[str]) -> None:
    report = Report.of(model, toy_texts, fitted=True)
    assert report.estimated_accuracy == pytest.approx(model.estimated_accuracy_)
    for page in (report.to_html(), report.to_markdown()):
        assert f"About {percent(report.estimated_accuracy)} of the labels are right" in page
        assert "right, about" in page
        assert "mean probability" not in page
    low = replace(
        report,
        estimated_accuracy=0.4,
        categories=[replace(c, mean_probability=0.4) for c in report.categories],
    )
    assert "That is low: add seed words to sports (game, player), " in low.to_markdown()


def test_the_report_on_a_fit_explains_its_doubts(toy_texts: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        model = SeedTopicClassifier(SWAPPED, random_state=0).fit(toy_texts)
    report = Report.of(model, toy_texts, fitted=True)
    assert [doubt.category for doubt in report.doubts] == ["sports", "money"]
    assert json.loads(report.to_json())["doubts"][0]["category"] == "sports"
    assert "The seed words of sports are the name of another category" in report.to_html()
    assert Report.of(model, toy_texts).doubts == []  # which were found in the documents of the fit


def test_documents_of_no_category_are_not_estimated(
    toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    texts = [*toy_texts * 3, *["theorem lemma proof"] * 60]
    model = SeedTopicClassifier(toy_seeds, none_label="other", random_state=0).fit(texts)
    report = Report.of(model, texts, fitted=True)
    assert report.estimated_accuracy == pytest.approx(model.estimated_accuracy_)
    assert report.none is not None
    assert report.map.labels.count(len(report.categories)) == report.none.documents > 0
    assert "#category-4" in report.to_html()  # where its examples are
    row = next(line for line in report.to_markdown().splitlines() if " other |" in line)
    assert row.split("|")[3].strip() == ""


# --------------------------------------------------------------------------------------------- the studio


def studio(texts: list[str], seeds: dict[str, list[str]]) -> Session:
    documents = Rows(texts=texts, rows=[{"text": text} for text in texts])
    session = Session(Collection(documents), Seeds(seeds), pause=0.0)
    session.start()
    return session


def test_the_studio_shows_the_estimate(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    session = studio(toy_texts * 3, toy_seeds)
    try:
        labels = session.wait_until_settled(PATIENCE)
        state = session.state()
        assert state["estimate"]["accuracy"] == pytest.approx(labels.model.estimated_accuracy_)
        assert state["estimate"]["sentence"].startswith("About ")
        found = [category["right"] for category in state["categories"]]
        assert found == pytest.approx(labels.model.estimated_precisions_.tolist())
        assert not [sentence for sentence in state["warnings"] if "few to learn from" in sentence]
        state = session.edit({"action": "add_category", "name": "B"})
        assert state["categories"][3]["right"] is None
    finally:
        session.close()


def test_the_studio_warns_of_doubts_in_their_cards_and_of_few_documents(toy_texts: list[str]) -> None:
    session = studio(toy_texts, SWAPPED)
    try:
        session.wait_until_settled(PATIENCE)
        state = session.state()
        assert any("check that they were not swapped." in text for text in state["categories"][0]["warnings"])
        assert not any("swapped" in text for text in state["categories"][2]["warnings"])
        assert any("36 documents are few to learn from" in sentence for sentence in state["warnings"])
    finally:
        session.close()
