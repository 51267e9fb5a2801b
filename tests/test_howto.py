"""The how-to pages cannot drift from the code: what they show runs, and the options they name exist."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import pytest

from seedtopic import Seeds, cli

PAGES = Path(__file__).parents[1] / "docs" / "howto"
TEXTS = [
    "the team won the game",
    "world cup game for the team, said the player",
    "rain and snow, then more rain",
    "snow and snowfall",
    "the bank raised its rate, said an investor",
    "shares of the bank, a rate for investors",
    "the minister lost the vote",
    "vote for the minister",
]


# Their commands, too, on a file made here.
RUN = ["seeds.md", "check.md", "learning.md", "suggest.md", "interruptions.md"]


@pytest.mark.parametrize("page", RUN)
def test_everything_on_the_page_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with open("tickets.csv", "w", newline="") as file:
        rows = [[text, "sports" if number == 0 else ""] for number, text in enumerate(TEXTS * 3)]
        csv.writer(file).writerows([["text", "checked"], *rows])
    ran = set()
    for language, block in re.findall(r"```(\w+)\n(.*?)```", (PAGES / page).read_text(), re.S):
        if language == "toml":
            Path("seeds.toml").write_text(block)
            assert Seeds.read("seeds.toml").names
        elif language == "bash":
            for line in block.splitlines():
                assert cli.run(shlex.split(line)[1:]) == 0, line
        else:
            capsys.readouterr()
            exec(block, {})
            shown = capsys.readouterr().out.splitlines()
            promised = re.findall(r"# (.+)", block)
            assert [line for line in promised if line not in shown] == []
        ran.add(language)
    assert ran == {"toml", "bash", "python"}


GUIDES = sorted(page for page in PAGES.glob("*.md") if page.name not in RUN)
guides = pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)


@guides
def test_the_python_of_a_guide_runs(guide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for example in re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.S):
        exec(example, names)


@guides
def test_the_commands_of_a_guide_know_their_options(
    guide: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    for line in re.findall(r"^seedtopic .*", guide.read_text(encoding="utf-8"), re.M):
        command, *rest = line.split("#")[0].split()[1:]
        assert cli.run([command, "--help"]) == 0
        shown = capsys.readouterr().out
        assert all(word in shown for word in rest if word.startswith("-")), line
