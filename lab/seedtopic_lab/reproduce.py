"""The command that reproduces the tables and figures of the paper: ``seedtopic reproduce``."""

from __future__ import annotations

from typing import Annotated

import typer

from seedtopic.base.errors import InputError
from seedtopic.cli import options
from seedtopic.cli.console import Terminal, note


def reproduce(
    name: Annotated[str, typer.Argument(metavar="NAME", help="table6, figure2, ... or all.")],
    folder: Annotated[
        str,
        typer.Option(metavar="FOLDER", help="The folder of results and figures, and of plans of your own."),
    ] = "experiments",
    quick: Annotated[
        bool, typer.Option("--quick", help="Two runs only; a later call without --quick adds the others.")
    ] = False,
    renew: Annotated[
        bool,
        typer.Option(
            "--renew", help="Check results of older code by a sample; make them again if it differs."
        ),
    ] = False,
    tables_only: Annotated[
        bool,
        typer.Option("--tables-only", help="Run nothing; only make tables and figures again."),
    ] = False,
    threads: options.Threads = None,
    *,
    terminal: Terminal,
) -> int:
    """Reproduce a table or figure of the WSPTM paper, or all of them.

    Only runs without a recorded result are started, so an interrupted command continues where it stopped.
    Results that need a corpus or a package that is missing are left out and named; the exit code is then 3.

    Example:  seedtopic reproduce table6 --quick
    """
    # Here, not above: the list of all commands must come at once.
    from seedtopic_lab.experiments import Outcome, find_plans, read_plan, run, write_report
    from seedtopic_lab.experiments.figures import require_matplotlib
    from seedtopic_lab.experiments.material import Material

    plans = find_plans(folder)
    if name != "all" and name not in plans:
        raise InputError(f"there is no plan {name!r}: use one of {', '.join(plans)}, or all.")
    chosen = [read_plan(path) for stem, path in plans.items() if name in ("all", stem)]
    if any(plan.figure for plan in chosen):
        require_matplotlib()  # now, not after hours of running
    material, made, n_reasons = Material(), [], 0
    for plan in chosen:
        outcome = Outcome(0, [])
        if not tables_only:
            with terminal.warnings(), terminal.progress() as progress:
                outcome = run(
                    plan,
                    folder,
                    quick=quick,
                    renew=renew,
                    n_threads=threads,
                    progress=progress,
                    material=material,
                )
        for sentence in outcome.skipped:
            note(f"{plan.name}: {sentence}")  # despite --quiet, because the exit code needs its reason
        section = write_report(plan, folder)
        n_reasons += len(outcome.skipped)
        made.append({"name": plan.name, "rows_added": outcome.added, "left_out": outcome.skipped})
        if not terminal.json:
            terminal.result(f"{section}\n", values={})
    if terminal.json:
        terminal.result(values={"experiments": made})
    return n_reasons
