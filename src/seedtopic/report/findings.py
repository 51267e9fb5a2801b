"""Sentences and facts shared by the HTML page and the Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.models.estimates import accuracy_sentence, percent, remedy_sentence

if TYPE_CHECKING:
    from seedtopic.report.content import Report

HISTOGRAM_NOTE = "Histogram of label probabilities."
SUSPECTED_NOTE = (
    "For the documents of each label (rows), the share that may belong to each category (columns), as far as "
    "this can be told without true labels."
)
SEEDS_NOTE = (
    "The number of documents that contain each seed, the share of them that got the label of its category, "
    "and the weight that the model learned for the seed, relative to the other seeds of its category (1 is "
    "full weight)."
)
_PAIRS = 5


def summary(report: Report) -> list[tuple[str, str]]:
    """Return the main facts, which come first."""
    right = report.estimated_accuracy
    mean = report.mean_probability if right is None else right
    facts = [
        ("documents", f"{report.documents:,}"),
        ("categories", f"{len(report.categories)}"),
        ("known words", f"{report.words_known:,}"),
        (certainty_head(report), certainty(report, mean)),
        ("labels", "from the fit" if report.fitted else "predicted"),
    ]
    if report.without_text:
        facts.append(("without a text: no label", f"{report.without_text:,}"))
    if report.without_known_word:
        label = "no label" if report.none is None else report.none.name
        facts.append((f"without a known word: {label}", f"{report.without_known_word:,}"))
    if report.none is not None:
        facts.append((f"{report.none.name}: no category", f"{report.none.documents:,}"))
    if report.scores is not None:
        facts += [
            ("micro-F1", f"{report.scores.micro_f1:.3f}"),
            ("macro-F1", f"{report.scores.macro_f1:.3f}"),
        ]
    return facts


def certainty_head(report: Report) -> str:
    """Return what the mean probability of labels is called."""
    return "mean probability" if report.estimated_accuracy is None else "right, about"


def certainty(report: Report, mean_probability: float | None) -> str:
    """Return the mean probability of labels as a number or, if the model can tell, as a share."""
    if mean_probability is None:
        return ""
    return f"{mean_probability:.2f}" if report.estimated_accuracy is None else percent(mean_probability)


def certainty_of_none(report: Report) -> str:
    """Return the same for the documents of no category, of which it is not known how many are right."""
    known = report.none is not None and report.estimated_accuracy is None
    return certainty(report, report.none.mean_probability) if known and report.none else ""


def estimate_sentences(report: Report) -> list[str]:
    """Return how many labels are right and, if labels are in doubt, why and what to do."""
    if report.estimated_accuracy is None:
        return []
    doubts = [f"{doubt.sentence[:1].upper()}{doubt.sentence[1:]}." for doubt in report.doubts]
    remedy = remedy_sentence(
        report.estimated_accuracy,
        (category.mean_probability for category in report.categories),
        ((category.name, category.seeds) for category in report.categories),
        report.doubts,
    )
    return [accuracy_sentence(report.estimated_accuracy), *([] if remedy is None else [remedy]), *doubts]


def suspected_pairs(report: Report) -> list[str]:
    """Return a sentence for each pair of categories that is most likely confused, by expected documents."""
    names = [category.name for category in report.categories]
    expected = {
        (label, other): report.suspected[label][other] * report.categories[label].documents
        for label in range(len(names))
        for other in range(len(names))
        if label != other
    }
    strongest = sorted(expected, key=lambda pair: -expected[pair])[:_PAIRS]
    return [
        f"Of {report.categories[label].documents:,} documents labelled {names[label]}, about "
        f"{expected[label, other]:.0f} may be {names[other]} ({report.suspected[label][other]:.1%})."
        for label, other in strongest
        if expected[label, other] >= 0.5
    ]


def map_note(report: Report) -> str:
    """Return a sentence that explains the map."""
    drawn = len(report.map.documents)
    chosen = "" if drawn == report.documents else f" {drawn:,} of {report.documents:,} documents are shown."
    return (
        "Categories are on a circle, similar ones next to each other. A document is between the categories "
        "it may belong to, nearer to the more probable one; documents of one category are spread by their "
        "words." + chosen
    )


def no_objective(report: Report) -> str:
    """Return a sentence that says why no objective is shown."""
    if report.model == "SeedTopicClassifier":
        return "SeedTopicClassifier has no single objective: its steps have different ones."
    return f"This {report.model} has not recorded its objective."
