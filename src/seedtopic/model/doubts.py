"""Categories whose labels are in doubt, found without labels: which, why, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from seedtopic.base.wording import and_more, listed, number_of, percent
from seedtopic.learning.classify.reliability import name_margins
from seedtopic.model.stages.meaning import Meaning
from seedtopic.seeds import Name, Seeds
from seedtopic.seeds.seeds import names_among_seeds

Array = NDArray[np.float64]

# Chosen on train parts and other collections: of the categories below them, a third of the labels were right,
# of the others two thirds.
LEAST_PRECISION, LEAST_GAP = 0.5, 0.1
LEAST_NAME_MARGIN = -0.25
LEAST_SEEDED = 0.02  # share of the documents of a category that contain one of its seeds
FEWEST = 20  # documents of a category, for a mean over them to tell anything
SHOWN = 5  # categories in a warning
MANY_OUTSIDE = 0.25  # of the documents may belong to no category: from here on it is said unasked


@dataclass(frozen=True)
class Doubt:
    """A category whose labels are in doubt, or that there are enough categories."""

    category: Name | None  # None for a doubt about all of them
    sentence: str  # says why, and what to do

    @property
    def remark(self) -> str:
        """The sentence, as it stands alone."""
        return f"{self.sentence[:1].upper()}{self.sentence[1:]}."


def outside_doubt(share: Array, words: Sequence[str]) -> Doubt | None:
    """Doubt that there are enough categories; None where few documents seem to belong to none."""
    low, high = share.tolist()
    if not words or high < MANY_OUTSIDE:
        return None
    about, named = f"{percent(low)} to {percent(high)}", listed([repr(word) for word in words])
    sentence = (
        f"about {about} of the documents seem to belong to none of your categories, such as with {named}: "
        "seedtopic discover proposes categories for them, and none_label sets them apart"
    )
    return Doubt(None, sentence)


def estimated_precisions(label: NDArray[np.intp], probability: Array, n_categories: int) -> Array:
    """Return the mean probability of the labels of each category; NaN for one without documents."""
    sizes = np.bincount(label, minlength=n_categories)
    total = np.bincount(label, weights=probability, minlength=n_categories)
    return np.asarray(np.divide(total, sizes, out=np.full(n_categories, np.nan), where=sizes > 0))


def find_doubts(
    seeds: Seeds,
    meaning: Meaning | None,
    sizes: NDArray[np.intp],
    seeded: Array,
    precisions: Array,
    accuracy: float,
) -> list[Doubt]:
    """Find the categories whose seeds contradict their name, or whose labels are likely wrong."""
    names, seed_vectors = (None, None) if meaning is None else (meaning.names, meaning.categories)
    margins = name_margins(names, seed_vectors, len(seeds.names))
    _, misnamed = names_among_seeds(seeds)
    doubts = []
    for k, name in enumerate(seeds.names):
        if misnamed[k]:
            why = (
                f"the seed words of {name} are the name of another category: check that they were not swapped"
            )
        elif margins[k] < LEAST_NAME_MARGIN:
            why = (
                f"the seed words of {name} have little to do with its name, which is nearer to those of "
                "another category: check that they belong there"
            )
        elif sizes[k] >= FEWEST and seeded[k] < LEAST_SEEDED:
            why = (
                f"hardly a document labelled {name} contains one of its seed words: give it words that occur "
                "in its documents"
            )
        elif sizes[k] >= FEWEST and precisions[k] < min(LEAST_PRECISION, accuracy - LEAST_GAP):
            why = (
                f"only about {precisions[k]:.0%} of the documents labelled {name} seem to belong there: look "
                "at some of them, and give it seed words that occur in its documents and in no others"
            )
        else:
            continue
        doubts.append(Doubt(name, why))
    return doubts


def doubts_sentence(doubts: Sequence[Doubt]) -> str | None:
    """Say of which categories the labels are in doubt; None if of none."""
    if not doubts:
        return None
    more = len(doubts) - SHOWN
    shown = "; ".join(doubt.sentence for doubt in doubts[:SHOWN])
    return shown + (f"; and {more:,} more categories are in doubt." if more > 0 else ".")


@dataclass(frozen=True)
class SuspectLabel:
    """A confirmed label that the other documents contradict. It is kept: only a person can tell."""

    row: int  # the document, by its position among those given to the fit, from 0
    label: Name  # what a person said
    contradicting_class: Name  # what documents like it are labelled
    probability: float  # of the contradicting class, if it is one of the two


def label_issues(
    classes: NDArray[Any], label: NDArray[np.intp], contradicting: NDArray[np.intp], log_odds: Array
) -> list[SuspectLabel]:
    """List the suspect labels, the most suspect first."""
    rows = np.flatnonzero(contradicting >= 0)
    rows = rows[np.argsort(-log_odds[rows], kind="stable")]
    names = classes.tolist()
    return [
        SuspectLabel(int(row), names[label[row]], names[contradicting[row]], float(expit(log_odds[row])))
        for row in rows
    ]


def label_issues_sentence(
    issues: Sequence[SuspectLabel], name: Callable[[int], str] = lambda row: f"row {row}"
) -> str | None:
    """Name the labels that look wrong; None if there are none."""
    if not issues:
        return None
    shown = [
        f"{name(one.row)} is {one.label!r}, but documents like it are {one.contradicting_class!r} "
        f"({one.probability:.0%} sure)"
        for one in issues[:SHOWN]
    ]
    many = number_of(
        len(issues), "confirmed label looks wrong, and is", "confirmed labels look wrong, and are"
    )
    them = "it" if len(issues) == 1 else "them"
    return f"{many} kept: {and_more(shown, len(issues), '; ')}; look at {them} again."
