"""Measure some recorded rows again, and give rows of older code today's fingerprint where scores agree.

    SEEDTOPIC_DATA=folder python tools/same_scores.py [--each 2] [--slowest 10] [--within 0.002] [--write]

`seedtopic reproduce all --renew` asks for the same scores, all digits of them. Where rounding has changed on
purpose, a few labels change with it, and scores by a document or two: this says by how much. Of each file of
results and each model in it, the quickest rows of older code are measured, one of each corpus and seed list
first. With --write, all of its rows of older code get today's fingerprint if no score of the sample differs
by more than --within; the scores stay as they were recorded. What cannot run here, because packages are
missing, or is slower than --slowest, keeps its fingerprint; --by-hand names a model whose code was compared.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from seedtopic_lab.experiments.material import Material, NoSeeds, Unavailable
from seedtopic_lab.experiments.measures import measure
from seedtopic_lab.experiments.plan import Task, find_plans, read_plan
from seedtopic_lab.experiments.recorded import key_of, open_results
from seedtopic_lab.experiments.results import Key, Results, Row

EXPERIMENTS = Path(__file__).parents[1] / "experiments"


def main() -> None:
    """Measure, say how far scores differ, and write what may be written."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--each", type=int, default=2, help="rows of each file and model")
    parser.add_argument("--slowest", type=float, default=10.0, help="seconds of a row that is measured")
    parser.add_argument("--within", type=float, default=0.002, help="by which a score may differ")
    parser.add_argument("--by-hand", action="append", default=[], metavar="MODEL")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    material = Material()
    for (name, model), (results, tasks) in sorted(older_rows().items()):
        sample = [
            key for key in quickest(tasks, results, options.each) if results.seconds(key) < options.slowest
        ]
        distances = []
        for key in sample:
            try:
                distances.append(distance(results.find(key) or {}, measured(name, tasks[key], material)))
            except (ImportError, Unavailable, NoSeeds) as reason:
                print(f"{name} {model}: {reason}")
        agrees = max(distances, default=0 if model in options.by_hand else math.inf) <= options.within
        same = sum(each == 0 for each in distances)
        print(
            f"{name} {model}: {len(tasks)} rows, {len(distances)} measured, {same} the same, "
            f"largest difference {max(distances, default=math.nan):.5f}",
            flush=True,
        )
        if agrees and options.write:
            results.confirm(tasks)


def older_rows() -> dict[tuple[str, str], tuple[Results, dict[Key, Task]]]:
    """Return the rows of older code by their file and model."""
    older: dict[tuple[str, str], tuple[Results, dict[Key, Task]]] = {}
    files: dict[str, Results] = {}
    for path in find_plans(EXPERIMENTS).values():
        plan = read_plan(path)
        results = files.setdefault(plan.measure, open_results(plan, EXPERIMENTS))
        for task in plan.tasks():
            try:
                key = key_of(plan, task)
            except ImportError:  # packages of other people, which this environment lacks
                continue
            if results.find(key) is not None and results.is_stale(key):
                older.setdefault((plan.measure, task.system.model), (results, {}))[1][key] = task
    return older


def quickest(tasks: Iterable[Key], results: Results, n: int) -> list[Key]:
    """Return the quickest rows, one of each corpus and seed list first."""
    by_time = sorted(tasks, key=results.seconds)
    first_of = {key[2:4]: key for key in reversed(by_time)}
    one_each = sorted(first_of.values(), key=results.seconds)
    return [*one_each, *(key for key in by_time if key not in one_each)][:n]


def measured(name: str, task: Task, material: Material) -> dict[str, Any]:
    """Return the scores of a task by today's code."""
    of = measure(name)
    parameters = of.complete(task.system.model, task.system.parameters)
    of.prepare(task, parameters, material)
    return of.function(task, parameters, material, None)


def distance(row: Row, scores: dict[str, Any]) -> float:
    """Return the largest difference between recorded scores and others; counts and lists are left out."""
    largest = 0.0
    for column, value in scores.items():
        if isinstance(value, float) and not column.endswith("seconds"):
            difference = abs(float(row[column]) - float(f"{value:.6g}"))
            largest = max(largest, difference / max(1.0, abs(value)))  # shares by their difference
    return largest


if __name__ == "__main__":
    main()
