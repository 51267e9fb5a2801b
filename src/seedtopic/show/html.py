"""HTML that is safe whatever is in a text: escaped, highlighted, on self-contained pages and in notebooks."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
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


_PAGE_STYLE = """
:root { color-scheme: light dark; --ground: #fff; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de;
  --band: #f6f8fa; --bar: #2f6fb5; --for: 9 105 218; --against: 188 76 0; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181d; --text: #e6e9ed; --quiet: #a3adb8;
  --line: #3a424c; --band: #1d232a; --bar: #6ba6e8; --for: 88 166 255; --against: 240 136 62; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1rem clamp(.8rem, 3vw, 2rem) 4rem;
  background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .6em 0 .4em; }
h2 { font-size: 1.2rem; margin: 2em 0 .5em; border-bottom: 1px solid var(--line); padding-bottom: .2em; }
h3 { font-size: 1rem; margin: 1.4em 0 .4em; }
p { margin: .5em 0; max-width: 50rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .25em .8em .25em 0;
  border-bottom: 1px solid var(--line); overflow-wrap: normal; }
th { font-weight: 600; color: var(--quiet); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
"""

# The strength --s, from 0 to 1, is the opacity of the background and the thickness of the underline.
MARK_STYLE = """
mark { color: var(--text); background: none; padding: 0 .1em; border-radius: .2em;
  border-bottom: calc(1px + 3px * var(--s)) solid; }
mark.for { background: rgb(var(--for) / calc(.06 + .4 * var(--s))); border-color: rgb(var(--for)); }
mark.against { background: rgb(var(--against) / calc(.06 + .4 * var(--s)));
  border-color: rgb(var(--against)); border-bottom-style: dashed; }
mark.seed { font-weight: 700; }
.document { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.9; border: 1px solid var(--line);
  border-radius: .5em; padding: .8em 1em; }
.key { color: var(--quiet); }
"""
# What the marks mean.
KEY = (
    '<p class="key">Words with a <mark class="for" style="--s:1">solid</mark> line speak for the label, '
    'those with a <mark class="against" style="--s:1">dashed</mark> line for the runner-up; thick and '
    'dark lines are strong. <mark class="for seed" style="--s:1">Seeds</mark> are bold.</p>'
)
# No theme has to be known: text has the colour that it inherits, lines and bars are half transparent, and the
# colours of marks are readable on white and on black. The rules are nested, so that they reach nothing
# outside; without them, the fragment is still readable. The class is repeated, because notebooks have rules
# of their own for tables and lists, which would win.
_NOTEBOOK_STYLE = """
.seedtopic.seedtopic.seedtopic {
  --text: currentColor; --quiet: color-mix(in srgb, currentColor 72%, transparent);
  --line: rgb(128 128 128 / .35); --bar: rgb(47 129 247); --for: 47 129 247; --against: 219 109 40;
  max-width: 68rem; font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
  p { margin: .4em 0; }
  .title { font-size: 1.1em; }
  .quiet { color: var(--quiet); }
  .facts { display: flex; flex-wrap: wrap; gap: .3em 1.8em; padding: 0; margin: .5em 0; list-style: none; }
  .facts li { margin: 0; padding: 0; }
  .facts b { display: block; font-size: 1.25em; font-variant-numeric: tabular-nums; }
  .facts span, th { color: var(--quiet); }
  .wide { overflow-x: auto; }
  table { border-collapse: collapse; border: 0; margin: .5em 0; font-size: 1em;
    table-layout: auto; width: auto; }
  tr { background: none; }
  th, td { text-align: left; vertical-align: top; padding: .25em 1.2em .25em 0; border: 0; font-size: 1em;
    border-bottom: 1px solid var(--line); background: none; white-space: normal; max-width: 32em;
    overflow-wrap: break-word; }
  th { font-weight: 600; }
  .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  .size { display: block; min-width: 7em; white-space: nowrap; font-variant-numeric: tabular-nums; }
  .size i { display: block; height: .35em; margin-top: .15em; background: var(--bar); border-radius: .2em; }
  ul { margin: .4em 0; padding-left: 1.4em; }
  details { margin: .4em 0; }
  summary { cursor: pointer; }
  .document { max-height: 24em; overflow-y: auto; margin: .6em 0; }
"""

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


def page(title: str, body: str, style: str = "", script: str = "") -> str:
    """Return a whole page around a body of HTML; the script is the only one that the browser may run."""
    policy, running = _POLICY, ""
    if script:
        policy += f"; script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
        running = f"<script>{script}</script>\n"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_PAGE_STYLE}{style}</style>\n</head>\n"
        f"<body>\n{body}\n{running}</body>\n</html>\n"
    )


def notebook(title: object, *parts: object) -> str:
    """Return the fragment for an object: what it is in a few words, and its parts; a text is a paragraph."""
    body = "".join(f"<p>{escape(part)}</p>" if type(part) is str else as_html(part) for part in parts)
    return (
        f'<div class="seedtopic"><style>{_NOTEBOOK_STYLE}{MARK_STYLE}}}</style>'
        f'<p class="title"><b>{as_html(title)}</b></p>{body}</div>'
    )
