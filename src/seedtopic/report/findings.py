"""Sentences and facts shared by the HTML page and the Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seedtopic.base.wording import percent
from seedtopic.model.estimates import accuracy_sentence, remedy_sentence

if TYPE_CHECKING:
    from seedtopic.report.content import Report

MOST_LISTED = 3  # names in a sentence
MOST_IN_A_MATRIX = 60  # categories


def summary(report: Report) -> list[tuple[str, str]]:
    """Return the main facts, which come first."""
    right = report.estimated_accuracy
    mean = report.mean_probability if right is None else right
    facts = [
        ("documents", f"{report.documents:,}"),
        ("categories", f"{len(report.categories)}"),
        (certainty_head(report), certainty(report, mean)),
    ]
    if report.scores is not None:
        facts += [
            ("micro-F1", f"{report.scores.micro_f1:.3f}"),
            ("macro-F1", f"{report.scores.macro_f1:.3f}"),
        ]
    if report.without_text:
        facts.append(("without a text: no label", f"{report.without_text:,}"))
    if report.without_known_word:
        label = "no label" if report.none is None else report.none.name
        facts.append((f"without a known word: {label}", f"{report.without_known_word:,}"))
    if report.none is not None:
        facts.append((f"{report.none.name}: no category", f"{report.none.documents:,}"))
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
    """Return how many labels are right and, if these are few, where to begin; nothing if it is not known."""
    if report.estimated_accuracy is None:
        return []
    remedy = remedy_sentence(
        report.estimated_accuracy,
        (category.mean_probability for category in report.categories),
        ((category.name, category.seeds) for category in report.categories),
        report.doubts,
    )
    return [accuracy_sentence(report.estimated_accuracy), *([] if remedy is None else [remedy])]


def too_large_sentence(n_categories: int) -> str | None:
    """Return why a matrix of all pairs of categories is not shown; None if it is."""
    if n_categories <= MOST_IN_A_MATRIX:
        return None
    return f"The matrix of {n_categories:,} categories is too large to be shown."


def counted(count: int, one: str, several: str = "") -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "document"), counted(1200, "document"), counted(2, "category", "categories")
    ('1 document', '1,200 documents', '2 categories')
    """
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def listed(names: Sequence[str], joined: str = "and") -> str:
    """Return names as people list them, at most three.

    Examples
    --------
    >>> listed(["a", "b"]), listed(["a", "b", "c", "d"])
    ('a and b', 'a, b, c and 1 more')
    """
    if len(names) <= MOST_LISTED:
        return f" {joined} ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    return f"{', '.join(names[:MOST_LISTED])} {joined} {len(names) - MOST_LISTED:,} more"
