"""Write the tables of docs/default-model.md from the recorded results of the experiments.

    python tools/model_page.py

replaces what is between the comments "begin NAME" and "end NAME" on the page. It takes
seconds: no model is run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from seedtopic_lab.experiments import Plan, Recorded, find_plans, read_plan
from seedtopic_lab.experiments.cells import NOTHING, markdown, setting_name, short
from seedtopic_lab.experiments.plan import Setting, System
from seedtopic_lab.experiments.report import replace_section
from seedtopic_lab.experiments.tables import table

ROOT = Path(__file__).parents[1]
EXPERIMENTS = ROOT / "experiments"
PAGE = ROOT / "docs" / "default-model.md"
DEFAULT = "SeedTopicClassifier"
TEST, SMALL = ("test_micro", "test_macro"), ("micro", "macro")
ALL_DOCUMENTS = 30_000  # as many as the plan "worth" draws where it takes all
# What was tried to reach the printed scores of WSPTM: its name here, its plan, its name there.
TRIED = (
    ("as printed: printed E-step, random start", "table6", "WSPTM, random start"),
    ("printed E-step, start at the prior", "table6", "WSPTM"),
    ("Bayes E-step, random start", "table6", "WSPTM, Bayes, random start"),
    ("Bayes E-step, start at the prior", "table6", "WSPTM, Bayes"),
    ("true frequencies, printed E-step (not dataless)", "table10", "oracle frequencies (not dataless)"),
    ("true frequencies, Bayes E-step (not dataless)", "table10", "oracle frequencies, Bayes (not dataless)"),
    ("the authors' tokens, printed E-step", "tokens", "WSPTM"),
    ("the authors' tokens, Bayes E-step", "tokens", "WSPTM, Bayes"),
    ("mean of twelve draws of the purified lists, Bayes E-step", "draws", "WSPTM, Bayes"),
)


def elsewhere(plan: str, setting: Setting) -> Setting | None:
    """Return the setting of a plan that stands for one of the paper's tables; None if there is none."""
    if plan == "tokens":  # the authors' tokens of Newsgroup are not public
        return replace(setting, corpus="reuters10_tokens") if setting.corpus == "reuters10" else None
    return replace(setting, purified="drawn") if plan == "draws" else setting


Pair = tuple[float, float]  # micro-F1 and macro-F1


def main() -> None:
    """Write the tables into the page."""
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def written(page: str) -> str:
    """Give the page with the tables of today's results."""
    for name, content in TABLES.items():
        page = replace_section(page, name, content())
    return page


def recorded(plan: str) -> Recorded:
    """Read the results of a plan."""
    return Recorded.of(read_plan(find_plans(EXPERIMENTS)[plan]), EXPERIMENTS)


def eight() -> str:
    """Compare the default with the eight scores that the paper prints for WSPTM, with both kinds of seeds."""
    published, purified = recorded("default"), recorded("core")
    paper = purified.plan.paper["WSPTM"]
    rows = []
    for setting in purified.plan.settings:
        as_published = Setting(setting.corpus, setting.seeds)
        printed: Pair = tuple(paper[setting.key])
        cells = [shown(printed)]
        for result, place in ((published, as_published), (purified, setting)):
            ours = scores(result, DEFAULT, place)
            cells += [shown(ours), away(ours, printed)]
        rows.append([setting_name(as_published, published.plan), *cells])
    header = [
        "",
        "the paper's WSPTM",
        "default, seeds as published",
        "difference",
        "default, purified seeds",
        "difference",
    ]
    return markdown(header, rows)


def tried() -> str:
    """Show WSPTM as the paper prints it, and what was tried to reach its scores."""
    plans = {name: recorded(name) for name in {plan for _, plan, _ in TRIED}}
    settings = plans["table6"].plan.settings
    paper = recorded("core").plan.paper["WSPTM"]
    rows = [["the paper", *(shown(tuple(paper[setting.key])) for setting in settings)]]
    for name, plan, system in TRIED:
        places = (elsewhere(plan, setting) for setting in settings)
        known = plans[plan].plan.settings
        cells = [
            shown(scores(plans[plan], system, place)) if place and place in known else NOTHING
            for place in places
        ]
        rows.append([name, *cells])
    return markdown(["", *(setting_name(setting, plans["table6"].plan) for setting in settings)], rows)


def tasks() -> str:
    """Show the default beside the other systems of its plan: one row for each task, and their mean."""
    result = recorded("default")
    plan = result.plan
    rows = [
        [setting_name(place, plan), *(shown(scores(result, system.name, place)) for system in plan.systems)]
        for place in plan.settings
    ]
    rows.append(["mean", *(shown(means(result, system)) for system in plan.systems)])
    return markdown(["", *(system.name for system in plan.systems)], rows)


def small() -> str:
    """Show the means of the small collections."""
    return first_table(table(recorded("small")))


def calibration() -> str:
    """Show the means of the calibration."""
    return first_table(table(recorded("calibration")))


def parts() -> str:
    """Show the mean difference to the whole without each part, at three sizes."""
    worth, ablation = recorded("worth"), recorded("ablation")
    sweeps = worth.plan.sweeps()
    whole = {size: means(worth, system, SMALL) for size, system in sweeps["whole"].items()}
    of_all = {system.name: means(ablation, system) for system in ablation.plan.systems}
    sizes = [size for size in whole if size != ALL_DOCUMENTS]
    rows = [["whole", *(shown(whole[size]) for size in sizes), shown(of_all["whole"])]]
    for name in [*sweeps, *of_all]:
        if name in (row[0] for row in rows):
            continue
        systems = sweeps.get(name, {})
        cells = [
            away(means(worth, systems[size], SMALL), whole[size]) if systems else NOTHING for size in sizes
        ]
        if ALL_DOCUMENTS in systems:
            cells.append(away(means(worth, systems[ALL_DOCUMENTS], SMALL), whole[ALL_DOCUMENTS]))
        else:
            cells.append(away(of_all[name], of_all["whole"]))
        rows.append([name, *cells])
    return markdown(["", *(f"{size:,} documents" for size in sizes), "all documents"], rows)


TABLES: dict[str, Callable[[], str]] = {
    "eight": eight,
    "tried": tried,
    "tasks": tasks,
    "small": small,
    "calibration": calibration,
    "parts": parts,
}


def named(name: str, plan: Plan) -> System:
    """Find a system of a plan."""
    return next(system for system in plan.systems if system.name == name)


def scores(result: Recorded, name: str, place: Setting) -> Pair | None:
    """Give the mean over the runs of a system in a setting."""
    found = [result.values(named(name, result.plan), place, score) for score in TEST]
    return (float(np.mean(found[0])), float(np.mean(found[1]))) if found[0] else None


def means(result: Recorded, system: System, names: tuple[str, str] = TEST) -> Pair | None:
    """Give the mean over all settings of a plan; None if a setting has no result."""
    micro, macro = (result.mean(system, name) for name in names)
    return None if micro is None or macro is None else (micro, macro)


def shown(pair: Pair | None) -> str:
    """Write micro-F1 and macro-F1."""
    return NOTHING if pair is None else short(f"{pair[0]:.3f} / {pair[1]:.3f}")


def away(ours: Pair | None, theirs: Pair | None) -> str:
    """Write how far two scores are above those of others, as the tables show them."""
    if ours is None or theirs is None:
        return NOTHING
    differences = (round(round(a, 3) - round(b, 3), 3) + 0.0 for a, b in zip(ours, theirs, strict=True))
    return short(" / ".join(f"{difference:+.3f}" for difference in differences)).replace("-", "−")


def first_table(section: str) -> str:
    """Take the first table out of a section."""
    lines = section.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    return "\n".join(lines[start : lines.index("", start)])


if __name__ == "__main__":
    main()
