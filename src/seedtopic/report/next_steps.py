"""What to do next: the changes that a report suggests, the most urgent first."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from seedtopic.report.confusions import suspected_pairs
from seedtopic.report.findings import counted, listed

if TYPE_CHECKING:
    from seedtopic.report.content import Report

MOST_STEPS = 5
ENOUGH_DOCUMENTS = 5  # that contain a seed: with fewer, their labels say little about it
MISLEADING = 1 / 3  # of the documents with a seed have its label, or fewer
WORTH_A_STEP = 0.01  # share of the documents that a confusion or a missing label concerns


class Step(NamedTuple):
    """A sentence, and the section in which to read on."""

    sentence: str
    section: str


def next_steps(report: Report) -> list[Step]:
    """Return up to five steps; there is always one."""
    found = [
        *(Step(f"{doubt.sentence[:1].upper()}{doubt.sentence[1:]}.", "seeds") for doubt in report.doubts),
        *_without_documents(report),
        *_seeds(report),
        *_confusions(report),
        *_outside(report),
    ]
    check = Step(
        "Read the least certain documents. seedtopic next chooses documents to check, "
        "and --confirmed takes your answers.",
        "least-certain",
    )
    return [*found[: MOST_STEPS - 1], check]


def _without_documents(report: Report) -> list[Step]:
    empty = [category.name for category in report.categories if not category.documents]
    if not empty:
        return []
    return [
        Step(f"No document is labelled {listed(empty, 'or')}: add seed words that occur there.", "categories")
    ]


def _seeds(report: Report) -> list[Step]:
    missing = [seed.word for seed in report.seeds if not seed.documents]
    misleading = sorted(
        (seed.documents * (seed.agreement - 1), seed.word, seed.category)
        for seed in report.seeds
        if seed.agreement is not None and seed.agreement < MISLEADING and seed.documents >= ENOUGH_DOCUMENTS
    )
    steps = []
    if misleading:
        named = listed([f"{word} ({category})" for _, word, category in misleading])
        steps.append(
            Step(f"Most documents with the seed {named} have another label: use clearer seed words.", "seeds")
        )
    if missing:
        steps.append(Step(f"Replace seeds that occur in no document: {listed(missing)}.", "seeds"))
    return steps


def _confusions(report: Report) -> list[Step]:
    pairs = [pair for pair in suspected_pairs(report) if pair.documents >= WORTH_A_STEP * report.documents]
    return [
        Step(
            f"About {pair.documents:,.0f} documents labelled {pair.label} may be {pair.other}: "
            "add words that tell them apart.",
            "confusions",
        )
        for pair in pairs[:1]
    ]


def _outside(report: Report) -> list[Step]:
    none = 0 if report.none is None else report.none.documents
    outside = none or report.without_known_word
    if not outside or outside < WORTH_A_STEP * report.documents:
        return []
    what = f"labelled {report.none.name}" if none and report.none else "left without a label"
    are = "is" if outside == 1 else "are"
    return [
        Step(
            f"{counted(outside, 'document')} {are} {what}: seedtopic discover looks for missing categories.",
            "categories",
        )
    ]
