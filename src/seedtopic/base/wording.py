"""Numbers and lists in sentences, written the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence


def number_of(count: int, one: str, several: str | None = None) -> str:
    """Return a number with what follows it, singular or plural."""
    regular = f"{one.removesuffix('y')}ies" if one.endswith("y") else f"{one}s"
    return f"{count:,} {one if count == 1 else several or regular}"


def part_of(count: int, total: int, one: str, does: str, do: str) -> str:
    """Return how many of all do something: 1 of 2 documents has, 2 of 2 documents have."""
    return f"{count:,} of {number_of(total, one)} {does if count == 1 else do}"


def documents_contain(count: int) -> str:
    """Return how many documents contain what follows."""
    return number_of(count, "document contains", "documents contain")


def listed(names: Sequence[str], joined: str = "and") -> str:
    """Return all names, the last two of them joined by a word."""
    first, last = ", ".join(names[:-1]), "".join(names[-1:])
    return f"{first} {joined} {last}" if first else last


def and_more(shown: Sequence[str], n_all: int, between: str = ", ") -> str:
    """Return the names that are shown, and how many more there are."""
    more = n_all - len(shown)
    return between.join(shown) + (f"{between.strip(', ')} and {more:,} more" if more > 0 else "")


def percent(share: float) -> str:
    """Return an estimated share in percent: 100 % only if it is whole, as an estimate is never sure."""
    return f"{(share if share == 1 else min(share, 0.99)) * 100:.0f} %"
