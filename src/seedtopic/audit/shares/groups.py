"""Groups of documents: by the value of a column, or by the period of a date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedtopic.audit.shares.dates import Period, chosen_period, dates_in, period_names
from seedtopic.base.errors import InputError

MOST_GROUPS = 20  # the most frequent ones; the others are one group together
MOST_PERIODS = 400  # more cannot be shown
NO_DATE, NO_VALUE, OTHERS = "(no date)", "(no value)", "(other groups)"


@dataclass(frozen=True)
class Groups:
    """Documents in groups by one column.

    Attributes
    ----------
    column : str
        The name of the column.
    period : str or None
        What the groups are if the column holds dates: ``"day"``, ``"week"``, ``"month"``, ``"quarter"`` or
        ``"year"``.
    names : list of str
        The groups: periods in the order of time, other values by their frequency. Documents without a value
        and those of rare values are groups of their own, at the end.
    of : ndarray of int, shape (n_documents,)
        The group of each document.
    """

    column: str
    period: Period | None
    names: list[str]
    of: NDArray[np.intp]


def grouped(
    values: Iterable[str], column: str, *, period: Period | None = None, most: int = MOST_GROUPS
) -> Groups:
    """Put documents into groups.

    Parameters
    ----------
    values : iterable of str
        What each document has in the column.
    column : str
        Its name.
    period : str, optional
        The period, if the column holds dates; chosen automatically when left out.
    most : int
        How many groups there are at most for a column that does not hold dates.

    Examples
    --------
    >>> groups = grouped(["web", "mail", "web", ""], "team")
    >>> groups.names, groups.of.tolist()
    (['web', 'mail', '(no value)'], [0, 1, 0, 2])
    >>> grouped(["2024-03-05", "1 April 2024", ""], "day", period="month").names
    ['2024-03', '2024-04', '(no date)']
    """
    found = [value.strip() for value in values]
    dates = dates_in(found, f"the column {column!r}")
    if dates is not None:
        period = period or chosen_period(dates)
        return _periods(period_names(dates, period), column, period)
    counts = Counter(found)
    without = counts.pop("", 0)
    kept = sorted(counts, key=lambda name: (-counts[name], name))
    kept, rare = (kept, []) if len(kept) <= most else (kept[: most - 1], kept[most - 1 :])
    names = [*kept, *([_free(OTHERS, kept)] if rare else []), *([_free(NO_VALUE, kept)] if without else [])]
    number = {name: place for place, name in enumerate(kept)}
    number.update({name: len(kept) for name in rare})
    number[""] = len(names) - 1
    return Groups(column, None, names, np.array([number[value] for value in found], dtype=np.intp))


def _periods(found: Sequence[str | None], column: str, period: Period) -> Groups:
    names = sorted({name for name in found if name is not None})
    if len(names) > MOST_PERIODS:
        raise InputError(
            f"the column {column!r} has dates of {len(names):,} periods (--period {period}), more than "
            f"{MOST_PERIODS}: choose a longer period."
        )
    number: dict[str | None, int] = {name: place for place, name in enumerate(names)}
    number[None] = len(names)
    if None in found:
        names.append(NO_DATE)
    return Groups(column, period, names, np.array([number[name] for name in found], dtype=np.intp))


def _free(name: str, taken: Sequence[str]) -> str:
    """Give a name that no group has."""
    while name in taken:
        name = f"({name})"
    return name
