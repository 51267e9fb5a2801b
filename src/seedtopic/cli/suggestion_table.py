"""Suggested seeds as a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from seedtopic.advice.suggest import CategorySuggestions, SeedSuggestions
from seedtopic.cli.console import printable

INDENT = " " * 6


def suggestion_table(found: SeedSuggestions) -> str:
    """Show the words to add to each category, and the seeds that look harmful below.

    Examples
    --------
    >>> from seedtopic.seeds import Seeds
    >>> texts = ["game and goal", "a goal, a game", "my goal", "the bank rate", "rate of a bank", "one rate"]
    >>> print(suggestion_table(Seeds({"sports": ["game"], "money": ["bank"]}).suggest(texts, top=1)))
    words to add  documents  without a seed  in category
    sports
      goal                3               1          63%
          my goal
          game and goal
          a goal, a game
    money
      rate                3               1          63%
          one rate
          the bank rate
          rate of a bank
    <BLANKLINE>
    2 of 6 documents contain no seed.
    """
    names = [f"  {word.word}" for category in found.categories for word in category.words]
    width = max(12, *(len(name) for name in names)) if names else 12
    lines = [f"{'words to add':<{width}}  documents  without a seed  in category"]
    for category in found.categories:
        lines += [printable(category.name), *_words(category, width)]
    lines += ["", f"{found.unseeded:,} of {found.documents:,} documents contain no seed."]
    harmful = [
        f"- {seed.word!r} ({category.name}): {seed.documents:,} documents contain it; {seed.share:.0%} of "
        f"them look like {category.name!r}, {seed.rival_share:.0%} like {seed.rival!r}."
        for category in found.categories
        for seed in category.harmful
    ]
    return "\n".join([*lines, *(["", "Seeds that look harmful:", *harmful] if harmful else [])])


def _words(category: CategorySuggestions, width: int) -> Iterator[str]:
    if not category.words:
        yield "  (no suggestion)"
    for word in category.words:
        numbers = f"{word.documents:>9,}  {word.unseeded:>14,}  {word.share:>11.0%}"
        yield f"{f'  {word.word}':<{width}}  {numbers}"
        yield from (f"{INDENT}{line}" for line in word.examples)
