"""Tables, matrices, figures and lists as HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from seedtopic.html.escaping import escape

STYLE = """
.side { width: max-content; max-width: 17em; white-space: normal; overflow-wrap: anywhere; }
@media (max-width: 44rem) {
  table { font-size: .85rem; }
  th, td { padding-right: .55em; }
  .cards thead { display: none; }
  .cards tr { display: block; padding: .6em 0; border-bottom: 1px solid var(--line); }
  .cards td { display: block; border: 0; padding: .1em 0; text-align: left; white-space: normal; }
  .cards td.name { font-weight: 600; }
  .side { max-width: 12.5em; }
  .cards .side { width: auto; max-width: none; }
  .cards td:not(.name)::before { content: attr(data-head) ": "; color: var(--quiet); }
}
.matrix td, .matrix th { padding: .2em .45em; border: 1px solid var(--line); }
.matrix td { text-align: right; font-variant-numeric: tabular-nums; min-width: 2.6em;
  background: rgb(var(--for) / calc(.6 * var(--s, 0))); }
.matrix td.own { background: var(--band); }
.matrix tbody th { text-align: left; white-space: nowrap; color: var(--text); font-weight: 400; }
.matrix thead th { text-align: center; }
"""


def figure(drawing: str, note: str) -> str:
    """Return a drawing with a note below it."""
    return f"<figure>{drawing}<figcaption>{escape(note)}</figcaption></figure>"


def bullets(sentences: Iterable[str]) -> str:
    """Return sentences as a list; nothing if there are none."""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<ul>{items}</ul>" if items else ""


def side(content: str) -> str:
    """Return a cell as wide as its name, up to a width that leaves space for the other columns."""
    return f'<div class="side">{content}</div>'


def table(head: Sequence[str], rows: Iterable[Iterable[str]], classes: Sequence[str], kind: str = "") -> str:
    """Return a table whose cells are already HTML; with `cards` a phone shows each row as a block."""
    top = "".join(f'<th class="{name}">{cell}</th>' for cell, name in zip(head, classes, strict=True))
    lines = []
    for row in rows:
        cells = "".join(
            f'<td class="{name}"' + (f' data-head="{above}"' if kind else "") + f">{cell}</td>"
            for cell, name, above in zip(row, classes, head, strict=True)
        )
        lines.append(f"<tr>{cells}</tr>")
    body = f"<thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f'<div class="wide"><table class="{kind}">{body}</table></div>'


def matrix(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    write: Callable[[float], str],
) -> str:
    """Return a matrix; columns are numbered, since names do not fit, and likely errors are shaded."""
    astray = [
        value for place, row in enumerate(values) for column, value in enumerate(row) if column != place
    ]
    most = max(astray, default=0) or 1
    head = "".join(f'<th title="{escape(name)}">{place + 1}</th>' for place, name in enumerate(columns))
    lines = []
    for place, name in enumerate(rows):
        cells = "".join(
            f'<td class="own">{write(value)}</td>'
            if column == place
            else f'<td style="--s:{value / most:.2f}">{write(value) if value else ""}</td>'
            for column, value in enumerate(values[place])
        )
        number = f"{place + 1} " if place < len(columns) else ""
        lines.append(f"<tr><th>{side(number + escape(name))}</th>{cells}</tr>")
    return (
        f'<div class="wide"><table class="matrix"><thead><tr><th></th>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
