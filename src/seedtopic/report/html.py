"""A report as one HTML page: an overview, then its sections."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from seedtopic.html.escaping import escape
from seedtopic.html.page import page
from seedtopic.report import charts
from seedtopic.report.overview import NEXT, SIZES, overview_html
from seedtopic.report.sections import SECTIONS

if TYPE_CHECKING:
    from seedtopic.report.content import Report

SCRIPTS = ("contents", "search", "tables", "documents", "map")


def to_html(report: Report) -> str:
    """Return the page; every text from the user is escaped."""
    written = [(section, section.html(report)) for section in SECTIONS]
    shown = [(section, content) for section, content in written if content]
    entries = [("sizes", SIZES), ("next", NEXT), *((section.id, section.title) for section, _ in shown)]
    links = "".join(f'<li><a href="#{place}">{title}</a></li>' for place, title in entries)
    body = [
        '<div class="bar-top"><button type="button" popovertarget="contents">Contents</button></div>',
        f'<nav id="contents" popover aria-label="Contents"><ol>{links}</ol></nav>',
        f"<main>\n<h1>{escape(report.title)}</h1>",
        overview_html(report),
        *(
            f'<section id="{section.id}"><h2>{section.title}</h2>\n{content}</section>'
            for section, content in shown
        ),
        "</main>",
    ]
    own = "".join(section.style for section, _ in shown)
    script = "".join(static(f"{name}.js") for name in SCRIPTS)
    return page(report.title, "\n".join(body), charts.STYLE + static("report.css") + own, script)


@cache
def static(name: str) -> str:
    """Return the text of a file that every page contains."""
    return files("seedtopic.report").joinpath("static", name).read_text("utf-8")
