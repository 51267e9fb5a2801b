"""The output of the experiments: each plan's section of README.md, and its figure."""

from __future__ import annotations

import re
from pathlib import Path

from seedtopic.base.files import atomic_file
from seedtopic_lab.experiments.figures import write_figure
from seedtopic_lab.experiments.plan import Plan
from seedtopic_lab.experiments.recorded import Recorded
from seedtopic_lab.experiments.tables import table


def write_report(plan: Plan, folder: str | Path) -> str:
    """Make a plan's table and figure from the existing rows.

    The figure is written to figures/NAME.svg. The section replaces the text between the comments "begin NAME"
    and "end NAME" in the folder's README.md, if it has them.

    Parameters
    ----------
    plan : Plan
    folder : path
        The folder of the results and the README.

    Returns
    -------
    str
        The section, in Markdown.
    """
    folder = Path(folder)
    recorded = Recorded.of(plan, folder)
    parts = [f"### {plan.title}", plan.text.strip()]
    if not any(recorded.rows(system, setting) for system in plan.systems for setting in plan.settings):
        parts.append(f"No result is recorded: run `seedtopic reproduce {plan.name}`.")
    else:
        parts += [table(recorded), _left_to_run(recorded)]
    if plan.figure:
        write_figure(recorded, folder / "figures" / f"{plan.name}.svg")
        parts.append(f"![{plan.title}](figures/{plan.name}.svg)")
    section = "\n\n".join(part for part in parts if part)
    readme = folder / "README.md"
    if readme.exists():
        before = readme.read_text(encoding="utf-8")
        after = replace_section(before, plan.name, section)
        if after != before:
            with atomic_file(readme, "w") as file:
                file.write(after)
    return section


def replace_section(text: str, name: str, section: str) -> str:
    """Put a section between its two comments; a text without them is unchanged.

    Examples
    --------
    >>> replace_section("a <!-- begin t --> old <!-- end t --> b", "t", "new")
    'a <!-- begin t -->\\nnew\\n<!-- end t --> b'
    """
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    return pattern.sub(lambda _: f"{begin}\n{section}\n{end}", text)


def _left_to_run(recorded: Recorded) -> str:
    partial = [
        f"{system.name} ({recorded.runs(system)} of {system.runs} runs)"
        for system in recorded.plan.systems
        if recorded.runs(system) < system.runs
    ]
    return f"Not complete yet: {', '.join(partial)}." if partial else ""
