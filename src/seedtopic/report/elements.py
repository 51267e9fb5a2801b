"""Tables, matrices, figures and notes as HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from seedtopic.html.escaping import escape
from seedtopic.report.findings import too_large_sentence


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and classes for its cells, such as `number`."""

    head: str
    kind: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell of a table: HTML, and the number by which its row is sorted if that is not its text."""

    html: str
    value: float | None = None


def text(content: str) -> Cell:
    """Return a cell with a text from the user."""
    return Cell(escape(content))


def number(value: float | None, written: str) -> Cell:
    """Return a cell with a number; None is shown as nothing, and comes last when sorted.

    Examples
    --------
    >>> number(0.25, f"{0.25:.0%}"), number(None, "").html
    (Cell(html='25%', value=0.25), '')
    """
    return Cell("" if value is None else written, value)


def name(content: str, before: str = "") -> Cell:
    """Return a cell as wide as its name, up to a width that leaves space for others; `before` is HTML."""
    return Cell(f'<div class="side">{before}{escape(content)}</div>')


def note(sentence: str) -> str:
    """Return a paragraph."""
    return f"<p>{escape(sentence)}</p>"


def figure(drawing: str, sentence: str) -> str:
    """Return a drawing with a note below it."""
    return f"<figure>{drawing}<figcaption>{escape(sentence)}</figcaption></figure>"


def table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]], of: str) -> str:
    """Return a table that can be sorted and searched; a phone shows each row as a block.

    Parameters
    ----------
    columns : sequence of Column
    rows : iterable of sequence of Cell
    of : str
        What the rows are, such as "seeds".
    """
    head = "".join(f'<th scope="col"{_class(column)}>{column.head}</th>' for column in columns)
    lines = "".join(
        f"<tr>{''.join(_cell(column, cell) for column, cell in zip(columns, row, strict=True))}</tr>\n"
        for row in rows
    )
    return (
        f'<div class="wide"><table class="data" data-rows="{of}"><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _cell(column: Column, cell: Cell) -> str:
    value = ""
    if "number" in column.kind.split():
        value = f' data-value="{"" if cell.value is None else f"{cell.value:.6g}"}"'
    return f'<td{_class(column)} data-head="{column.head}"{value}>{cell.html}</td>'


def _class(column: Column) -> str:
    return f' class="{column.kind}"' if column.kind else ""


def matrix(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    write: Callable[[float], str],
) -> str:
    """Return a matrix; columns are numbered, since names do not fit, and likely errors are shaded.

    It is left out if there are too many categories to be seen at once, and hidden on a phone.
    """
    if (refused := too_large_sentence(len(columns))) is not None:
        return note(refused)
    astray = [
        value for place, row in enumerate(values) for column, value in enumerate(row) if column != place
    ]
    most = max(astray, default=0) or 1
    head = "".join(
        f'<th scope="col" title="{escape(title)}">{place + 1}</th>' for place, title in enumerate(columns)
    )
    lines = []
    for place, title in enumerate(rows):
        cells = "".join(
            f'<td class="own">{write(value)}</td>'
            if column == place
            else f'<td style="--s:{value / most:.2f}">{write(value)}</td>'
            if value
            else "<td></td>"
            for column, value in enumerate(values[place])
        )
        numbered = name(title, f"{place + 1} " if place < len(columns) else "")
        lines.append(f'<tr><th scope="row">{numbered.html}</th>{cells}</tr>\n')
    return (
        f'<div class="wide broad"><table class="matrix"><thead><tr><td></td>{head}</tr></thead>\n'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
        '<p class="narrow">The matrix is shown on wider screens.</p>'
    )
