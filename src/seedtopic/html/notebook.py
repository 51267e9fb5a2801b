"""How an object is shown in a notebook: a fragment of HTML in the colours of the page around it.

No theme has to be known. Text has the colour that it inherits, lines and bars are half transparent, and the
two colours of marks are readable on white and on black: in the light and the dark, whatever the program.
"""

from __future__ import annotations

from seedtopic.html.highlight import STYLE as HIGHLIGHT
from seedtopic.html.pieces import paragraph, shown

# The rules are nested, so that they reach nothing outside; without them, the fragment is still readable.
# The class is repeated, because notebooks have rules of their own for tables and lists, which would win.
_STYLE = """
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


def notebook(title: object, *parts: object) -> str:
    """Return the fragment for an object.

    Parameters
    ----------
    title : str or Html
        What it is, in a few words.
    *parts : str or Html
        A plain text becomes a paragraph.

    Examples
    --------
    >>> fragment = notebook("Seeds", "2 categories")
    >>> fragment.partition("</style>")[2]
    '<p class="title"><b>Seeds</b></p><p>2 categories</p></div>'
    """
    body = "".join(paragraph(part) if type(part) is str else shown(part) for part in parts)
    return (
        f'<div class="seedtopic"><style>{_STYLE}{HIGHLIGHT}}}</style>'
        f'<p class="title"><b>{shown(title)}</b></p>{body}</div>'
    )
