"""Charts as inline SVG, in the colours of the page, readable without colour."""

from __future__ import annotations

from collections.abc import Sequence

from seedtopic.html.escaping import escape
from seedtopic.report.map import Map

STYLE = """
figure { margin: .8em 0; }
figcaption { color: var(--quiet); font-size: .9rem; max-width: 50rem; }
.chart { width: 100%; max-width: 29rem; display: block; }
.chart .bar { fill: var(--bar); }
.chart .axis { stroke: var(--line); fill: none; }
.chart .curve { stroke: var(--bar); fill: none; stroke-width: 2; }
.map { width: 100%; max-width: 58rem; display: block; }
.map text { font-size: 18px; paint-order: stroke; stroke: var(--ground); stroke-width: 3px; }
@media screen and (max-width: 44rem) { .map { width: 130%; max-width: none; margin-left: -15%; } }
.map .name { display: none; } /* too small to read on a phone, where the legend is near */
@media (min-width: 44rem), print { .map text { font-size: 10.5px; } .map .name { display: inline; } }
.map path { fill-opacity: .6; }
.marker { width: 1em; max-width: none; height: 1em; vertical-align: -.1em; }
:root { --lightness: 40%; }
@media (prefers-color-scheme: dark) { :root { --lightness: 66%; } }
"""

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 360, 190, 40, 24, 18
_MAP_WIDTH, _MAP_HEIGHT, _MAP_RADIUS = 660, 420, 190
_LONGEST_NAME = 20  # characters of a category name that fit beside the map
_MOST_NAMED = 24  # most categories whose names do not overlap there
_SIZE = 2.6  # half of a marker's width
NONE = -1  # in the place of a category: documents of no category

# Markers as paths around a point, so that categories differ in shape as well as in colour.
_SHAPES = (
    "m-{s} 0a{s} {s} 0 1 0 {d} 0a{s} {s} 0 1 0 -{d} 0z",  # disc
    "m-{s} -{s}h{d}v{d}h-{d}z",  # square
    "m0 -{b}l{b} {d}h-{bb}z",  # triangle
    "m0 -{b}l{b} {b}l-{b} {b}l-{b} -{b}z",  # diamond
    "m-{t} -{b}h{tt}v{r}h{r}v{tt}h-{r}v{r}h-{tt}v-{r}h-{r}v-{tt}h{r}z",  # cross
    "m0 {b}l{b} -{d}h-{bb}z",  # triangle pointing down
)


def histogram(counts: Sequence[int]) -> str:
    """Draw a histogram of label probabilities, from 0 to 1."""
    most, n_bins = max([*counts, 1]), len(counts)
    step = (_WIDTH - _LEFT - 8) / n_bins
    floor = _HEIGHT - _BOTTOM
    bars = []
    for place, count in enumerate(counts):
        height = count / most * (floor - _TOP)
        number = f"{count:,} document{'' if count == 1 else 's'}"
        span = f"{place / n_bins:.2f} to {(place + 1) / n_bins:.2f}: {number}"
        bars.append(
            f'<rect class="bar" x="{_LEFT + place * step + 1:.1f}" y="{floor - height:.1f}" '
            f'width="{step - 2:.1f}" height="{height:.1f}"><title>{span}</title></rect>'
        )
    ticks = "".join(
        f'<text x="{_LEFT + share * (_WIDTH - _LEFT - 8):.1f}" y="{_HEIGHT - 8}" '
        f'text-anchor="middle">{share:g}</text>'
        for share in (0, 0.25, 0.5, 0.75, 1)
    )
    return _svg(
        "chart",
        _WIDTH,
        _HEIGHT,
        "Histogram of label probabilities",
        f'{"".join(bars)}<path class="axis" d="M{_LEFT} {floor}H{_WIDTH - 8}"/>{ticks}'
        f'<text x="{_LEFT - 5}" y="{_TOP + 4}" text-anchor="end">{most:,}</text>'
        f'<text x="{_LEFT - 5}" y="{floor}" text-anchor="end">0</text>',
    )


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
    return _svg(
        "chart",
        _WIDTH,
        _HEIGHT,
        "Objective per iteration",
        f'<polyline class="curve" points="{points}"/><path class="axis" d="M{_LEFT} {floor}H{_WIDTH - 12}"/>'
        f'<text x="{_LEFT}" y="{_TOP - 6}">{high:,.0f}</text>'
        f'<text x="{_LEFT}" y="{floor - 5}">{low:,.0f}</text>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 8}">1</text>'
        f'<text x="{_WIDTH - 12}" y="{_HEIGHT - 8}" text-anchor="end">{len(values)}</text>',
    )


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
        named = f'<tspan class="name"> {escape(_cut(name))}</tspan>' if len(names) <= _MOST_NAMED else ""
        pieces.append(
            f'<text x="{across + x / length * reach:.1f}" y="{upwards - y / length * reach + 4:.1f}" '
            f'text-anchor="{"start" if x >= 0 else "end"}">{category + 1}{named}</text>'
        )
    pieces.append('<circle class="ring" r="6" visibility="hidden"/>')  # around the document that is read
    return _svg("map", _MAP_WIDTH, _MAP_HEIGHT, "Map of the documents", "".join(pieces))


def marker(category: int) -> str:
    """Draw the marker of a category."""
    drawn = f'<path d="M8 8{_shape(category, 5)}" style="fill:{_colour(category)}"/>'
    return f'<svg class="marker" viewBox="0 0 16 16" aria-hidden="true">{drawn}</svg>'


def _shape(category: int, size: float) -> str:
    broad, thin = 1.3 * size, 0.5 * size
    sizes = {
        "s": size,
        "d": 2 * size,
        "b": broad,
        "bb": 2 * broad,
        "t": thin,
        "tt": 2 * thin,
        "r": broad - thin,
    }
    filled = _SHAPES[category % len(_SHAPES)].format(
        **{name: f"{value:.3g}" for name, value in sizes.items()}
    )
    return filled.replace("--", "")


def _colour(category: int) -> str:
    if category == NONE:
        return "var(--quiet)"
    hue = (212 + 137.5 * category) % 360  # the golden angle, so that neighbours in the list differ
    return f"hsl({hue:.0f} 70% var(--lightness))"


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _svg(kind: str, width: int, height: int, title: str, content: str) -> str:
    return (
        f'<svg class="{kind}" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">{content}</svg>'
    )
