"""The tables of the command line: in a narrow terminal, in a wide one, and in a file."""

from __future__ import annotations

import io
import re
import sys

import numpy as np
import pytest
from rich.cells import cell_len

from seedtopic import Seeds
from seedtopic.cli.console import laid_out
from seedtopic.quality.audit import draw, estimate
from seedtopic.quality.discover import Discovery, NewCategory
from seedtopic.quality.scores import evaluate
from seedtopic.quality.shares import estimate_shares, grouped
from seedtopic.show.seeds import seed_table, suggestion_table
from seedtopic.show.tables import audit_table, discovery_table, score_table, share_table, size_table

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


def known_tables() -> dict[str, object]:
    """A small table of each kind; what it looks like is below."""
    counts = {"documents": 4, "categories": {"sports": 2, "money": 1}, "left_empty": 1}
    labels, probabilities = ["oil"] * 300 + ["gold"] * 100, [0.9] * 200 + [0.6] * 200
    answers = dict.fromkeys(draw(probabilities, 40).documents.tolist(), "oil")
    chosen, sure = np.array([0] * 60 + [1] * 40), np.array([[0.9, 0.1]] * 60 + [[0.2, 0.8]] * 40)
    checked = Seeds({"sports": ["game", "gaol"], "money": {"words": ["ba*"], "exclude": ["river"]}})
    of_river = ["a game", "goal in the game", "the bank", "bank account", "bank of the river"]
    texts = ["game and goal", "a goal, a game", "my goal", "the bank rate", "rate of a bank", "one rate"]
    new = NewCategory("hockey-nhl", ("hockey", "nhl"), 1005, 0.97, {"baseball": 990})
    seeds = Seeds({"baseball": ["ball"], "space": ["orbit"]})
    return {
        "sizes": size_table(counts),
        "sizes and estimates": size_table(
            {**counts, "estimated_precisions": {"sports": 0.826, "money": None}}
        ),
        "scores": score_table(evaluate(["oil", "gold"], ["oil", "oil"], ["oil", "gold"])),
        "audit": audit_table(estimate(labels, probabilities, answers)),
        "seeds": seed_table(checked.check(of_river)),
        "suggestions": suggestion_table(Seeds({"sports": ["game"], "money": ["bank"]}).suggest(texts, top=1)),
        "new categories": discovery_table(Discovery(seeds, 5000, 5000, (new,))),
        "shares": share_table(
            estimate_shares(["oil", "gold"], chosen, sure, [grouped(["a"] * 99 + [""], "site")])
        ),
    }


KNOWN = """\
== sizes
label         documents  share
sports                2  50.0%
money                 1  25.0%
(left empty)          1  25.0%
== sizes and estimates
label         documents  share  right, about
sports                2  50.0%          83 %
money                 1  25.0%
(left empty)          1  25.0%
== scores
category  precision  recall    f1  documents
oil            .500   1.000  .667          1
gold           .000    .000  .000          1

micro-F1 .500   macro-F1 .333
== audit
category         precision     interval  labelled   share     interval
gold                  0.0%    0.0–19.6%     25.0%    0.0%    0.0–10.2%
oil                 100.0%  88.1–100.0%     75.0%  100.0%  89.8–100.0%
(none of these)          -            -      0.0%    0.0%     0.0–8.0%

accuracy 68.2%, interval 58.1–78.3%
40 of 400 documents checked; the intervals are of 95 %.
== seeds
seeds        documents  share  alone  remark
sports               2  40.0%      2
  game               2  40.0%
  gaol               0   0.0%         does not occur; similar: goal
money                2  40.0%      2
  ba*                3  60.0%         matches bank
  not river          1  20.0%

4 of 5 documents contain a seed (80.0%).

1 problem:
- 'gaol' (sports) does not occur; did you mean 'goal'? --fix replaces it: 1 document contains 'goal'.
== suggestions
words to add  documents  without a seed  in category
sports
  goal *              3               1          87%
    - near in meaning to game
    - my goal
    - game and goal
    - a goal, a game
money
  rate *              3               1          87%
    - near in meaning to bank
    - one rate
    - the bank rate
    - rate of a bank

* safe to add unread (--accept N). 2 of 6 documents contain no seed.
== new categories
new category  documents  right, about  labelled until now  words
hockey-nhl        1,005          97 %  baseball            hockey, nhl
== shares
site        category  documents  labelled   share    interval
(all)       oil             100        60   60.0%  43.1–79.6%
            gold                       40   40.0%  20.4–56.9%
a           oil              99        60   60.6%  43.6–80.0%
            gold                       39   39.4%  20.0–56.4%
(no value)  oil               1         0    0.0%  0.0–100.0%
            gold                        1  100.0%  0.0–100.0%

The intervals are of 95 %; seedtopic audit makes the shares surer.
"""


@pytest.mark.parametrize("part", KNOWN.removesuffix("\n").removeprefix("== ").split("\n== "))
def test_tables_as_they_are_printed(part: str) -> None:
    name, _, known = part.partition("\n")
    assert laid_out(known_tables()[name]) == known
