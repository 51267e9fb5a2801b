"""The pieces that pages and notebooks are made of: tables, facts, lists; all but `Html` is escaped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from seedtopic.html.escaping import escape


class Html(str):
    """A text that is HTML already.

    Examples
    --------
    >>> shown(Html("<b>")), shown("<b>")
    ('<b>', '&lt;b&gt;')
    """

    __slots__ = ()


def shown(content: object) -> Html:
    """Return what a browser shows as this content: HTML as it is, anything else escaped."""
    return content if isinstance(content, Html) else Html(escape(str(content)))


def table(head: Sequence[str], rows: Iterable[Iterable[object]], numbers: Collection[int] = ()) -> Html:
    """Return a table.

    Parameters
    ----------
    head : sequence of str
    rows : iterable of rows
        Of each the cells.
    numbers : collection of int
        The places of the columns that are aligned to the right.

    Examples
    --------
    >>> table(["word"], [["a < b"]]).partition("<tbody>")[2].partition("</tbody>")[0]
    '<tr><td>a &lt; b</td></tr>'
    """

    def line(row: Iterable[object], tag: str) -> str:
        cells = (
            f"<{tag}{_classed('number' if place in numbers else '')}>{shown(cell)}</{tag}>"
            for place, cell in enumerate(row)
        )
        return f"<tr>{''.join(cells)}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return Html(
        f'<div class="wide"><table><thead>{line(head, "th")}</thead><tbody>{body}</tbody></table></div>'
    )


def facts(pairs: Iterable[tuple[str, object]]) -> Html:
    """Return the main facts, each a name and a value, the value large.

    Examples
    --------
    >>> facts([("documents", "1,234")])
    '<ul class="facts"><li><b>1,234</b> <span>documents</span></li></ul>'
    """
    items = "".join(f"<li><b>{shown(value)}</b> <span>{shown(name)}</span></li>" for name, value in pairs)
    return Html(f'<ul class="facts">{items}</ul>')


def size(documents: int, of_all: int, of_largest: int) -> Html:
    """Return how many documents there are and their share, above a bar as long as beside the largest.

    Examples
    --------
    >>> size(1, 4, 2)
    '<span class="size">1 (25.0%)<i style="width:50.0%"></i></span>'
    """
    share, width = documents / max(of_all, 1), 100 * documents / max(of_largest, 1)
    return Html(
        f'<span class="size">{documents:,} ({share:.1%})<i style="width:{min(width, 100.0):.1f}%"></i></span>'
    )


def paragraph(content: object, kind: str = "") -> Html:
    """Return a paragraph, of a class if it has one."""
    return Html(f"<p{_classed(kind)}>{shown(content)}</p>")


def bullets(lines: Iterable[object]) -> Html:
    """Return a list of lines; nothing if there are none.

    Examples
    --------
    >>> bullets(["a", "b"]), bullets([])
    ('<ul><li>a</li><li>b</li></ul>', '')
    """
    items = "".join(f"<li>{shown(line)}</li>" for line in lines)
    return Html(f"<ul>{items}</ul>" if items else "")


def folded(summary: str, *content: object) -> Html:
    """Return what is shown when its summary is clicked, without any script."""
    inside = "".join(map(shown, content))
    return Html(f"<details><summary>{shown(summary)}</summary>{inside}</details>")


def _classed(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
