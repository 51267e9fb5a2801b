"""The README cannot drift from the code: its table is made from the results, its examples run."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from seedtopic import cli
from seedtopic.cli.app import app
from seedtopic_lab.experiments import Recorded, find_plans, read_plan
from seedtopic_lab.experiments.tables import table

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_is_the_recorded_one() -> None:
    shown = re.search(r"<!-- begin summary -->\n(.*?)\n<!-- end summary -->", README, re.S)
    assert shown is not None
    recorded = table(
        Recorded.of(read_plan(find_plans(ROOT / "experiments")["default"]), ROOT / "experiments")
    )
    scores = {name: [cell.split()[0] for cell in cells[::2]] for name, *cells in rows(recorded)[1:]}
    called = {"**seedtopic**": "SeedTopicClassifier", "WSPTM": "WSPTM, Bayes"}
    names, *systems = rows(shown[1])
    assert names[1:] == [name.removesuffix(" S<sup>L</sup>") for name in rows(recorded)[0][1::2]]
    assert len(systems) == 4
    for name, *cells in systems:
        assert cells == scores[called.get(name, name)], name


def rows(markdown: str) -> list[list[str]]:
    """Read a table, without the line below its head."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines()]
    return [lines[0], *lines[2:]]


def test_the_first_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, file in (("csv", "tickets.csv"), ("toml", "seeds.toml")):
        block = re.search(rf"```{kind}\n(.*?)```", README, re.S)
        assert block is not None
        Path(file).write_text(block[1], encoding="utf-8")
    assert cli.run(["label", "tickets.csv", "--seeds", "seeds.toml", "-o", "labelled.csv", "-q"]) == 0
    shown = rows(README[README.index("| ticket | text |") :].split("\n\n")[0])[1:]
    with open("labelled.csv", encoding="utf-8", newline="") as file:
        labelled = [*csv.DictReader(file)]
    assert [cells[:3] for cells in shown] == [
        [row["ticket"], row["text"], row["predicted"]] for row in labelled
    ]
    assert [float(cells[3]) for cells in shown] == pytest.approx(
        [float(row["probability"]) for row in labelled], abs=0.02
    )
    assert cli.run(["seeds", "suggest", "tickets.csv", "--seeds", "seeds.toml", "-q"]) == 0


def test_the_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example = re.search(r"```python\n(.*?)```", README, re.S)
    assert example is not None
    names: dict[str, object] = {}
    exec(example[1], names)
    model = names["model"]
    assert model.predict(["which loan?"]).tolist() == ["money"]  # type: ignore[attr-defined]


def test_every_command_is_named() -> None:
    commands = [command.name for command in app.registered_commands]
    assert commands
    assert all(f"seedtopic {name}" in README for name in commands)
