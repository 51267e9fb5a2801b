"""The numbers and lists of the README and of the first pages are those of the code and of other pages."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

import pytest

import seedtopic
from seedtopic import cli
from seedtopic.model import MODELS

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

import command_pages  # noqa: E402 - from the folder named above

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
    assert "eight new columns" in README
    assert len(labelled[0]) == 2 + 8
    for row in labelled:
        row["probability"] = f"{float(row['probability']):.2f}".removeprefix("0")
    assert shown == [[row[name] for name in head] for row in labelled]


def test_the_pages_list_the_models_as_the_registry_has_them() -> None:
    page = (DOCS / "howto" / "models.md").read_text(encoding="utf-8")
    ours, others = page.split("\n## Other published models\n")
    table = {
        row[0].strip("`"): row[1] for row in rows(others[others.index("| model |") :].split("\n\n")[0])[1:]
    }
    assert list(table) == [model.name for model in MODELS.values() if model.in_lab]
    assert "without randomness" in table["PLDNB"]
    assert [name for name, what in table.items() if "without randomness" in what] == [
        model.name for model in MODELS.values() if not model.is_random
    ]
    assert [name for name, what in table.items() if "Python only" in what] == [
        model.name for model in MODELS.values() if model.learns_from == "labels"
    ]
    here = {model.name for model in MODELS.values() if not model.in_lab}
    assert set(re.findall(r"\| `(\w+)`[^|]*\|$", ours, re.M)) == here
    published = re.search(r"The package also has (.+?), two published models", README)
    assert published
    assert {*published[1].split(" and "), "SeedTopicClassifier"} == here
    assert here < set(seedtopic.__all__)


def test_the_command_line_offers_the_models_of_the_registry() -> None:
    (parameter,) = (
        one for one in dict(command_pages.walk())["seedtopic label"].params if one.name == "model"
    )
    offered = [model for model in MODELS.values() if model.learns_from != "labels"]
    lists = re.findall(r"(?:One of|also) ([\w, ]+)[;.]", str(parameter.help))
    assert [listed.split(", ") for listed in lists] == [
        [model.name for model in offered if model.in_lab == in_lab] for in_lab in (False, True)
    ]


def test_how_many_documents_are_enough() -> None:
    page = (DOCS / "should-i-use-this.md").read_text(encoding="utf-8")
    there = (DOCS / "default-model.md").read_text(encoding="utf-8").split("<!-- begin small -->")[1]
    lines = re.findall(r"^\| (SeedTopicClassifier.*?) \| (.+) \|$", page, re.M)
    assert len(lines) == 2
    for name, cells in lines:
        recorded = re.search(rf"^\| {re.escape(name)} \| (.+) \|$", there, re.M)
        assert recorded
        assert cells.split(" | ") == [cell.split(" / ")[0] for cell in recorded[1].split(" | ")]
