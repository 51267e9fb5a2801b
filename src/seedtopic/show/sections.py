"""The sections of a report: to add one, write a function that returns its parts, and name it in SECTIONS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, groupby
from typing import NamedTuple

import numpy as np

from seedtopic.base.wording import number_of, percent
from seedtopic.quality.shares import Breakdown
from seedtopic.show import charts, facts
from seedtopic.show.facts import MOST_CATEGORIES, Category, Example, shortened
from seedtopic.show.html import KEY, Html, escape, highlighted, json_block
from seedtopic.show.report import Report
from seedtopic.show.table import (
    Cell,
    Column,
    Part,
    Table,
    columns,
    figure,
    heading,
    matrix,
    number,
    plain,
    text,
)

SEEDS_LENGTH = 300  # characters of the seeds of a category; the section of the seeds has them all
MOST_SEEDS = 1_000
MOST_DRAWN = 24  # categories whose shares are drawn, the largest ones
_LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


class Section(NamedTuple):
    """A section, left out without parts; with a file of CSS for it alone, and what is between its parts."""

    id: str
    title: str
    parts: Callable[[Report], Iterable[Part]]
    style: str = ""
    between: str = "\n"


def all_categories(report: Report) -> list[Category]:
    """Return the categories and, if the model has it, the one for documents of no category."""
    return [*report.categories, *([] if report.none is None else [report.none])]


def certainty_head(report: Report) -> str:
    """Return what the mean probability of labels is called."""
    return "mean probability" if report.estimated_accuracy is None else "right, about"


def certainty(report: Report, mean_probability: float | None) -> str:
    """Return the mean probability of labels as a number or, if the model can tell, as a share."""
    if mean_probability is None:
        return ""
    return f"{mean_probability:.2f}" if report.estimated_accuracy is None else percent(mean_probability)


def certainty_of(report: Report, category: Category) -> str:
    """Return the same for a category; of documents of no category it is not known how many are right."""
    unknown = category is report.none and report.estimated_accuracy is not None
    return "" if unknown else certainty(report, category.mean_probability)


def _categories(report: Report) -> list[Part]:
    words = Column("typical words", "words"), Column("seeds", "words")
    head = [_name("category"), *columns(numbers=("documents", certainty_head(report))), *words]
    rows = []
    for place, category in enumerate(all_categories(report)):
        none, typical = category is report.none, ", ".join(category.words)
        sure = certainty_of(report, category)
        before = f"{charts.marker(charts.NONE)} " if none else f"{place + 1} {charts.marker(place)} "
        rows.append(
            (
                Cell(category.name, before=before, in_markdown=f"{place + 1} {category.name}"),
                _of_all(category.documents, report.documents),
                Cell(sure, category.mean_probability if sure else None),
                Cell("no category", in_markdown=typical) if none else typical,
                shortened(", ".join(category.seeds), SEEDS_LENGTH),
            )
        )
    return [Table(head, rows, "categories").part()]


def _name(head: str, kind: str = "name") -> Column:
    return Column(head, kind, names=True)


def _of_all(count: int, total: int) -> Cell:
    return Cell(f"{count:,} ({count / total:.1%})", count)


def _shares(report: Report) -> list[Part]:
    if report.shares is None:
        return []
    note = (
        "The share of documents with each label. The bands are 95 % intervals: labels may be wrong, and "
        "other documents could have come. Differences between groups are more certain than the levels."
    )
    return [text(note), *(part for breakdown in report.shares.by for part in _breakdown(breakdown))]


def _breakdown(by: Breakdown) -> Iterator[Part]:
    """Return the charts and the table of one column."""
    n_categories = len(by.groups[0].shares)
    sizes = [sum(group.shares[k].labelled for group in by.groups) for k in range(n_categories)]
    drawn = sorted(sorted(range(n_categories), key=lambda k: -sizes[k])[:MOST_DRAWN])
    title = by.column if by.period is None else f"{by.column}, by {by.period}"
    yield Part(f"<h3>{escape(title)}</h3>", [f"### {plain(title)}", ""])
    if n_categories > MOST_DRAWN:
        largest = f"The {MOST_DRAWN} largest of {n_categories:,} categories; seedtopic shares lists all."
        yield Part(text(largest).html)
    draw = charts.shares_by_group if by.period is None else charts.shares_over_time
    most = max((s.share.high for group in by.groups if group.documents for s in group.shares), default=1.0)
    figures = "".join(
        f"<figure><figcaption>{escape(by.groups[0].shares[k].category)}</figcaption>"
        f"{draw([(group, group.shares[k]) for group in by.groups], most)}</figure>"
        for k in drawn
    )
    rows = []
    for group in by.groups:
        for share in (group.shares[k] for k in drawn):
            counts = number(group.documents), number(share.labelled)
            values = (share.share.value, share.share.low, share.share.high)
            rows.append((group.name, share.category, *counts, *(number(value, ".1%") for value in values)))
    numbers = columns(numbers=("documents", "labelled", "share", "from", "to"))
    table = Table([Column("group"), _name("category", ""), *numbers], rows, "shares").part()
    folded = f"<details><summary>All numbers</summary>{table.html}</details>"
    yield Part(f'<div class="shares">{figures}</div>{folded}', table.markdown)


def _least_certain(report: Report) -> list[Part]:
    note = (
        f"The {len(report.least_certain):,} of {number_of(sum(report.histogram), 'document')} whose label is "
        "hardly more probable than the runner-up."
    )
    html, lines = _examples(report.least_certain)
    return [
        text(note, _cut(report.least_certain)),
        Part(f'{KEY}\n<div class="documents">{html}</div>', [*lines, ""]),
    ]


def _most_certain(report: Report) -> list[Part]:
    """Return the categories that have examples here."""
    every = all_categories(report)
    of_label = {label: list(own) for label, own in groupby(report.most_certain, lambda one: one.label)}
    groups, lines = [], []
    for place, category in enumerate(every):
        if len(every) > MOST_CATEGORIES and category.name not in of_label:
            continue
        documents, about = _examples(of_label.get(category.name, [])), text(_about(report, category))
        drawn = charts.marker(place) if category is not report.none else ""
        head = f'<h3 id="category-{place + 1}">{drawn} {escape(category.name)}</h3>'
        groups.append(f'<div class="group">{head}\n{about.html}\n{documents.html}</div>')
        lines += [f"### {plain(category.name)}", "", *about.markdown, *documents.markdown, ""]
    some = f" of the {MOST_CATEGORIES} largest categories" * (len(report.categories) > MOST_CATEGORIES)
    note = f"The most probable documents of each category{some}: they show what the model understands by it."
    return [
        text(note, _cut(report.most_certain)),
        Part(f'<div class="documents">{"".join(groups)}</div>', lines),
    ]


def _cut(examples: Iterable[Example]) -> str:
    longest = max((len(example.text) for example in examples if example.cut), default=0)
    return f" Texts are cut after {longest - 1:,} characters." if longest else ""


def _about(report: Report, category: Category) -> str:
    size = number_of(category.documents, "document")
    if category is report.none or category.mean_probability is None:
        return f"{size}."
    sure = certainty(report, category.mean_probability)
    how = f"about {sure} right" if report.estimated_accuracy is not None else f"mean probability {sure}"
    return f"{size}, {how}. Typical words: {', '.join(category.words) or 'none'}."


def _examples(examples: Iterable[Example]) -> Part:
    """Return documents that open on a page, and a line of Markdown for each."""
    html, lines = [], []
    for one in examples:
        first, second = f"{one.probability:.2f}", f"{one.runner_up_probability:.2f}"
        html.append(
            f'<details class="example"><summary><span class="said"><b>{escape(one.label)}</b> {first}, '
            f'{escape(one.runner_up)} {second} <span class="id">{escape(one.id)}</span></span>'
            f'<span class="begin" dir="auto">{escape(one.beginning) or "(empty)"}</span></summary>'
            f'<p class="document" dir="auto">{highlighted(one.text, one.marks)}</p></details>'
        )
        lines.append(
            f"- {plain(one.beginning) or '(empty)'} — {plain(one.id)}: {plain(one.label)} {first}, "
            f"{plain(one.runner_up)} {second}"
        )
    return Part("\n".join(html), lines)


def _confusions(report: Report) -> list[Part]:
    note = "How many documents of a label may belong to another category, as far as this can be told "
    names = [category.name for category in report.categories]
    numbers = columns(numbers=("documents, about", "share of the label"))
    rows = [
        (pair.label, pair.other, number(pair.documents, ",.0f"), number(pair.share, ".1%"))
        for pair in facts.suspected_pairs(report.categories, report.suspected)
    ]
    pairs = Table([_name("label"), _name("may be", ""), *numbers], rows, "pairs")
    return [
        text(f"{note}without true labels."),
        pairs.part() if rows else text("No two categories seem to be confused."),
        text("For the documents of each label (rows), the share that may belong to each category (columns)."),
        matrix(
            names,
            names,
            report.suspected,
            lambda value: f"{value:.2f}".removeprefix("0") if value >= 0.005 else "",
            lambda value: f"{value:.2f}",
        ),
    ]


def _scores(report: Report) -> list[Part]:
    scores, confusions = report.scores, report.confusions
    if scores is None or confusions is None:
        return []
    numbers = columns(numbers=("precision", "recall", "F1", "documents"))
    rows = []
    for row in scores.categories:
        own = (number(score, ".3f") for score in (row.precision, row.recall, row.f1))
        rows.append((row.category, *own, number(row.support)))
    names = [category.name for category in all_categories(report)]
    counts = np.array(confusions.counts, dtype=float).T
    pairs = [
        (pair.other, pair.label, number(pair.documents, ",.0f"))
        for pair in facts.largest_pairs(counts, names, confusions.rows, counts.sum(axis=1))
    ]
    of_pairs = [_name("true label"), _name("predicted label", ""), Column("documents", "number")]
    return [
        Part(text(f"Micro-F1 (accuracy) {scores.micro_f1:.3f}, macro-F1 {scores.macro_f1:.3f}.").html),
        Table([_name("category"), *numbers], rows, "categories").part(),
        *([heading("Largest confusions"), Table(of_pairs, pairs, "pairs").part()] if pairs else []),
        heading("True labels (rows) by predicted labels (columns)"),
        matrix(confusions.rows, names, confusions.counts, lambda count: f"{count:,}", str),
    ]


def _seeds(report: Report) -> list[Part]:
    note = (
        "The number of documents that contain each seed, the share of them that got the label of its "
        "category, and the weight that the model learned for the seed, relative to the other seeds of its "
        "category (1 is full weight)."
    )
    if len(report.seeds) > MOST_SEEDS:
        note += f" Shown are the first {MOST_SEEDS:,} of {len(report.seeds):,} seeds."
    numbers = columns(numbers=("documents", "with its label", "learned weight"))
    rows = []
    for seed in report.seeds[:MOST_SEEDS]:
        hit = f"{seed.documents:,}" if seed.documents else "none" if seed.known else "unknown word"
        shown = hit if seed.documents else Html(f'<span class="missing">{hit}</span>')
        documents = Cell(shown, seed.documents, in_markdown=hit)
        weights = number(seed.agreement, ".0%"), number(seed.weight, ".2f")
        rows.append((seed.word, seed.category, documents, *weights))
    return [
        text(note),
        Table([Column("seed", "name"), _name("category", ""), *numbers], rows, "seeds").part(),
    ]


def _map(report: Report) -> list[Part]:
    """Return the map of the documents, which only a page has."""
    names = [category.name for category in report.categories]
    none = [] if report.none is None else [report.none.name]
    legend = "".join(
        f"<li>{charts.marker(place)} {place + 1} {escape(name)}</li>" for place, name in enumerate(names)
    ) + "".join(f"<li>{charts.marker(charts.NONE)} {escape(name)}</li>" for name in none)
    drawn, labelled = report.map, sum(report.histogram)
    chosen = " Documents without a label are not shown." if labelled < report.documents else ""
    if len(drawn.documents) < labelled:
        chosen = f" {len(drawn.documents):,} of {labelled:,} documents are shown, evenly chosen."
    note = (
        "Categories are on a circle, similar ones next to each other. A document is between the categories "
        "it may belong to, nearer to the more probable one; documents of one category are spread by their "
        f"words. Point at a document, tap on it or use the arrow keys to read it.{chosen}"
    )
    described = zip(drawn.points, drawn.labels, drawn.probabilities, drawn.ids, drawn.texts, strict=True)
    points = [[*charts.on_the_map(x, y), *rest] for (x, y), *rest in described]
    return [
        figure(charts.document_map(drawn, names), note),
        Part(f'<ul class="legend">{legend}</ul>'),
        Part(json_block("map-points", {"names": [*names, *none], "points": points})),
    ]


def _confidence(report: Report) -> list[Part]:
    note, bins = "Histogram of label probabilities.", len(report.histogram)
    counts = [
        (f"{place / bins:.2f} to {(place + 1) / bins:.2f}", f"{count:,}")
        for place, count in enumerate(report.histogram)
        if count
    ]
    lines = [note, "", *Table(columns("probability", "documents"), counts).part().markdown]
    least = list(accumulate(reversed(report.histogram)))[::-1]  # labels in each bin and above
    rows = [(number(level, "g"), _of_all(least[round(level * bins)], max(least[0], 1))) for level in _LEVELS]
    head = [Column("--min-probability", "name number"), Column("labels kept", "number")]
    return [
        figure(charts.histogram(report.histogram), note, lines),
        text("How many labels --min-probability keeps:"),
        Table(head, rows, "levels").part(),
    ]


def _settings(report: Report) -> list[Part]:
    how = "from the fit of" if report.fitted else "predicted by"
    model = f"{report.model}, seedtopic {report.version}"
    head = "Its objective in each iteration:"
    values = ", ".join(f"{value:.1f}" for value in report.objective)
    settings = Table([Column("setting", "name"), Column("value")], list(report.settings.items()), "settings")
    return [
        text(f"The labels are {how} {model}, which knows {number_of(report.words_known, 'word')}."),
        settings.part(),
        Part(f"{text(head).html}\n{charts.curve(report.objective)}", [f"{head} {values}.", ""])
        if values
        else text(report.no_objective),
    ]


SECTIONS = (
    Section("categories", "Categories", _categories),
    Section("shares", "Shares by group and over time", _shares, "shares.css", between=""),
    Section("least-certain", "Least certain documents", _least_certain, "marks.css"),
    Section("examples", "Examples of each category", _most_certain),
    Section("confusions", "Likely confusions", _confusions),
    Section("scores", "Scores against the true labels", _scores),
    Section("seeds", "Seeds", _seeds),
    Section("map", "Map of the documents", _map),
    Section("confidence", "Confidence of the labels", _confidence),
    Section("settings", "How the model was fitted", _settings),
)
