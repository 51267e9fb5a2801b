"""The categories: how many documents each has, how sure their labels are, its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.html.escaping import escape
from seedtopic.report import charts, elements
from seedtopic.report import markdown_elements as markdown
from seedtopic.report.findings import certainty, certainty_head, certainty_of_none
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Report

_STYLE = """
.size { min-width: 6.5em; white-space: nowrap; }
.size i { display: block; height: .45em; margin-top: .2em; background: var(--bar); border-radius: .2em; }
.words { min-width: 13em; }
"""


def _html(report: Report) -> str:
    largest = max([category.documents for category in report.categories] + [1])
    rows = []
    for place, category in enumerate(report.categories):
        share = category.documents / report.documents
        width = 100 * category.documents / largest
        rows.append(
            (
                elements.side(f"{place + 1} {charts.marker(place)} {escape(category.name)}"),
                f'{category.documents:,} ({share:.1%})<i style="width:{width:.1f}%"></i>',
                certainty(report, category.mean_probability),
                escape(", ".join(category.words)),
                escape(", ".join(category.seeds)),
            )
        )
    if report.none is not None:
        share = report.none.documents / report.documents
        mean = certainty_of_none(report)
        size = f"{report.none.documents:,} ({share:.1%})"
        rows.append((elements.side(escape(report.none.name)), size, mean, "no category", ""))
    return elements.table(_head(report), rows, ("name", "size", "number", "words", "words"), "cards")


def _markdown(report: Report) -> list[str]:
    every = [*report.categories, *([] if report.none is None else [report.none])]
    return markdown.table(
        _head(report),
        (
            (
                f"{place + 1} {category.name}",
                f"{category.documents:,} ({category.documents / report.documents:.1%})",
                certainty_of_none(report)
                if category is report.none
                else certainty(report, category.mean_probability),
                ", ".join(category.words),
                ", ".join(category.seeds),
            )
            for place, category in enumerate(every)
        ),
    )


def _head(report: Report) -> tuple[str, ...]:
    return ("category", "documents", certainty_head(report), "typical words", "seeds")


CATEGORIES = Section("categories", "Categories", _html, _markdown, _STYLE)
