"""A report as Markdown: an overview, then its sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.report.markdown_elements import plain
from seedtopic.report.overview import overview_markdown
from seedtopic.report.sections import SECTIONS

if TYPE_CHECKING:
    from seedtopic.report.content import Report


def to_markdown(report: Report) -> str:
    """Return the report; every text from the user is escaped."""
    lines = [f"# {plain(report.title)}", "", *overview_markdown(report)]
    for section in SECTIONS:
        written = section.markdown(report)
        lines += [f"## {section.title}", "", *written] if written else []
    return "\n".join(lines)
