"""How certain the labels are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.report import charts, elements
from seedtopic.report import markdown_elements as markdown
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Report

_NOTE = "Histogram of label probabilities."


def _html(report: Report) -> str:
    return elements.figure(charts.histogram(report.histogram), _NOTE)


def _markdown(report: Report) -> list[str]:
    bins = len(report.histogram)
    rows = (
        (f"{place / bins:.2f} to {(place + 1) / bins:.2f}", f"{count:,}")
        for place, count in enumerate(report.histogram)
        if count
    )
    return [_NOTE, "", *markdown.table(("probability", "documents"), rows)]


CONFIDENCE = Section("confidence", "Confidence of the labels", _html, _markdown)
