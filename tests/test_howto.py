"""The README and the pages of docs/ cannot drift from the code: every block that they show is run, or says why it is not.

Python is executed, block after block in one namespace; a comment behind a print, or on the line below it, is
what it prints. A toml block is the file seeds.toml from there on. Commands are run one after the other. A text or
json block that follows a block is what it prints, figures included. The files that pages speak of are made here.
A server stays open until the end of its page, and `curl` asks it; what installs packages is compared with the
project's own extras and targets. These comments above a block change this:

    <!-- not run: reason -->            it is only shown
    <!-- file: tickets.csv -->          it is this file from there on
    <!-- not compared: reason -->       it is not the output of the block before it
    <!-- figures of: scipy 1.17.1 -->   with other versions of these packages, figures are not compared
    <!-- needs: jieba -->               it is run where this package is installed
"""

from __future__ import annotations

import csv
import json
import re
import shlex
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pyarrow
import pyarrow.parquet
import pytest
from markdown_it import MarkdownIt

from seedtopic import Seeds, cli

ROOT = Path(__file__).parents[1]
DOCS = Path(__file__).parents[1] / "docs"
GENERATED = DOCS / "reference" / "generated"
PAGES = [ROOT / "README.md"] + [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if GENERATED not in page.parents and "_build" not in page.parts
]
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())

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

    def marked(self, name: str) -> str:
        """Return what the comment says after this name of a mark."""
        return self.comment.removeprefix(f"{name}: ") if self.comment.startswith(f"{name}: ") else ""

    @property
    def is_left_out(self) -> bool:
        needed = self.marked("needs")
        return bool(self.marked("not run")) or bool(needed and find_spec(needed) is None)

    @property
    def is_compared(self) -> bool:
        """Whether what is shown must be printed; in other versions, texts of packages are others, too."""
        return not self.marked("not compared") and self.has_our_figures

    @property
    def has_our_figures(self) -> bool:
        """Whether this machine has the versions of the packages that the figures depend on."""
        named = re.findall(r"(\S+) ([\d.]+)(?:,|$)", self.marked("figures of"))
        assert named or not self.marked("figures of"), self.comment
        return all(installed(package) == wanted for package, wanted in named)


def installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


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
        {"text": text, "known": topic if number == 0 else "", "topic": topic, "subject": topic.title()}
        for number, (text, topic) in enumerate(zip(TEXTS * 3, TOPICS * 3, strict=True))
    ]
    for name in ("tickets.csv", "docs.csv", "new.csv"):
        with open(name, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    Path("new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    Path("seeds.toml").write_text(SEEDS, encoding="utf-8")
    Path("in").mkdir()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), "in/tickets.parquet")
    Path("answer.txt").write_text(f"Sure! Here are the seed words:\n{SEEDS}\nLet me know.", encoding="utf-8")
    return tmp_path


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, for Dask
@pages
def test_everything_on_the_page_runs(page: Path, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    with Shell() as shell:
        for block in blocks(page):
            if block.is_left_out:
                printed = ""
            elif block.language == "toml":
                Path("seeds.toml").write_text(block.content, encoding="utf-8")
                assert Seeds.read("seeds.toml").names
            elif block.marked("file"):
                Path(block.marked("file")).write_text(block.content, encoding="utf-8")
            elif block.language == "bash":
                capfd.readouterr()
                answer = shell.run(block.content)
                printed = "".join(capfd.readouterr()) + answer
            elif block.language == "python":
                exec(compile(block.content, str(page), "exec"), names)
                printed = capfd.readouterr().out
                assert missing(promised(block.content), printed.splitlines()) == []
            elif block.language in ("text", "json") and printed and block.is_compared:
                assert missing(block.content.splitlines(), printed.splitlines()) == []


def missing(shown: list[str], printed: list[str], figures: bool = True) -> list[str]:
    """Return the shown lines that were not printed; spaces do not count."""

    def plain(line: str) -> str:
        return " ".join((line if figures else without_figures(line)).split())

    there = {plain(line) for line in printed}
    return [line for line in shown if line.strip() and plain(line) not in there]


def promised(example: str) -> list[str]:
    """What the comments say that a block prints."""
    behind = re.findall(r"^ *print\(.*\)  # (.+)$", example, re.M)
    below = re.findall(r"^ *print\(.*\)\n# (.+)$", example, re.M)
    return behind + below


def without_figures(line: str) -> str:
    return re.sub(r"\d*[.,]?\d+", "0", line)


class Shell:
    """Runs commands here and not in a shell, which takes seconds for each; ends what it started."""

    def __enter__(self) -> Shell:
        self.ends = ExitStack()
        self.port = 0
        self.scheduler = ""
        return self

    def __exit__(self, *error: object) -> None:
        self.ends.close()

    def run(self, commands: str) -> str:
        """Run one line after the other; return what servers answer."""
        answers = []
        for line in commands.splitlines():
            words = shlex.split(line, comments=True)
            with pytest.MonkeyPatch.context() as patch, ExitStack() as opened:
                while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                    patch.setenv(*words.pop(0).split("=", 1))
                if words[:1] == ["cat"] and words[2:3] == ["|"]:
                    patch.setattr(sys, "stdin", opened.enter_context(open(words[1], encoding="utf-8")))
                    words = words[3:]
                if words[:1] == ["curl"]:
                    answers.append(self.ask(words))
                elif words[:2] in (["seedtopic", "serve"], ["seedtopic", "studio"]):
                    self.serve(words)
                elif words[:1] == ["mkdir"]:
                    Path(words[1]).mkdir()
                elif words[:1] == ["seedtopic"]:
                    words = [self.cluster() if word.startswith("tcp://") else word for word in words]
                    assert cli.run(words[1:]) == 0, line
                else:
                    assert not words or is_known(words), f"mark as not run, with the reason: {line}"
        return "\n".join(answers)

    def serve(self, words: list[str]) -> None:
        """Start a server, in place of the one before it, and wait until it answers."""
        self.ends.close()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = re.sub(r" --port \d+| --no-browser", "", shlex.join(words[1:])).split()
        command += ["--port", str(self.port)] + ["--no-browser"] * (words[1] == "studio")
        server = subprocess.Popen([sys.executable, "-m", "seedtopic", *command])
        self.ends.callback(server.wait, 30)
        self.ends.callback(server.terminate)
        while server.poll() is None:
            try:
                urlopen(f"http://127.0.0.1:{self.port}/health", timeout=30).close()
                return
            except HTTPError:  # it listens, and refuses this
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"ended with {server.returncode}: {shlex.join(words)}")

    def ask(self, words: list[str]) -> str:
        """Send what `curl -s URL -H HEADER -H HEADER -d BODY` would send."""
        _, silent, url, *headers, data, body = words
        assert (silent, data) == ("-s", "-d")
        assert set(headers[::2]) == {"-H"}
        address = re.sub(r":\d+/", f":{self.port}/", url)
        with urlopen(
            Request(address, body.encode(), dict(header.split(": ") for header in headers[1::2])), timeout=30
        ) as answer:
            return str(answer.read().decode())

    def cluster(self) -> str:
        """Return the address of a Dask cluster in this process."""
        if not self.scheduler:
            from dask.distributed import LocalCluster

            cluster = LocalCluster(
                n_workers=1, processes=False, protocol="tcp", dashboard_address=":0", silence_logs=50
            )
            self.scheduler = self.ends.enter_context(cluster).scheduler_address
        return self.scheduler


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TARGETS = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)


def is_known(words: list[str]) -> bool:
    """Whether a command that installs names an extra or a target that is there."""
    if words[:2] == ["pip", "install"]:
        name, _, extras = words[-1].rstrip("]").partition("[")
        theirs = {"", *PROJECT["optional-dependencies"]}
        return name in (".", "./seedtopic", "./lab", "seedtopic") and set(extras.split(",")) <= theirs
    if words[0] == "make":
        return words[1] in TARGETS
    return words[:3] == ["git", "clone", "URL"] or words == [".", ".venv/bin/activate"]


def test_a_block_that_is_wrong_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- not run: why -->\n```bash\nx\n```\n\n```python\nprint(1)  # 2\n```\n\n    y\n")
    first, second, third = blocks(page)
    assert first.is_left_out
    assert not second.is_left_out
    assert promised(second.content) == ["2"]
    assert third.language == ""
    assert Block("text", "", "needs: nothing_of_this_name").is_left_out
    assert not Block("text", "", "figures of: pytest 0.1").has_our_figures


def test_figures_are_compared() -> None:
    printed = ["about  .81 of 1,000 (12.5%)"]
    assert missing(["about .81 of 1,000 (12.5%)", ""], printed) == []
    assert missing(["about .82 of 1,000 (12.5%)"], printed) == ["about .82 of 1,000 (12.5%)"]
    assert missing(["about .82 of 10 (1%)"], printed, figures=False) == []
    assert missing(["near .81 of 1,000 (12.5%)"], printed, figures=False) != []


def test_what_installs_is_ours() -> None:
    assert is_known(["pip", "install", "seedtopic[studio,excel]"])
    assert not is_known(["pip", "install", "seedtopic[studios]"])
    assert is_known(["make", "demo"])
    assert not is_known(["make", "money"])
    assert not is_known(["rm", "-r", "/"])


def test_the_picture_of_the_demo_is_what_it_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    """If it fails:  python docs/demo_picture.py."""
    monkeypatch.syspath_prepend(str(DOCS))
    demo_picture = import_module("demo_picture")
    shown = demo_picture.shown()
    if demo_picture.title() in shown:  # it names the versions of the packages whose texts are labelled
        assert missing(demo_picture.printed().splitlines(), shown) == []
