"""What advice about seeds says in words, the same in a terminal and in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seedtopic.quality.findings import WordCheck
    from seedtopic.quality.suggestions import CategorySuggestions


MATCHES_SHOWN = 6  # of the words that a wildcard matches


def remark(word: WordCheck) -> str:
    """Say what is worth knowing about a seed beside its numbers."""
    parts = []
    if word.stands_for:
        more = len(word.stands_for) - MATCHES_SHOWN
        shown = ", ".join(word.stands_for[:MATCHES_SHOWN])
        parts.append(f"matches {shown}" + (f" and {more:,} more" if more > 0 else ""))
    if not word.documents:
        parts.append("does not occur" + (f"; similar: {', '.join(word.near)}" if word.near else ""))
    if word.weight != 1:
        parts.append(f"weight {word.weight:g}")
    if word.also_in:
        parts.append(f"also in {', '.join(map(str, word.also_in))}")
    if word.pulls_to is not None:
        parts.append(f"mostly beside seeds of {word.pulls_to}")
    return "; ".join(parts)


def question(category: CategorySuggestions) -> str:
    """Ask about the words that a category has filled up with."""
    words = (
        f"{word.word!r} ({word.documents:,} documents"
        + (f"; rather {word.elsewhere!r}?)" if word.elsewhere is not None else ")")
        for word in category.filled_up_with
    )
    return f"{category.name!r} has filled up with {', '.join(words)}."


def harmful_seeds(category: CategorySuggestions) -> list[str]:
    """Say of each seed that looks harmful what its documents look like."""
    return [
        f"{seed.word!r} ({category.name}): {seed.documents:,} documents contain it; {seed.share:.0%} of "
        f"them look like {category.name!r}, {seed.rival_share:.0%} like {seed.rival!r}."
        for seed in category.harmful
    ]
