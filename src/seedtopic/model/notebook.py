"""A fitted model as a notebook shows it: categories, their sizes, and how many labels are right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.wording import percent
from seedtopic.html.notebook import notebook
from seedtopic.html.pieces import Html, bullets, facts, size, table
from seedtopic.model.doubts import suspects_sentence

if TYPE_CHECKING:
    from seedtopic.model.estimator import SeedClassifier

MOST_CATEGORIES, MOST_SEEDS = 200, 8


def fitted_as_notebook(model: SeedClassifier) -> str:
    """Write what a fit has found."""
    labels = model.transduction_[model.has_words_]
    sizes = [int(np.count_nonzero(labels == name)) for name in model.classes_]
    more = len(sizes) - MOST_CATEGORIES
    return notebook(
        f"{type(model).__name__}, fitted",
        facts(_facts(model)),
        _categories(model, labels, sizes),
        *([f"and {more:,} more categories"] if more > 0 else []),
        bullets(_doubts(model)),
    )


def _facts(model: SeedClassifier) -> list[tuple[str, str]]:
    known, confirmed = model.has_words_, model.confirmed_
    found = [
        ("documents", f"{len(known):,}"),
        ("categories", f"{len(model.classes_):,}"),
        ("known words", f"{len(model.vocabulary_):,}"),
    ]
    if model.fitted_.has_estimates and not np.isnan(model.estimated_accuracy_):
        found.append(("labels right, about", percent(model.estimated_accuracy_)))
    if confirmed.any():
        found.append(("confirmed labels", f"{confirmed.sum():,}"))
    if not known.all():
        found.append(("without a known word", f"{(~known).sum():,}"))
    if hasattr(model, "vectors_"):
        found.append(("meaning of words", model.vectors_ or "not known"))
    return found


def _categories(model: SeedClassifier, labels: NDArray[Any], sizes: Sequence[int]) -> Html:
    """Write the categories; how many of their labels are right, where the model can tell."""
    columns: dict[str, list[object]] = {
        "category": model.classes_.tolist(),
        "documents": [size(count, len(model.has_words_), max(sizes)) for count in sizes],
    }
    if model.fitted_.has_estimates:
        columns["right, about"] = [
            "" if np.isnan(share) else percent(share) for share in model.estimated_precisions_
        ]
    columns["seeds"] = [_seeds(words) for words in model.seeds_.categories.values()]
    rows = list(zip(*columns.values(), strict=True))[:MOST_CATEGORIES]
    none = model.none_of_these()
    if none is not None:
        documents = size(int(np.count_nonzero(labels == none.label)), len(model.has_words_), max(sizes))
        rows.append((none.label, documents, *[""] * (len(columns) - 3), "(no category)"))
    return table(list(columns), rows, numbers=[2] if len(columns) > 3 else ())


def _doubts(model: SeedClassifier) -> list[str]:
    """Say what a fit warns of."""
    doubts = model.doubts_ if model.fitted_.has_estimates else []
    suspected = suspects_sentence(model.fitted_.suspect_confirmed)
    sentences = [f"{doubt.sentence[:1].upper()}{doubt.sentence[1:]}." for doubt in doubts]
    return [*sentences, *([] if suspected is None else [suspected])]


def _seeds(words: tuple[str, ...]) -> str:
    return ", ".join(words[:MOST_SEEDS]) + (", ..." if len(words) > MOST_SEEDS else "")
