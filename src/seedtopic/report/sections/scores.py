"""Scores and confusions, where the true labels are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.report import elements
from seedtopic.report import markdown_elements as markdown
from seedtopic.report.confusions import true_pairs
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Report

_COLUMNS = (
    elements.Column("category", "name"),
    *(elements.Column(head, "number") for head in ("precision", "recall", "F1", "documents")),
)
_PAIRS = (
    elements.Column("true label", "name"),
    elements.Column("predicted label"),
    elements.Column("documents", "number"),
)
_PAIRS_HEAD = "Largest confusions"
_MATRIX_HEAD = "True labels (rows) by predicted labels (columns)"


def _html(report: Report) -> str:
    scores = report.scores
    if scores is None or report.confusions is None:
        return ""
    rows = [
        (
            elements.name(row.category),
            *(elements.number(score, f"{score:.3f}") for score in (row.precision, row.recall, row.f1)),
            elements.number(row.support, f"{row.support:,}"),
        )
        for row in scores.categories
    ]
    pairs = [
        (
            elements.name(pair.other),
            elements.name(pair.label),
            elements.number(pair.documents, f"{pair.documents:,.0f}"),
        )
        for pair in true_pairs(report)
    ]
    names = [category.name for category in (*report.categories, report.none) if category is not None]
    counts = report.confusions.counts
    return "\n".join(
        [
            elements.note(f"Micro-F1 (accuracy) {scores.micro_f1:.3f}, macro-F1 {scores.macro_f1:.3f}."),
            elements.table(_COLUMNS, rows, "categories"),
            *([f"<h3>{_PAIRS_HEAD}</h3>", elements.table(_PAIRS, pairs, "pairs")] if pairs else []),
            f"<h3>{_MATRIX_HEAD}</h3>",
            elements.matrix(report.confusions.rows, names, counts, lambda count: f"{count:,}"),
        ]
    )


def _markdown(report: Report) -> list[str]:
    if report.scores is None or report.confusions is None:
        return []
    rows = [
        (row.category, f"{row.precision:.3f}", f"{row.recall:.3f}", f"{row.f1:.3f}", f"{row.support:,}")
        for row in report.scores.categories
    ]
    pairs = [(pair.other, pair.label, f"{pair.documents:,.0f}") for pair in true_pairs(report)]
    counts = [[str(count) for count in row] for row in report.confusions.counts]
    return [
        *markdown.table([column.head for column in _COLUMNS], rows),
        *(
            [f"{_PAIRS_HEAD}:", "", *markdown.table([column.head for column in _PAIRS], pairs)]
            if pairs
            else []
        ),
        f"{_MATRIX_HEAD}:",
        "",
        *markdown.matrix(report.confusions.rows, counts),
    ]


SCORES = Section("scores", "Scores against the true labels", _html, _markdown)
