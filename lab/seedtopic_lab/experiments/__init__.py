"""The tables and figures of the WSPTM paper as data: one TOML plan each, one runner, results in CSV files.

    plan -> what is missing is run -> rows of a CSV -> Markdown tables and SVG figures

Examples
--------
>>> from seedtopic_lab.experiments import find_plans, run
>>> run(find_plans("experiments")["core"], "experiments")  # doctest: +SKIP
Outcome(added=48, skipped=[])
"""

from __future__ import annotations

from seedtopic_lab.experiments.plan import Plan, find_plans, read_plan
from seedtopic_lab.experiments.recorded import Recorded
from seedtopic_lab.experiments.report import write_report
from seedtopic_lab.experiments.runner import Outcome, run

__all__ = ["Outcome", "Plan", "Recorded", "find_plans", "read_plan", "run", "write_report"]
