"""Example documents: those whose label is most certain, and those whose label is least certain."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from seedtopic.html.highlight import Mark, without_overlaps
from seedtopic.io.predictions import NoneOfThese
from seedtopic.model.estimator import SeedClassifier
from seedtopic.model.evidence import WordShare
from seedtopic.model.explain import words_behind

Array = NDArray[np.float64]
Places = NDArray[np.intp]

PER_CATEGORY = 3
SUREST = 60  # documents shown in total, but at least one of each category
MOST_CATEGORIES = 100  # that have examples: the largest
LEAST_CERTAIN = 20
LENGTH = 220  # characters of the beginning of a document
LONGEST = 4_000  # characters of a whole document
ALL_TEXTS = 200_000  # characters of all documents together, so that the page stays small
MOST_MARKS = 40  # highlighted places of a document: the strongest words


@dataclass(frozen=True)
class Example:
    """A document with its label, the runner-up, its text, and the words behind its label.

    Attributes
    ----------
    id : str
    label, runner_up : str
    probability, runner_up_probability : float
    text : str
    cut : bool
        Whether the text is longer, and only its beginning is given.
    marks : list of Mark
        Where the words are that speak most for the label or for the runner-up; empty for a document of no
        category, and if the model does not weigh words.
    """

    id: str
    label: str
    probability: float
    runner_up: str
    runner_up_probability: float
    text: str
    cut: bool = False
    marks: list[Mark] = field(default_factory=list)

    @property
    def beginning(self) -> str:
        """The beginning of the text on one line."""
        return shortened(self.text)


def most_certain(predicted: Places, confidence: Array, n_labels: int) -> list[int]:
    """Return the rows of the most probable documents of each label; of many labels, of the largest only.

    Examples
    --------
    >>> most_certain(np.array([0, 1, 0, -1]), np.array([0.5, 0.9, 0.8, 1.0]), 2)
    [2, 0, 1]
    """
    order = np.argsort(-confidence, kind="stable")
    sizes = np.bincount(predicted[predicted >= 0], minlength=n_labels)
    largest = np.sort(np.argsort(-sizes, kind="stable")[:MOST_CATEGORIES])
    per_category = min(PER_CATEGORY, SUREST // n_labels) or 1
    return [place for label in largest for place in order[predicted[order] == label][:per_category].tolist()]


def least_certain(probabilities: Array, labelled: NDArray[np.bool_]) -> list[int]:
    """Return the rows of the documents whose label is hardly more probable than the runner-up.

    Examples
    --------
    >>> least_certain(np.array([[0.9, 0.1], [0.5, 0.5], [0.4, 0.6]]), np.array([True, False, True]))
    [2, 0]
    """
    two_best = np.sort(probabilities, axis=1)[:, -2:]
    order = np.argsort(two_best[:, 1] - two_best[:, 0], kind="stable")
    return [int(place) for place in order[labelled[order]][:LEAST_CERTAIN]]


def texts_at(rows: Collection[int], texts: Iterable[str]) -> dict[int, str]:
    """Read the texts of some rows, in one pass: texts may come from a file."""
    wanted = set(rows)
    return {place: text for place, text in enumerate(texts) if place in wanted}


def shortened(text: str, length: int = LENGTH) -> str:
    """Return the beginning of a text on one line.

    Examples
    --------
    >>> shortened("two\\n lines of text", 9)
    'two line…'
    """
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def examples(
    model: SeedClassifier,
    rows: Sequence[int],
    texts: Mapping[int, str],
    ids: Sequence[str],
    probabilities: Array,
    none: NoneOfThese | None,
) -> list[Example]:
    """Return documents as they are shown.

    Parameters
    ----------
    model : SeedClassifier
    rows : sequence of int
    texts : mapping of rows to texts
    ids : sequence of str
        Of all documents.
    probabilities : ndarray, shape (n_documents, n_categories)
    none : NoneOfThese or None
        For all documents.
    """
    if not rows:
        return []
    names = [str(name) for name in model.classes_]
    best, second = np.argsort(-probabilities[rows], axis=1, kind="stable")[:, :2].T.tolist()
    words = words_behind(model, [texts[row] for row in rows], best, second)
    longest = min(LONGEST, ALL_TEXTS // len(rows) // 100 * 100)
    found = []
    for row, first, other, shares in zip(rows, best, second, words, strict=True):
        cut = len(texts[row]) > longest
        text = texts[row][:longest] + "…" if cut else texts[row]
        two = [(names[place], float(probabilities[row, place])) for place in (first, other)]
        marks = _marks(shares, {names[first], names[other]}, len(text) - cut)
        if none is not None and none.probability[row] > 0.5:
            two, marks = [(none.label, float(none.probability[row])), two[0]], []
        found.append(Example(ids[row], *two[0], *two[1], text, cut, marks))
    return found


def _marks(shares: Sequence[WordShare], of_either: set[str], length: int) -> list[Mark]:
    marks = [
        Mark(
            start,
            end,
            round(share.log_odds, 3),
            not of_either.isdisjoint(map(str, share.seed_of)),
            f"{share.word} {share.log_odds:+.2f}",
        )
        for share in shares
        for start, end in share.spans
        if end <= length
    ]
    return without_overlaps(sorted(marks, key=lambda mark: -abs(mark.weight))[:MOST_MARKS])
