"""The guides cannot drift from the code: their Python runs, and the options they name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seedtopic import cli

GUIDES = sorted((Path(__file__).parents[1] / "docs" / "howto").glob("*.md"))
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
