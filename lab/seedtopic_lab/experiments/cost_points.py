"""The points of a table of costs: systems measured here, and systems cited from their sources.

A point of a plan is a table of its TOML. One that is measured names a system of the plan beside, whose rows
have its scores; its seconds are those of the plan's own row, or those that it states with their command. One
that is cited states `ag_news`, `newsgroups20` and `seconds` where the source has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic_lab.experiments.cells import CORPUS_NAMES, NOTHING, markdown, short
from seedtopic_lab.experiments.plan import Setting
from seedtopic_lab.experiments.recorded import Recorded

CORPORA = ("ag_news", "newsgroups20")
MILLION = 1_000_000
AG_NEWS = 27_600  # documents; the corpus whose fits are scaled
_KEYS = {"name", "label", "system", "hardware", "protocol", "source", "command", "seconds", "how", *CORPORA}


@dataclass(frozen=True)
class Point:
    """A system with its accuracy on each corpus and the seconds that a million documents take.

    Attributes
    ----------
    name, label : str
        Its name in the table, and a short one for the figure.
    accuracy : mapping
        A corpus to the scores to show, the first of which is drawn; two for a range.
    seconds : float or None
        For a million short documents; None if no source says.
    how : str
        How the seconds came about.
    hardware, protocol : str
        What the seconds are of, and what the system gets and learns from.
    source, command : str
        Where it is cited from, or what measures it; one of the two is empty.
    """

    name: str
    label: str
    accuracy: Mapping[str, list[float]]
    seconds: float | None
    how: str
    hardware: str
    protocol: str
    source: str = ""
    command: str = ""


def points(recorded: Recorded) -> list[Point]:
    """Return the points of a plan; those that are measured but not run yet are left out."""
    made = (_point(recorded, given) for given in recorded.plan.points)
    return [point for point in made if point.accuracy]


def cost_table(recorded: Recorded) -> str:
    """Return accuracy, seconds, hardware, protocol and origin: one row per point, the quickest first."""
    header = ["", *(CORPUS_NAMES[corpus] for corpus in CORPORA), "seconds for a million"]
    header += ["of", "protocol", "source or command"]
    rows = []
    for point in sorted(points(recorded), key=lambda point: (point.seconds or float("inf"), point.name)):
        between = " / " if point.command else " to "
        cells = [
            short(between.join(f"{score:.3f}" for score in point.accuracy.get(corpus, []))) or NOTHING
            for corpus in CORPORA
        ]
        seconds = "not published" if point.seconds is None else f"{point.seconds:,.0f}"
        how = f" ({point.how})" if point.how else ""
        origin = f"`{point.command}`" if point.command else point.source
        rows.append([point.name, *cells, seconds + how, point.hardware, point.protocol, origin])
    return markdown(header, rows)


def _point(recorded: Recorded, given: Mapping[str, Any]) -> Point:
    name = given.get("name", "?")
    unknown = set(given) - _KEYS
    if unknown:
        raise InputError(
            f"the point {name} of {recorded.plan.name} has an entry too many: {', '.join(sorted(unknown))}."
        )
    if bool(given.get("source")) == bool(given.get("command")):
        raise InputError(
            f"the point {name} of {recorded.plan.name} needs a source if it is cited, or a command if it is "
            "measured here, and not both."
        )
    seconds, how = given.get("seconds"), given.get("how", "")
    if "system" in given:
        accuracy = _measured_accuracy(recorded, given["system"])
        if seconds is None:
            seconds, how = _measured_seconds(recorded, name, given["system"])
    else:
        accuracy = {corpus: _several(given[corpus]) for corpus in CORPORA if corpus in given}
    return Point(
        name,
        given.get("label", name),
        accuracy,
        seconds,
        how,
        given.get("hardware", ""),
        given.get("protocol", ""),
        given.get("source", ""),
        given.get("command", ""),
    )


def _measured_accuracy(recorded: Recorded, name: str) -> dict[str, list[float]]:
    """Return the accuracy with each seed set, which is the micro-F1 of one label per document."""
    beside = recorded.beside
    chosen = [system for system in beside.plan.systems if system.name == name] if beside else []
    if not beside or not chosen:
        raise InputError(f"{recorded.plan.name} shows {name!r}, which the plan beside it does not have.")
    found = {}
    for corpus in CORPORA:
        places = [Setting(corpus, seeds) for seeds in ("SL", "SD")]
        values = [beside.values(chosen[0], place, "test_micro") for place in places]
        if all(values):
            found[corpus] = [sum(runs) / len(runs) for runs in values]
    return found


def _measured_seconds(recorded: Recorded, name: str, beside: str) -> tuple[float | None, str]:
    """Scale the row of this plan, or else the fit in the plan beside it, to a million documents."""
    for system in recorded.plan.systems:
        if system.name == name:
            for row in recorded.rows(system, recorded.plan.settings[0])[:1]:
                documents = int(row["documents"])
                return float(row["busy_seconds"]) * MILLION / documents, f"scaled from {documents:,}"
    if recorded.beside:
        fits = next(system for system in recorded.beside.plan.systems if system.name == beside)
        seconds = recorded.beside.values(fits, Setting("ag_news", "SL"), "seconds")
        if seconds:
            return sum(seconds) / len(seconds) * MILLION / AG_NEWS, f"scaled from {AG_NEWS:,}"
    return None, "not run yet"


def _several(value: float | list[float]) -> list[float]:
    return list(value) if isinstance(value, list) else [value]
