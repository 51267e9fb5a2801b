"""A report as one HTML page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from seedtopic.html.escaping import escape
from seedtopic.html.page import page
from seedtopic.report import charts
from seedtopic.report.examples import Example
from seedtopic.report.findings import (
    HISTOGRAM_NOTE,
    SEEDS_NOTE,
    SUSPECTED_NOTE,
    certainty,
    certainty_head,
    certainty_of_none,
    estimate_sentences,
    map_note,
    no_objective,
    summary,
    suspected_pairs,
)

if TYPE_CHECKING:
    from seedtopic.report.content import Report

_STYLE = """
.facts { display: flex; flex-wrap: wrap; gap: .6em 2em; padding: 0; margin: 1em 0; list-style: none; }
.facts b { display: block; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.facts span { color: var(--quiet); font-size: .9rem; }
.size { min-width: 6.5em; white-space: nowrap; }
.size i { display: block; height: .45em; margin-top: .2em; background: var(--bar); border-radius: .2em; }
.words { min-width: 13em; }
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
.example { border-left: 3px solid var(--line); padding: .1em 0 .1em .8em; margin: .7em 0; max-width: 50rem; }
.example p { margin: .1em 0; }
.example .said { color: var(--quiet); font-size: .9rem; }
.missing { font-weight: 600; color: rgb(var(--against)); }
.legend { columns: 15rem; padding: 0; list-style: none; font-size: .92rem; max-width: 52rem; }
"""


def to_html(report: Report) -> str:
    """Return the page; every text from the user is escaped."""
    names = [category.name for category in report.categories]
    body = [
        f"<h1>{escape(report.title)}</h1>",
        _facts(report),
        *(f"<p>{escape(sentence)}</p>" for sentence in estimate_sentences(report)),
        "<h2>Categories</h2>",
        _categories(report),
        "<h2>Confidence of the labels</h2>",
        _figure(charts.histogram(report.histogram), HISTOGRAM_NOTE),
        "<h2>Map of the documents</h2>",
        _figure(charts.document_map(report.map, names), map_note(report)),
        _legend(names),
        *_scores(report),
        "<h2>Likely confusions</h2>",
        f"<p>{SUSPECTED_NOTE}</p>",
        _list(suspected_pairs(report)),
        _matrix(names, names, report.suspected, lambda value: f"{value:.2f}".removeprefix("0")),
        "<h2>Least certain documents</h2>",
        *map(_example, report.least_certain),
        "<h2>Most certain documents of each category</h2>",
        *map(_example, report.most_certain),
        "<h2>Seeds</h2>",
        f"<p>{SEEDS_NOTE}</p>",
        _seeds(report),
        "<h2>Objective</h2>",
        charts.curve(report.objective) if report.objective else f"<p>{escape(no_objective(report))}</p>",
        "<h2>Settings</h2>",
        _table(("setting", "value"), [map(escape, pair) for pair in report.settings.items()], ("", "")),
        f"<p>{escape(report.model)}, seedtopic {escape(report.version)}.</p>",
    ]
    return page(report.title, "\n".join(body), charts.STYLE + _STYLE)


def _facts(report: Report) -> str:
    items = "".join(
        f"<li><b>{escape(value)}</b><span>{escape(name)}</span></li>" for name, value in summary(report)
    )
    return f'<ul class="facts">{items}</ul>'


def _categories(report: Report) -> str:
    largest = max([category.documents for category in report.categories] + [1])
    rows = []
    for place, category in enumerate(report.categories):
        share = category.documents / report.documents
        width = 100 * category.documents / largest
        rows.append(
            (
                _side(f"{place + 1} {charts.marker(place)} {escape(category.name)}"),
                f'{category.documents:,} ({share:.1%})<i style="width:{width:.1f}%"></i>',
                certainty(report, category.mean_probability),
                escape(", ".join(category.words)),
                escape(", ".join(category.seeds)),
            )
        )
    if report.none is not None:
        share = report.none.documents / report.documents
        mean = certainty_of_none(report)
        size = f"{report.none.documents:,} ({share:.1%})"
        rows.append((_side(escape(report.none.name)), size, mean, "no category", ""))
    head = ("category", "documents", certainty_head(report), "typical words", "seeds")
    return _table(head, rows, ("name", "size", "number", "words", "words"), "cards")


def _scores(report: Report) -> list[str]:
    if report.scores is None or report.confusions is None:
        return []
    scores = report.scores
    rows = [
        (
            _side(escape(row.category)),
            f"{row.precision:.3f}",
            f"{row.recall:.3f}",
            f"{row.f1:.3f}",
            f"{row.support:,}",
        )
        for row in scores.categories
    ]
    head = ("category", "precision", "recall", "F1", "documents")
    names = [category.name for category in (*report.categories, report.none) if category is not None]
    return [
        "<h2>Scores against the true labels</h2>",
        f"<p>Micro-F1 (accuracy) {scores.micro_f1:.3f}, macro-F1 {scores.macro_f1:.3f}.</p>",
        _table(head, rows, ("", "number", "number", "number", "number")),
        "<h3>True labels (rows) by predicted labels (columns)</h3>",
        _matrix(report.confusions.rows, names, report.confusions.counts, lambda count: f"{count:,}"),
    ]


def _seeds(report: Report) -> str:
    rows = []
    for seed in report.seeds:
        share = seed.documents / report.documents
        if seed.documents:
            hit = f"{seed.documents:,} ({share:.1%})"
        else:
            hit = f'<span class="missing">{"none" if seed.known else "unknown word"}</span>'
        rows.append(
            (
                escape(seed.word),
                _side(escape(seed.category)),
                hit,
                "" if seed.agreement is None else f"{seed.agreement:.0%}",
                "" if seed.weight is None else f"{seed.weight:.2f}",
            )
        )
    head = ("seed", "category", "documents", "with its label", "learned weight")
    return _table(head, rows, ("", "", "number", "number", "number"))


def _example(example: Example) -> str:
    return (
        f'<div class="example"><p>{escape(example.text) or "(empty)"}</p><p class="said">'
        f"{escape(example.id)}: {escape(example.label)} {example.probability:.2f}, "
        f"{escape(example.runner_up)} {example.runner_up_probability:.2f}</p></div>"
    )


def _legend(names: Sequence[str]) -> str:
    items = "".join(
        f"<li>{charts.marker(place)} {place + 1} {escape(name)}</li>" for place, name in enumerate(names)
    )
    return f'<ul class="legend">{items}</ul>'


def _figure(drawing: str, note: str) -> str:
    return f"<figure>{drawing}<figcaption>{escape(note)}</figcaption></figure>"


def _list(sentences: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<ul>{items}</ul>" if items else ""


def _side(content: str) -> str:
    """Return a cell as wide as its name, up to a width that leaves space for the other columns."""
    return f'<div class="side">{content}</div>'


def _table(head: Sequence[str], rows: Iterable[Iterable[str]], classes: Sequence[str], kind: str = "") -> str:
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


def _matrix(
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
        lines.append(f"<tr><th>{_side(number + escape(name))}</th>{cells}</tr>")
    return (
        f'<div class="wide"><table class="matrix"><thead><tr><th></th>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
