"""HTML that is safe whatever is in a text: escaped, highlighted, on self-contained pages and in notebooks."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

# Characters that HTML does not allow (control characters, unpaired surrogates), and characters that reverse
# the direction of the text after them, which could make one label look like another.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202d\u202e]")


class Html(str):
    """A text that is HTML already."""

    __slots__ = ()


def escape(text: str, quote: bool = True) -> str:
    """Escape a text so that a browser shows it as it is."""
    return html.escape(_UNSEEN.sub("\ufffd", text), quote)


def as_html(content: object) -> Html:
    """Return what a browser shows as this content: HTML as it is, anything else escaped."""
    return content if isinstance(content, Html) else Html(escape(str(content)))


def json_block(name: str, value: Any) -> str:
    """Return an element that holds values for the script of a page."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    safe = _UNSEEN.sub("\ufffd", written).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{safe}</script>'


# What the marks mean; their strength --s, from 0 to 1, is the opacity of the ground and the line's width.
KEY = (
    '<p class="key">Words with a <mark class="for" style="--s:1">solid</mark> line speak for the label, '
    'those with a <mark class="against" style="--s:1">dashed</mark> line for the runner-up; thick and '
    'dark lines are strong. <mark class="for seed" style="--s:1">Seeds</mark> are bold.</p>'
)
# Should a text get past the escaping, the browser still runs and fetches nothing of it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


class Mark(NamedTuple):
    """A part of a text with its weight, for (above 0) or against; `shown` is its tooltip."""

    start: int
    end: int
    weight: float
    seed: bool
    shown: str


def without_overlaps(marks: Iterable[Mark]) -> list[Mark]:
    """Keep, of marks that overlap, the weightiest; give them in the order of the text."""
    drawn: list[Mark] = []
    taken: set[int] = set()
    for mark in sorted(marks, key=lambda mark: (-abs(mark.weight), mark.start)):
        letters = range(mark.start, mark.end)
        if letters and taken.isdisjoint(letters):
            taken.update(letters)
            drawn.append(mark)
    return sorted(drawn)


def highlighted(text: str, marks: Iterable[Mark]) -> str:
    """Return a text with its marks; of overlapping marks, only the strongest is drawn."""
    drawn = without_overlaps(marks)
    strongest = max((abs(mark.weight) for mark in drawn), default=0.0) or 1.0
    pieces, behind = [], 0
    for mark in drawn:
        kind = ("for" if mark.weight > 0 else "against") + (" seed" if mark.seed else "")
        pieces += [
            escape(text[behind : mark.start]),
            f'<mark class="{kind}" style="--s:{abs(mark.weight) / strongest:.2f}" '
            f'title="{escape(mark.shown)}">{escape(text[mark.start : mark.end])}</mark>',
        ]
        behind = mark.end
    return "".join([*pieces, escape(text[behind:])])


@cache
def static(name: str) -> str:
    """Return the text of a file that pages contain."""
    return files("seedtopic.show").joinpath("static", name).read_text("utf-8")


def page(title: str, body: str, *styles: str, script: str = "") -> str:
    """Return a page around a body of HTML, with files of CSS, and the only script that a browser may run."""
    policy, running, style = _POLICY, "", "".join(map(static, ("page.css", *styles)))
    if script:
        policy += f"; script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
        running = f"<script>{script}</script>\n"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body}\n{running}</body>\n</html>\n"
    )


def notebook(title: object, *parts: object) -> str:
    """Return the fragment for an object: what it is in a few words, and its parts; a text is a paragraph."""
    body = "".join(f"<p>{escape(part)}</p>" if type(part) is str else as_html(part) for part in parts)
    # No theme has to be known: text has the colour that it inherits, lines and bars are half transparent, the
    # colours of marks are readable on white and on black. The rules are nested, so that they reach nothing
    # outside; without them, the fragment is still readable. The class is repeated, because notebooks have
    # rules of their own for tables and lists, which would win.
    style = static("notebook.css").removesuffix("}\n") + static("marks.css") + "}"
    return (
        f'<div class="seedtopic"><style>{style}</style>'
        f'<p class="title"><b>{as_html(title)}</b></p>{body}</div>'
    )
