"""The how-to pages cannot drift from the code: their seeds, commands and examples run."""

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


@pytest.mark.parametrize("page", ["seeds.md", "check.md", "suggest.md"])
def test_everything_on_the_page_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with open("tickets.csv", "w", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in TEXTS * 3)])
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
