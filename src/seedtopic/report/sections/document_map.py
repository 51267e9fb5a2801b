"""The map of the documents, which only the page has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.html.escaping import escape
from seedtopic.report import charts, elements
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Report

_STYLE = """
.legend { columns: 15rem; padding: 0; list-style: none; font-size: .92rem; max-width: 52rem; }
"""


def _html(report: Report) -> str:
    names = [category.name for category in report.categories]
    legend = "".join(
        f"<li>{charts.marker(place)} {place + 1} {escape(name)}</li>" for place, name in enumerate(names)
    )
    drawing = elements.figure(charts.document_map(report.map, names), _note(report))
    return f'{drawing}\n<ul class="legend">{legend}</ul>'


def _note(report: Report) -> str:
    drawn = len(report.map.documents)
    chosen = "" if drawn == report.documents else f" {drawn:,} of {report.documents:,} documents are shown."
    return (
        "Categories are on a circle, similar ones next to each other. A document is between the categories "
        "it may belong to, nearer to the more probable one; documents of one category are spread by their "
        "words." + chosen
    )


DOCUMENT_MAP = Section("map", "Map of the documents", _html, lambda report: [], _STYLE)
