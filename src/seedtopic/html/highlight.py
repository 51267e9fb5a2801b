"""A text as HTML with some of its words marked; the marks do not depend on colour."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from seedtopic.html.escaping import escape

# The strength --s, from 0 to 1, is the opacity of the background and the thickness of the underline.
STYLE = """
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


class Mark(NamedTuple):
    """A part of a text with its weight, for (above 0) or against; `shown` is its tooltip."""

    start: int
    end: int
    weight: float
    seed: bool
    shown: str


def without_overlaps(marks: Iterable[Mark]) -> list[Mark]:
    """Keep, of marks that overlap, the weightiest; give them in the order of the text.

    Examples
    --------
    >>> found = [Mark(12, 16, 0.1, False, "goal"), Mark(0, 5, 0.2, False, "world")]
    >>> [mark.shown for mark in without_overlaps([*found, Mark(0, 9, -0.5, True, "world cup")])]
    ['world cup', 'goal']
    """
    drawn: list[Mark] = []
    taken: set[int] = set()
    for mark in sorted(marks, key=lambda mark: (-abs(mark.weight), mark.start)):
        letters = range(mark.start, mark.end)
        if letters and taken.isdisjoint(letters):
            taken.update(letters)
            drawn.append(mark)
    return sorted(drawn)


def highlighted(text: str, marks: Iterable[Mark]) -> str:
    """Return a text with its marks; of overlapping marks, only the strongest is drawn.

    Examples
    --------
    >>> highlighted("a <b> goal", [Mark(6, 10, 0.5, True, "goal +0.50")])
    'a &lt;b&gt; <mark class="for seed" style="--s:1.00" title="goal +0.50">goal</mark>'
    """
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
