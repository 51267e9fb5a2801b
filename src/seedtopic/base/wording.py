"""Numbers and lists in sentences, written the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence


def number_of(count: int, one: str, several: str | None = None) -> str:
    """Return a number with what follows it, singular or plural.

    Examples
    --------
    >>> number_of(1, "row"), number_of(2000, "row"), number_of(2, "category is", "categories are")
    ('1 row', '2,000 rows', '2 categories are')
    """
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def listed(names: Sequence[str], joined: str = "and") -> str:
    """Return all names, the last two of them joined by a word.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b"], "or")
    ('a', 'a, b and c', 'a or b')
    """
    first, last = ", ".join(names[:-1]), "".join(names[-1:])
    return f"{first} {joined} {last}" if first else last


def and_more(shown: Sequence[str], n_all: int, between: str = ", ") -> str:
    """Return the names that are shown, and how many more there are.

    Examples
    --------
    >>> and_more(["a", "b"], 2), and_more(["a", "b"], 1002), and_more(["a", "b"], 3, "; ")
    ('a, b', 'a, b and 1,000 more', 'a; b; and 1 more')
    """
    more = n_all - len(shown)
    return between.join(shown) + (f"{between.strip(', ')} and {more:,} more" if more > 0 else "")


def percent(share: float) -> str:
    """Return an estimated share as people read it: 100 % only if it is whole, as an estimate is never sure.

    Examples
    --------
    >>> percent(0.826), percent(0.999)
    ('83 %', '99 %')
    """
    return f"{(share if share == 1 else min(share, 0.99)) * 100:.0f} %"
