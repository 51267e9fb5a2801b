"""The numbers and lists of the README and of the first pages are those of the code and of other pages."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

import seedtopic
from seedtopic import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = ROOT / "docs"


def rows(markdown: str) -> list[list[str]]:
    """Read a table, without the line below its head."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines()]
    return [lines[0], *lines[2:]]


def test_the_first_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, name in (("text", "tickets.csv"), ("toml", "seeds.toml")):
        block = re.search(rf"```{kind}\n(.*?)```", README, re.S)
        assert block is not None
        Path(name).write_text(block[1], encoding="utf-8")
    assert cli.run(["label", "tickets.csv", "--seeds", "seeds.toml", "-o", "labelled.csv", "-q"]) == 0
    head, *shown = rows(README[README.index("| ticket | text |") :].split("\n\n")[0])
    with open("labelled.csv", encoding="utf-8", newline="") as file:
        labelled = [*csv.DictReader(file)]
    assert "six new columns" in README
    assert len(labelled[0]) == 2 + 6
    for row in labelled:
        row["probability"] = f"{float(row['probability']):.2f}".removeprefix("0")
    assert shown == [[row[name] for name in head] for row in labelled]


def test_every_model_is_on_the_page_that_helps_to_choose() -> None:
    page = (DOCS / "howto" / "models.md").read_text(encoding="utf-8")
    models = [name for name in seedtopic.__all__ if hasattr(getattr(seedtopic, name), "fit")]
    assert "WSPTM" in models
    assert [name for name in models if f"`{name}`" not in page] == []


def test_how_many_documents_are_enough() -> None:
    page = (DOCS / "should-i-use-this.md").read_text(encoding="utf-8")
    there = (DOCS / "default-model.md").read_text(encoding="utf-8").split("<!-- begin small -->")[1]
    lines = re.findall(r"^\| (SeedTopicClassifier.*?) \| (.+) \|$", page, re.M)
    assert len(lines) == 2
    for name, cells in lines:
        recorded = re.search(rf"^\| {re.escape(name)} \| (.+) \|$", there, re.M)
        assert recorded
        assert cells.split(" | ") == [cell.split(" / ")[0] for cell in recorded[1].split(" | ")]
