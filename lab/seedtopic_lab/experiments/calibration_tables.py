"""The tables of the calibration experiment: means of all tasks, then each task."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from seedtopic_lab.experiments.calibration import WRONG_SEEDS
from seedtopic_lab.experiments.cells import NOTHING, markdown, setting_name, short
from seedtopic_lab.experiments.plan import Setting, System
from seedtopic_lab.experiments.recorded import Recorded

Pair = Callable[[Recorded, System, Setting], str]


def calibration_table(recorded: Recorded) -> str:
    """Return how far probabilities can be trusted: on average, and for each task, also with wrong seeds."""
    plan = recorded.plan
    wrong = [system for system in plan.systems if WRONG_SEEDS in system.parameters]
    right = [system for system in plan.systems if system not in wrong]
    return "\n\n".join(
        [
            f"Mean of the {len(plan.settings)} tasks:",
            _means(recorded),
            "Expected calibration error:",
            _errors(recorded, right),
            "Accuracy / estimate:",
            _pairs(recorded, right, _accuracy_and_estimate),
            "Sure / right of these:",
            _pairs(recorded, right, _sure_and_right),
            "Wrong seeds, accuracy / estimate:",
            _wrongs(recorded, wrong),
        ]
    )


def _means(recorded: Recorded) -> str:
    settings = recorded.plan.settings
    rows = []
    for system in recorded.plan.systems:
        cells = [_cell(recorded, system, settings, score) for score in ("accuracy", "estimate", "ece")]
        cells += [_cell(recorded, system, settings, "sure"), _right_of_sure(recorded, system, settings)]
        rows.append([system.name, *cells, *_doubted(recorded, system, settings)])
    return markdown(["", "accuracy", "estimate", "ECE", "sure", "right", "named", "others named"], rows)


def _errors(recorded: Recorded, systems: list[System]) -> str:
    plan, reference = recorded.plan, _reference(recorded)
    header = ["", *(system.name for system in systems), "all: with a seed", "all: without"]
    rows = []
    for setting in plan.settings:
        cells = [_cell(recorded, system, [setting], "ece") for system in systems]
        cells += [_cell(recorded, reference, [setting], score) for score in ("seeded_ece", "unseeded_ece")]
        rows.append([setting_name(setting, plan), *cells])
    return markdown(header, rows)


def _pairs(recorded: Recorded, systems: list[System], pair: Pair) -> str:
    rows = [
        [setting_name(setting, recorded.plan), *(pair(recorded, system, setting) for system in systems)]
        for setting in recorded.plan.settings
    ]
    return markdown(["", *(system.name for system in systems)], rows)


def _wrongs(recorded: Recorded, systems: list[System]) -> str:
    header = [column for system in systems for column in (system.name, "named")]
    rows = []
    for setting in recorded.plan.settings:
        cells = []
        for system in systems:
            falls = (_fall(recorded, system, setting, score) for score in ("accuracy", "estimate"))
            cells += [" / ".join(falls), " + ".join(_doubted(recorded, system, [setting]))]
        rows.append([setting_name(setting, recorded.plan), *cells])
    return markdown(["", *header], rows)


def _accuracy_and_estimate(recorded: Recorded, system: System, setting: Setting) -> str:
    return " / ".join(_cell(recorded, system, [setting], score) for score in ("accuracy", "estimate"))


def _sure_and_right(recorded: Recorded, system: System, setting: Setting) -> str:
    return f"{_cell(recorded, system, [setting], 'sure')} / {_right_of_sure(recorded, system, [setting])}"


def _reference(recorded: Recorded) -> System:
    """Find the system with right seeds and all documents."""
    name = recorded.plan.reference["system"]
    return next(system for system in recorded.plan.systems if system.name == name)


def _mean(recorded: Recorded, system: System, settings: list[Setting], score: str) -> float | None:
    """Return the mean over the settings, of the mean over the runs in each; None if one has no run."""
    values = [recorded.values(system, setting, score) for setting in settings]
    return float(np.mean([np.mean(runs) for runs in values])) if all(values) else None


def _cell(recorded: Recorded, system: System, settings: list[Setting], score: str) -> str:
    mean = _mean(recorded, system, settings, score)
    return NOTHING if mean is None else short(f"{mean:.3f}")


def _right_of_sure(recorded: Recorded, system: System, settings: list[Setting]) -> str:
    """Return the share of sure labels that are right, of all runs together."""
    sure, right = (_mean(recorded, system, settings, score) for score in ("sure", "sure_right"))
    return short(f"{right / sure:.3f}") if sure and right is not None else NOTHING


def _fall(recorded: Recorded, system: System, setting: Setting, score: str) -> str:
    here, there = (_mean(recorded, one, [setting], score) for one in (system, _reference(recorded)))
    if here is None or there is None:
        return NOTHING
    return short(f"{here:.3f} ({here - there:+.3f})").replace("-", "−")


def _doubted(recorded: Recorded, system: System, settings: list[Setting]) -> tuple[str, str]:
    """Count the categories with wrong seeds that are named, and the others that are, in a fit."""
    rows = [row for setting in settings for row in recorded.rows(system, setting)]
    pairs = [(set(json.loads(row["wronged"])), json.loads(row["doubted"])) for row in rows]
    if not pairs or any(doubted is None for _, doubted in pairs):
        return NOTHING, NOTHING
    wronged = sum(len(wrong) for wrong, _ in pairs)
    named = sum(len(wrong.intersection(doubted)) for wrong, doubted in pairs)
    others = np.mean([len(set(doubted) - wrong) for wrong, doubted in pairs])
    return f"{named} of {wronged}" if wronged else NOTHING, f"{others:.1f}".removesuffix(".0")
