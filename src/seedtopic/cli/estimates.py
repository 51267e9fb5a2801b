"""What the command line says of how many labels are right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seedtopic.cli.console import note
from seedtopic.models import TextClassifier
from seedtopic.models.estimates import (
    Estimate,
    accuracy_sentence,
    few_sentence,
    remedy_sentence,
    tells_reliability,
)


def estimate_values(model: TextClassifier, found: Estimate | None) -> dict[str, Any]:
    """Give estimates as values for JSON; nothing for a model that has none."""
    if found is None:
        return {}
    names = map(str, model.classes_)
    return {
        "estimated_accuracy": found.accuracy,
        "estimated_precisions": dict(zip(names, found.precisions, strict=True)),
    }


def estimate_sentences(model: TextClassifier, values: Mapping[str, Any], *, fitted: bool) -> list[str]:
    """Say how many labels are right and, if few, what to do; the doubts of a fit were told as a warning."""
    if "estimated_accuracy" not in values or not tells_reliability(model):
        return []
    accuracy, precisions = values["estimated_accuracy"], values["estimated_precisions"].values()
    doubts = model.doubts_ if fitted else ()
    remedy = remedy_sentence(accuracy, precisions, model.seeds_.categories.items(), doubts)
    return [accuracy_sentence(accuracy), *([] if remedy is None else [remedy])]


def note_few(model: TextClassifier, n_documents: int, *, quiet: bool) -> None:
    """Say that a fit had few documents to learn from, if so."""
    if sentence := few_sentence(model, n_documents):
        note(sentence.removesuffix("."), quiet=quiet)
