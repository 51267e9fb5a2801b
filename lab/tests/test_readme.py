"""The README cannot drift from the records; tests/test_howto.py runs its examples."""

from __future__ import annotations

import re
from pathlib import Path

from seedtopic_lab.experiments import Recorded, find_plans, read_plan
from seedtopic_lab.experiments.tables import table

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


EXPERIMENTS = (ROOT / "experiments" / "README.md").read_text(encoding="utf-8")
# Rows of the README, and where their numbers are: the section of the experiments, the row, and the columns.
ELSEWHERE = {
    "sentence encoder (MiniLM), nearest category": ("peers", "MiniLM, nearest category", (1, 3, 5, 7, 9)),
    "GPT-4o, zero-shot (cited, other protocol)": ("cost", "GPT-4o", (0, 2, 1, 0, 0)),
    "linear SVM, trained on all labels": ("table6", "SVM (supervised)", (1, 3, 0, 0, 0)),
}


def test_the_table_is_the_recorded_one() -> None:
    shown = re.search(r"<!-- begin summary -->\n(.*?)\n<!-- end summary -->", README, re.S)
    assert shown is not None
    recorded = table(
        Recorded.of(read_plan(find_plans(ROOT / "experiments")["default"]), ROOT / "experiments")
    )
    scores = {name: [cell.split()[0] for cell in cells[::2]] for name, *cells in rows(recorded)[1:]}
    scores["**seedtopic**"] = scores["SeedTopicClassifier"]
    scores["naive Bayes, strength 6"] = scores["naive Bayes control"]
    scores["naive Bayes, strength 1"] = scores["naive Bayes control, strength 1"]
    scores["WSPTM, as this package runs it"] = scores["WSPTM, Bayes"]
    printed = next(cells for name, *cells in rows(recorded) if name == "WSPTM, Bayes")[::2]
    scores["WSPTM, as its paper prints it"] = [
        (re.findall(r"\((\S+)\)", cell) or ["–"])[0] for cell in printed
    ]
    for name, (section, row, columns) in ELSEWHERE.items():
        part = EXPERIMENTS.split(f"<!-- begin {section} -->")[1].split("<!-- end")[0]
        line = re.search(rf"^\| {re.escape(row)} \|.*$", part, re.M)
        assert line is not None, name
        cells = ["–", *(cell.split()[0] for cell in line[0].split("|")[2:-1])]
        scores[name] = [cells[column] for column in columns]
    names, *systems = rows(shown[1])
    assert names[1:] == [name.removesuffix(" S<sup>L</sup>") for name in rows(recorded)[0][1::2]]
    assert len(systems) == 9
    for name, *cells in systems:
        assert cells == scores[name], name


def rows(markdown: str) -> list[list[str]]:
    """Read a table, without the line below its head."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines()]
    return [lines[0], *lines[2:]]
