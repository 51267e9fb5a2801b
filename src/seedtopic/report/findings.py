"""Sentences and facts that the page and the Markdown have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seedtopic.report.content import Report

HISTOGRAM_NOTE = "How many documents have a label of which probability."
SUSPECTED_NOTE = (
    "For the documents of each label (rows), the mean probability of each category (columns). What stands "
    "beside the label itself is what it may be taken for; no true labels are needed for this."
)
SEEDS_NOTE = (
    "Where each seed occurs, how many of those documents got the label of its category, and what the model "
    "learned the seed to be worth beside the others of its category (1 is full weight)."
)
_PAIRS = 5
_LEAST_PROBABILITY = 0.005


def summary(report: Report) -> list[tuple[str, str]]:
    """Give the few facts that come first."""
    facts = [
        ("documents", f"{report.documents:,}"),
        ("categories", f"{len(report.categories)}"),
        ("words known", f"{report.words_known:,}"),
        ("mean probability", f"{report.mean_probability:.2f}"),
        ("labels", "of the fit" if report.fitted else "predicted"),
    ]
    if report.none is not None:
        facts.append((f"{report.none.name}: of no category", f"{report.none.documents:,}"))
    if report.scores is not None:
        facts += [
            ("micro-F1", f"{report.scores.micro_f1:.3f}"),
            ("macro-F1", f"{report.scores.macro_f1:.3f}"),
        ]
    return facts


def suspected_pairs(report: Report) -> list[str]:
    """Name the pairs of categories that are taken for each other most, by documents expected to be so."""
    names = [category.name for category in report.categories]
    expected = {
        (label, other): report.suspected[label][other] * report.categories[label].documents
        for label in range(len(names))
        for other in range(len(names))
        if label != other and report.suspected[label][other] >= _LEAST_PROBABILITY
    }
    strongest = sorted(expected, key=lambda pair: -expected[pair])[:_PAIRS]
    return [
        f"Of {report.categories[label].documents:,} labelled {names[label]}, about "
        f"{expected[label, other]:.0f} may be {names[other]} ({report.suspected[label][other]:.1%})."
        for label, other in strongest
        if expected[label, other] >= 0.5
    ]


def map_note(report: Report) -> str:
    """Say how the map is to be read."""
    drawn = len(report.map.documents)
    chosen = "" if drawn == report.documents else f" {drawn:,} of {report.documents:,} documents are drawn."
    return (
        "Categories stand on a circle, like ones side by side. A document lies between the categories it may "
        "belong to, nearer to the more probable; those of one category are spread by their words." + chosen
    )


def no_objective(report: Report) -> str:
    """Say why there is no objective to show."""
    if report.model == "SeedTopicClassifier":
        return "There is none to show: the steps of SeedTopicClassifier do not share one objective."
    return f"This {report.model} has kept none."
