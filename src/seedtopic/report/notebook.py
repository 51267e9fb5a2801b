"""A report as a notebook shows it: what is asked first; the page has the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.html.notebook import notebook
from seedtopic.html.pieces import Html, bullets, facts, paragraph, size, table
from seedtopic.report.findings import (
    certainty,
    certainty_head,
    certainty_of_none,
    estimate_sentences,
    summary,
)
from seedtopic.report.next_steps import next_steps

if TYPE_CHECKING:
    from seedtopic.report.content import Report

MOST_CATEGORIES = 200


def to_notebook(report: Report) -> str:
    """Write the facts, how many labels are right, the categories, and what to do next."""
    more = len(report.categories) - MOST_CATEGORIES
    whole = Html("<code>report.write(&quot;report.html&quot;)</code> writes the whole page, with a map.")
    return notebook(
        report.title,
        facts(summary(report)),
        *estimate_sentences(report),
        _categories(report),
        *([f"and {more:,} more categories"] if more > 0 else []),
        paragraph("What to do next:"),
        bullets(step.sentence for step in next_steps(report)),
        paragraph(whole, "quiet"),
    )


def _categories(report: Report) -> Html:
    largest = max([category.documents for category in report.categories] + [1])
    rows = [
        (
            category.name,
            size(category.documents, report.documents, largest),
            certainty(report, category.mean_probability),
            ", ".join(category.words),
        )
        for category in report.categories[:MOST_CATEGORIES]
    ]
    if report.none is not None:
        documents = size(report.none.documents, report.documents, largest)
        rows.append((report.none.name, documents, certainty_of_none(report), "no category"))
    return table(("category", "documents", certainty_head(report), "typical words"), rows, numbers=(2,))
