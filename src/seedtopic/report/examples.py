"""Example documents: those whose label is most certain, and those whose label is least certain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedtopic.documents.label_columns import NoneOfThese

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SUREST = 20  # documents shown in total, but at least one per category
LEAST_CERTAIN = 12
LENGTH = 220  # characters shown of each document


@dataclass(frozen=True)
class Example:
    """A document with its label, the runner-up, and the beginning of its text."""

    id: str
    label: str
    probability: float
    runner_up: str
    runner_up_probability: float
    text: str


def most_certain(
    probabilities: Array,
    names: Sequence[str],
    texts: Iterable[str],
    ids: Sequence[str],
    labelled: Mask,
    none: NoneOfThese | None = None,
) -> list[Example]:
    """Return the most probable documents of each category, and of no category."""
    predicted, confidence = probabilities.argmax(axis=1), probabilities.max(axis=1)
    if none is not None:
        outside = none.probability > 0.5
        predicted = np.where(outside, len(names), predicted)
        confidence = np.where(outside, none.probability, confidence)
    order = np.argsort(-confidence, kind="stable")
    order = order[labelled[order]]
    per_category = min(2, SUREST // len(names)) or 1
    chosen = [
        place
        for category in range(len(names) + (none is not None))
        for place in order[predicted[order] == category][:per_category].tolist()
    ]
    return _examples(chosen, probabilities, names, texts, ids, none)


def least_certain(
    probabilities: Array,
    names: Sequence[str],
    texts: Iterable[str],
    ids: Sequence[str],
    labelled: Mask,
    none: NoneOfThese | None = None,
) -> list[Example]:
    """Return the documents whose label is hardly more probable than the runner-up."""
    two_best = np.sort(probabilities, axis=1)[:, -2:]
    order = np.argsort(two_best[:, 1] - two_best[:, 0], kind="stable")
    return _examples(order[labelled[order]][:LEAST_CERTAIN].tolist(), probabilities, names, texts, ids, none)


def shortened(text: str, length: int = LENGTH) -> str:
    """Return the beginning of a text on one line.

    Examples
    --------
    >>> shortened("two\\n lines of text", 9)
    'two line…'
    """
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def _examples(
    chosen: list[int],
    probabilities: Array,
    names: Sequence[str],
    texts: Iterable[str],
    ids: Sequence[str],
    none: NoneOfThese | None,
) -> list[Example]:
    wanted = set(chosen)
    begins = {place: shortened(text) for place, text in enumerate(texts) if place in wanted}
    found = []
    for place in chosen:
        best, second = np.argsort(-probabilities[place], kind="stable")[:2].tolist()
        two = [(names[best], probabilities[place, best]), (names[second], probabilities[place, second])]
        if none is not None and none.probability[place] > 0.5:
            two = [(none.label, none.probability[place]), two[0]]
        (label, probability), (runner_up, next_best) = two
        found.append(
            Example(ids[place], label, float(probability), runner_up, float(next_best), begins[place])
        )
    return found
