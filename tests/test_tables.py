"""The tables of the command line: in a narrow terminal, in a wide one, and in a file."""

from __future__ import annotations

import io
import re
import sys

import pytest
from rich.cells import cell_len

from seedtopic import Seeds
from seedtopic.cli.console import laid_out
from seedtopic.cli.tables import audit_table, score_table, seed_table, size_table, suggestion_table
from seedtopic.quality.audit import estimate
from seedtopic.quality.scores import evaluate

LONG = "notices of all kinds about [bold]trade[/bold] :smile:"
TEXTS = [
    "the team won the game in the last minute of a season that nobody had expected to end so well at all",
    "a late goal in the game, and the coach praised the team of the season with warm words for everybody",
    "the bank raised its rate, said an investor in a long letter to the shareholders of the whole company",
    "shares of the bank fell, and the rate for investors rose against all expectations of the last months",
    "investments and investing, of investors and of the bank, at a rate that investment houses call modest",
    "one more late goal of the season, for which the coach found words that the whole town will remember",
]
SEEDS = Seeds({"sports": ["game"], LONG: ["bank", "invest*"]})
MISSPELT = Seeds({"sports": ["game", "gaem"], LONG: ["bank", "invest*", "team"]})
TABLES = {
    "sizes": lambda: size_table({"documents": 5, "categories": {"sports": 2, LONG: 3}}),
    "scores": lambda: score_table(evaluate(["sports", LONG], ["sports", "sports"], ["sports", LONG])),
    "audit": lambda: audit_table(estimate(["sports", LONG], [0.6, 0.9], {0: "sports"})),
    "seeds": lambda: seed_table(MISSPELT.check(TEXTS)),
    "suggestions": lambda: suggestion_table(SEEDS.suggest(TEXTS, top=2)),
}
tables = pytest.mark.parametrize("name", TABLES)


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def open_terminal(monkeypatch: pytest.MonkeyPatch, kind: str = "xterm-256color") -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", kind)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@tables
def test_a_file_gets_plain_rows_of_any_length(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = laid_out(TABLES[name]())
    assert "\x1b" not in shown
    assert LONG in shown
    assert all(line == line.rstrip() for line in shown.splitlines())


@tables
@pytest.mark.parametrize("columns", [72, 80, 200])
def test_a_terminal_gets_every_word_within_its_width(
    name: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = TABLES[name]()
    open_terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = laid_out(table)
    assert "\x1b[1m" in shown  # bold
    shown = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert max(cell_len(line) for line in shown.splitlines()) <= columns
    assert "…" not in shown
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert sorted(words(shown)) == sorted(words(laid_out(table)))


def test_a_terminal_without_colours_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    table = TABLES["seeds"]()
    open_terminal(monkeypatch, "dumb")
    assert "\x1b" not in laid_out(table)


def test_columns_are_aligned_under_wide_letters() -> None:
    shown = laid_out(size_table({"documents": 2, "categories": {"体育": 1, "economy": 1}})).splitlines()
    assert {cell_len(line) for line in shown} == {cell_len(shown[0])}
