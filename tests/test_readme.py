"""The README cannot drift from the code: its table is made from the results, its Python example runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seedtopic import cli
from seedtopic.cli.app import app
from seedtopic.experiments import Recorded, read_plan
from seedtopic.experiments.tables import table

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["core", "default"])
def test_the_tables_are_the_recorded_ones(name: str) -> None:
    shown = re.search(rf"<!-- begin {name} -->\n(.*?)\n<!-- end {name} -->", README, re.S)
    assert shown is not None
    plan = read_plan(ROOT / "experiments" / f"{name}.toml")
    assert shown[1] == table(Recorded.of(plan, ROOT / "experiments"))


def test_the_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example = re.search(r"```python\n(.*?)```", README, re.S)
    assert example is not None
    names: dict[str, object] = {}
    exec(example[1], names)
    model = names["model"]
    assert model.predict(["which loan?"]).tolist() == ["money"]  # type: ignore[attr-defined]


def test_the_seeds_example_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    seeds = re.search(r"```toml\n(.*?)```", README, re.S)
    assert seeds is not None
    Path("seeds.toml").write_text(seeds[1])
    lines = [
        "the team had a good season",
        "bank shares and the market",
        "the study of patients",
        "game of the team",
    ]
    Path("docs.txt").write_text("\n".join(lines))
    assert cli.run(["label", "docs.txt", "--seeds", "seeds.toml", "-o", "out.csv", "-q"]) == 0


def test_every_command_is_named() -> None:
    commands = [command.name for command in app.registered_commands]
    assert commands
    assert all(f"seedtopic {name}" in README for name in commands)
