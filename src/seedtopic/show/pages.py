"""A report as a page, as Markdown and in a notebook: how sure the labels are, what to do next, sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seedtopic.base.wording import listed, number_of, percent
from seedtopic.model.estimates import accuracy_sentence, remedy_sentence
from seedtopic.show.facts import shortened, suspected_pairs
from seedtopic.show.html import Html, escape, notebook, page, static
from seedtopic.show.report import Report
from seedtopic.show.sections import SECTIONS, all_categories, certainty, certainty_head, certainty_of
from seedtopic.show.table import Table, bullets, columns, facts, more, plain, size, text

SCRIPTS = ("contents", "search", "tables", "documents", "map")
SIZES = "Documents in each category"
NEXT = "What to do next"
MOST_SHOWN = 12  # categories on the first screen: the largest
MOST_CATEGORIES = 200  # in a notebook
MOST_LISTED = 3  # names in a sentence
MOST_STEPS = 5
ENOUGH_DOCUMENTS = 5  # that contain a seed: with fewer, their labels say little about it
MISLEADING = 1 / 3  # of the documents with a seed have its label, or fewer
WORTH_A_STEP = 0.01  # share of the documents that a confusion or a missing label concerns


def as_html(report: Report) -> str:
    """Return a page; every text from the user is escaped."""
    written = []
    for section in SECTIONS:
        if content := section.between.join(part.html for part in section.parts(report)):
            written.append((section, content))
    entries = [("sizes", SIZES), ("next", NEXT), *((section.id, section.title) for section, _ in written)]
    links = "".join(f'<li><a href="#{place}">{title}</a></li>' for place, title in entries)
    titles = {section.id: section.title for section in SECTIONS}
    steps = "".join(
        f'<li>{escape(step.sentence)} <a href="#{step.section}">{titles[step.section]}</a></li>'
        for step in next_steps(report)
    )
    estimate = " ".join(estimate_sentences(report))
    body = [
        '<div class="bar-top"><button type="button" popovertarget="contents">Contents</button></div>',
        f'<nav id="contents" popover aria-label="Contents"><ol>{links}</ol></nav>',
        f"<main>\n<h1>{escape(report.title)}</h1>",
        facts(summary(report)),
        *([text(estimate).html] if estimate else []),
        f'<div class="overview"><section id="sizes"><h2>{SIZES}</h2>\n{_sizes(report)}</section>',
        f'<section id="next"><h2>{NEXT}</h2>\n<ol>{steps}</ol></section></div>',
        *(
            f'<section id="{section.id}"><h2>{section.title}</h2>\n{content}</section>'
            for section, content in written
        ),
        "</main>",
    ]
    styles = [section.style for section, _ in written if section.style]
    script = "".join(static(f"{name}.js") for name in SCRIPTS)
    return page(report.title, "\n".join(body), "charts.css", "report.css", *styles, script=script)


def as_markdown(report: Report) -> str:
    """Return Markdown, without the map; every text from the user is escaped."""
    steps = [f"{place}. {plain(step.sentence)}" for place, step in enumerate(next_steps(report), 1)]
    lines = [f"# {plain(report.title)}", ""]
    lines += [*(f"- {plain(name)}: {plain(value)}" for name, value in summary(report)), ""]
    lines += [line for sentence in estimate_sentences(report) for line in text(sentence).markdown]
    lines += [f"## {NEXT}", "", *steps, ""]
    for section in SECTIONS:
        written = [line for part in section.parts(report) for line in part.markdown]
        lines += [f"## {section.title}", "", *written] if written else []
    return "\n".join(lines)


def as_notebook(report: Report) -> str:
    """Return the facts, how many labels are right, the categories, and what to do next."""
    every = all_categories(report)
    largest = max([category.documents for category in report.categories] + [1])
    rows = []
    for category in (*report.categories[:MOST_CATEGORIES], *every[len(report.categories) :]):
        documents = size(category.documents, report.documents, largest)
        words = "no category" if category is report.none else ", ".join(category.words)
        rows.append((category.name, documents, certainty_of(report, category), words))
    head = columns("category", "documents", numbers=[certainty_head(report)], right=["typical words"])
    return notebook(
        report.title,
        facts(summary(report)),
        *estimate_sentences(report),
        Table(head, rows).notebook(),
        *more(len(report.categories), MOST_CATEGORIES, "category"),
        "What to do next:",
        bullets(step.sentence for step in next_steps(report)),
        Html(
            '<p class="quiet"><code>report.write(&quot;report.html&quot;)</code> writes the whole page, '
            "with a map.</p>"
        ),
    )


def summary(report: Report) -> list[tuple[str, str]]:
    """Return the main facts, which come first."""
    right, measured = report.estimated_accuracy, report.measured
    pairs = [
        ("documents", f"{report.documents:,}"),
        ("categories", f"{len(report.categories)}"),
        (certainty_head(report), certainty(report, report.mean_probability if right is None else right))
        if measured is None
        else ("right, measured", percent(measured.accuracy)),
    ]
    if report.scores is not None:
        pairs.append(("micro-F1", f"{report.scores.micro_f1:.3f}"))
        pairs.append(("macro-F1", f"{report.scores.macro_f1:.3f}"))
    if report.without_text:
        pairs.append(("without a text: no label", f"{report.without_text:,}"))
    if report.without_known_word:
        label = "no label" if report.none is None else report.none.name
        pairs.append((f"without a known word: {label}", f"{report.without_known_word:,}"))
    if report.none is not None:
        pairs.append((f"{report.none.name}: no category", f"{report.none.documents:,}"))
    return pairs


def estimate_sentences(report: Report) -> list[str]:
    """Return how many labels are right and, if these are few, where to begin; nothing if it is not known."""
    accuracy = report.measured or report.estimated_accuracy
    if accuracy is None or report.estimated_accuracy is None:
        return [] if accuracy is None else [accuracy_sentence(accuracy)]
    remedy = remedy_sentence(
        report.estimated_accuracy if report.measured is None else report.measured.accuracy,
        (category.mean_probability for category in report.categories),
        ((category.name, category.seeds) for category in report.categories),
        report.doubts,
    )
    return [accuracy_sentence(accuracy), *([] if remedy is None else [remedy])]


class Step(NamedTuple):
    """A change that a report suggests, in a sentence, and the section in which to read on."""

    sentence: str
    section: str


def next_steps(report: Report) -> list[Step]:
    """Return up to five steps, the most urgent first; there is always one."""
    check = Step(
        "Read the least certain documents. seedtopic next chooses documents to check, "
        "and --confirmed takes your answers.",
        "least-certain",
    )
    return [*list(_changes(report))[: MOST_STEPS - 1], check]


def _changes(report: Report) -> Iterator[Step]:
    for doubt in report.doubts:
        yield Step(doubt.remark, "seeds")
    if empty := [category.name for category in report.categories if not category.documents]:
        named = _first(empty, "or")
        yield Step(f"No document is labelled {named}: add seed words that occur there.", "categories")
    misleading = sorted(
        (seed.documents * (seed.agreement - 1), seed.word, seed.category)
        for seed in report.seeds
        if seed.agreement is not None and seed.agreement < MISLEADING and seed.documents >= ENOUGH_DOCUMENTS
    )
    if misleading:
        named = _first([f"{word} ({category})" for _, word, category in misleading])
        yield Step(
            f"Most documents with the seed {named} have another label: use clearer seed words.", "seeds"
        )
    if missing := [seed.word for seed in report.seeds if not seed.documents]:
        yield Step(f"Replace seeds that occur in no document: {_first(missing)}.", "seeds")
    pairs = [
        pair
        for pair in suspected_pairs(report.categories, report.suspected)
        if pair.documents >= WORTH_A_STEP * report.documents
    ]
    for pair in pairs[:1]:
        yield Step(
            f"About {number_of(round(pair.documents), 'document')} labelled {pair.label} may be "
            f"{pair.other}: add words that tell them apart.",
            "confusions",
        )
    none = 0 if report.none is None else report.none.documents
    outside = none or report.without_known_word
    if outside and outside >= WORTH_A_STEP * report.documents:
        what = f"labelled {report.none.name}" if none and report.none else "left without a label"
        are = number_of(outside, "document is", "documents are")
        yield Step(f"{are} {what}: seedtopic discover looks for missing categories.", "categories")


def _first(names: Sequence[str], joined: str = "and") -> str:
    """Return the first names as people list them, and how many more there are."""
    rest = len(names) - MOST_LISTED
    return listed([*names[:MOST_LISTED], f"{rest:,} more"] if rest > 0 else names, joined)


def _sizes(report: Report) -> str:
    """Return the largest categories with bars, of which the dark part is right, about."""
    every = all_categories(report)
    order = sorted(range(len(every)), key=lambda place: -every[place].documents)
    largest, rows = max(every[order[0]].documents, 1), ""
    for place in order[:MOST_SHOWN]:
        category = every[place]
        mean = None if category is report.none else category.mean_probability
        width, share = 100 * category.documents / largest, category.documents / report.documents
        sure = "" if mean is None else f'<i style="width:{100 * mean:.1f}%"></i>'
        name = escape(shortened(category.name, 40))
        rows += (
            f'<tr><th scope="row"><a href="#category-{place + 1}">{name}</a></th>'
            f'<td class="bar"><span style="width:{width:.1f}%">{sure}</span></td>'
            f'<td class="number">{category.documents:,} <small>{share:.0%}</small></td>'
            f'<td class="number">{certainty(report, mean)}</td></tr>\n'
        )
    return (
        f'<table class="sizes"><thead><tr><th scope="col">category</th><td></td>'
        '<th scope="col" class="number">documents</th>'
        f'<th scope="col" class="number">{certainty_head(report)}</th></tr></thead>\n'
        f"<tbody>{rows}</tbody></table>"
        f'<p class="all"><a href="#categories">All {len(report.categories):,} categories</a></p>'
    )
