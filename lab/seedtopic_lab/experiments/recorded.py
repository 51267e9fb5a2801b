"""The rows of a plan, in the form that tables and figures need."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic_lab.experiments.measures import measure
from seedtopic_lab.experiments.plan import Plan, Setting, System, Task, find_plans, read_plan
from seedtopic_lab.experiments.results import Key, Results, Row, task_key
from seedtopic_lab.experiments.systems import is_random

Array = NDArray[np.float64]

FEWEST_RUNS = 3  # of a random system that is compared with others


def open_results(plan: Plan, folder: str | Path) -> Results:
    """Open the CSV of a plan's measure, which several plans may share."""
    return Results(Path(folder, "results", f"{plan.measure}.csv"), measure(plan.measure).columns)


def key_of(plan: Plan, task: Task) -> Key:
    """Return the key of a task, with its settings completed by the model's defaults."""
    return task_key(task, measure(plan.measure).complete(task.system.model, task.system.parameters))


@dataclass(frozen=True)
class Recorded:
    """The existing rows of a plan, whether all of it was run or only a part.

    Attributes
    ----------
    plan : Plan
    pairs : list of (Task, dict)
        Each measurement with its row.
    beside : Recorded or None
        The rows of the plan that this one names with `beside`.
    """

    plan: Plan
    pairs: list[tuple[Task, Row]]
    beside: Recorded | None = None

    @classmethod
    def of(cls, plan: Plan, folder: str | Path) -> Recorded:
        """Find the rows; those made with settings that have changed since are ignored.

        Parameters
        ----------
        plan : Plan
        folder : path
            The folder that contains the results.
        """
        results = open_results(plan, folder)
        pairs = []
        for task in plan.tasks():
            try:
                row = results.find(key_of(plan, task))
            except ImportError:  # a system that is not installed here has no rows to show
                row = None
            if row is not None:
                pairs.append((task, row))
        return cls(plan, pairs, cls._of_other(plan, folder) if plan.beside else None)

    @classmethod
    def _of_other(cls, plan: Plan, folder: str | Path) -> Recorded:
        plans = find_plans(folder)
        if plan.beside not in plans:
            raise InputError(
                f"the plan {plan.name} is beside {plan.beside!r}: use one of {', '.join(plans)}."
            )
        return cls.of(read_plan(plans[plan.beside]), folder)

    def values(self, system: System, setting: Setting, score: str) -> list[float]:
        """Return the scores of a system in a setting, run by run.

        Parameters
        ----------
        system : System
        setting : Setting
        score : str
            The column of the results.
        """
        return [float(row[score]) for row in self.rows(system, setting)]

    def mean(self, system: System, score: str) -> float | None:
        """Return the mean over the settings, of the mean over the runs in each; None if a setting has no run.

        Parameters
        ----------
        system : System
        score : str
            The column of the results.
        """
        values = [self.values(system, setting, score) for setting in self.plan.settings_of(system)]
        return float(np.mean([np.mean(runs) for runs in values])) if all(values) else None

    def rows(self, system: System, setting: Setting) -> list[Row]:
        """Return the rows of a system in a setting, run by run.

        Parameters
        ----------
        system : System
        setting : Setting
        """
        place = self.plan.place(system, setting)
        return [row for task, row in self.pairs if task.system.name == system.name and task.setting == place]

    def runs(self, system: System) -> int:
        """Return the number of runs of a system that are complete in all its settings.

        Parameters
        ----------
        system : System
        """
        return min(len(self.rows(system, setting)) for setting in self.plan.settings_of(system))

    def can_be_judged(self, system: System, setting: Setting) -> bool:
        """Return whether a system has enough runs in a setting to tell its scores from chance.

        Parameters
        ----------
        system : System
        setting : Setting
        """
        n_runs = len(self.rows(system, setting))
        return n_runs >= (FEWEST_RUNS if is_random(system.model) else 1)

    def matrix(self, score: str, *, averaged: bool) -> tuple[list[str], Array]:
        """Return the scores of the compared systems, one result per row.

        A result is a run of a setting, or the mean of its runs if they are averaged. The runs of a system
        with fewer runs than the others, such as a deterministic one, are repeated. A random system with
        fewer than three runs is left out.

        Parameters
        ----------
        score : str
            The column of the results.
        averaged : bool
            Whether the runs of a setting become one result, their mean.
        """
        systems = [
            system
            for system in self.plan.systems
            if system.name in self.plan.compared
            and all(self.can_be_judged(system, setting) for setting in self.plan.settings)
        ]
        n_runs = max((self.runs(system) for system in systems), default=0)
        results = []
        for setting in self.plan.settings:
            values = [self.values(system, setting, score) for system in systems]
            if averaged:
                results.append([float(np.mean(runs)) for runs in values])
            else:
                results += [[runs[i % len(runs)] for runs in values] for i in range(n_runs)]
        shape = len(results) if systems else 0, len(systems)
        return [system.name for system in systems], np.array(results).reshape(shape)
