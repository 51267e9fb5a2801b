"""How certain the labels are."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from seedtopic.report import charts, elements
from seedtopic.report import markdown_elements as markdown
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Report

_NOTE = "Histogram of label probabilities."
_KEPT = "How many labels --min-probability keeps:"
_LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
_COLUMNS = (elements.Column("--min-probability", "name number"), elements.Column("labels kept", "number"))


def _html(report: Report) -> str:
    rows = [
        (elements.number(level, f"{level:g}"), elements.number(kept, written))
        for level, kept, written in _kept(report)
    ]
    table = elements.table(_COLUMNS, rows, "levels")
    return "\n".join(
        [elements.figure(charts.histogram(report.histogram), _NOTE), elements.note(_KEPT), table]
    )


def _markdown(report: Report) -> list[str]:
    bins = len(report.histogram)
    rows = (
        (f"{place / bins:.2f} to {(place + 1) / bins:.2f}", f"{count:,}")
        for place, count in enumerate(report.histogram)
        if count
    )
    kept = ((f"{level:g}", written) for level, _, written in _kept(report))
    return [
        _NOTE,
        "",
        *markdown.table(("probability", "documents"), rows),
        _KEPT,
        "",
        *markdown.table([column.head for column in _COLUMNS], kept),
    ]


def _kept(report: Report) -> list[tuple[float, int, str]]:
    """Return levels of probability with the number of labels that reach them."""
    least = list(accumulate(reversed(report.histogram)))[::-1]  # labels in each bin and above
    total = max(least[0], 1)
    counts = [least[round(level * len(least))] for level in _LEVELS]
    return [
        (level, kept, f"{kept:,} ({kept / total:.1%})") for level, kept in zip(_LEVELS, counts, strict=True)
    ]


CONFIDENCE = Section("confidence", "Confidence of the labels", _html, _markdown)
