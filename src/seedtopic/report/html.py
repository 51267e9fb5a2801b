"""A report as one HTML page: an overview, then its sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.html.escaping import escape
from seedtopic.html.page import page
from seedtopic.report import charts, elements
from seedtopic.report.findings import estimate_sentences, summary
from seedtopic.report.sections import SECTIONS

if TYPE_CHECKING:
    from seedtopic.report.content import Report

_STYLE = """
.facts { display: flex; flex-wrap: wrap; gap: .6em 2em; padding: 0; margin: 1em 0; list-style: none; }
.facts b { display: block; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.facts span { color: var(--quiet); font-size: .9rem; }
"""


def to_html(report: Report) -> str:
    """Return the page; every text from the user is escaped."""
    written = [(section, section.html(report)) for section in SECTIONS]
    shown = [(section, content) for section, content in written if content]
    body = [
        f"<h1>{escape(report.title)}</h1>",
        _facts(report),
        *(f"<p>{escape(sentence)}</p>" for sentence in estimate_sentences(report)),
        *(
            f'<section id="{section.id}"><h2>{section.title}</h2>\n{content}</section>'
            for section, content in shown
        ),
    ]
    style = "".join(section.style for section, _ in shown)
    return page(report.title, "\n".join(body), charts.STYLE + elements.STYLE + _STYLE + style)


def _facts(report: Report) -> str:
    items = "".join(
        f"<li><b>{escape(value)}</b><span>{escape(name)}</span></li>" for name, value in summary(report)
    )
    return f'<ul class="facts">{items}</ul>'
