"""A report as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from seedtopic.html.escaping import escape
from seedtopic.report.examples import Example
from seedtopic.report.findings import (
    HISTOGRAM_NOTE,
    SEEDS_NOTE,
    SUSPECTED_NOTE,
    certainty,
    certainty_head,
    certainty_of_none,
    estimate_sentences,
    no_objective,
    summary,
    suspected_pairs,
)

if TYPE_CHECKING:
    from seedtopic.report.content import Report


def to_markdown(report: Report) -> str:
    """Return the report; every text from the user is escaped."""
    names = [category.name for category in report.categories]
    bins = len(report.histogram)
    lines = [
        f"# {plain(report.title)}",
        "",
        *(f"- {name}: {value}" for name, value in summary(report)),
        "",
        *(line for sentence in estimate_sentences(report) for line in (plain(sentence), "")),
        "## Categories",
        "",
        *_table(
            ("category", "documents", certainty_head(report), "typical words", "seeds"),
            (
                (
                    f"{place + 1} {category.name}",
                    f"{category.documents:,} ({category.documents / report.documents:.1%})",
                    certainty_of_none(report)
                    if category is report.none
                    else certainty(report, category.mean_probability),
                    ", ".join(category.words),
                    ", ".join(category.seeds),
                )
                for place, category in enumerate(
                    [*report.categories, *([] if report.none is None else [report.none])]
                )
            ),
        ),
        "## Confidence of the labels",
        "",
        HISTOGRAM_NOTE,
        "",
        *_table(
            ("probability", "documents"),
            (
                (f"{place / bins:.2f} to {(place + 1) / bins:.2f}", f"{count:,}")
                for place, count in enumerate(report.histogram)
                if count
            ),
        ),
        *_scores(report),
        "## Likely confusions",
        "",
        SUSPECTED_NOTE,
        "",
        *(f"- {plain(sentence)}" for sentence in suspected_pairs(report)),
        "",
        *_matrix(names, [[f"{value:.2f}" for value in row] for row in report.suspected]),
        "## Least certain documents",
        "",
        *map(_example, report.least_certain),
        "",
        "## Most certain documents of each category",
        "",
        *map(_example, report.most_certain),
        "",
        "## Seeds",
        "",
        SEEDS_NOTE,
        "",
        *_table(
            ("seed", "category", "documents", "with its label", "learned weight"),
            (
                (
                    seed.word,
                    seed.category,
                    f"{seed.documents:,}" if seed.documents else "none" if seed.known else "unknown word",
                    "" if seed.agreement is None else f"{seed.agreement:.0%}",
                    "" if seed.weight is None else f"{seed.weight:.2f}",
                )
                for seed in report.seeds
            ),
        ),
        "## Objective",
        "",
        ", ".join(f"{value:.1f}" for value in report.objective) or no_objective(report),
        "",
        "## Settings",
        "",
        *_table(("setting", "value"), report.settings.items()),
        f"{report.model}, seedtopic {report.version}.",
        "",
    ]
    return "\n".join(lines)


def plain(text: str) -> str:
    """Escape a text so that nothing in it is read as Markdown.

    Examples
    --------
    >>> print(plain("a | *b* <i>"))
    a \\| \\*b\\* &lt;i&gt;
    """
    return re.sub(r"([\\`*_\[\]|#~])", r"\\\1", escape(" ".join(text.split()), quote=False))


def _scores(report: Report) -> list[str]:
    if report.scores is None or report.confusions is None:
        return []
    return [
        "## Scores against the true labels",
        "",
        *_table(
            ("category", "precision", "recall", "F1", "documents"),
            (
                (
                    row.category,
                    f"{row.precision:.3f}",
                    f"{row.recall:.3f}",
                    f"{row.f1:.3f}",
                    f"{row.support:,}",
                )
                for row in report.scores.categories
            ),
        ),
        "True labels (rows) by predicted labels (columns):",
        "",
        *_matrix(report.confusions.rows, [[str(count) for count in row] for row in report.confusions.counts]),
    ]


def _example(example: Example) -> str:
    return (
        f"- {plain(example.text) or '(empty)'} — {plain(example.id)}: {plain(example.label)} "
        f"{example.probability:.2f}, {plain(example.runner_up)} {example.runner_up_probability:.2f}"
    )


def _matrix(names: Sequence[str], values: Sequence[Sequence[str]]) -> list[str]:
    head = ("", *(str(place + 1) for place in range(len(values[0]))))
    rows = (
        (f"{place + 1} {name}", *row) for place, (name, row) in enumerate(zip(names, values, strict=True))
    )
    return _table(head, rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(map(plain, row))} |" for row in (head, *rows)]
    return [lines[0], "|" + "---|" * len(head), *lines[1:], ""]
