"""The shares of the categories by group and over time, as small charts and a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from seedtopic.html.escaping import escape
from seedtopic.quality.shares import NO_DATE, Breakdown, GroupShares, Share
from seedtopic.report import elements
from seedtopic.report import markdown_elements as markdown
from seedtopic.report.elements import Column
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Report

MOST_DRAWN = 24  # categories, the largest ones
_NOTE = (
    "The share of documents with each label. The bands are 95 % intervals: labels may be wrong, and other "
    "documents could have come. Differences between groups are more certain than the levels."
)
_COLUMNS = (
    Column("group"),
    Column("category"),
    Column("documents", "number"),
    Column("labelled", "number"),
    Column("share", "number"),
    Column("from", "number"),
    Column("to", "number"),
)
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 240, 120, 34, 18, 8, 6
_ROW, _NAMES, _LONGEST_NAME = 16, 84, 13  # of charts of groups
_STYLE = """
.shares { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .8rem 1.4rem; }
.shares figure { margin: 0; break-inside: avoid; }
.shares figcaption { color: inherit; font-weight: 600; overflow-wrap: anywhere; }
.shares svg { width: 100%; max-width: 20rem; display: block; }
.shares text { font-size: 10px; fill: currentColor; }
.shares .band { fill: var(--bar); opacity: .25; }
.shares .line { stroke: var(--bar); fill: none; stroke-width: 2; }
.shares .dot { fill: var(--bar); }
.shares .axis { stroke: var(--line); fill: none; }
"""


def _html(report: Report) -> str:
    return "" if report.shares is None else "".join([elements.note(_NOTE), *map(_part, report.shares.by)])


def _part(part: Breakdown) -> str:
    """Write the charts and the table of one column."""
    drawn = _drawn(part)
    draw = _over_time if part.period is not None else _by_group
    highs = (share.share.high for group in part.groups if group.documents for share in group.shares)
    top = max(highs, default=1.0)
    charts = "".join(
        f"<figure><figcaption>{escape(part.groups[0].shares[k].category)}</figcaption>"
        f"{draw([(group, group.shares[k]) for group in part.groups], top)}</figure>"
        for k in drawn
    )
    rows = (
        (
            elements.text(group.name),
            elements.name(share.category),
            elements.number(group.documents, f"{group.documents:,}"),
            elements.number(share.labelled, f"{share.labelled:,}"),
            *(
                elements.number(value, _percent(value))
                for value in (share.share.value, share.share.low, share.share.high)
            ),
        )
        for group, share in _shown(part)
    )
    return (
        f"<h3>{escape(_title(part))}</h3>{_left_out(part)}"
        f'<div class="shares">{charts}</div><details><summary>All numbers</summary>'
        f"{elements.table(_COLUMNS, rows, 'shares')}</details>"
    )


def _over_time(points: list[tuple[GroupShares, Share]], top: float) -> str:
    """Draw the shares of a category in each period as a line, with a band around it."""
    points = [(group, share) for group, share in points if group.documents and group.name != NO_DATE]
    if not points:
        return ""
    step = (_WIDTH - _LEFT - _RIGHT) / max(len(points) - 1, 1)
    floor = _HEIGHT - _BOTTOM

    def place(number: int, value: float) -> str:
        return f"{_LEFT + number * step:.1f} {floor - value / top * (floor - _TOP):.1f}"

    def path(values: list[float], order: int = 1) -> str:
        return "L".join([place(number, value) for number, value in enumerate(values)][::order])

    lows, highs = ([getattr(share.share, end) for _, share in points] for end in ("low", "high"))
    values = [share.share.value or 0.0 for _, share in points]
    dots = "".join(
        f'<circle class="dot" cx="{place(number, value).split()[0]}" cy="{place(number, value).split()[1]}" '
        f'r="2.5"><title>{_told(*points[number])}</title></circle>'
        for number, value in enumerate(values)
    )
    ends = (
        f'<text x="{_LEFT}" y="{_HEIGHT - 5}">{escape(points[0][0].name)}</text>'
        f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 5}" text-anchor="end">{escape(points[-1][0].name)}</text>'
        if len(points) > 1
        else ""
    )
    return _svg(
        _HEIGHT,
        f'<path class="band" d="M{path(lows)}L{path(highs, -1)}Z"/><path class="line" d="M{path(values)}"/>'
        f'{dots}<path class="axis" d="M{_LEFT} {_TOP}V{floor}H{_WIDTH - _RIGHT}"/>{ends}'
        f'<text x="{_LEFT - 4}" y="{_TOP + 6}" text-anchor="end">{top:.0%}</text>'
        f'<text x="{_LEFT - 4}" y="{floor}" text-anchor="end">0</text>',
    )


def _by_group(points: list[tuple[GroupShares, Share]], top: float) -> str:
    """Draw the share of a category in each group as a point on the line of its interval."""
    scale = (_WIDTH - _NAMES - _RIGHT) / top
    rows = []
    for number, (group, share) in enumerate(points):
        if share.share.value is None:
            continue
        y = number * _ROW + _ROW / 2
        low, middle, high = (
            _NAMES + scale * value for value in (share.share.low, share.share.value, share.share.high)
        )
        name = group.name if len(group.name) <= _LONGEST_NAME else group.name[: _LONGEST_NAME - 1] + "…"
        rows.append(
            f'<text x="{_NAMES - 5}" y="{y + 3:.1f}" text-anchor="end">{escape(name)}</text>'
            f'<rect class="band" x="{low:.1f}" y="{y - 3:.1f}" width="{high - low:.1f}" height="6"/>'
            f'<circle class="dot" cx="{middle:.1f}" cy="{y:.1f}" r="3"><title>{_told(group, share)}</title>'
            "</circle>"
        )
    height = len(points) * _ROW
    return _svg(
        height + _BOTTOM,
        f'{"".join(rows)}<path class="axis" d="M{_NAMES} 0V{height}H{_WIDTH - _RIGHT}"/>'
        f'<text x="{_NAMES}" y="{height + 12}">0</text>'
        f'<text x="{_WIDTH - _RIGHT}" y="{height + 12}" text-anchor="end">{top:.0%}</text>',
    )


def _svg(height: int, content: str) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="Shares">{content}</svg>'


def _markdown(report: Report) -> list[str]:
    if report.shares is None:
        return []
    lines = [_NOTE, ""]
    for part in report.shares.by:
        rows = (
            (
                group.name,
                share.category,
                f"{group.documents:,}",
                f"{share.labelled:,}",
                *map(_percent, (share.share.value, share.share.low, share.share.high)),
            )
            for group, share in _shown(part)
        )
        lines += [f"### {markdown.plain(_title(part))}", ""]
        lines += markdown.table([column.head for column in _COLUMNS], rows)
    return lines


def _drawn(part: Breakdown) -> list[int]:
    """Choose the largest categories, in their order."""
    sizes = [
        sum(group.shares[k].labelled for group in part.groups) for k in range(len(part.groups[0].shares))
    ]
    return sorted(sorted(range(len(sizes)), key=lambda k: -sizes[k])[:MOST_DRAWN])


def _shown(part: Breakdown) -> Iterator[tuple[GroupShares, Share]]:
    return ((group, group.shares[k]) for group in part.groups for k in _drawn(part))


def _left_out(part: Breakdown) -> str:
    n_categories = len(part.groups[0].shares)
    if n_categories <= MOST_DRAWN:
        return ""
    return elements.note(
        f"The {MOST_DRAWN} largest of {n_categories:,} categories; seedtopic shares lists all."
    )


def _title(part: Breakdown) -> str:
    return part.column if part.period is None else f"{part.column}, by {part.period}"


def _told(group: GroupShares, share: Share) -> str:
    return escape(f"{group.name}: {share.share}, {share.labelled:,} of {group.documents:,} documents")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


SHARES = Section("shares", "Shares by group and over time", _html, _markdown, _STYLE)
