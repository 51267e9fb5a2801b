"""From rows to SVG: critical-difference diagrams, sweeps and reliability diagrams, readable in greyscale."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError, MissingExtraError
from seedtopic.base.files import atomic_file
from seedtopic_lab.experiments.cells import CORPUS_NAMES
from seedtopic_lab.experiments.cost_figure import draw_cost
from seedtopic_lab.experiments.plan import Setting, System
from seedtopic_lab.experiments.recorded import Recorded
from seedtopic_lab.experiments.statistics import alike, average_ranks, critical_difference
from seedtopic_lab.experiments.tables import SCORE_NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

MOST_TICKS = 9  # so that their numbers do not touch
SYMBOLS = {"rho": r"$\rho$", "tau": r"$\tau$", "P": "$P$"}
# Lines differ by marker and dashes, so that no colour is needed.
STYLES: list[dict[str, Any]] = [
    {"color": "black", "marker": "o", "linestyle": "-"},
    {"color": "0.4", "marker": "s", "linestyle": "--"},
    {"color": "0.6", "marker": "^", "linestyle": ":"},
    {"color": "black", "marker": "D", "linestyle": ":"},
    {"color": "0.4", "marker": "v", "linestyle": "-."},
    {"color": "0.6", "marker": "x", "linestyle": "-"},
]


def require_matplotlib() -> None:
    """Raise an error that says how to install matplotlib if it is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError("drawing figures", "matplotlib", "figures", distribution="./lab") from None


def ranks_figure(recorded: Recorded) -> Figure:
    """Draw Nemenyi's critical-difference diagrams: all runs on top, one mean per setting below."""
    scores = recorded.plan.scores
    figure = _new_figure(width=5.2 * len(scores), height=4.4)
    axes = figure.subplots(2, len(scores), squeeze=False)
    for row, averaged in enumerate((False, True)):
        for column, score in enumerate(scores):
            names, matrix = recorded.matrix(score, averaged=averaged)
            letter = "abcdefgh"[row * len(scores) + column]
            unit = "one mean a setting" if averaged else "every run"
            title = f"({letter}) {SCORE_NAMES.get(score, score)}, {unit}, n = {len(matrix)}"
            _draw_ranks(axes[row, column], names, matrix, title)
    return figure


def sweep_figure(recorded: Recorded) -> Figure:
    """Draw scores against the swept parameters: one panel per setting, one line per swept parameter."""
    plan, score = recorded.plan, recorded.plan.scores[0]
    lines: dict[str, list[System]] = {}
    for system in plan.systems:
        if system.swept:
            lines.setdefault(system.swept[0], []).append(system)
    n_columns = min(2, len(plan.settings))
    n_rows = -(-len(plan.settings) // n_columns)
    figure = _new_figure(width=4.2 * n_columns, height=3.0 * n_rows)
    axes = figure.subplots(n_rows, n_columns, squeeze=False, sharey=False).ravel()
    for axis, setting, letter in zip(axes, plan.settings, "abcdefgh", strict=False):
        for style, (parameter, systems) in zip(STYLES, lines.items(), strict=False):
            _draw_line(axis, recorded, systems, setting, score, SYMBOLS.get(parameter, parameter), style)
        number = f"({letter}) " if len(plan.settings) > 1 else ""
        axis.set_title(f"{number}{_setting_name(setting)}", fontsize=10)
        axis.set_xlabel(" or ".join(SYMBOLS.get(name, name) for name in lines))
        axis.set_ylabel(SCORE_NAMES.get(score, score))
        values = sorted({system.swept[1] for group in lines.values() for system in group if system.swept})
        axis.set_xticks(values[:: -(-len(values) // MOST_TICKS)])
        axis.grid(visible=True, color="0.9")
        if len(lines) > 1 and axis.containers:  # none if nothing has been run yet
            axis.legend(frameon=False)
    for axis in axes[len(plan.settings) :]:
        axis.set_axis_off()
    return figure


def documents_figure(recorded: Recorded) -> Figure:
    """Draw the means over the settings against the number of documents: one panel per score."""
    plan = recorded.plan
    figure = _new_figure(width=4.2 * len(plan.scores), height=3.9)
    axes = figure.subplots(1, len(plan.scores), squeeze=False, sharey=True)[0]
    for axis, score in zip(axes, plan.scores, strict=True):
        for style, (name, systems) in zip(STYLES, plan.sweeps().items(), strict=False):
            means = {size: recorded.mean(system, score) for size, system in systems.items()}
            known = {size: mean for size, mean in means.items() if mean is not None}
            axis.plot(list(known), list(known.values()), label=name, markersize=4, linewidth=1.2, **style)
        ticks = sorted({size for systems in plan.sweeps().values() for size in systems})
        axis.set_xscale("log")
        axis.set_xticks(ticks, [f"{size:,}" for size in ticks])
        axis.minorticks_off()
        axis.set_xlabel("documents")
        axis.set_title(SCORE_NAMES.get(score, score), fontsize=10)
        axis.grid(visible=True, color="0.9")
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure


def reliability_figure(recorded: Recorded) -> Figure:
    """Draw the share of right labels against their probability: one row per seed set, one column per corpus.

    A point is a bin of the expected calibration error, and its area is the share of documents in it. Lines
    are 95% intervals (Wilson's), which are long where a bin has few documents.
    """
    plan = recorded.plan
    reference = next(system for system in plan.systems if system.name == plan.reference["system"])
    corpora = list(dict.fromkeys(setting.corpus for setting in plan.settings))
    seed_sets = list(dict.fromkeys(setting.seeds for setting in plan.settings))
    figure = _new_figure(width=2.2 * len(corpora) + 0.4, height=2.4 * len(seed_sets) + 0.3)
    axes = figure.subplots(len(seed_sets), len(corpora), squeeze=False, sharex=True, sharey=True)
    for setting in plan.settings:
        axis = axes[seed_sets.index(setting.seeds), corpora.index(setting.corpus)]
        axis.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=0.8)
        for row in recorded.rows(reference, setting)[:1]:
            sizes, probability, right = np.array(json.loads(row["bins"])).T
            axis.vlines(probability, *_wilson(right, sizes), color="0.5", linewidth=1.0)
            axis.scatter(probability, right, s=6 + 200 * sizes / sizes.sum(), color="0.2", zorder=3)
            ece = f"{float(row['ece']):.3f}".lstrip("0")
            axis.text(0.95, 0.06, f"ECE {ece}", ha="right", fontsize=9, transform=axis.transAxes)
        axis.set_title(_setting_name(setting), fontsize=10)
        axis.set_aspect("equal")
        axis.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
        axis.set_yticks([0, 0.5, 1], ["0", ".5", "1"])
        axis.grid(visible=True, color="0.9")
    figure.set_layout_engine("constrained", h_pad=0.08)  # else the raised letters of titles are cut off
    figure.supxlabel("probability of the label", fontsize=10)
    figure.supylabel("share of right labels", fontsize=10)
    return figure


def cost_figure(recorded: Recorded) -> Figure:
    """Draw accuracy against the seconds for a million documents: one row per corpus."""
    figure = _new_figure(width=9.0, height=10.0)
    draw_cost(figure, recorded)
    return figure


FIGURES: dict[str, Callable[[Recorded], Any]] = {
    "ranks": ranks_figure,
    "sweep": sweep_figure,
    "documents": documents_figure,
    "reliability": reliability_figure,
    "cost": cost_figure,
}


def write_figure(recorded: Recorded, path: Path) -> None:
    """Draw the figure of a plan; the same rows give the same file, byte for byte."""
    require_matplotlib()
    from matplotlib import rc_context

    kind = recorded.plan.figure
    if kind not in FIGURES:
        raise InputError(f"figure is {kind!r} in {recorded.plan.name}: use one of {', '.join(FIGURES)}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with rc_context({"svg.hashsalt": recorded.plan.name}):
        figure = FIGURES[kind](recorded)
        with atomic_file(path) as file:
            figure.savefig(file, format="svg", metadata={"Date": None})


def _new_figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure  # not pyplot, which has global state

    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def _draw_line(
    axis: Axes,
    recorded: Recorded,
    systems: Sequence[System],
    setting: Setting,
    score: str,
    label: str,
    style: dict[str, Any],
) -> None:
    points = [
        (system.swept[1], np.mean(values), np.std(values))
        for system in systems
        if system.swept and (values := recorded.values(system, setting, score))
    ]
    if points:
        x, mean, deviation = zip(*points, strict=True)
        axis.errorbar(x, mean, yerr=deviation, label=label, capsize=2, markersize=4, linewidth=1.2, **style)


def _draw_ranks(axis: Axes, names: list[str], matrix: np.ndarray, title: str) -> None:
    """Draw mean ranks on a line, best on the left; bars join methods that do not differ significantly."""
    axis.set_axis_off()
    axis.set_title(title, fontsize=10)
    n_results, n_methods = matrix.shape
    if n_methods < 2 or n_results < 2:
        axis.text(0.5, 0.5, "not run yet", ha="center", transform=axis.transAxes)
        return
    ranks = average_ranks(matrix)
    difference = critical_difference(n_methods, n_results)
    order = np.argsort(ranks, kind="stable")
    groups = alike(ranks, difference)
    step = 0.42  # between two labels
    below = 0.35 + 0.18 * len(groups)  # the bars come between the scale and the labels
    n_left = -(-n_methods // 2)
    line: dict[str, Any] = {"color": "black", "linewidth": 1.0}

    axis.plot([1, n_methods], [0, 0], **line)
    for tick in range(1, n_methods + 1):
        axis.plot([tick, tick], [0, 0.1], **line)
        axis.text(tick, 0.16, str(tick), ha="center", va="bottom", fontsize=9)
    shown = min(difference, n_methods - 1)
    axis.plot([1, 1 + shown], [0.75, 0.75], color="black", linewidth=2)
    axis.text(1 + shown / 2, 0.82, f"CD = {difference:.3f}", ha="center", va="bottom", fontsize=9)
    for height, (first, last) in enumerate(groups):
        ends = ranks[order[first]] - 0.04, ranks[order[last]] + 0.04
        level = -0.2 - 0.18 * height
        axis.plot(ends, [level, level], color="black", linewidth=3.5, solid_capstyle="butt")
    for place, method in enumerate(order):
        left = place < n_left
        level = -below - step * (place if left else n_methods - 1 - place)
        edge = 0.7 if left else n_methods + 0.3
        axis.plot([ranks[method], ranks[method], edge], [0, level, level], color="0.35", linewidth=0.8)
        label = f"{names[method]} ({ranks[method]:.2f})"
        axis.text(
            edge + (-0.06 if left else 0.06),
            level,
            label,
            ha="right" if left else "left",
            va="center",
            fontsize=9,
        )
    axis.set_xlim(-0.9, n_methods + 1.9)
    axis.set_ylim(-below - step * n_left, 1.15)


def _wilson(share: Array, n: Array) -> tuple[Array, Array]:
    """Return the ends of Wilson's interval of shares of n, 95%."""
    z = 1.96
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return middle - half, middle + half


def _setting_name(setting: Setting) -> str:
    return f"{CORPUS_NAMES.get(setting.corpus, setting.corpus)}, $S^{setting.seeds[1:]}$"
