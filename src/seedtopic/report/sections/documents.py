"""Example documents that open: those to check, and those that show what a category is to the model."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from seedtopic.html.escaping import escape
from seedtopic.html.highlight import KEY, STYLE, highlighted
from seedtopic.report import charts, elements
from seedtopic.report.examples import MOST_CATEGORIES, Example
from seedtopic.report.findings import certainty, counted
from seedtopic.report.markdown_elements import plain
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Category, Report


def _least_html(report: Report) -> str:
    shown = "\n".join(map(_example, report.least_certain))
    note = elements.note(_least_note(report) + _cut(report.least_certain))
    return f'{note}\n{KEY}\n<div class="documents">{shown}</div>'


def _least_markdown(report: Report) -> list[str]:
    return [_least_note(report), "", *map(_line, report.least_certain), ""]


def _most_html(report: Report) -> str:
    groups = []
    for place, (category, found) in _groups(report):
        drawn = charts.marker(place) if category is not report.none else ""
        head = f'<h3 id="category-{place + 1}">{drawn} {escape(category.name)}</h3>'
        documents = "\n".join(map(_example, found))
        groups.append(
            f'<div class="group">{head}\n{elements.note(_about(report, category))}\n{documents}</div>'
        )
    note = elements.note(_most_note(report) + _cut(report.most_certain))
    return f'{note}\n<div class="documents">{"".join(groups)}</div>'


def _most_markdown(report: Report) -> list[str]:
    lines = [_most_note(report), ""]
    for _, (category, found) in _groups(report):
        lines += [
            f"### {plain(category.name)}",
            "",
            plain(_about(report, category)),
            "",
            *map(_line, found),
            "",
        ]
    return lines


def _groups(report: Report) -> list[tuple[int, tuple[Category, list[Example]]]]:
    """Return the categories that have examples here, with their places and examples."""
    of_label = {label: list(found) for label, found in groupby(report.most_certain, lambda one: one.label)}
    every = [*report.categories, *([] if report.none is None else [report.none])]
    few = len(every) <= MOST_CATEGORIES
    return [
        (place, (category, of_label.get(category.name, [])))
        for place, category in enumerate(every)
        if few or category.name in of_label
    ]


def _least_note(report: Report) -> str:
    labelled = sum(report.histogram)
    return (
        f"The {len(report.least_certain):,} of {counted(labelled, 'document')} whose label is hardly more "
        "probable than the runner-up."
    )


def _most_note(report: Report) -> str:
    largest = (
        f" of the {MOST_CATEGORIES} largest categories" if len(report.categories) > MOST_CATEGORIES else ""
    )
    return (
        f"The most probable documents of each category{largest}: they show what the model understands by it."
    )


def _cut(examples: list[Example]) -> str:
    longest = max((len(example.text) for example in examples if example.cut), default=0)
    return f" Texts are cut after {longest - 1:,} characters." if longest else ""


def _about(report: Report, category: Category) -> str:
    size = counted(category.documents, "document")
    if category is report.none or category.mean_probability is None:
        return f"{size}."
    sure = certainty(report, category.mean_probability)
    how = f"about {sure} right" if report.estimated_accuracy is not None else f"mean probability {sure}"
    return f"{size}, {how}. Typical words: {', '.join(category.words) or 'none'}."


def _example(example: Example) -> str:
    return (
        f'<details class="example"><summary><span class="said"><b>{escape(example.label)}</b> '
        f"{example.probability:.2f}, {escape(example.runner_up)} {example.runner_up_probability:.2f} "
        f'<span class="id">{escape(example.id)}</span></span>'
        f'<span class="begin" dir="auto">{escape(example.beginning) or "(empty)"}</span></summary>'
        f'<p class="document" dir="auto">{highlighted(example.text, example.marks)}</p></details>'
    )


def _line(example: Example) -> str:
    return (
        f"- {plain(example.beginning) or '(empty)'} — {plain(example.id)}: {plain(example.label)} "
        f"{example.probability:.2f}, {plain(example.runner_up)} {example.runner_up_probability:.2f}"
    )


LEAST_CERTAIN = Section("least-certain", "Least certain documents", _least_html, _least_markdown, STYLE)
MOST_CERTAIN = Section("examples", "Examples of each category", _most_html, _most_markdown)
