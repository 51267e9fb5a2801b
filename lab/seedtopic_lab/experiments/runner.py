"""The runner: measures everything in a plan that is not in the CSV yet."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seedtopic.base.progress import Progress, silent
from seedtopic_lab.experiments.material import Material, NoSeeds, Unavailable
from seedtopic_lab.experiments.measures import measure
from seedtopic_lab.experiments.plan import Plan, Task, read_plan
from seedtopic_lab.experiments.recorded import key_of, open_results
from seedtopic_lab.experiments.results import Key, Results


@dataclass(frozen=True)
class Outcome:
    """The number of rows that a run added, and what it left out, with the reason.

    Attributes
    ----------
    added : int
    skipped : list of str
        One sentence each: how many results are missing, and why.
    """

    added: int
    skipped: list[str]


def run(
    plan: Plan | str | Path,
    folder: str | Path,
    *,
    quick: bool = False,
    renew: bool = False,
    n_threads: int | None = None,
    progress: Progress = silent,
    material: Material | None = None,
) -> Outcome:
    """Run the missing part of a plan; every row is on disk before the next measurement starts.

    Parameters
    ----------
    plan : Plan or path
        The plan, or its TOML file.
    folder : path
        Rows are read from, and added to, results/MEASURE.csv in this folder.
    quick : bool
        Whether to stop after two runs; a later full run continues from there.
    renew : bool
        Whether to check rows that older code made. Of each system, the quickest of them is measured again:
        if it is the same, all are taken to be the same, and otherwise all are measured again.
    n_threads : int, optional
        Threads of each fit.
    progress : callable, optional
        Called with the plan's name, the number of measurements done and the total.
    material : Material, optional
        Corpora and counts that have been read already, to share between plans.

    Returns
    -------
    Outcome
        A system whose packages are missing, or a corpus or seed list whose file is missing, is left out and
        listed; all else is run.
    """
    plan = plan if isinstance(plan, Plan) else read_plan(plan)
    material = material or Material()
    results = open_results(plan, folder)
    if renew:
        _renew(plan, results, material, n_threads, progress)
    added, left_out = 0, _LeftOut()
    todo = _missing(plan, plan.tasks(quick=quick), results, left_out)
    for done, (task, key) in enumerate(todo):
        progress(plan.name, done, len(todo))
        if results.find(key) is not None or left_out.counts(task):
            continue
        try:
            scores, seconds = _measured(plan, task, material, n_threads)
        except (Unavailable, NoSeeds, ImportError) as reason:
            left_out.add(task, reason)
        else:
            results.append(task, key, scores, seconds)
            added += 1
    progress(plan.name, len(todo), len(todo))
    return Outcome(added, left_out.sentences())


def _measured(
    plan: Plan, task: Task, material: Material, n_threads: int | None
) -> tuple[dict[str, Any], float]:
    """Return the scores of a task, and its seconds."""
    measured = measure(plan.measure)
    parameters = measured.complete(task.system.model, task.system.parameters)
    # Before the clock starts, so that reading the corpus is not timed.
    measured.prepare(task, parameters, material)
    started = time.perf_counter()
    return measured.function(task, parameters, material, n_threads), time.perf_counter() - started


def _renew(
    plan: Plan, results: Results, material: Material, n_threads: int | None, progress: Progress
) -> None:
    """Keep the rows of older code that today's code would make the same, by a sample, and drop the others."""
    stale: dict[str, dict[Key, Task]] = {}
    for task in plan.tasks():
        try:
            key = key_of(plan, task)
        except ImportError:
            continue
        if results.find(key) is not None and results.is_stale(key):
            stale.setdefault(task.system.name, {})[key] = task
    for done, (name, tasks) in enumerate(stale.items()):
        progress(f"{plan.name}: checking {name}", done, len(stale))
        quickest = min(tasks, key=results.seconds)
        try:
            scores, _ = _measured(plan, tasks[quickest], material, n_threads)
        except (Unavailable, NoSeeds, ImportError):
            continue
        if results.has(quickest, scores):
            results.confirm(tasks)
        else:
            results.remove(tasks)
    progress(f"{plan.name}: checking", len(stale), len(stale))


class _LeftOut:
    """Systems, corpora and seed sets that cannot be run on this machine, and how many results each costs."""

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {}
        self._results: Counter[str] = Counter()

    def add(self, task: Task, reason: Exception) -> None:
        """Leave out a result, and those after it that need the same."""
        system, corpus, setting = _needs(task)
        name = {Unavailable: corpus, NoSeeds: setting}.get(type(reason), system)
        self._reasons.setdefault(name, str(reason))
        self._results[name] += 1

    def counts(self, task: Task) -> bool:
        """Leave out a result, if something that it needs is known to be missing."""
        known = [name for name in _needs(task) if name in self._reasons]
        self._results.update(known[:1])
        return bool(known)

    def sentences(self) -> list[str]:
        return [
            f"{n} result{' ' if n == 1 else 's '}{name} {'is' if n == 1 else 'are'} left out: {reason}"
            for name, reason in self._reasons.items()
            for n in [self._results[name]]
        ]


def _needs(task: Task) -> tuple[str, str, str]:
    """Name what a result needs: packages for its system, a corpus, a seed list."""
    return f"of {task.system.unswept}", f"on {task.setting.corpus}", f"on {task.setting.key}"


def _missing(plan: Plan, tasks: list[Task], results: Results, left_out: _LeftOut) -> list[tuple[Task, Key]]:
    missing = []
    for task in tasks:
        try:
            key = key_of(plan, task)
        except ImportError as reason:
            left_out.add(task, reason)
            continue
        if results.find(key) is None:
            missing.append((task, key))
    return missing
