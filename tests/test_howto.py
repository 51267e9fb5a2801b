"""The pages of docs/ cannot drift from the code: every block that they show is run, or says why it is not.

Python is executed, block after block in one namespace; a comment behind a print, or on the line below it, is
what it prints. A toml block is the file seeds.toml from there on. Commands are run one after the other, and a
text block that follows them is what they print, up to the numbers. The files that pages speak of are made here.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from markdown_it import MarkdownIt

from seedtopic import Seeds, cli

DOCS = Path(__file__).parents[1] / "docs"
GENERATED = DOCS / "reference" / "generated"
PAGES = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if GENERATED not in page.parents and "_build" not in page.parts
]
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())

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
TOPICS = ["sports", "sports", "weather", "weather", "money", "money", "politics", "politics"]
SEEDS = """
sports = ["game", "team"]
weather = ["rain", "snow"]
money = ["bank", "rate"]
politics = ["minister", "vote"]
"""

RUN, SHOWN = {"python", "bash", "toml"}, {"text", "json", "nginx", "yaml", "bibtex"}


class Block(NamedTuple):
    """A fenced block, with the comment that stands right above it."""

    language: str
    content: str
    comment: str

    @property
    def is_left_out(self) -> bool:
        return self.comment.startswith("not run: ") and len(self.comment) > len("not run: ")


def blocks(page: Path) -> Iterator[Block]:
    comment = ""
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type == "code_block":
            yield Block("", token.content, "")  # by its indentation
        elif token.type == "fence" and not token.info.startswith("{"):
            yield Block(token.info.strip(), token.content, comment)
        found = re.match(r"<!-- (.+) -->", token.content) if token.type == "html_block" else None
        comment = found[1] if found else ""


@pages
def test_every_block_is_run_or_says_why_not(page: Path) -> None:
    for block in blocks(page):
        assert block.language in RUN | SHOWN, f"name the language of: {block.content}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the files are that pages speak of."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"text": text, "checked": topic if number == 0 else "", "topic": topic, "subject": topic.title()}
        for number, (text, topic) in enumerate(zip(TEXTS * 3, TOPICS * 3, strict=True))
    ]
    for name in ("tickets.csv", "docs.csv", "new.csv"):
        with open(name, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    Path("new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    Path("seeds.toml").write_text(SEEDS, encoding="utf-8")
    Path("answer.txt").write_text(f"Sure! Here are the seed words:\n{SEEDS}\nLet me know.", encoding="utf-8")
    return tmp_path


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, for Dask
@pages
def test_everything_on_the_page_runs(page: Path, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    said = ""
    for block in blocks(page):
        if block.is_left_out:
            said = ""
        elif block.language == "toml":
            Path("seeds.toml").write_text(block.content, encoding="utf-8")
            assert Seeds.read("seeds.toml").names
        elif block.language == "bash":
            said = run_commands(block.content, capfd)
        elif block.language == "python":
            exec(compile(block.content, str(page), "exec"), names)
            printed = capfd.readouterr().out.splitlines()
            assert [line for line in promised(block.content) if line not in printed] == []
        elif block.language == "text" and said and not block.comment.startswith("not compared: "):
            wanted = [without_numbers(line) for line in block.content.splitlines() if line.strip()]
            given = [without_numbers(line) for line in said.splitlines()]
            assert [line for line in wanted if line not in given] == []


def promised(example: str) -> list[str]:
    """What the comments say that a block prints."""
    behind = re.findall(r"^ *print\(.*\)  # (.+)$", example, re.M)
    below = re.findall(r"^ *print\(.*\)\n# (.+)$", example, re.M)
    return behind + below


def without_numbers(line: str) -> str:
    return " ".join(re.sub(r"\d*[.,]?\d+", "0", line).split())


def run_commands(commands: str, capfd: pytest.CaptureFixture[str]) -> str:
    """Run commands, here and not in a shell, which takes seconds for each; give what they print."""
    capfd.readouterr()
    for line in commands.splitlines():
        words = shlex.split(line, comments=True)
        with pytest.MonkeyPatch.context() as patch, ExitStack() as opened:
            if words[:1] == ["cat"] and words[2:3] == ["|"]:
                patch.setattr(sys, "stdin", opened.enter_context(open(words[1], encoding="utf-8")))
                words = words[3:]
            if words:
                assert words[0] == "seedtopic", f"mark as not run, with the reason: {line}"
                assert cli.run(words[1:]) == 0, f"{line}\n{capfd.readouterr().err}"
    return capfd.readouterr().out


def test_a_block_that_is_wrong_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- not run: why -->\n```bash\nx\n```\n\n```python\nprint(1)  # 2\n```\n\n    y\n")
    first, second, third = blocks(page)
    assert first.is_left_out
    assert not second.is_left_out
    assert promised(second.content) == ["2"]
    assert third.language == ""
    assert without_numbers("a  12.5%   .3 1,000") == "a 0% 0 0"
