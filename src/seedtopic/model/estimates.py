"""How many labels are right, as far as this can be told without labels: in numbers and in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.wording import listed, number_of, percent
from seedtopic.io.predictions import Summary
from seedtopic.model.doubts import Doubt
from seedtopic.seeds import Name

if TYPE_CHECKING:
    from seedtopic.model.estimator import SeedClassifier


Array = NDArray[np.float64]

LOW = 0.6  # of the labels are right: below it a remedy is named
FEW = 100  # documents: below it words have little to be learned from
WEAKEST = 3  # categories in a remedy
WORDS_SHOWN = 4  # of each of them


@dataclass(frozen=True)
class Estimate:
    """The share of labels that are right."""

    accuracy: float  # of all labels
    precisions: tuple[float | None, ...]  # of those of each category; None for one without documents

    @classmethod
    def of(cls, model: SeedClassifier, summary: Summary) -> Estimate | None:
        """Take the mean probability of labels; None where there are none, or the model has no estimate."""
        n_categories = len(model.classes_)
        sizes, sums = summary.sizes[:n_categories], summary.probabilities[:n_categories]
        if not tells_reliability(model) or not sizes.any():
            return None
        precisions = tuple(
            float(part / size) if size else None for part, size in zip(sums, sizes, strict=True)
        )
        return cls(summary.probability / int(sizes.sum()), precisions)


@dataclass(frozen=True)
class Measured:
    """The share of labels that were right in a random sample that people have checked.

    Attributes
    ----------
    accuracy : float
    low, high : float
        The 95 % interval.
    checked : int
        How many labels were checked.
    date : str
        When, as in ``2024-03-05``.
    """

    accuracy: float
    low: float
    high: float
    checked: int
    date: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


def tells_reliability(model: SeedClassifier) -> bool:
    """Return whether the probability of a label of this model is an estimate of how likely it is right."""
    return "fitted_" in vars(model) and model.fitted_.has_estimates


def accuracy_sentence(accuracy: float | Measured) -> str:
    """Return how many labels are right: as it was measured, or as far as it can be told without."""
    if isinstance(accuracy, Measured):
        return (
            f"{percent(accuracy.accuracy)} of the labels were right ({percent(accuracy.low)} to "
            f"{percent(accuracy.high)}) when a random sample of {accuracy.checked:,} was checked on "
            f"{accuracy.date}."
        )
    return (
        f"About {percent(accuracy)} of the labels are right, as far as this can be told without labels; "
        "seedtopic audit measures it."
    )


def remedy_sentence(
    accuracy: float,
    precisions: Iterable[float | None],
    seeds: Iterable[tuple[Name, Sequence[str]]],
    doubts: Sequence[Doubt] = (),
) -> str | None:
    """Return where to begin if few labels are right; None if enough are."""
    if accuracy >= LOW:
        return None
    if doubtful := [str(doubt.category) for doubt in doubts if doubt.category is not None][:WEAKEST]:
        return f"That is low: change the seed words of {listed(doubtful)} first."
    known = [
        (precision, name, words)
        for precision, (name, words) in zip(precisions, seeds, strict=True)
        if precision is not None and precision <= accuracy
    ]
    weakest = sorted(known, key=lambda category: category[0])[:WEAKEST]
    named = listed([f"{name} ({_shown(words)})" for _, name, words in weakest])
    its = "its" if len(weakest) == 1 else "their"
    return (
        f"That is low: add seed words to {named} that occur in {its} documents and in no others; "
        "seedtopic seeds suggest proposes some."
    )


def few_sentence(model: SeedClassifier, n_documents: int) -> str | None:
    """Say that there are few documents to learn from; None if there are enough, or no estimate."""
    if not tells_reliability(model) or not 0 < n_documents < FEW:
        return None
    few = number_of(n_documents, "document is", "documents are")
    rest = "on the seed words alone" if model.vectors_ is None else "on what the seed words mean"
    return f"{few} few to learn from: labels rest mostly {rest}; more documents make them better."


def _shown(words: Sequence[str]) -> str:
    return ", ".join(words[:WORDS_SHOWN]) + (", ..." if len(words) > WORDS_SHOWN else "")
