"""The map of the documents, which only the page has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.html.escaping import escape, json_block
from seedtopic.report import charts, elements
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Report


def _html(report: Report) -> str:
    names = [category.name for category in report.categories]
    none = [] if report.none is None else [report.none.name]
    legend = "".join(
        f"<li>{charts.marker(place)} {place + 1} {escape(name)}</li>" for place, name in enumerate(names)
    ) + "".join(f"<li>{charts.marker(charts.NONE)} {escape(name)}</li>" for name in none)
    drawing = elements.figure(charts.document_map(report.map, names), _note(report))
    points = [
        [*charts.on_the_map(x, y), *described]
        for (x, y), *described in zip(
            report.map.points,
            report.map.labels,
            report.map.probabilities,
            report.map.ids,
            report.map.texts,
            strict=True,
        )
    ]
    values = json_block("map-points", {"names": [*names, *none], "points": points})
    return f'{drawing}\n<ul class="legend">{legend}</ul>\n{values}'


def _note(report: Report) -> str:
    drawn, labelled = len(report.map.documents), sum(report.histogram)
    chosen = ""
    if drawn < labelled:
        chosen = f" {drawn:,} of {labelled:,} documents are shown, evenly chosen."
    elif labelled < report.documents:
        chosen = " Documents without a label are not shown."
    return (
        "Categories are on a circle, similar ones next to each other. A document is between the categories "
        "it may belong to, nearer to the more probable one; documents of one category are spread by their "
        "words. Point at a document, tap on it or use the arrow keys to read it." + chosen
    )


DOCUMENT_MAP = Section("map", "Map of the documents", _html, lambda report: [])
