"""Tables and texts, said once and shown on a page, in Markdown, in a notebook, in a terminal, as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from seedtopic.base.wording import number_of
from seedtopic.show.html import Html, as_html, escape

if TYPE_CHECKING:
    from rich.table import Table as TerminalTable

MOST_IN_A_MATRIX = 60  # categories


class Part(NamedTuple):
    """A part of a report as a page and Markdown show it; lines of Markdown end with an empty one."""

    html: str
    markdown: Sequence[str] = ()


class Column(NamedTuple):
    """A column: its heading, classes of cells such as `number`, and whether these are names, cut in width."""

    head: str
    kind: str = ""
    names: bool = False

    @property
    def is_number(self) -> bool:
        """Whether it is aligned to the right."""
        return "number" in self.kind.split()


class Cell(NamedTuple):
    """A cell: its text, the number that sorts its row, HTML before the text, and another text in Markdown."""

    text: object
    value: float | None = None
    before: str = ""
    in_markdown: str | None = None


@dataclass(frozen=True)
class Table:
    """A table; its cells are texts, numbers that are written already, or HTML, and are escaped when shown."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[object]]  # of each the cells, a `Cell` where a text alone is not enough
    of: str = ""  # what the rows are, such as "seeds"
    bold: Collection[int] = ()  # the rows that a terminal shows bold

    @property
    def lines(self) -> list[Sequence[object]]:
        """The heading, and the rows below it."""
        return [[column.head for column in self.columns], *self.rows]

    def part(self) -> Part:
        """Return a table that can be sorted and searched; a phone shows each row as a block."""
        head = "".join(f'<th scope="col"{_classed(kind)}>{name}</th>' for name, kind, _ in self.columns)
        body = "".join(f"<tr>{''.join(map(_page_cell, self.columns, row))}</tr>\n" for row in self.rows)
        html = (
            f'<div class="wide"><table class="data" data-rows="{self.of}"><thead><tr>{head}</tr></thead>\n'
            f"<tbody>{body}</tbody></table></div>"
        )
        first, *others = (f"| {' | '.join(map(_in_markdown, line))} |" for line in self.lines)
        return Part(html, [first, "|" + "---|" * len(self.columns), *others, ""])

    def notebook(self) -> Html:
        """Return a table of a fragment for notebooks."""
        kinds, rows = [_classed("number" if column.is_number else "") for column in self.columns], []
        for place, line in enumerate(self.lines):
            tag = "td" if place else "th"
            cells = (f"<{tag}{kind}>{as_html(cell)}</{tag}>" for kind, cell in zip(kinds, line, strict=True))
            rows.append(f"<tr>{''.join(cells)}</tr>")
        html = f"<thead>{rows[0]}</thead><tbody>{''.join(rows[1:])}</tbody>"
        return Html(f'<div class="wide"><table>{html}</table></div>')

    def terminal(self, *, head: bool = True) -> TerminalTable:
        """Return a table that rich lays out; numbers are never folded."""
        from rich.cells import cell_len  # imported late, as a report needs no terminal
        from rich.table import Table as TerminalTable
        from rich.text import Text as TerminalText

        drawn = TerminalTable(
            box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=head, header_style="bold"
        )
        for column in self.columns:
            drawn.add_column(
                printable(column.head),
                justify="right" if column.is_number else "left",
                no_wrap=column.is_number,
                overflow="fold",
                min_width=cell_len(column.head) if column.is_number else None,
            )
        for place, row in enumerate(self.rows):
            cells = (cell if isinstance(cell, TerminalText) else printable(cell) for cell in row)
            drawn.add_row(*cells, style="bold" if place in self.bold else None)
        return drawn

    __rich__ = terminal  # the name by which rich asks for it

    def text(self) -> str:
        """Return aligned columns, one row a line."""
        lines = [[str(cell) for cell in line] for line in self.lines]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if column.is_number else cell.ljust(width)
                for column, cell, width in zip(self.columns, line, widths, strict=True)
            ).rstrip()
            for line in lines
        )


def number(value: float | None, form: str = ",") -> Cell:
    """Return a cell with a number, by which its row is sorted; None is shown as nothing."""
    return Cell("" if value is None else f"{value:{form}}", value)


def text(sentence: str, on_a_page: str = "") -> Part:
    """Return a paragraph, and what only a page adds to it."""
    return Part(f"<p>{escape(sentence + on_a_page)}</p>", [plain(sentence), ""])


def heading(title: str) -> Part:
    """Return a heading within a section."""
    return Part(f"<h3>{title}</h3>", [f"{title}:", ""])


def figure(drawing: str, note: str, markdown: Sequence[str] = ()) -> Part:
    """Return a drawing with a note below it; Markdown has these lines in its place."""
    return Part(f"<figure>{drawing}<figcaption>{escape(note)}</figcaption></figure>", markdown)


def matrix(
    rows: Sequence[str],
    head: Sequence[str],
    values: Sequence[Sequence[float]],
    on_a_page: Callable[[float], str],
    in_markdown: Callable[[float], str],
) -> Part:
    """Return a matrix; columns are numbered, since names do not fit, and likely errors are shaded."""
    if len(head) > MOST_IN_A_MATRIX:
        return text(f"The matrix of {len(head):,} categories is too large to be shown.")
    astray = [
        value for place, row in enumerate(values) for column, value in enumerate(row) if column != place
    ]
    most = max(astray, default=0) or 1

    def cell(value: float, own: bool) -> str:
        if not own and not value:
            return "<td></td>"
        kind = 'class="own"' if own else f'style="--s:{value / most:.2f}"'
        return f"<td {kind}>{on_a_page(value)}</td>"

    titles = (f'<th scope="col" title="{escape(title)}">{n}</th>' for n, title in enumerate(head, 1))
    lines, named = [], []
    for place, (title, row) in enumerate(zip(rows, values, strict=True)):
        cells = "".join(cell(value, column == place) for column, value in enumerate(row))
        numbered = _name(title, f"{place + 1} " if place < len(head) else "")
        lines.append(f'<tr><th scope="row">{numbered}</th>{cells}</tr>\n')
        named.append((f"{place + 1} {title}", *map(in_markdown, row)))
    html = (
        f'<div class="wide broad"><table class="matrix"><thead><tr><td></td>{"".join(titles)}</tr></thead>\n'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
        '<p class="narrow">The matrix is shown on wider screens.</p>'
    )
    return Part(html, Table(columns("", *(str(n) for n in range(1, len(head) + 1))), named).part().markdown)


def columns(*left: str, numbers: Sequence[str] = (), right: Sequence[str] = ()) -> list[Column]:
    """Return columns of texts, then of numbers, then of texts again."""
    return [*map(Column, left), *(Column(head, "number") for head in numbers), *map(Column, right)]


def plain(text: str) -> str:
    """Escape a text so that nothing in it is read as Markdown."""
    return re.sub(r"([\\`*_\[\]|#~])", r"\\\1", escape(" ".join(text.split()), quote=False))


def printable(name: object) -> str:
    """Write a name on one line of a terminal, control characters escaped."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(name))


def facts(pairs: Iterable[tuple[str, object]]) -> Html:
    """Return the main facts for a page or a notebook, each a name and a value, the value large."""
    items = "".join(f"<li><b>{as_html(value)}</b> <span>{as_html(name)}</span></li>" for name, value in pairs)
    return Html(f'<ul class="facts">{items}</ul>')


def size(documents: int, of_all: int, of_largest: int) -> Html:
    """Return how many documents there are and their share, above a bar as long as beside the largest."""
    share, width = documents / max(of_all, 1), 100 * documents / max(of_largest, 1)
    return Html(
        f'<span class="size">{documents:,} ({share:.1%})<i style="width:{min(width, 100.0):.1f}%"></i></span>'
    )


def bullets(lines: Iterable[object]) -> Html:
    """Return a list of lines; nothing if there are none."""
    items = "".join(f"<li>{as_html(line)}</li>" for line in lines)
    return Html(f"<ul>{items}</ul>" if items else "")


def folded(summary: str, *content: object) -> Html:
    """Return what is shown when its summary is clicked, without any script."""
    inside = "".join(map(as_html, content))
    return Html(f"<details><summary>{as_html(summary)}</summary>{inside}</details>")


def more(n_all: int, n_shown: int, what: str) -> list[str]:
    """Return the sentence that ends a list which was cut; none if it was not."""
    return [f"and {number_of(n_all - n_shown, f'more {what}')}"] if n_all > n_shown else []


def _page_cell(column: Column, content: object) -> str:
    cell = content if isinstance(content, Cell) else Cell(content)
    value = ""
    if column.is_number:
        value = f' data-value="{"" if cell.value is None else f"{cell.value:.6g}"}"'
    inside = _name(cell.text, cell.before) if column.names else as_html(cell.text)
    return f'<td{_classed(column.kind)} data-head="{column.head}"{value}>{inside}</td>'


def _name(content: object, before: str) -> str:
    """Return a name up to a width that leaves space for other columns."""
    return f'<div class="side">{before}{as_html(content)}</div>'


def _in_markdown(content: object) -> str:
    if isinstance(content, Cell):
        content = content.text if content.in_markdown is None else content.in_markdown
    return plain(str(content))


def _classed(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
