"""Categories whose labels are in doubt, found without labels: which, why, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedtopic.learning.classify.reliability import name_margins
from seedtopic.models.stages.meaning import Meaning
from seedtopic.seeds import Name, Seeds
from seedtopic.seeds.names import names_among_seeds

Array = NDArray[np.float64]

# Chosen on train parts and other collections: of the categories below them, a third of the labels were right,
# of the others two thirds.
LEAST_PRECISION, LEAST_GAP = 0.5, 0.1
LEAST_NAME_MARGIN = -0.25
LEAST_SEEDED = 0.02  # share of the documents of a category that contain one of its seeds
FEWEST = 20  # documents of a category, for a mean over them to tell anything
SHOWN = 5  # categories in a warning


@dataclass(frozen=True)
class Doubt:
    """A category whose labels are in doubt.

    Attributes
    ----------
    category : str or int
    sentence : str
        Says why, and what to do.
    """

    category: Name
    sentence: str


def estimated_precisions(label: NDArray[np.intp], probability: Array, n_categories: int) -> Array:
    """Give the mean probability of the labels of each category; NaN for one without documents.

    Examples
    --------
    >>> estimated_precisions(np.array([0, 0]), np.array([0.5, 1.0]), 2).tolist()
    [0.75, nan]
    """
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
    """Find the categories whose seeds contradict their name, or whose labels are likely wrong.

    Parameters
    ----------
    seeds : Seeds
    meaning : Meaning, optional
    sizes : ndarray of int, shape (n_categories,)
        The documents of each category.
    seeded : ndarray, shape (n_categories,)
        The share of them that contain one of its seeds.
    precisions : ndarray, shape (n_categories,)
        The estimated share of them that is right.
    accuracy : float
        The same for all documents.

    Examples
    --------
    >>> seeds = Seeds({"sports": ["money"], "money": ["sports"]})
    >>> sizes, seeded, precisions = np.array([9, 9]), np.array([0.5, 0.5]), np.array([0.6, 0.7])
    >>> for doubt in find_doubts(seeds, None, sizes, seeded, precisions, 0.65):
    ...     print(doubt.sentence)
    the seed words of sports are the name of another category: check that they were not swapped
    the seed words of money are the name of another category: check that they were not swapped
    """
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
    """Say of which categories the labels are in doubt; None if of none.

    Examples
    --------
    >>> doubts_sentence([Doubt("sports", "its words are odd")])
    'its words are odd.'
    """
    if not doubts:
        return None
    more = len(doubts) - SHOWN
    shown = "; ".join(doubt.sentence for doubt in doubts[:SHOWN])
    return shown + (f"; and {more:,} more categories are in doubt." if more > 0 else ".")
