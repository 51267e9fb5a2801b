"""Which categories are confused, as far as that can be told without true labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.report import elements
from seedtopic.report import markdown_elements as markdown
from seedtopic.report.confusions import suspected_pairs
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Report

_PAIRS_NOTE = (
    "How many documents of a label may belong to another category, as far as this can be told without true "
    "labels."
)
_NO_PAIRS = "No two categories seem to be confused."
_MATRIX_NOTE = "For the documents of each label (rows), the share that may belong to each category (columns)."
_COLUMNS = (
    elements.Column("label", "name"),
    elements.Column("may be"),
    elements.Column("documents, about", "number"),
    elements.Column("share of the label", "number"),
)


def _html(report: Report) -> str:
    names = [category.name for category in report.categories]
    rows = [
        (
            elements.name(pair.label),
            elements.name(pair.other),
            elements.number(pair.documents, f"{pair.documents:,.0f}"),
            elements.number(pair.share, f"{pair.share:.1%}"),
        )
        for pair in suspected_pairs(report)
    ]
    shares = elements.matrix(names, names, report.suspected, _share)
    pairs = elements.table(_COLUMNS, rows, "pairs") if rows else elements.note(_NO_PAIRS)
    return "\n".join([elements.note(_PAIRS_NOTE), pairs, elements.note(_MATRIX_NOTE), shares])


def _share(value: float) -> str:
    return f"{value:.2f}".removeprefix("0") if value >= 0.005 else ""


def _markdown(report: Report) -> list[str]:
    names = [category.name for category in report.categories]
    rows = [
        (pair.label, pair.other, f"{pair.documents:,.0f}", f"{pair.share:.1%}")
        for pair in suspected_pairs(report)
    ]
    return [
        _PAIRS_NOTE,
        "",
        *(markdown.table([column.head for column in _COLUMNS], rows) if rows else [_NO_PAIRS, ""]),
        _MATRIX_NOTE,
        "",
        *markdown.matrix(names, [[f"{value:.2f}" for value in row] for row in report.suspected]),
    ]


CONFUSIONS = Section("confusions", "Likely confusions", _html, _markdown)
