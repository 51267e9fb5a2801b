"""What a section of a report is: a heading, and its content as HTML and as Markdown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seedtopic.report.content import Report


@dataclass(frozen=True)
class Section:
    """A section; what it writes goes below its heading, and an empty section is left out.

    Attributes
    ----------
    id : str
        The anchor of the section on the page.
    title : str
    html : function of a report
        Returns HTML with every text from the user escaped, or an empty text.
    markdown : function of a report
        Returns lines, the last of them empty, or no line.
    style : str
        CSS that only this section needs.
    """

    id: str
    title: str
    html: Callable[[Report], str]
    markdown: Callable[[Report], list[str]]
    style: str = ""
