"""Charts as inline SVG, in the colours of the page, readable without colour; and the map of the documents.

On the map, categories are on a circle, similar ones next to each other. A document is at the mean of its
categories, weighted by their probabilities: a certain document is at its category, an uncertain one is
between two. Around that point the documents of a category are spread by their words (the first two singular
vectors), so that similar documents are close together. This is fast, and gives the same map at each call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import pdist

from seedtopic.base.wording import number_of
from seedtopic.learning.signals.words import sublinear, unit_rows, word_rarity
from seedtopic.quality.shares import NO_DATE, GroupShares, Share
from seedtopic.show.html import escape

Array = NDArray[np.float64]


MOST_POINTS = 3000  # on the map
TEXT_LENGTH = 120  # characters shown of the text of a point
NONE = -1  # in the place of a category: documents of no category
_N_VECTORS = 2
_WIDEST = 2.0  # standard deviations of the spread that are shown
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 360, 190, 40, 24, 18
_MAP_WIDTH, _MAP_HEIGHT, _MAP_RADIUS = 660, 420, 190
_LONGEST_NAME = 20  # characters of a category name that fit beside the map
_MOST_NAMED = 24  # most categories whose names do not overlap there
_SIZE = 2.6  # half of a marker's width

# Markers as paths around a point, so that categories differ in shape as well as in colour.
_SHAPES = (
    "m-{s} 0a{s} {s} 0 1 0 {d} 0a{s} {s} 0 1 0 -{d} 0z",  # disc
    "m-{s} -{s}h{d}v{d}h-{d}z",  # square
    "m0 -{b}l{b} {d}h-{bb}z",  # triangle
    "m0 -{b}l{b} {b}l-{b} {b}l-{b} -{b}z",  # diamond
    "m-{t} -{b}h{tt}v{r}h{r}v{tt}h-{r}v{r}h-{tt}v-{r}h-{r}v-{tt}h{r}z",  # cross
    "m0 {b}l{b} -{d}h-{bb}z",  # triangle pointing down
)


@dataclass(frozen=True)
class Map:
    """Positions of categories and documents, from -1 to 1 in both directions."""

    categories: list[list[float]]
    radius: float  # of the area in which the documents of a category are spread
    documents: list[int]  # the rows that are shown: all that have a label, or 3,000 of them evenly chosen
    points: list[list[float]]
    labels: list[int]  # of the documents; the number of categories for a document of no category
    probabilities: list[float] = field(default_factory=list)  # of these labels
    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)  # their beginnings


def histogram(counts: Sequence[int]) -> str:
    """Draw a histogram of label probabilities, from 0 to 1."""
    most, n_bins = max([*counts, 1]), len(counts)
    step = (_WIDTH - _LEFT - 8) / n_bins
    floor = _HEIGHT - _BOTTOM
    bars = []
    for place, count in enumerate(counts):
        height = count / most * (floor - _TOP)
        span = f"{place / n_bins:.2f} to {(place + 1) / n_bins:.2f}: {number_of(count, 'document')}"
        bars.append(
            f'<rect class="bar" x="{_LEFT + place * step + 1:.1f}" y="{floor - height:.1f}" '
            f'width="{step - 2:.1f}" height="{height:.1f}"><title>{span}</title></rect>'
        )
    ticks = "".join(
        f'<text x="{_LEFT + share * (_WIDTH - _LEFT - 8):.1f}" y="{_HEIGHT - 8}" '
        f'text-anchor="middle">{share:g}</text>'
        for share in (0, 0.25, 0.5, 0.75, 1)
    )
    drawn = (
        f'{"".join(bars)}<path class="axis" d="M{_LEFT} {floor}H{_WIDTH - 8}"/>{ticks}'
        f'<text x="{_LEFT - 5}" y="{_TOP + 4}" text-anchor="end">{most:,}</text>'
        f'<text x="{_LEFT - 5}" y="{floor}" text-anchor="end">0</text>'
    )
    return _svg(_WIDTH, _HEIGHT, "Histogram of label probabilities", drawn, "chart")


def curve(values: Sequence[float]) -> str:
    """Draw values over iterations."""
    low, high = min(values), max(values)
    floor, width = _HEIGHT - _BOTTOM, _WIDTH - _LEFT - 12
    steps = max(len(values) - 1, 1)
    points = " ".join(
        f"{_LEFT + place / steps * width:.1f},"
        f"{floor - (value - low) / ((high - low) or 1) * (floor - _TOP):.1f}"
        for place, value in enumerate(values)
    )
    drawn = (
        f'<polyline class="curve" points="{points}"/><path class="axis" d="M{_LEFT} {floor}H{_WIDTH - 12}"/>'
        f'<text x="{_LEFT}" y="{_TOP - 6}">{high:,.0f}</text>'
        f'<text x="{_LEFT}" y="{floor - 5}">{low:,.0f}</text>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 8}">1</text>'
        f'<text x="{_WIDTH - 12}" y="{_HEIGHT - 8}" text-anchor="end">{len(values)}</text>'
    )
    return _svg(_WIDTH, _HEIGHT, "Objective per iteration", drawn, "chart")


def on_the_map(x: float, y: float) -> tuple[float, float]:
    """Return where a point from -1 to 1 is drawn."""
    return round(_MAP_WIDTH / 2 + x * _MAP_RADIUS, 1), round(_MAP_HEIGHT / 2 - y * _MAP_RADIUS, 1)


def document_map(drawn: Map, names: Sequence[str]) -> str:
    """Draw the documents; each category has a colour, a marker and its name."""
    across, upwards = _MAP_WIDTH / 2, _MAP_HEIGHT / 2
    of_label: dict[int, list[tuple[float, float]]] = {}
    for (x, y), label in zip(drawn.points, drawn.labels, strict=True):
        of_label.setdefault(label if label < len(names) else NONE, []).append(on_the_map(x, y))
    pieces = []
    for label in sorted(of_label):
        shape = _shape(label, _SIZE)
        path = "".join(f"M{x:g} {y:g}{shape}" for x, y in of_label[label])
        pieces.append(f'<path d="{path}" style="fill:{_colour(label)}"/>')
    for category, (name, (x, y)) in enumerate(zip(names, drawn.categories, strict=True)):
        length = (x * x + y * y) ** 0.5 or 1.0
        reach = 1.04 * _MAP_RADIUS
        named = ""
        if len(names) <= _MOST_NAMED:
            named = f'<tspan class="name"> {escape(_cut(name, _LONGEST_NAME))}</tspan>'
        pieces.append(
            f'<text x="{across + x / length * reach:.1f}" y="{upwards - y / length * reach + 4:.1f}" '
            f'text-anchor="{"start" if x >= 0 else "end"}">{category + 1}{named}</text>'
        )
    pieces.append('<circle class="ring" r="6" visibility="hidden"/>')  # around the document that is read
    return _svg(_MAP_WIDTH, _MAP_HEIGHT, "Map of the documents", "".join(pieces), "map")


def marker(category: int) -> str:
    """Draw the marker of a category."""
    drawn = f'<path d="M8 8{_shape(category, 5)}" style="fill:{_colour(category)}"/>'
    return f'<svg class="marker" viewBox="0 0 16 16" aria-hidden="true">{drawn}</svg>'


def draw_map(counts: sp.csr_array, probabilities: Array, labelled: NDArray[np.bool_]) -> Map:
    """Return the positions of all categories and of up to 3,000 labelled documents."""
    rows, n_categories = np.flatnonzero(labelled), probabilities.shape[1]
    chosen = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_POINTS)).round().astype(int))]
    vectors = unit_rows(sublinear(counts, word_rarity(counts)))[chosen]
    share, label = probabilities[chosen], probabilities[chosen].argmax(axis=1)
    radius = float(min(0.42, 0.85 * np.sin(np.pi / n_categories) / (1 + np.sin(np.pi / n_categories))))
    rank = np.arange(n_categories)
    if n_categories > 3:  # categories with similar words are next to each other on the circle
        centres = np.asarray(vectors.T @ share).T
        centres = centres / np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
        distances = pdist(centres)
        rank = np.argsort(leaves_list(optimal_leaf_ordering(linkage(distances, "average"), distances)))
    # Half a step off the top, so that labels at the top are to the left and right of it.
    angle = np.pi / 2 - 2 * np.pi * (rank + 0.5) / n_categories
    anchors = (1 - radius) * np.column_stack((np.cos(angle), np.sin(angle)))
    points = share @ anchors + radius * _spread(vectors, label, n_categories)
    return Map(
        categories=anchors.round(4).tolist(),
        radius=round(radius, 4),
        documents=chosen.tolist(),
        points=points.round(4).tolist(),
        labels=label.tolist(),
    )


def _spread(vectors: sp.csr_array, label: NDArray[np.intp], n_categories: int) -> Array:
    """Return a position in a disc of radius 1 for each document, by its words within its category."""
    offsets = np.zeros((len(label), _N_VECTORS))
    for category in range(n_categories):
        own = np.flatnonzero(label == category)
        if len(own) > _N_VECTORS and vectors.shape[1] > _N_VECTORS + 1:
            # The first vector is common to all documents of the category; the next two are their differences.
            from sklearn.decomposition import TruncatedSVD  # here: it takes a second to import

            # The unused share of the variance is 0/0 if all documents are the same.
            with np.errstate(divide="ignore", invalid="ignore"):
                places = TruncatedSVD(_N_VECTORS + 1, random_state=0).fit_transform(vectors[own])[:, 1:]
            centred = places - places.mean(axis=0)
            scaled = centred / np.maximum(centred.std(axis=0), 1e-12) / _WIDEST
            distance = np.linalg.norm(scaled, axis=1, keepdims=True)
            # Outliers are moved inwards, to the edge of the disc.
            offsets[own] = scaled / np.maximum(distance, 1e-12) * np.tanh(distance)
    return offsets


def shares_over_time(points: Sequence[tuple[GroupShares, Share]], most: float) -> str:
    """Draw the shares of a category in each period as a line, with a band around it."""
    points = [(group, share) for group, share in points if group.documents and group.name != NO_DATE]
    if not points:
        return ""
    width, height, left, top, right, floor = 240, 120, 34, 8, 6, 102
    step = (width - left - right) / max(len(points) - 1, 1)

    def path(values: Sequence[float], order: int = 1) -> list[str]:
        return [
            f"{left + number * step:.1f} {floor - value / most * (floor - top):.1f}"
            for number, value in enumerate(values)
        ][::order]

    lows, highs = ([getattr(share.share, end) for _, share in points] for end in ("low", "high"))
    line = path([share.share.value or 0.0 for _, share in points])
    dots = "".join(
        f'<circle class="dot" cx="{place.split()[0]}" cy="{place.split()[1]}" r="2.5">'
        f"<title>{_share_title(*point)}</title></circle>"
        for place, point in zip(line, points, strict=True)
    )
    ends = (
        f'<text x="{left}" y="{height - 5}">{escape(points[0][0].name)}</text>'
        f'<text x="{width - right}" y="{height - 5}" text-anchor="end">{escape(points[-1][0].name)}</text>'
        if len(points) > 1
        else ""
    )
    drawn = (
        f'<path class="band" d="M{"L".join(path(lows))}L{"L".join(path(highs, -1))}Z"/>'
        f'<path class="line" d="M{"L".join(line)}"/>'
        f'{dots}<path class="axis" d="M{left} {top}V{floor}H{width - right}"/>{ends}'
        f'<text x="{left - 4}" y="{top + 6}" text-anchor="end">{most:.0%}</text>'
        f'<text x="{left - 4}" y="{floor}" text-anchor="end">0</text>'
    )
    return _svg(width, height, "Shares", drawn)


def shares_by_group(points: Sequence[tuple[GroupShares, Share]], most: float) -> str:
    """Draw the share of a category in each group as a point on the line of its interval."""
    width, left, right, row = 240, 84, 6, 16
    scale = (width - left - right) / most
    rows = []
    for number, (group, share) in enumerate(points):
        if share.share.value is None:
            continue
        y = number * row + row / 2
        values = (share.share.low, share.share.value, share.share.high)
        low, middle, high = (left + scale * value for value in values)
        rows.append(
            f'<text x="{left - 5}" y="{y + 3:.1f}" text-anchor="end">{escape(_cut(group.name, 13))}</text>'
            f'<rect class="band" x="{low:.1f}" y="{y - 3:.1f}" width="{high - low:.1f}" height="6"/>'
            f'<circle class="dot" cx="{middle:.1f}" cy="{y:.1f}" r="3">'
            f"<title>{_share_title(group, share)}</title></circle>"
        )
    height = len(points) * row
    drawn = (
        f'{"".join(rows)}<path class="axis" d="M{left} 0V{height}H{width - right}"/>'
        f'<text x="{left}" y="{height + 12}">0</text>'
        f'<text x="{width - right}" y="{height + 12}" text-anchor="end">{most:.0%}</text>'
    )
    return _svg(width, height + 18, "Shares", drawn)


def _share_title(group: GroupShares, share: Share) -> str:
    return escape(
        f"{group.name}: {share.share}, {share.labelled:,} of {number_of(group.documents, 'document')}"
    )


def _shape(category: int, size: float) -> str:
    b, t = 1.3 * size, 0.5 * size
    sizes = {"s": size, "d": 2 * size, "b": b, "bb": 2 * b, "t": t, "tt": 2 * t, "r": b - t}
    written = {name: f"{value:.3g}" for name, value in sizes.items()}
    return _SHAPES[category % len(_SHAPES)].format(**written).replace("--", "")


def _colour(category: int) -> str:
    if category == NONE:
        return "var(--quiet)"
    hue = (212 + 137.5 * category) % 360  # the golden angle, so that neighbours in the list differ
    return f"hsl({hue:.0f} 70% var(--lightness))"


def _cut(name: str, length: int) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"


def _svg(width: int, height: int, title: str, content: str, kind: str = "") -> str:
    kind = f'class="{kind}" ' if kind else ""
    return f'<svg {kind}viewBox="0 0 {width} {height}" role="img" aria-label="{title}">{content}</svg>'
