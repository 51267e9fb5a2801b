"""The command next: choose documents, have them checked, fit again, and go on."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from seedtopic import cli


def read(path: str) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path: str, rows: list[dict[str, str]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def topics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toy_texts: list[str], toy_labels: list[str]
) -> list[str]:
    """A folder with documents, seeds and a model; gives the right category of each document."""
    monkeypatch.chdir(tmp_path)
    write("docs.csv", [{"id": f"t{i}", "text": f"{text} no {i}"} for i, text in enumerate(toy_texts)])
    Path("seeds.toml").write_text('sports = ["game"]\nmoney = ["bank"]\nweather = ["rain"]\n')
    assert fit() == 0
    return toy_labels


def fit(*arguments: str) -> int:
    return cli.run(["fit", "docs.csv", "--seeds", "seeds.toml", "-o", "model", "--quiet", *arguments])


def choose(*arguments: str) -> int:
    return cli.run(["next", "model", "docs.csv", *arguments])


def test_rounds_of_checks_improve_the_model_and_ask_nothing_twice(
    topics: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert choose("-n", "6", "-o", "next.csv", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"documents": 36, "to_check": 6, "output": "next.csv"}
    rows = read("next.csv")
    assert list(rows[0]) == [
        "id", "text", "row", "predicted", "runner_up", "checked", "probability", "why", "was_predicted",
    ]  # fmt: skip
    documents = read("docs.csv")
    for row in rows:
        assert row["text"] == documents[int(row["row"]) - 2]["text"]
        assert row["checked"] == ""
        assert row["why"].startswith(f"{row['predicted']} (")
    answers = [{**row, "checked": topics[int(row["row"]) - 2].upper()} for row in rows]
    answers[0]["checked"] = "None"  # of these
    write("next.csv", answers)
    assert fit("--confirmed", "next.csv") == 0
    assert choose("-n", "40", "-o", "rest.csv", "--confirmed", "next.csv") == 0
    told = capsys.readouterr()
    assert "6 answers: 6 are used" in told.err
    assert "30 of 36 documents written to" in told.out
    assert "only 30 documents are left to check" in told.err
    rest = [{**row, "checked": topics[int(row["row"]) - 2]} for row in read("rest.csv")]
    assert not {row["row"] for row in rest} & {row["row"] for row in rows}
    write("rest.csv", rest)
    both = ["--confirmed", "next.csv", "--confirmed", "rest.csv"]
    command = ["label", "docs.csv", "--seeds", "seeds.toml", "-o", "labelled.csv", "-q"]
    assert cli.run([*command, *both]) == 0
    labelled = read("labelled.csv")
    assert sum(row["source"] == "confirmed" for row in labelled) == 36
    assert [row["predicted"] == topic for row, topic in zip(labelled, topics, strict=True)].count(True) >= 35


def test_a_fitted_model_knows_what_was_confirmed(topics: list[str]) -> None:
    assert choose("-n", "6", "-o", "next.csv", "--fitted", "-q") == 0
    rows = read("next.csv")
    write("next.csv", [{**row, "checked": topics[int(row["row"]) - 2]} for row in rows])
    assert fit("--confirmed", "next.csv") == 0
    assert choose("-n", "40", "-o", "rest.csv", "--fitted", "-q") == 0
    assert not {row["row"] for row in read("rest.csv")} & {row["row"] for row in rows}


@pytest.mark.usefixtures("topics")
def test_what_cannot_be_done_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert choose("-n", "2", "-o", "next.csv", "-q") == 0
    for arguments, sentence in (
        (["-o", "next.csv"], "next.csv is there already and may be filled in"),
        (["-o", "docs.csv"], "would be overwritten"),
        (
            ["-o", "a.csv", "--confirmed", "next.csv"],
            "next.csv has no answer: write some into the column 'checked'",
        ),
        (["-o", "a.csv", "--confirmed", "id", "--confirmed", "text"], "names the columns 'id' and 'text'"),
        (["-o", "a.csv", "--confirmed", "missing.csv"], "missing.csv"),
    ):
        assert choose(*arguments) == 2
        told = capsys.readouterr().err
        assert sentence in told
        assert told.count("\n") == 1
    assert not Path("a.csv").exists()
