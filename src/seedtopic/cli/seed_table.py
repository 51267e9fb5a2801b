"""A check of seeds as a table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from seedtopic.advice.check import SeedCheck
from seedtopic.advice.findings import WordCheck
from seedtopic.cli.console import printable

SHOWN = 6  # words that a wildcard matches


def seed_table(found: SeedCheck) -> str:
    """Show the number of documents for each category and seed, and the problems below.

    Examples
    --------
    >>> from seedtopic.seeds import Seeds
    >>> seeds = Seeds({"sports": ["game", "gaol"], "money": {"words": ["ba*"], "exclude": ["river"]}})
    >>> texts = ["a game", "goal in the game", "the bank", "bank account", "bank of the river"]
    >>> print(seed_table(seeds.check(texts)))
    seeds         documents   share  alone
    sports                2   40.0%      2
      game                2   40.0%
      gaol                0    0.0%         does not occur; similar: goal
    money                 2   40.0%      2
      ba*                 3   60.0%         bank
      not river           1   20.0%
    <BLANKLINE>
    4 of 5 documents contain a seed (80.0%).
    <BLANKLINE>
    1 problem:
    - 'gaol' (sports) does not occur; did you mean 'goal'?
    """
    rows: list[tuple[str, int, float, str, str]] = []
    for category in found.categories:
        rows.append((printable(category.name), category.documents, category.share, f"{category.alone:,}", ""))
        rows += [(f"  {w.word}", w.documents, w.share, "", _remark(w)) for w in category.words]
        rows += [(f"  not {w.word}", w.documents, w.share, "", _remark(w)) for w in category.exclude]
    width = max(12, *(len(row[0]) for row in rows))
    lines = [f"{'seeds':<{width}}  documents   share  alone"]
    lines += [
        f"{name:<{width}}  {documents:>9,}  {share:>6.1%}  {alone:>5}  {remark}".rstrip()
        for name, documents, share, alone, remark in rows
    ]
    share = found.reached / max(found.documents, 1)
    lines += [
        "",
        f"{found.reached:,} of {found.documents:,} documents contain a seed ({share:.1%}).",
        "",
        *_problems(found.problems),
    ]
    return "\n".join(lines)


def _problems(problems: Sequence[str]) -> list[str]:
    if not problems:
        return ["No problems found."]
    return [f"{len(problems)} problem{'s' * (len(problems) > 1)}:", *(f"- {problem}" for problem in problems)]


def _remark(word: WordCheck) -> str:
    parts = []
    if word.stands_for:
        more = len(word.stands_for) - SHOWN
        parts.append(", ".join(word.stands_for[:SHOWN]) + (f" and {more:,} more" if more > 0 else ""))
    if not word.documents:
        parts.append("does not occur" + (f"; similar: {', '.join(word.near)}" if word.near else ""))
    if word.weight != 1:
        parts.append(f"weight {word.weight:g}")
    if word.also_in:
        parts.append(f"also in {', '.join(map(printable, word.also_in))}")
    if word.pulls_to is not None:
        parts.append(f"goes with {printable(word.pulls_to)}")
    return "; ".join(parts)
