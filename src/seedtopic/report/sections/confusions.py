"""Which categories are confused, as far as that can be told without true labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.report import elements
from seedtopic.report import markdown_elements as markdown
from seedtopic.report.markdown_elements import plain
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Report

_NOTE = (
    "For the documents of each label (rows), the share that may belong to each category (columns), as far as "
    "this can be told without true labels."
)
_PAIRS = 5


def _html(report: Report) -> str:
    names = [category.name for category in report.categories]
    shares = elements.matrix(names, names, report.suspected, lambda value: f"{value:.2f}".removeprefix("0"))
    return f"<p>{_NOTE}</p>\n{elements.bullets(_pairs(report))}\n{shares}"


def _markdown(report: Report) -> list[str]:
    names = [category.name for category in report.categories]
    return [
        _NOTE,
        "",
        *(f"- {plain(sentence)}" for sentence in _pairs(report)),
        "",
        *markdown.matrix(names, [[f"{value:.2f}" for value in row] for row in report.suspected]),
    ]


def _pairs(report: Report) -> list[str]:
    """Return a sentence for each pair of categories that is most likely confused, by expected documents."""
    names = [category.name for category in report.categories]
    expected = {
        (label, other): report.suspected[label][other] * report.categories[label].documents
        for label in range(len(names))
        for other in range(len(names))
        if label != other
    }
    strongest = sorted(expected, key=lambda pair: -expected[pair])[:_PAIRS]
    return [
        f"Of {report.categories[label].documents:,} documents labelled {names[label]}, about "
        f"{expected[label, other]:.0f} may be {names[other]} ({report.suspected[label][other]:.1%})."
        for label, other in strongest
        if expected[label, other] >= 0.5
    ]


CONFUSIONS = Section("confusions", "Likely confusions", _html, _markdown)
