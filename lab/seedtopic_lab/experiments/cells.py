"""What tables are put together from: names as papers write them, numbers, and Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from seedtopic_lab.experiments.plan import Plan, Setting

CORPUS_NAMES = {
    "reuters10": "Reuters",
    "reuters10_tokens": "Reuters, the authors' tokens",
    "newsgroups20": "Newsgroup",
    "ag_news": "AG News",
    "bbc_news": "BBC News",
    "stackoverflow": "StackOverflow",
}
NOTHING = "–"


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table.

    Examples
    --------
    >>> print(markdown(["", "a"], [["b", "1"]]))
    |  | a |
    |---|---|
    | b | 1 |
    """
    lines = [header, *rows]
    written = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([written[0], "|" + "---|" * len(header), *written[1:]])


def setting_name(setting: Setting, plan: Plan) -> str:
    """Name a corpus and its seed set; and whether they are purified, if a plan has both."""
    name = f"{CORPUS_NAMES.get(setting.corpus, setting.corpus)} {sup(setting.seeds)}"
    both = len({place.purified for place in plan.settings}) > 1
    return f"{name}, {'purified' if setting.purified else 'as published'}" if both else name


def sup(seeds: str) -> str:
    """Write the name of a seed set as the paper does."""
    return f"S<sup>{seeds[1:]}</sup>" if seeds else ""


def short(text: str) -> str:
    """Drop the zero before the decimal point, as papers do with scores.

    Examples
    --------
    >>> short("0.937 / 1.000")
    '.937 / 1.000'
    """
    return re.sub(r"\b0\.", ".", text)
