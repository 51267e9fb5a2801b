"""Whether documents are like those of the fit: their labels, their certainty, and their words.

Each has a threshold of two parts: a difference that does not matter, chosen with 28 fits of 23 collections,
and what chance adds for the number of documents; docs/howto/drift.md has the formulas.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import chdtri

from seedtopic.io.frames import Texts
from seedtopic.io.predictions import Predictions
from seedtopic.learning.signals.words import sublinear, unit_rows, word_rarity
from seedtopic.model.reading import TextReader

if TYPE_CHECKING:
    from seedtopic.model.estimator import SeedClassifier


Array = NDArray[np.float64]
Mean = tuple[float, float]  # and the square of its error

MOST_INDEX, MOST_FALL, MOST_RISE = 0.2, 0.15, 0.05  # of labels, mean probability, and unknown words
CHANCE = 0.01  # how often a threshold may be passed by chance, at most
_SIDED = 2.326348  # a normal variable is above it as often
LEAST = 30  # documents; fewer are not judged
NO_LABEL = "(no label)"


@dataclass
class LabelStatistics:
    """What is counted of documents: sums only, so that memory does not grow."""

    labels: NDArray[np.int64]  # how many documents have each label
    probability: Array = field(default_factory=lambda: np.zeros(3))  # (3,)
    unknown: Array = field(default_factory=lambda: np.zeros(3))  # (3,)

    @classmethod
    def nothing(cls, n_categories: int) -> LabelStatistics:
        """Begin to count."""
        return cls(np.zeros(n_categories + 2, np.int64))

    @classmethod
    def of(cls, predictions: Predictions) -> LabelStatistics:
        """Count documents."""
        n_labels = len(predictions.classes) + 2  # with the label for no category, and none at all
        unknown = np.zeros(3) if predictions.unknown is None else _sums(predictions.unknown)
        sizes = np.bincount(predictions.numbers % n_labels, minlength=n_labels)
        return cls(sizes, _sums(predictions.certainty[predictions.labelled]), unknown)

    def add(self, other: LabelStatistics) -> None:
        """Count further documents."""
        self.labels += other.labels
        self.probability += other.probability
        self.unknown += other.unknown

    def __len__(self) -> int:
        return int(self.labels.sum())


@dataclass(frozen=True)
class Fitted:
    """What a model remembers of the documents of its fit."""

    names: list[str]  # the labels
    seen: LabelStatistics  # their labels and probabilities
    unknown: tuple[float, float] | None  # mean and standard deviation of the share of unknown words to expect

    @classmethod
    def of(cls, model: SeedClassifier) -> Fitted | None:
        """Return what a model remembers; None if it keeps no labels of its fit."""
        posterior = getattr(model, "label_distributions_", None)
        if posterior is None or not len(posterior):
            return None
        names = [*map(str, model.classes_), model.none_label or "", NO_LABEL]
        known = getattr(model, "unknown_words_", None)
        unknown = None if known is None else (float(known[0]), float(known[1]))
        return cls(names, LabelStatistics.of(model.fitted_predictions()), unknown)


@dataclass(frozen=True)
class Signal:
    """One thing that is compared."""

    fit: float | None  # its value in the fit
    now: float | None
    difference: float | None  # how far it has moved
    threshold: float | None  # what the difference may be
    look_again: bool  # whether it is more


@dataclass(frozen=True)
class Drift:
    """How documents differ from those of the fit."""

    documents: int  # how many there are
    fitted: int  # how many the fit had
    shares: dict[str, tuple[float, float]]  # the share of each label in the fit and now
    labels: Signal
    probability: Signal
    unknown_words: Signal
    enough: bool  # whether there are enough documents to judge

    @property
    def look_again(self) -> bool:
        """Whether the documents differ enough to look at them and at the seeds again."""
        return any(signal.look_again for signal in (self.labels, self.probability, self.unknown_words))

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        shares = {name: {"fit": fit, "now": now} for name, (fit, now) in self.shares.items()}
        return {"look_again": self.look_again, **asdict(self), "shares": shares}


def drift(fitted: Fitted, seen: LabelStatistics) -> Drift:
    """Compare documents with those of the fit."""
    n_now, n_fit = len(seen), len(fitted.seen)
    enough = n_now >= LEAST
    before, now = (of.labels / max(len(of), 1) for of in (fitted.seen, seen))
    shares = {
        name: (float(of_fit), float(of_now))
        for name, of_fit, of_now in zip(fitted.names, before, now, strict=True)
        if name
    }
    unknown = fitted.unknown and (fitted.unknown[0], fitted.unknown[1] ** 2 / n_fit)
    return Drift(
        n_now,
        n_fit,
        shares,
        _labels(fitted.seen, seen, enough),
        _compared(_mean(fitted.seen.probability), seen.probability, MOST_FALL, enough, falls=True),
        _compared(unknown, seen.unknown, MOST_RISE, enough),
        enough,
    )


def drift_sentence(moved: Drift) -> str | None:
    """Say what has changed; None if nothing has, or there are too few documents to say."""
    if not moved.look_again:
        return None
    changes = []
    if moved.labels.look_again:
        name, (fit, now) = max(moved.shares.items(), key=lambda share: abs(share[1][1] - share[1][0]))
        changes.append(f"the labels have other shares ({name}: {fit:.0%} in the fit, {now:.0%} now)")
    if moved.probability.look_again:
        changes.append(f"labels are less sure (mean probability {_moved(moved.probability, '.2f')})")
    if moved.unknown_words.look_again:
        changes.append(f"more words are unknown ({_moved(moved.unknown_words, '.0%')})")
    return (
        f"these {moved.documents:,} documents are not like those of the fit: {', '.join(changes)}; look at "
        "some of them, and fit a new model if such documents keep coming"
    )


def _moved(signal: Signal, form: str) -> str:
    return f"{signal.fit:{form}} in the fit, {signal.now:{form}} now"


def _labels(fit: LabelStatistics, now: LabelStatistics, enough: bool) -> Signal:
    used = (fit.labels + now.labels) > 0
    n_fit, n_now, n_labels = len(fit), len(now), int(used.sum())
    if not n_now:
        return Signal(None, None, None, None, False)
    before, after = ((of.labels[used] + 0.5) / (len(of) + n_labels / 2) for of in (fit, now))
    index = float(((after - before) * np.log(after / before)).sum())
    by_chance = float(chdtri(n_labels - 1, CHANCE)) * (1 / n_fit + 1 / n_now) if n_labels > 1 else 0.0
    threshold = MOST_INDEX + by_chance
    return Signal(None, None, index, threshold, enough and index > threshold)


def _compared(before: Mean | None, sums: Array, most: float, enough: bool, *, falls: bool = False) -> Signal:
    """Compare the means before and now; the later one may rise so far, or fall."""
    now = _mean(sums)
    if before is None or now is None:
        return Signal(before and before[0], now and now[0], None, None, False)
    difference = before[0] - now[0] if falls else now[0] - before[0]
    threshold = most + _SIDED * sqrt(before[1] + now[1])
    return Signal(before[0], now[0], difference, threshold, enough and difference > threshold)


def _mean(sums: Array) -> Mean | None:
    if not sums[0]:
        return None
    mean = float(sums[1] / sums[0])
    return mean, max(float(sums[2] / sums[0]) - mean**2, 0.0) / float(sums[0])


def _sums(values: NDArray[np.floating[Any]]) -> Array:
    return np.array([len(values), values.sum(), np.square(values).sum()], dtype=np.float64)


def document_vectors(model: SeedClassifier, X: Texts) -> sp.csr_array:
    """Return documents as rows of length 1; one without a known word is a row of zeros."""
    counts = word_counts(model, X)
    return unit_rows(sublinear(counts, word_rarity(counts)))


def word_counts(model: SeedClassifier, X: Texts) -> sp.csr_array:
    """Count the words and phrases of documents in the columns of the vocabulary of a fitted model."""
    return model.fitted_.counts_of(X, TextReader.of(model)).matrix
