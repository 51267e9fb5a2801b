"""What a report says of documents, seeds and categories, taken from a model and its labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic import model as models
from seedtopic.io.predictions import Predictions
from seedtopic.model.evidence import WordShare
from seedtopic.model.explain import words_behind
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.stages.reliability import shared_among_rivals
from seedtopic.show.html import Mark, without_overlaps
from seedtopic.text.counts import Counts

Array = NDArray[np.float64]
Places = NDArray[np.intp]

PER_CATEGORY = 3  # examples
SUREST = 60  # documents shown in total, but at least one of each category
MOST_CATEGORIES = 100  # that have examples: the largest
LEAST_CERTAIN = 20
LENGTH = 220  # characters of the beginning of a document
LONGEST = 4_000  # characters of a whole document
ALL_TEXTS = 200_000  # characters of all documents together, so that the page stays small
MOST_MARKS = 40  # highlighted places of a document: the strongest words
MOST_PAIRS = 20
SMOOTHING = 0.5  # documents added to each count of a word in a category
HISTOGRAM_BINS = 20
OTHER = "(another label)"
# Parameters that are shown elsewhere, or do not affect the result.
_NOT_SHOWN = {"seeds", "vocabulary", "vectors", "runner", "n_threads", "max_memory", "tokenizer", "graph"}


@dataclass(frozen=True)
class Category:
    """A category with its seeds, its typical words, and the documents with its label."""

    name: str
    seeds: list[str]
    words: list[str]
    documents: int
    mean_probability: float | None


@dataclass(frozen=True)
class Example:
    """A document with its label, the runner-up, its text, perhaps cut, and the words behind its label."""

    id: str
    label: str
    probability: float
    runner_up: str
    runner_up_probability: float
    text: str
    cut: bool = False
    marks: list[Mark] = field(default_factory=list)  # none if of no category, or if words are not weighed

    @property
    def beginning(self) -> str:
        """The beginning of the text on one line."""
        return shortened(self.text)


@dataclass(frozen=True)
class Seed:
    """A seed of a category, how many documents contain it, and the share of them with its label."""

    category: str
    word: str
    documents: int
    agreement: float | None  # None without documents
    weight: float | None  # None if the model learns no such weights
    known: bool  # whether it is in the model's vocabulary


@dataclass(frozen=True)
class Confusions:
    """Counts of true labels (rows, the last for labels that are not a category) by predicted label."""

    rows: list[str]
    counts: list[list[int]]


class Pair(NamedTuple):
    """Documents with one label that belong, or may belong, to another category, and their share."""

    label: str
    other: str
    documents: float
    share: float


def shortened(text: str, length: int = LENGTH) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def most_certain(predicted: Places, confidence: Array, n_labels: int) -> list[int]:
    """Return the rows of the most probable documents of each label; of many labels, of the largest only."""
    order = np.argsort(-confidence, kind="stable")
    sizes = np.bincount(predicted[predicted >= 0], minlength=n_labels)
    largest = np.sort(np.argsort(-sizes, kind="stable")[:MOST_CATEGORIES])
    per_category = min(PER_CATEGORY, SUREST // n_labels) or 1
    return [place for label in largest for place in order[predicted[order] == label][:per_category].tolist()]


def least_certain(probabilities: Array, labelled: NDArray[np.bool_]) -> list[int]:
    """Return the rows of the documents whose label is hardly more probable than the runner-up."""
    two_best = np.sort(probabilities, axis=1)[:, -2:]
    order = np.argsort(two_best[:, 1] - two_best[:, 0], kind="stable")
    return [int(place) for place in order[labelled[order]][:LEAST_CERTAIN]]


def examples(
    model: models.SeedClassifier,
    rows: Sequence[int],
    texts: Mapping[int, str],
    ids: Sequence[str],
    predictions: Predictions,
) -> list[Example]:
    """Return some documents as they are shown; ids and predictions are those of all documents."""
    if not rows:
        return []
    names, probabilities = [str(name) for name in model.classes_], predictions.probabilities
    best, second = np.argsort(-probabilities[rows], axis=1, kind="stable")[:, :2].T.tolist()
    words = words_behind(model, [texts[row] for row in rows], best, second)
    longest = min(LONGEST, ALL_TEXTS // len(rows) // 100 * 100)
    documents = []
    for row, first, other, shares in zip(rows, best, second, words, strict=True):
        cut = len(texts[row]) > longest
        text = texts[row][:longest] + "…" if cut else texts[row]
        two = [(names[place], float(probabilities[row, place])) for place in (first, other)]
        marks = _marks(shares, {names[first], names[other]}, len(text) - cut)
        if predictions.none_label is not None and predictions.outside[row]:
            two, marks = [(predictions.none_label, float(predictions.none_probability[row])), two[0]], []
        documents.append(Example(ids[row], *two[0], *two[1], text, cut, marks))
    return documents


def _marks(shares: Sequence[WordShare], of_either: set[str], length: int) -> list[Mark]:
    marks: list[Mark] = []
    for share in shares:
        seed = not of_either.isdisjoint(map(str, share.seed_of))
        weight, shown = round(share.log_odds, 3), f"{share.word} {share.log_odds:+.2f}"
        marks += [Mark(start, end, weight, seed, shown) for start, end in share.spans if end <= length]
    return without_overlaps(sorted(marks, key=lambda mark: -abs(mark.weight))[:MOST_MARKS])


def typical_words(
    counts: sp.csr_array, probabilities: Array, vocabulary: Sequence[str], count: int
) -> list[list[str]]:
    """Rank words, for each category, by p(word | category) ln(p(word | category) / p(word))."""
    met = np.asarray(counts.astype(bool).astype(np.float64).T @ probabilities) + SMOOTHING
    share = met / met.sum(axis=0)
    overall = met.sum(axis=1) / met.sum()
    score = share * np.log(share / overall[:, None])
    order = np.argsort(-score, axis=0, kind="stable")[:count]
    return [
        [vocabulary[word] for word in order[:, category].tolist() if score[word, category] > 0]
        for category in range(probabilities.shape[1])
    ]


def seed_health(model: models.SeedClassifier, counts: sp.csr_array, predicted: Places) -> list[Seed]:
    """Return the statistics of every seed, by category, in the user's order."""
    category_of = {name: category for category, name in enumerate(model.seeds_.names)}
    documents_of = sp.csc_array(counts)
    seeds = []
    for row in model.seed_table():
        ends = documents_of.indptr[row.column : row.column + 2] if row.column is not None else (0, 0)
        hit = documents_of.indices[ends[0] : ends[1]]
        agreement = float((predicted[hit] == category_of[row.category]).mean()) if len(hit) else None
        known = row.column is not None
        seeds.append(Seed(str(row.category), row.word, len(hit), agreement, row.learned, known))
    return seeds


def suspected_confusions(
    model: models.SeedClassifier, counts: sp.csr_array, probabilities: Array, predicted: Places
) -> list[list[float]]:
    """Return for the documents of each label the share that may belong to each category."""
    guess = model.fitted_.get(FirstGuess)
    if guess is not None:
        documents = model.fitted_.view(Counts(counts, []))
        probabilities = shared_among_rivals(probabilities, documents, guess)
    return mean_by_label(probabilities, predicted)


def mean_by_label(probabilities: Array, predicted: Places) -> list[list[float]]:
    """Return the mean probabilities of the documents of each label; zeros for a label without documents."""
    rows = []
    for category in range(probabilities.shape[1]):
        own = probabilities[predicted == category]
        rows.append(own.mean(axis=0).tolist() if len(own) else [0.0] * probabilities.shape[1])
    return rows


def true_confusions(true: list[str], predicted: Places, names: list[str]) -> Confusions:
    """Count the true labels of the documents of each label."""
    place = {name: row for row, name in enumerate(names)}
    counts = np.zeros((len(names) + 1, len(names)), dtype=int)
    for label, guess in zip(true, predicted.tolist(), strict=True):
        counts[place.get(label, len(names)), guess] += 1
    if counts[-1].any():
        return Confusions([*names, OTHER], counts.tolist())
    return Confusions(list(names), counts[:-1].tolist())


def suspected_pairs(categories: Sequence[Category], shares: Sequence[Sequence[float]]) -> list[Pair]:
    """Return the pairs of categories that are most likely confused, by the number of documents expected."""
    names = [category.name for category in categories]
    sizes = np.array([category.documents for category in categories], dtype=float)
    return largest_pairs(sizes[:, None] * np.array(shares), names, names, sizes)


def largest_pairs(counts: Array, labels: Sequence[str], others: Sequence[str], sizes: Array) -> list[Pair]:
    """Return the largest numbers beside the diagonal that are not rounded to 0."""
    np.fill_diagonal(counts, 0)
    order = np.argsort(-counts, axis=None, kind="stable")[:MOST_PAIRS]
    return [
        Pair(labels[row], others[column], float(counts[row, column]), float(counts[row, column] / sizes[row]))
        for row, column in zip(*np.unravel_index(order, counts.shape), strict=True)
        if counts[row, column] >= 0.5
    ]


def model_settings(model: models.SeedClassifier) -> dict[str, str]:
    """Return the parameters of a model that affect its labels."""
    values = model.get_params(deep=False)
    settings = {name: shortened(repr(values[name]), 60) for name in values if name not in _NOT_SHOWN}
    if isinstance(model, models.SeedTopicClassifier):  # not what was asked for, but what it came to
        settings["vectors"] = model.vectors_ or "none"
    return settings


def no_objective(model: models.SeedClassifier) -> str:
    """Return why a model has no value of an objective."""
    name = type(model).__name__
    if isinstance(model, models.SeedTopicClassifier):
        return f"{name} has no single objective: its steps have different ones."
    return f"This {name} has not recorded its objective."


def histogram(confidence: Array) -> list[int]:
    """Return how many labels have a probability in each twentieth from 0 to 1."""
    place = np.minimum((confidence * HISTOGRAM_BINS).astype(int), HISTOGRAM_BINS - 1)
    return [int(count) for count in np.bincount(place, minlength=HISTOGRAM_BINS)]
