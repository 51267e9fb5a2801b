"""Scores and confusions, where the true labels are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.html.escaping import escape
from seedtopic.report import elements
from seedtopic.report import markdown_elements as markdown
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.evaluate import Scores
    from seedtopic.report.content import Report

_HEAD = ("category", "precision", "recall", "F1", "documents")


def _html(report: Report) -> str:
    scores = report.scores
    if scores is None or report.confusions is None:
        return ""
    rows = [(elements.side(escape(name)), *numbers) for name, *numbers in _rows(scores)]
    names = [category.name for category in (*report.categories, report.none) if category is not None]
    return "\n".join(
        [
            f"<p>Micro-F1 (accuracy) {scores.micro_f1:.3f}, macro-F1 {scores.macro_f1:.3f}.</p>",
            elements.table(_HEAD, rows, ("", "number", "number", "number", "number")),
            "<h3>True labels (rows) by predicted labels (columns)</h3>",
            elements.matrix(
                report.confusions.rows, names, report.confusions.counts, lambda count: f"{count:,}"
            ),
        ]
    )


def _markdown(report: Report) -> list[str]:
    if report.scores is None or report.confusions is None:
        return []
    counts = [[str(count) for count in row] for row in report.confusions.counts]
    return [
        *markdown.table(_HEAD, _rows(report.scores)),
        "True labels (rows) by predicted labels (columns):",
        "",
        *markdown.matrix(report.confusions.rows, counts),
    ]


def _rows(scores: Scores) -> list[tuple[str, ...]]:
    return [
        (row.category, f"{row.precision:.3f}", f"{row.recall:.3f}", f"{row.f1:.3f}", f"{row.support:,}")
        for row in scores.categories
    ]


SCORES = Section("scores", "Scores against the true labels", _html, _markdown)
