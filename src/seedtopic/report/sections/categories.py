"""The categories: how many documents each has, how sure their labels are, its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.report import charts, elements
from seedtopic.report import markdown_elements as markdown
from seedtopic.report.examples import shortened
from seedtopic.report.findings import certainty, certainty_head, certainty_of_none
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Category, Report

SEEDS_LENGTH = 300  # characters of the seeds of a category; the section of the seeds has them all


def _html(report: Report) -> str:
    columns = (
        elements.Column("category", "name"),
        elements.Column("documents", "number"),
        elements.Column(certainty_head(report), "number"),
        elements.Column("typical words", "words"),
        elements.Column("seeds", "words"),
    )
    rows = [
        (
            elements.name(category.name, f"{place + 1} {charts.marker(place)} "),
            elements.number(category.documents, _size(report, category)),
            elements.number(category.mean_probability, certainty(report, category.mean_probability)),
            elements.text(", ".join(category.words)),
            elements.text(shortened(", ".join(category.seeds), SEEDS_LENGTH)),
        )
        for place, category in enumerate(report.categories)
    ]
    if report.none is not None:
        mean = certainty_of_none(report)
        rows.append(
            (
                elements.name(report.none.name, f"{charts.marker(charts.NONE)} "),
                elements.number(report.none.documents, _size(report, report.none)),
                elements.number(report.none.mean_probability if mean else None, mean),
                elements.text("no category"),
                elements.text(""),
            )
        )
    return elements.table(columns, rows, "categories")


def _markdown(report: Report) -> list[str]:
    every = [*report.categories, *([] if report.none is None else [report.none])]
    return markdown.table(
        ("category", "documents", certainty_head(report), "typical words", "seeds"),
        (
            (
                f"{place + 1} {category.name}",
                _size(report, category),
                certainty_of_none(report)
                if category is report.none
                else certainty(report, category.mean_probability),
                ", ".join(category.words),
                shortened(", ".join(category.seeds), SEEDS_LENGTH),
            )
            for place, category in enumerate(every)
        ),
    )


def _size(report: Report, category: Category) -> str:
    return f"{category.documents:,} ({category.documents / report.documents:.1%})"


CATEGORIES = Section("categories", "Categories", _html, _markdown)
