"""Sentences and facts shared by the HTML page and the Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.models.estimates import accuracy_sentence, percent, remedy_sentence

if TYPE_CHECKING:
    from seedtopic.report.content import Report


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
