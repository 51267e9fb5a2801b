"""The seeds: where each occurs, and whether the model agrees with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.html.escaping import escape
from seedtopic.report import elements
from seedtopic.report import markdown_elements as markdown
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Report
    from seedtopic.report.seed_health import Seed

_NOTE = (
    "The number of documents that contain each seed, the share of them that got the label of its category, "
    "and the weight that the model learned for the seed, relative to the other seeds of its category (1 is "
    "full weight)."
)
_HEAD = ("seed", "category", "documents", "with its label", "learned weight")
_STYLE = """
.missing { font-weight: 600; color: rgb(var(--against)); }
"""


def _html(report: Report) -> str:
    rows = []
    for seed in report.seeds:
        share = seed.documents / report.documents
        hit = (
            f"{seed.documents:,} ({share:.1%})"
            if seed.documents
            else f'<span class="missing">{_documents(seed)}</span>'
        )
        rows.append((escape(seed.word), elements.side(escape(seed.category)), hit, *_learned(seed)))
    return f"<p>{_NOTE}</p>\n{elements.table(_HEAD, rows, ('', '', 'number', 'number', 'number'))}"


def _markdown(report: Report) -> list[str]:
    rows = ((seed.word, seed.category, _documents(seed), *_learned(seed)) for seed in report.seeds)
    return [_NOTE, "", *markdown.table(_HEAD, rows)]


def _documents(seed: Seed) -> str:
    return f"{seed.documents:,}" if seed.documents else "none" if seed.known else "unknown word"


def _learned(seed: Seed) -> tuple[str, str]:
    agreement = "" if seed.agreement is None else f"{seed.agreement:.0%}"
    return agreement, "" if seed.weight is None else f"{seed.weight:.2f}"


SEEDS = Section("seeds", "Seeds", _html, _markdown, _STYLE)
