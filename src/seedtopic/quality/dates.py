"""Dates in columns of text: which formats are read, and which period a date belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, get_args

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
_NAME = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
_TIME = r"(?:[t ,].*)?"  # whatever follows the day
_ISO = re.compile(rf"(\d{{4}})[-/.](\d{{1,2}})(?:[-/.](\d{{1,2}}){_TIME})?")
_DOTS = re.compile(rf"(\d{{1,2}})\.\s?(\d{{1,2}})\.\s?(\d{{4}}){_TIME}")
_EITHER = re.compile(rf"(\d{{1,2}})[-/](\d{{1,2}})[-/](\d{{4}}){_TIME}")
_DAY_NAME = re.compile(rf"(?:[a-z]{{3,9}},? )?(\d{{1,2}})[-. ]*{_NAME},?[- ](\d{{4}}){_TIME}")
_NAME_DAY = re.compile(rf"(?:[a-z]{{3,9}},? )?{_NAME} (\d{{1,2}}),? (\d{{4}}){_TIME}")
_NAME_YEAR = re.compile(rf"{_NAME}[- ](\d{{4}})")

_NOT_A_DATE = np.datetime64("NaT", "D")


@dataclass(frozen=True)
class Numbers:
    """A date of two numbers and a year, whose day may be the first number or the second."""

    first: int
    second: int
    year: int


def dates_in(values: Sequence[str], name: str = "the column") -> Dates | None:
    """Read a column of dates; None if it does not hold dates, which nearly all of its values must be.

    ISO dates (with or without a time), ``5.3.2024``, ``5 March 2024``, ``March 5, 2024`` and ``Mar 2024`` are
    read. In ``5/3/2024`` and ``5-3-2024`` the day is first if any value of the column has a first number
    above 12, and the month if any has such a second number. What cannot be read becomes NaT.
    """
    read = {value: _read(value) for value in set(values)}
    found = [read[value] for value in values]
    filled = sum(1 for value in values if value.strip())
    dated = sum(1 for date in found if isinstance(date, Numbers) or not np.isnat(date))
    if not dated or dated < ENOUGH_DATES * filled:
        return None
    numbers = [date for date in found if isinstance(date, Numbers)]
    day_first = _day_first(numbers, name) if numbers else False
    return np.array(
        [_dated(*_ordered(date, day_first)) if isinstance(date, Numbers) else date for date in found],
        dtype="datetime64[D]",
    )


def chosen_period(dates: Dates) -> Period:
    """Choose the shortest period that gives few enough periods, with enough documents in each."""
    known = dates[~np.isnat(dates)]
    for period in PERIODS:
        first, last = (int(number) for number in _numbered(np.array([known.min(), known.max()]), period))
        n_periods = last - first + 1
        if n_periods <= MOST_PERIODS and len(known) >= LEAST_PER_PERIOD * n_periods:
            return period
    return "year"


def period_names(dates: Dates, period: Period) -> list[str | None]:
    """Name the period of each date so that names sort by time; None for what is not a date."""
    return [None if day is None else _name(day, period) for day in dates.tolist()]


def _name(day: date, period: Period) -> str:
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


def _numbered(dates: Dates, period: Period) -> NDArray[np.int64]:
    """Number the periods of dates, one after another."""
    if period in ("day", "week"):
        days: NDArray[np.int64] = dates.astype(np.int64)
        return days if period == "day" else (days + 3) // 7  # 1 January 1970 was a Thursday
    months: NDArray[np.int64] = dates.astype("datetime64[M]").astype(np.int64)
    return months // {"month": 1, "quarter": 3, "year": 12}[period]


def _read(value: str) -> np.datetime64 | Numbers:
    text = " ".join(value.lower().split())
    if match := _ISO.fullmatch(text):
        return _dated(int(match[1]), int(match[2]), int(match[3] or 1))
    if match := _DOTS.fullmatch(text):
        return _dated(int(match[3]), int(match[2]), int(match[1]))
    if match := _EITHER.fullmatch(text):
        return Numbers(int(match[1]), int(match[2]), int(match[3]))
    if match := _DAY_NAME.fullmatch(text):
        return _dated(int(match[3]), _MONTHS.index(match[2]) + 1, int(match[1]))
    if match := _NAME_DAY.fullmatch(text):
        return _dated(int(match[3]), _MONTHS.index(match[1]) + 1, int(match[2]))
    if match := _NAME_YEAR.fullmatch(text):
        return _dated(int(match[2]), _MONTHS.index(match[1]) + 1, 1)
    return _NOT_A_DATE


def _ordered(found: Numbers, day_first: bool) -> tuple[int, int, int]:
    day, month = (found.first, found.second) if day_first else (found.second, found.first)
    return found.year, month, day


def _dated(year: int, month: int, day: int) -> np.datetime64:
    try:
        return np.datetime64(date(year, month, day), "D")
    except ValueError:  # the 31st of February
        return _NOT_A_DATE


def _day_first(numbers: Iterable[Numbers], name: str) -> bool:
    found = list(numbers)
    first = any(12 < number.first <= 31 for number in found)
    second = any(12 < number.second <= 31 for number in found)
    if first == second:
        shown = found[0]
        kind = "day/month in some rows and month/day in others" if first else "day/month or month/day"
        raise InputError(
            f"{name} has dates such as {shown.first}/{shown.second}/{shown.year}, which may be {kind}: write "
            f"them as {shown.year}-12-31."
        )
    return first
