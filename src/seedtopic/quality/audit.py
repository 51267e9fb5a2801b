"""Which documents to check: a random sample in each of a few strata of similar probability.

The probabilities only decide where to look: an estimate is valid whatever they are worth. Strata, estimates
and where they are from are described in docs/howto/audit.md.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seedtopic.answers.ledger import BLIND, Answer, Answers
from seedtopic.answers.resolved import MODEL, Documents, verdicts
from seedtopic.answers.sheet import SheetLabels
from seedtopic.base.checks import check_as_many
from seedtopic.base.errors import InputError
from seedtopic.io.rows import Rows
from seedtopic.model.estimates import Measured
from seedtopic.quality.intervals import Counts, Estimate, added, stratified, weighted
from seedtopic.seeds import Seeds
from seedtopic.seeds.names import NONE_OF_THESE, Label, Names

if TYPE_CHECKING:
    from seedtopic.model import SeedClassifier

# Chosen by simulated audits of five corpora. More strata are narrower, but with fifty checks the numbers of
# errors found in each are so small that intervals hold too often in one collection and too seldom in another.
N_STRATA = 2
# No label counts as more certain than one of probability .8, for the same reason.
LEAST_DEVIATION = 0.4
LEAST_CHECKS = 10  # with fewer, a stratum could be left without any
DECIMALS = 6  # of the probabilities, as they are written to files


@dataclass(frozen=True)
class Sample:
    """Documents to check.

    Attributes
    ----------
    documents : ndarray of int
        Their positions, in random order, so that the first of them are a random part of each stratum.
    strata : ndarray of int
        The stratum of each of them, from 1 (the least probable labels).
    """

    documents: NDArray[np.intp]
    strata: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.documents)


def draw(probabilities: ArrayLike, n: int = 50, *, random_state: int = 0) -> Sample:
    """Draw the documents to check.

    Parameters
    ----------
    probabilities : array-like of float
        The probability of each document's label.
    n : int
        How many documents to check; all of them if there are not more.
    random_state : int
        Source of the random numbers.

    Returns
    -------
    Sample

    Examples
    --------
    >>> sample = draw([0.99] * 600 + [0.6] * 400, 20)
    >>> len(sample), int((sample.documents < 600).sum())
    (20, 11)
    """
    if n < LEAST_CHECKS:
        raise InputError(f"n is {n}: check at least {LEAST_CHECKS} documents.")
    strata = strata_of(probabilities)
    weights: NDArray[np.float64] = np.bincount(strata, _deviations(probabilities)).astype(np.float64)
    random = np.random.default_rng(random_state)
    members = [np.flatnonzero(strata == stratum) for stratum in range(1, len(weights))]
    counts = allocated(n, weights[1:], np.array([len(rows) for rows in members]))
    chosen = [random.permutation(rows)[:count] for rows, count in zip(members, counts, strict=True)]
    documents = random.permutation(np.concatenate(chosen))
    return Sample(documents, strata[documents])


def strata_of(probabilities: ArrayLike) -> NDArray[np.intp]:
    """Return the stratum of each document, from 1 for the least probable labels; equal ones share one."""
    values, value_of, counts = np.unique(
        checked_probabilities(probabilities), return_inverse=True, return_counts=True
    )
    reached = np.cumsum(_deviations(values) * counts)
    part = reached[-1] / N_STRATA
    nearest = np.abs(reached[:, None] - part * np.arange(1, N_STRATA)).argmin(axis=0)
    cuts, begin = [], 0.0
    for cut in np.unique(nearest):
        # Many equal probabilities can make a stratum so small that it would get no check.
        if min(reached[cut] - begin, reached[-1] - reached[cut]) >= part / 2:
            cuts.append(cut)
            begin = reached[cut]
    return np.searchsorted(np.array(cuts), value_of.reshape(-1)) + 1


def allocated(
    n: int, weights: NDArray[np.floating[Any]], sizes: NDArray[np.integer[Any]]
) -> NDArray[np.intp]:
    """Return n checks, shared out in proportion to weights, to no stratum more than it has documents."""
    if n >= sizes.sum():
        return sizes.astype(np.intp)
    full = np.zeros(len(sizes), dtype=bool)
    quota = weights * n / weights.sum()
    while (quota > sizes)[~full].any():  # what a full stratum leaves goes to the others
        full |= quota > sizes
        left = np.where(full, 0.0, weights)
        quota = np.where(full, sizes, left * (n - sizes[full].sum()) / left.sum())
    shared: NDArray[np.intp] = np.floor(quota).astype(np.intp)
    shared[np.argsort(shared - quota, kind="stable")[: n - shared.sum()]] += 1  # the largest remainders
    return shared


def checked_probabilities(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Return probabilities as an array, rounded as in files, and refuse other numbers."""
    sure = np.asarray(probabilities, dtype=np.float64)
    if sure.ndim != 1 or not len(sure):
        raise InputError(
            f"the probabilities have the shape {sure.shape}: give the probability of each document's label."
        )
    wrong = np.flatnonzero(~((sure >= 0) & (sure <= 1)))
    if len(wrong):
        raise InputError(
            f"the probability of document {wrong[0]} is {sure[wrong[0]]:g}: give numbers from 0 to 1."
        )
    return sure.round(DECIMALS)


def _deviations(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Return the standard deviation of the correctness of labels, as far as their probabilities are right."""
    sure = np.asarray(probabilities, dtype=np.float64)
    return np.maximum(np.sqrt(sure * (1 - sure)), LEAST_DEVIATION)


@dataclass(frozen=True)
class CategoryAudit:
    """What is known of one category.

    Attributes
    ----------
    category : str or None
        Its name; None for documents that belong to none of the categories, where this has no name.
    checked : int
        How many documents with this label were checked.
    labelled : float
        The share of the documents that have this label.
    precision : Estimate
        The share of the documents with this label that belong to it.
    share : Estimate
        The share of all documents that belong to it.
    """

    category: str | None
    checked: int
    labelled: float
    precision: Estimate
    share: Estimate


@dataclass(frozen=True)
class Audit:
    """What checked documents say of all.

    Attributes
    ----------
    documents : int
        How many documents there are.
    checked : int
        How many of them were checked.
    accuracy : Estimate
        The share of labels that are right.
    categories : list of CategoryAudit
        In the order of the categories; the last is for documents that belong to none of them.
    """

    documents: int
    checked: int
    accuracy: Estimate
    categories: list[CategoryAudit]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


def estimate(
    labels: Sequence[str],
    probabilities: ArrayLike,
    checked: Mapping[int, str | None],
    classes: Sequence[str] | None = None,
    none_label: str | None = None,
) -> Audit:
    """Estimate how good labels are from documents that `draw` has chosen and a person has checked.

    Parameters
    ----------
    labels : sequence of str
        The label of every document.
    probabilities : array-like of float
        The probability of every label, as `draw` was given.
    checked : mapping from int to str or None
        The true category of the checked documents by their position, None if it is none of these. Documents
        of the sample that were not checked are left out; the others must be a random part of each stratum.
    classes : sequence of str, optional
        The categories, in the order of the output; those that occur as labels when left out.
    none_label : str, optional
        Which of the categories is for documents that belong to none of the others, if there is one.

    Returns
    -------
    Audit

    Examples
    --------
    >>> from seedtopic.quality.audit import draw
    >>> labels, probabilities = ["oil"] * 700 + ["gold"] * 300, [0.95] * 600 + [0.6] * 400
    >>> true = ["oil"] * 650 + ["gold"] * 350
    >>> answers = {document: true[document] for document in draw(probabilities, 50).documents}
    >>> audit = estimate(labels, probabilities, answers)
    >>> print(audit.accuracy)
    94.5% (86.6% to 98.1%)
    >>> print(audit.categories[0].precision)
    100.0% (80.5% to 100.0%)
    """
    names: list[str | None] = list(dict.fromkeys(sorted(set(labels)) if classes is None else classes))
    if none_label not in names:
        names.append(none_label)
    number = {name: k for k, name in enumerate(names)}

    def numbered(label: str | None, how: str) -> int:
        if label not in number:
            shown = ", ".join(str(name) for name in names[:10] if name is not None)
            raise InputError(
                f"a document {how} {label!r}, which is not a category: the categories are {shown}."
            )
        return number[label]

    numbers = np.array([numbered(label, "has the label") for label in labels], dtype=np.intp)
    sure = checked_probabilities(probabilities)
    check_as_many(len(numbers), "label", len(sure), "probability")
    if not checked:
        raise InputError("no document is checked: check at least one.")
    places = np.array(sorted(checked), dtype=np.intp)
    outside = places[(places < 0) | (places >= len(sure))]
    if len(outside):
        raise InputError(
            f"document {outside[0]} is checked, but the last one is {len(sure) - 1:,}, counted from 0."
        )
    answers = [none_label if checked[place] is None else checked[place] for place in places.tolist()]
    true = np.array([numbered(answer, "was checked as") for answer in answers], dtype=np.intp)
    strata, having = strata_of(sure), np.bincount(numbers, minlength=len(names))
    return estimate_population(names, np.bincount(strata)[1:], having, strata[places], numbers[places], true)


def estimate_population(
    names: Sequence[str | None],
    of_strata: Counts,
    having: Counts,
    strata: Counts,
    labels: Counts,
    true: Counts,
) -> Audit:
    """Estimate from how many documents each stratum and each label has, and from the checked documents."""
    # A stratum without a check is joined to the one below it, or above it if there is none.
    numbers = np.arange(1, len(of_strata) + 1)
    joined = np.maximum(np.searchsorted(np.unique(strata), numbers, side="right") - 1, 0)
    stratum = joined[strata - 1]
    sizes = np.bincount(joined, weights=of_strata).astype(np.intp)
    drawn = np.bincount(stratum, minlength=len(sizes))
    total = int(of_strata.sum())

    def count(which: NDArray[np.bool_]) -> Counts:
        return np.bincount(stratum[which], minlength=len(sizes))

    def share(among: NDArray[np.bool_], category: int) -> Estimate:
        return weighted(count(among & (true == category)), count(among), drawn, sizes)

    accuracy = stratified(count(labels == true), drawn, sizes)
    categories = []
    for k, name in enumerate(names):
        labelled = float(having[k] / total)
        precision = share(labels == k, k)
        # Those that have its label, and those that have another.
        right = _times(precision, labelled, accuracy.value)
        missed = _times(share(labels != k, k), 1 - labelled, 0.0)
        n_checked = int((labels == k).sum())
        categories.append(CategoryAudit(name, n_checked, labelled, precision, added(right, missed)))
    sum_of_shares = sum(category.share.value or 0.0 for category in categories)
    for k, category in enumerate(categories):
        value = (category.share.value or 0.0) / sum_of_shares
        scaled = Estimate(value, min(category.share.low, value), max(category.share.high, value))
        categories[k] = replace(category, share=scaled)
    return Audit(total, len(labels), accuracy, categories)


def _times(share: Estimate, factor: float, if_unknown: float | None) -> Estimate:
    value = if_unknown if share.value is None else share.value
    assert value is not None
    return Estimate(value * factor, share.low * factor, share.high * factor)


@dataclass(frozen=True)
class Draw:
    """How a document came into a sample, as the column `how` of sheets and of the ledger says it.

    It names the labels that were sampled, by their checksum, and how many documents each stratum has: what an
    estimate needs, whichever model, documents or sheets there are later.

    Examples
    --------
    >>> str(Draw("1f0c22d9", 17, 2, (412, 588)))
    'audit 1f0c22d9, row 17, stratum 2 of 412 + 588 documents'
    >>> Draw.of("audit 1f0c22d9, row 17, stratum 2 of 412 + 588 documents").sizes
    (412, 588)
    """

    labels: str
    row: int
    stratum: int
    sizes: tuple[int, ...]

    def __str__(self) -> str:
        sizes = " + ".join(map(str, self.sizes))
        return f"{BLIND}{self.labels}, row {self.row}, stratum {self.stratum} of {sizes} documents"

    @classmethod
    def of(cls, how: str) -> Self | None:
        """Read what `str` has written; None for an answer that came in another way."""
        if (parts := _DRAW.fullmatch(how)) is None:
            return None
        sizes = tuple(map(int, parts["sizes"].split(" + ")))
        draw = cls(parts["labels"], int(parts["row"]), int(parts["stratum"]), sizes)
        return draw if 1 <= draw.stratum <= len(sizes) and sum(sizes) <= _MOST else None


_DRAW = re.compile(
    BLIND + r"(?P<labels>[0-9a-f]{8}), row (?P<row>\d{1,12}), stratum (?P<stratum>\d{1,3}) of "
    r"(?P<sizes>\d{1,12}(?: \+ \d{1,12})*) documents",
    re.ASCII,
)
_MOST = 1 << 40  # documents


def draws(labelled: SheetLabels, sample: Sample, documents: Rows) -> list[str]:
    """Say of each document of a sample how it came into it."""
    sizes = tuple(np.bincount(strata_of(labelled.probabilities))[1:].tolist())
    content = "\n".join([*map(str, sizes), *labelled.labels])
    labels = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    rows = map(documents.number_of, labelled.rows[sample.documents].tolist())
    pairs = zip(rows, sample.strata.tolist(), strict=True)
    return [str(Draw(labels, row, stratum, sizes)) for row, stratum in pairs]


@dataclass(frozen=True)
class BlindSample:
    """Answers to a random sample of labels, of which nobody had said anything before.

    It is assumed that each text was drawn as its row of the sheet says, that whoever answered has not chosen
    among them, and that the labels have not learned from the answers: what counts is the label that the text
    had when it was drawn, never one that a later fit has given it.
    """

    texts: list[str]
    draws: list[Draw]
    predicted: list[Label]  # when it was drawn
    true: list[Label]  # a category, several, or `NONE_OF_THESE`
    at: str  # the time of the latest answer

    @classmethod
    def newest(cls, answers: Answers, names: Names) -> Self | None:
        """Take the answers to the sample that was drawn last; None if nobody has answered one."""
        of_draw: dict[str, dict[Draw, Answer]] = {}
        for answer in answers:
            by_person = answer.text and not answer.by.startswith(MODEL)
            if by_person and (draw := Draw.of(answer.how)) is not None:
                of_draw.setdefault(draw.labels, {})[draw] = answer
        texts = {answer.text for drawn in of_draw.values() for answer in drawn.values()}
        about = [answer for answer in answers if answer.text in texts]
        samples, verdict_of = [], verdicts(about, names)
        for drawn in of_draw.values():
            usable = {draw: answer for draw, answer in drawn.items() if answer.text in verdict_of}
            if usable:
                chosen = list(usable.values())
                samples.append(
                    cls(
                        [answer.text for answer in chosen],
                        list(usable),
                        [names.label(answer.predicted) or answer.predicted for answer in chosen],
                        [verdict_of[answer.text] for answer in chosen],
                        max(answer.at for answer in chosen),
                    )
                )
        return max(samples, key=lambda sample: sample.at, default=None)

    def __len__(self) -> int:
        return len(self.draws)

    @property
    def is_enough(self) -> bool:
        """Whether enough labels are checked, and some of each stratum."""
        sizes, strata = self.draws[0].sizes, {draw.stratum for draw in self.draws}
        return len(self) >= min(LEAST_CHECKS, sum(sizes)) and len(strata) == len(sizes)

    def _answers(self) -> list[Label]:
        """The category of each; of several, the one that was predicted counts, or the first."""
        pairs = zip(self.predicted, self.true, strict=True)
        return [
            true if not isinstance(true, tuple) else label if label in true else true[0]
            for label, true in pairs
        ]

    def measured(self) -> Measured:
        """Return how many of the labels are right."""
        strata = np.array([draw.stratum for draw in self.draws], np.intp)
        names = [str(name) for name in dict.fromkeys([*self.predicted, *self._answers()])]
        number = {name: place for place, name in enumerate(names)}
        label = np.array([number[str(name)] for name in self.predicted], np.intp)
        true = np.array([number[str(name)] for name in self._answers()], np.intp)
        sizes, having = np.array(self.draws[0].sizes), np.bincount(label, minlength=len(names))
        accuracy = estimate_population(names, sizes, having, strata, label, true).accuracy
        assert accuracy.value is not None
        return Measured(accuracy.value, accuracy.low, accuracy.high, len(self), self.at[:10])

    def audit(self, labelled: SheetLabels, documents: Rows) -> Audit | None:
        """Return how good the labels of documents are; None if they are not those that were sampled."""
        places = Documents.of([Answer(text) for text in self.texts], documents.texts, None).places
        place_of = {row: place for place, row in enumerate(labelled.rows.tolist())}
        checked: dict[int, str | None] = {}
        for text, draw, label, true in zip(
            self.texts, self.draws, self.predicted, self._answers(), strict=True
        ):
            own = [row for row in places.get(text, ()) if row in place_of]
            # Of several copies the one that was drawn.
            row = next((row for row in own if documents.number_of(row) == draw.row), own[0] if own else None)
            then = labelled.none_label if label == NONE_OF_THESE else str(label)
            if row is None or labelled.labels[place_of[row]] != then:
                return None
            checked[place_of[row]] = None if true == NONE_OF_THESE else str(true)
        strata = strata_of(labelled.probabilities)
        if tuple(np.bincount(strata)[1:].tolist()) != self.draws[0].sizes:
            return None
        return estimate(
            labelled.labels, labelled.probabilities, checked, labelled.classes, labelled.none_label
        )


def names_of(model: SeedClassifier) -> Names:
    """Return the names that answers about the documents of a model may use."""
    seeds, none = getattr(model, "seeds", None), getattr(model, "none_label", None)
    if seeds is None:  # it has learned from labels
        return Names.listed(getattr(model, "classes_", ()), none)
    return Names.of(Seeds.of(seeds), none)


def measured(answers: Answers, names: Names) -> Measured | None:
    """Return how many labels were right in the sample that was checked last; None before it tells that."""
    sample = BlindSample.newest(answers, names)
    return sample.measured() if sample is not None and sample.is_enough else None
