"""The runner: measures everything in a plan that is not in the CSV yet."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from seedtopic.experiments.material import Material, Unavailable
from seedtopic.experiments.measures import measure
from seedtopic.experiments.plan import Plan, Task, read_plan
from seedtopic.experiments.recorded import key_of, open_results
from seedtopic.experiments.results import Key, Results
from seedtopic.progress import Progress, silent


@dataclass(frozen=True)
class Outcome:
    """The number of rows that a run added, and the systems or corpora it left out, with the reason.

    Attributes
    ----------
    added : int
    skipped : list of str
        One sentence each.
    """

    added: int
    skipped: list[str]


def run(
    plan: Plan | str | Path,
    folder: str | Path,
    *,
    quick: bool = False,
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
    n_threads : int, optional
        Threads of each fit.
    progress : callable, optional
        Called with the plan's name, the number of measurements done and the total.
    material : Material, optional
        Corpora and counts that have been read already, to share between plans.

    Returns
    -------
    Outcome
        A system whose packages are missing, or a corpus whose files are missing, is left out and listed.
    """
    plan = plan if isinstance(plan, Plan) else read_plan(plan)
    material = material or Material()
    results = open_results(plan, folder)
    measured = measure(plan.measure)
    added, left_out = 0, _LeftOut()
    todo = _missing(plan, plan.tasks(quick=quick), results, left_out)
    for done, (task, key) in enumerate(todo):
        progress(plan.name, done, len(todo))
        if left_out.concerns(task) or results.find(key) is not None:
            continue
        parameters = measured.complete(task.system.model, task.system.parameters)
        try:
            # Before the clock starts, so that reading the corpus is not timed.
            measured.prepare(task, parameters, material)
            started = time.perf_counter()
            scores = measured.function(task, parameters, material, n_threads)
        except Unavailable as reason:
            left_out.corpora[task.setting.corpus] = str(reason)
        except ImportError as reason:
            left_out.systems[task.system.unswept] = str(reason)
        else:
            results.append(task, key, scores, time.perf_counter() - started)
            added += 1
    progress(plan.name, len(todo), len(todo))
    return Outcome(added, left_out.sentences())


class _LeftOut:
    """Systems and corpora that cannot be run on this machine."""

    def __init__(self) -> None:
        self.systems: dict[str, str] = {}
        self.corpora: dict[str, str] = {}

    def concerns(self, task: Task) -> bool:
        return task.system.unswept in self.systems or task.setting.corpus in self.corpora

    def sentences(self) -> list[str]:
        reasons = {**self.systems, **self.corpora}
        return [f"{name} is left out: {reason}" for name, reason in reasons.items()]


def _missing(plan: Plan, tasks: list[Task], results: Results, left_out: _LeftOut) -> list[tuple[Task, Key]]:
    missing = []
    for task in tasks:
        try:
            key = key_of(plan, task)
        except ImportError as reason:
            left_out.systems[task.system.unswept] = str(reason)
            continue
        if results.find(key) is None:
            missing.append((task, key))
    return missing
