"""From rows to Markdown: one function per kind of table, the paper's number in brackets beside ours."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from seedtopic.base.errors import InputError
from seedtopic_lab.experiments.calibration_tables import calibration_table
from seedtopic_lab.experiments.cells import CORPUS_NAMES, NOTHING, markdown, setting_name, short, sup
from seedtopic_lab.experiments.cost_points import cost_table
from seedtopic_lab.experiments.plan import Plan, Setting, System
from seedtopic_lab.experiments.recorded import Recorded
from seedtopic_lab.experiments.statistics import (
    average_ranks,
    critical_difference,
    friedman_critical_value,
    friedman_statistic,
    paired_t,
)
from seedtopic_lab.experiments.systems import is_random

SCORE_NAMES = {
    "test_micro": "Micro-F1",
    "test_macro": "Macro-F1",
    "outside": "share outside",
    "lowest": "estimated: lowest",
    "highest": "highest",
    "called": "called none",
    "right": "right",
    "plain_right": "right, none never called",
    "new_right": "test part: right",
    "new_plain_right": "right, none never called",
    "micro": "micro-F1",
    "macro": "macro-F1",
    "exact": "exactly right",
    "single_micro": "one label: micro-F1",
    "single_macro": "macro-F1",
    "single_exact": "exactly right",
    "left_out": "left out",
    "without_macro": "with the old seeds",
    "full_macro": "with all seeds",
}
LEVEL = 0.01  # significance level of the paper's t-tests


def scores_table(recorded: Recorded) -> str:
    """Return mean and standard deviation over the runs: one row per system, one column per setting."""
    plan = recorded.plan
    header = ["", *(setting_name(setting, plan) for setting in plan.settings)]
    rows = [
        [system.name, *(_score_cell(recorded, system, setting) for setting in plan.settings)]
        for system in plan.systems
    ]
    return markdown(header, rows)


def spreads_table(recorded: Recorded) -> str:
    """Return mean and standard deviation over the runs of each score: one row per system."""
    plan = recorded.plan
    header = ["", *(setting_name(setting, plan) for setting in plan.settings)]
    rows = [
        [
            system.name,
            *(
                " / ".join(
                    short(_mean(recorded.values(system, setting, score), "{:.3f}")) for score in plan.scores
                )
                for setting in plan.settings
            ),
        ]
        for system in plan.systems
    ]
    return markdown(header, rows)


def list_table(recorded: Recorded) -> str:
    """Return the mean over the runs: one row per system and setting, one column per score."""
    plan = recorded.plan
    rows = []
    for system in plan.systems:
        for setting in plan.settings_of(system):
            means = [
                _mean(recorded.values(system, setting, s), "{:.3f}", deviation=False) for s in plan.scores
            ]
            rows.append([setting_name(setting, plan), system.name, *map(short, means)])
    return markdown(["", "", *(SCORE_NAMES.get(score, score) for score in plan.scores)], rows)


def timed_scores_table(recorded: Recorded) -> str:
    """Return the scores, and below them the seconds of a fit: one row per system, one column per corpus."""
    plan = recorded.plan
    corpora = list(dict.fromkeys(setting.corpus for setting in plan.settings))
    rows = []
    for system in plan.systems:
        cells = []
        for corpus in corpora:
            places = [setting for setting in plan.settings if setting.corpus == corpus]
            seconds = [value for place in places for value in recorded.values(system, place, "seconds")]
            cells.append(_mean(seconds, "{:,.1f}", deviation=False))
        rows.append([system.name, *cells])
    header = ["", *(CORPUS_NAMES.get(corpus, corpus) for corpus in corpora)]
    heading = "Seconds of a fit, mean over the seed sets and runs:"
    return "\n\n".join([scores_table(recorded), heading, markdown(header, rows)])


def documents_table(recorded: Recorded) -> str:
    """Return scores by the number of documents, as means over the settings; seconds; each setting."""
    plan = recorded.plan
    sizes = list(dict.fromkeys(size for systems in plan.sweeps().values() for size in systems))
    means, seconds = [], []
    for name, systems in plan.sweeps().items():
        of_size = [systems.get(size) for size in sizes]
        cells = (_means(recorded, system, plan.scores, "{:.3f}", " / ") for system in of_size)
        means.append([name, *map(short, cells)])
        encodes = any(recorded.mean(system, "encoder_seconds") for system in systems.values())
        timed = ["seconds", "encoder_seconds"] if encodes else ["seconds"]
        seconds.append([name, *(_means(recorded, system, timed, "{:,.2f}", " + ") for system in of_size)])
    header = ["", *(f"{size:,} documents" for size in sizes)]
    return "\n\n".join(
        [
            f"Mean of the {len(plan.settings)} tasks:",
            markdown(header, means),
            "Seconds of a fit, mean of the tasks; with the encoder, those of the encoding after the +:",
            markdown(header, seconds),
            "Each task:",
            scores_table(recorded),
        ]
    )


def marked_table(recorded: Recorded) -> str:
    """Return the documents without marked label and the documents whose true label is marked."""
    plan = recorded.plan
    header = ["", "documents"]
    header += [f"{system.name}: {what}" for system in plan.systems for what in ("no label", "true label")]
    rows = []
    for setting in plan.settings:
        cells, documents = [], NOTHING
        for system in plan.systems:
            found = recorded.rows(system, setting)
            theirs = _paper(plan, system, setting) or [None, None]
            for column, paper in zip(("unmarked", "true_marked"), theirs, strict=True):
                cells.append(_beside(f"{int(found[0][column]):,}" if found else NOTHING, _count(paper)))
            documents = f"{int(found[0]['documents']):,}" if found else documents
        rows.append([setting_name(setting, plan), documents, *cells])
    return markdown(header, rows)


def priors_table(recorded: Recorded) -> str:
    """Return the priors of example documents, and how far they are from those in the paper."""
    plan = recorded.plan
    rows: list[list[str]] = []
    n_categories = 0
    for document in plan.systems[0].parameters["documents"]:
        for system in plan.systems:
            found = recorded.rows(system, plan.settings[0])
            ours = json.loads(found[0]["priors"])[document] if found else []
            theirs = plan.paper.get(system.name, {}).get(document, [])
            n_categories = max(n_categories, len(ours), len(theirs))
            known = bool(ours) and bool(theirs)
            distance = f"{np.abs(np.array(ours) - theirs).max():.2f}" if known else NOTHING
            rows.append([document, system.name, *(f"{value:.2f}" for value in ours), distance])
            rows.append(["", "*paper*", *(f"*{value:.2f}*" for value in theirs), ""])
    header = ["document", "prior", *(str(k + 1) for k in range(n_categories)), "largest difference"]
    return markdown(header, [row if len(row) == len(header) else _stretched(row, header) for row in rows])


def corpora_table(recorded: Recorded) -> str:
    """Return the sizes of corpora and seed sets."""
    plan, (system,) = recorded.plan, recorded.plan.systems
    seed_sets = list(dict.fromkeys(setting.seeds for setting in plan.settings))
    header = [
        "",
        "documents",
        "train",
        "test",
        "words",
        "categories",
        *(f"seeds {sup(s)}" for s in seed_sets),
    ]
    rows = []
    for corpus in dict.fromkeys(setting.corpus for setting in plan.settings):
        places = [setting for setting in plan.settings if setting.corpus == corpus]
        found = [recorded.rows(system, setting) for setting in places]
        sizes = ("documents", "train", "test", "words", "categories")
        cells = [f"{int(found[0][0][size]):,}" if found[0] else NOTHING for size in sizes]
        cells += [f"{float(row[0]['seeds_per_category']):.2f}" if row else NOTHING for row in found]
        paper = plan.paper.get(corpus, {})
        theirs = [_count(paper.get(size)) for size in sizes] + [str(paper.get(s, "")) for s in seed_sets]
        pairs = zip(cells, theirs, strict=True)
        rows.append([CORPUS_NAMES.get(corpus, corpus), *(_beside(ours, their) for ours, their in pairs)])
    return markdown(header, rows)


def friedman_table(recorded: Recorded) -> str:
    """Return Friedman's test over all runs, as in the paper, and over one mean per setting."""
    rows = []
    for score in recorded.plan.scores:
        for averaged in (False, True):
            names, matrix = recorded.matrix(score, averaged=averaged)
            n_results, n_methods = matrix.shape
            row = [SCORE_NAMES.get(score, score), "one mean a setting" if averaged else "every run"]
            row += [str(n_methods), str(n_results)]
            if min(matrix.shape) < 2:
                rows.append([*row, *[NOTHING] * 4])
                continue
            ranks = average_ranks(matrix)
            values = {
                "statistic": friedman_statistic(ranks, n_results),
                "critical_value": friedman_critical_value(n_methods, n_results),
                "difference": critical_difference(n_methods, n_results),
            }
            paper = {} if averaged else recorded.plan.paper.get(score, {})
            row += [_beside(_decimals(value), _decimals(paper.get(name))) for name, value in values.items()]
            order = sorted(zip(ranks, names, strict=True))
            rows.append([*row, ", ".join(f"{name} {rank:.2f}" for rank, name in order)])
    header = ["", "a result is", "l", "n", "F_F", "critical value", "CD", "mean ranks"]
    return markdown(header, rows)


def perplexity_table(recorded: Recorded) -> str:
    """Return perplexities, one row per system and setting."""
    plan = recorded.plan
    rows = []
    for setting in plan.settings:
        for system in plan.systems:
            cells = [
                _mean(recorded.values(system, setting, score), "{:,.1f}") for score in ("whole", "completion")
            ]
            paper = plan.paper.get(system.name, {}).get(setting.corpus)
            rows.append([setting_name(setting, plan), system.name, *cells, f"{paper:,.1f}" if paper else ""])
    header = ["", "", "whole documents", "document completion", "paper"]
    return markdown(header, rows)


TABLES: dict[str, Callable[[Recorded], str]] = {
    "scores": scores_table,
    "list": list_table,
    "spreads": spreads_table,
    "timed_scores": timed_scores_table,
    "documents": documents_table,
    "calibration": calibration_table,
    "marked": marked_table,
    "priors": priors_table,
    "corpora": corpora_table,
    "friedman": friedman_table,
    "perplexity": perplexity_table,
    "cost": cost_table,
}


def table(recorded: Recorded) -> str:
    """Return the table of a plan; empty if it has none."""
    kind = recorded.plan.table
    if not kind:
        return ""
    if kind not in TABLES:
        raise InputError(f"table is {kind!r} in {recorded.plan.name}: use one of {', '.join(TABLES)}.")
    return TABLES[kind](recorded)


def _score_cell(recorded: Recorded, system: System, setting: Setting) -> str:
    plan = recorded.plan
    cells = []
    theirs = _paper(plan, system, plan.place(system, setting)) or [None] * len(plan.scores)
    for score, paper in zip(plan.scores, theirs, strict=True):
        values = recorded.values(system, setting, score)
        ours = _mean(values, "{:.3f}", deviation=len(plan.scores) == 1) + _mark(
            recorded, system, setting, score
        )
        cells.append(_beside(short(ours), "" if paper is None else short(f"{paper:.3f}")))
    return " / ".join(cells)


def _mark(recorded: Recorded, system: System, setting: Setting, score: str) -> str:
    """Mark a score that is significantly below (‡) or above (†) the reference on the same corpus.

    The runs are paired as far as both have them; the one run of a deterministic system is paired with each.
    """
    plan = recorded.plan
    chosen = [other for other in plan.systems if other.name == plan.reference.get("system")]
    if not chosen:
        return ""
    place = Setting(setting.corpus, plan.reference["seeds"], setting.purified)
    if not recorded.can_be_judged(system, setting) or not recorded.can_be_judged(chosen[0], place):
        return ""
    reference = recorded.values(chosen[0], place, score)
    values = recorded.values(system, setting, score)
    paired = values if is_random(system.model) else values * len(reference)
    n_pairs = min(len(paired), len(reference))
    reference, paired = reference[:n_pairs], paired[:n_pairs]
    if reference == paired or paired_t(reference, paired) >= LEVEL:
        return ""
    return " ‡" if np.mean(paired) < np.mean(reference) else " †"


def _paper(plan: Plan, system: System, setting: Setting) -> list[Any] | None:
    """Find the paper's numbers; a plan may give a single number if there is one score."""
    given = plan.paper.get(system.name, {}).get(setting.key)
    return given if given is None or isinstance(given, list) else [given]


def _mean(values: list[float], form: str, *, deviation: bool = True) -> str:
    if not values:
        return NOTHING
    mean = form.format(np.mean(values))
    return f"{mean} ±{form.format(np.std(values, ddof=1))}" if deviation and len(values) > 1 else mean


def _means(recorded: Recorded, system: System | None, scores: list[str], form: str, between: str) -> str:
    means = [recorded.mean(system, score) if system else None for score in scores]
    return between.join(NOTHING if mean is None else form.format(mean) for mean in means)


def _beside(ours: str, paper: str) -> str:
    return f"{ours} ({paper})" if paper else ours


def _count(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _decimals(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _stretched(row: list[str], header: Sequence[str]) -> list[str]:
    """Fill in the missing columns of a row without values, before its last cell."""
    return [*row[:-1], *[NOTHING] * (len(header) - len(row)), row[-1]]
