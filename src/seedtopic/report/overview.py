"""The first screen of a report: how many documents each category has, how sure, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.html.escaping import escape
from seedtopic.report import elements
from seedtopic.report.examples import shortened
from seedtopic.report.findings import certainty, certainty_head, estimate_sentences, summary
from seedtopic.report.markdown_elements import plain
from seedtopic.report.next_steps import next_steps
from seedtopic.report.sections import SECTIONS

if TYPE_CHECKING:
    from seedtopic.report.content import Category, Report

SIZES = "Documents in each category"
NEXT = "What to do next"
MOST_SHOWN = 12  # categories on the first screen: the largest


def overview_html(report: Report) -> str:
    """Return the facts, the sizes of the categories and the next steps."""
    facts = "".join(
        f"<li><b>{escape(value)}</b> <span>{escape(name)}</span></li>" for name, value in summary(report)
    )
    titles = {section.id: section.title for section in SECTIONS}
    steps = "".join(
        f'<li>{escape(step.sentence)} <a href="#{step.section}">{titles[step.section]}</a></li>'
        for step in next_steps(report)
    )
    said = " ".join(estimate_sentences(report))
    return "\n".join(
        [
            f'<ul class="facts">{facts}</ul>',
            *([elements.note(said)] if said else []),
            f'<div class="overview"><section id="sizes"><h2>{SIZES}</h2>\n{_sizes(report)}</section>',
            f'<section id="next"><h2>{NEXT}</h2>\n<ol>{steps}</ol></section></div>',
        ]
    )


def overview_markdown(report: Report) -> list[str]:
    """Return the same, without the sizes: the first section has them."""
    return [
        *(f"- {plain(name)}: {plain(value)}" for name, value in summary(report)),
        "",
        *(line for sentence in estimate_sentences(report) for line in (plain(sentence), "")),
        f"## {NEXT}",
        "",
        *(f"{place + 1}. {plain(step.sentence)}" for place, step in enumerate(next_steps(report))),
        "",
    ]


def _sizes(report: Report) -> str:
    """Return the largest categories with bars, of which the dark part is right, about."""
    every = [*report.categories, *([] if report.none is None else [report.none])]
    order = sorted(range(len(every)), key=lambda place: -every[place].documents)
    largest = max(every[order[0]].documents, 1)
    rows = "".join(_size(report, place, every[place], largest) for place in order[:MOST_SHOWN])
    all_of_them = f'<p class="all"><a href="#categories">All {len(report.categories):,} categories</a></p>'
    return (
        f'<table class="sizes"><thead><tr><th scope="col">category</th><td></td>'
        '<th scope="col" class="number">documents</th>'
        f'<th scope="col" class="number">{certainty_head(report)}</th></tr></thead>\n'
        f"<tbody>{rows}</tbody></table>{all_of_them}"
    )


def _size(report: Report, place: int, category: Category, largest: int) -> str:
    mean = None if category is report.none else category.mean_probability
    width, share = 100 * category.documents / largest, category.documents / report.documents
    sure = "" if mean is None else f'<i style="width:{100 * mean:.1f}%"></i>'
    return (
        f'<tr><th scope="row"><a href="#category-{place + 1}">{escape(shortened(category.name, 40))}</a></th>'
        f'<td class="bar"><span style="width:{width:.1f}%">{sure}</span></td>'
        f'<td class="number">{category.documents:,} <small>{share:.0%}</small></td>'
        f'<td class="number">{certainty(report, mean)}</td></tr>\n'
    )
