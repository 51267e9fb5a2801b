"""Dates in columns of text: which formats are read, and which period a date belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError

Dates = NDArray[np.datetime64]
Period = Literal["day", "week", "month", "quarter", "year"]
PERIODS: tuple[Period, ...] = get_args(Period)

MOST_PERIODS = 36  # that are chosen automatically
LEAST_PER_PERIOD = 20  # documents on average, for the same
ENOUGH_DATES = 0.9  # of the values of a column, for it to be read as dates

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_NAME = rf"(?P<name>{'|'.join(_MONTHS)})[a-z]*\.?"
_DAY, _MONTH, _YEAR = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})", r"(?P<year>\d{4})"
_WEEKDAY, _TIME = r"(?:[a-z]{3,9},? )?", r"(?:[t ,].*)?"  # whatever follows the day
_FORMATS = [
    re.compile(form)
    for form in (
        rf"{_YEAR}[-/.]{_MONTH}(?:[-/.]{_DAY}{_TIME})?",
        rf"{_DAY}\.\s?{_MONTH}\.\s?{_YEAR}{_TIME}",
        rf"(?P<first>\d{{1,2}})[-/](?P<second>\d{{1,2}})[-/]{_YEAR}{_TIME}",
        rf"{_WEEKDAY}{_DAY}[-. ]*{_NAME},?[- ]{_YEAR}{_TIME}",
        rf"{_WEEKDAY}{_NAME} {_DAY},? {_YEAR}{_TIME}",
        rf"{_NAME}[- ]{_YEAR}",
    )
]


class _Numbers(NamedTuple):
    """A date of two numbers and a year, whose day may be the first number or the second."""

    first: int
    second: int
    year: int


def dates_in(values: Sequence[str], name: str = "the column") -> Dates | None:
    """Return the dates of a column, NaT where there is none; None unless nearly all values are dates."""
    date_of = {value: _read(value) for value in set(values)}
    dates = [date_of[value] for value in values]
    n_dates = sum(day is not None for day in dates)
    if not n_dates or n_dates < ENOUGH_DATES * sum(1 for value in values if value.strip()):
        return None
    numbers = [day for day in dates if isinstance(day, _Numbers)]
    if numbers:  # such as 5/3/2024: the day is the number that is above 12 in any of them
        first = any(12 < number.first <= 31 for number in numbers)
        if first == any(12 < number.second <= 31 for number in numbers):
            shown = numbers[0]
            kind = "day/month in some rows and month/day in others" if first else "day/month or month/day"
            raise InputError(
                f"{name} has dates such as {shown.first}/{shown.second}/{shown.year}, which may be {kind}: "
                f"write them as {shown.year}-12-31."
            )
        for place, day in enumerate(dates):
            if isinstance(day, _Numbers):
                in_order = (day.second, day.first) if first else (day.first, day.second)
                dates[place] = _dated(day.year, *in_order)
    return np.array(dates, dtype="datetime64[D]")


def _read(value: str) -> date | _Numbers | None:
    text = " ".join(value.lower().split())
    match = next(filter(None, (form.fullmatch(text) for form in _FORMATS)), None)
    if match is None:
        return None
    part = match.groupdict()
    if "first" in part:
        return _Numbers(int(part["first"]), int(part["second"]), int(part["year"]))
    month = _MONTHS.index(part["name"]) + 1 if "name" in part else int(part["month"])
    return _dated(int(part["year"]), month, int(part.get("day") or 1))


def _dated(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:  # the 31st of February
        return None


def chosen_period(dates: Dates) -> Period:
    """Return the shortest period that gives few enough periods, with enough documents in each."""
    known = dates[~np.isnat(dates)]
    days = np.array([known.min(), known.max()])
    months = days.astype("datetime64[M]").astype(np.int64)
    for period in PERIODS:
        if period in ("day", "week"):
            numbers = days.astype(np.int64)
            first, last = numbers if period == "day" else (numbers + 3) // 7  # 1970 began on a Thursday
        else:
            first, last = months // {"month": 1, "quarter": 3, "year": 12}[period]
        n_periods = int(last - first) + 1
        if n_periods <= MOST_PERIODS and len(known) >= LEAST_PER_PERIOD * n_periods:
            return period
    return "year"


def period_name(day: date, period: Period) -> str:
    """Return the name of the period of a date; names sort by time."""
    match period:
        case "day":
            return day.isoformat()
        case "week":
            year, week, _ = day.isocalendar()
            return f"{year:04d}-W{week:02d}"
        case "month":
            return f"{day:%Y-%m}"
        case "quarter":
            return f"{day.year:04d}-Q{(day.month + 2) // 3}"
        case "year":
            return f"{day.year:04d}"
