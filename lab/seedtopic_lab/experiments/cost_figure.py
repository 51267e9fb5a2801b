"""The figure of costs: accuracy against seconds, each point with its name beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seedtopic_lab.experiments.cells import CORPUS_NAMES
from seedtopic_lab.experiments.cost_points import CORPORA, Point, points
from seedtopic_lab.experiments.recorded import Recorded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

OURS = "SeedTopicClassifier"
CITED = "cited, other protocols (a line: range of the sources)"
# The mark says where a point comes from, so that no colour is needed.
MARKS: dict[str, dict[str, Any]] = {
    "this package": {"marker": "*", "s": 130, "color": "black"},
    "measured here": {"marker": "o", "s": 30, "color": "black"},
    CITED: {"marker": "D", "s": 30, "facecolors": "white", "edgecolors": "0.35"},
}
LEADER = {"arrowstyle": "-", "color": "0.6", "lw": 0.6, "shrinkA": 0, "shrinkB": 3}
# Where a name may stand, in points from the mark, with its alignment: the first free place is taken.
PLACES = [
    (7 * right, up, "left" if right > 0 else "right")
    for up in (0, 7, -7, 13, -13, 20, -20, 27, -27, 35, -35)
    for right in (1, -1)
]


def draw_cost(figure: Figure, recorded: Recorded) -> None:
    """Draw a panel per corpus; points whose seconds are not published are in a strip of their own."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)  # which measures the names
    figure.set_layout_engine("none")
    grid = figure.add_gridspec(
        len(CORPORA), 2, width_ratios=(5, 1.55), wspace=0.03, hspace=0.2, top=0.965, bottom=0.1,
        left=0.075, right=0.985,
    )  # fmt: skip
    every = points(recorded)
    for row, corpus in enumerate(CORPORA):
        shown = [point for point in every if corpus in point.accuracy]
        axis = figure.add_subplot(grid[row, 0])
        strip = figure.add_subplot(grid[row, 1], sharey=axis)
        axis.set_title(f"({'ab'[row]}) {CORPUS_NAMES[corpus]}", fontsize=10, loc="left")
        strip.set_title("time not published", fontsize=9)
        axis.set_xscale("log")
        axis.set_ylabel("accuracy")
        axis.grid(visible=True, color="0.9")
        strip.grid(visible=True, color="0.9", axis="y")
        strip.tick_params(left=False, labelleft=False)
        strip.set_xticks([])
        strip.set_xlim(0, 1)
        lowest = min((score for point in shown for score in point.accuracy[corpus]), default=0.5)
        axis.set_ylim(max(lowest - 0.06, 0), 0.93)
        axis.set_xlim(10, 3e6)
        for place, timed in ((axis, True), (strip, False)):
            place.set_axisbelow(True)
            _draw(place, [p for p in shown if (p.seconds is not None) == timed], corpus, timed=timed)
    figure.axes[-2].set_xlabel("seconds for a million short documents, of one core or of one GPU")
    handles = [figure.axes[0].scatter([], [], label=name, **mark) for name, mark in MARKS.items()]
    figure.legend(handles=handles, loc="lower center", ncols=len(MARKS), frameon=False, fontsize=9)


def kind(point: Point) -> str:
    """Return the mark of a point: ours, measured here, or cited."""
    if point.label == OURS or point.name == OURS:
        return "this package"
    return "measured here" if point.command else CITED


def _draw(axis: Axes, shown: list[Point], corpus: str, *, timed: bool) -> None:
    """Draw points, then their names where there is room, the best first."""
    at = {}
    taken: list[Bbox] = []
    for point in shown:
        scores = point.accuracy[corpus]
        # The range of a cited system; with seeds of two kinds, the shorter ones, which are near to names.
        drawn = scores if not point.command else scores[:1]
        x, y = (point.seconds if point.seconds is not None else 0.07), sum(drawn) / len(drawn)
        if len(drawn) > 1:
            axis.vlines(x, min(drawn), max(drawn), color="0.6", linewidth=1.2, zorder=2)
            taken.append(_box(axis, (x, min(drawn)), (x, max(drawn))))
        axis.scatter([x], [y], zorder=3, **MARKS[kind(point)])
        at[point.label] = (x, y)
        taken.append(_box(axis, (x, y), (x, y)))
    best_first = sorted(shown, key=lambda point: (-at[point.label][1], point.label))
    if timed:
        for point in best_first:
            taken.append(_name(axis, point, at[point.label], taken))
    else:
        _names_below_each_other(axis, {point.label: at[point.label] for point in best_first})


def _box(axis: Axes, low: tuple[float, float], high: tuple[float, float]) -> Bbox:
    """Return the place of a mark, or of a line from one to another, on the page."""
    from matplotlib.transforms import Bbox

    return Bbox([axis.transData.transform(low) - 5, axis.transData.transform(high) + 5])


def _extent(text: Any, renderer: Any) -> Bbox:
    """Return the place of a name on the page, without the line to its mark."""
    from matplotlib.text import Text

    text.update_positions(renderer)
    return Text.get_window_extent(text, renderer).padded(1)


def _name(axis: Axes, point: Point, at: tuple[float, float], taken: list[Bbox]) -> Bbox:
    """Write a name in the first place that is free and inside the panel, with a line to its mark if far."""
    renderer = axis.figure.canvas.get_renderer()  # type: ignore[attr-defined]
    inside = axis.get_window_extent(renderer)
    heavy = "bold" if kind(point) == "this package" else "normal"
    for right, up, align in PLACES:
        far = abs(up) > 8
        text = axis.annotate(
            point.label, at, (right, up), textcoords="offset points", ha=align, va="center", fontsize=8.5,
            weight=heavy, zorder=4, arrowprops=LEADER if far else None,
        )  # fmt: skip
        box = _extent(text, renderer)
        across, along = inside.x0 <= box.x0 <= box.x1 <= inside.x1, inside.y0 <= box.y0 <= box.y1 <= inside.y1
        if across and along and not any(box.overlaps(other) for other in taken):
            return box
        text.remove()
    raise AssertionError(f"no room for the name {point.label}: make the figure larger")


def _names_below_each_other(axis: Axes, at: dict[str, tuple[float, float]]) -> None:
    """Write names in a column beside the marks, with lines to them; the names are sorted by height."""
    points_of_page = axis.figure.dpi / 72
    heights = [axis.transData.transform(place)[1] / points_of_page for place in at.values()]
    for (label, place), height, desired in zip(at.items(), heights, spread(heights, 12), strict=True):
        axis.annotate(
            label, place, (26, desired - height), textcoords="offset points", va="center", fontsize=8.5,
            zorder=4, arrowprops={**LEADER, "relpos": (0, 0.5)},
        )  # fmt: skip


def spread(heights: list[float], gap: float) -> list[float]:
    """Move falling heights apart, as little as possible: neighbours that are too near share their mean.

    Examples
    --------
    >>> spread([30.0, 11.0, 10.0, 9.0], 4)
    [30.0, 14.0, 10.0, 6.0]
    """
    groups: list[list[float]] = []  # of places: the sum of their middles, and how many
    for height in heights:
        groups.append([height, 1])
        while len(groups) > 1 and _last(groups[-2], gap) - _first(groups[-1], gap) < gap:
            total, number = groups.pop()
            groups[-1][0] += total
            groups[-1][1] += number
    return [
        total / number + gap * ((number - 1) / 2 - place)
        for total, number in groups
        for place in range(int(number))
    ]


def _first(group: list[float], gap: float) -> float:
    return group[0] / group[1] + gap * (group[1] - 1) / 2


def _last(group: list[float], gap: float) -> float:
    return group[0] / group[1] - gap * (group[1] - 1) / 2
