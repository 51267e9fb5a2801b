"""Texts, tables and matrices as lines of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from seedtopic.html.escaping import escape
from seedtopic.report.findings import too_large_sentence


def plain(text: str) -> str:
    """Escape a text so that nothing in it is read as Markdown.

    Examples
    --------
    >>> print(plain("a | *b* <i>"))
    a \\| \\*b\\* &lt;i&gt;
    """
    return re.sub(r"([\\`*_\[\]|#~])", r"\\\1", escape(" ".join(text.split()), quote=False))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table; its cells are escaped.

    Examples
    --------
    >>> table(("seed", "documents"), [("game", "6")])
    ['| seed | documents |', '|---|---|', '| game | 6 |', '']
    """
    lines = [f"| {' | '.join(map(plain, row))} |" for row in (head, *rows)]
    return [lines[0], "|" + "---|" * len(head), *lines[1:], ""]


def matrix(names: Sequence[str], values: Sequence[Sequence[str]]) -> list[str]:
    """Return a matrix with numbered rows and columns; it is left out if there are too many categories."""
    if (refused := too_large_sentence(len(values[0]))) is not None:
        return [refused, ""]
    head = ("", *(str(place + 1) for place in range(len(values[0]))))
    rows = (
        (f"{place + 1} {name}", *row) for place, (name, row) in enumerate(zip(names, values, strict=True))
    )
    return table(head, rows)
