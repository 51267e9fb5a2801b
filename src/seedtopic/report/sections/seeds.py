"""The seeds: where each occurs, and whether the model agrees with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.report import elements
from seedtopic.report import markdown_elements as markdown
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Report
    from seedtopic.report.seed_health import Seed

MOST_SEEDS = 1_000
_NOTE = (
    "The number of documents that contain each seed, the share of them that got the label of its category, "
    "and the weight that the model learned for the seed, relative to the other seeds of its category (1 is "
    "full weight)."
)
_COLUMNS = (
    elements.Column("seed", "name"),
    elements.Column("category"),
    elements.Column("documents", "number"),
    elements.Column("with its label", "number"),
    elements.Column("learned weight", "number"),
)


def _html(report: Report) -> str:
    rows = []
    for seed in report.seeds[:MOST_SEEDS]:
        hit = _documents(seed) if seed.documents else f'<span class="missing">{_documents(seed)}</span>'
        agreement, weight = _learned(seed)
        rows.append(
            (
                elements.text(seed.word),
                elements.name(seed.category),
                elements.number(seed.documents, hit),
                elements.number(seed.agreement, agreement),
                elements.number(seed.weight, weight),
            )
        )
    return f"{elements.note(_note(report))}\n{elements.table(_COLUMNS, rows, 'seeds')}"


def _markdown(report: Report) -> list[str]:
    rows = (
        (seed.word, seed.category, _documents(seed), *_learned(seed)) for seed in report.seeds[:MOST_SEEDS]
    )
    return [_note(report), "", *markdown.table([column.head for column in _COLUMNS], rows)]


def _note(report: Report) -> str:
    if len(report.seeds) <= MOST_SEEDS:
        return _NOTE
    return f"{_NOTE} Shown are the first {MOST_SEEDS:,} of {len(report.seeds):,} seeds."


def _documents(seed: Seed) -> str:
    return f"{seed.documents:,}" if seed.documents else "none" if seed.known else "unknown word"


def _learned(seed: Seed) -> tuple[str, str]:
    agreement = "" if seed.agreement is None else f"{seed.agreement:.0%}"
    return agreement, "" if seed.weight is None else f"{seed.weight:.2f}"


SEEDS = Section("seeds", "Seeds", _html, _markdown)
