"""The columns that labelling adds, the same in files and in data frames."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.errors import InputError

ADDED = ("predicted", "probability", "runner_up", "runner_up_probability", "margin")
PATH = "path"
DECIMALS = 6


def added_columns(existing: Collection[Any], *, with_path: bool = False) -> list[str]:
    """Name the columns that labelling adds, so that none of the input's own is overwritten.

    Parameters
    ----------
    existing
        The input's columns.
    with_path
        Whether there is a category tree.

    Returns
    -------
    list of str
        The columns of the best category, its probability, the second best, its probability, and by how much
        the best is more probable; and of the best one's path through the tree.

    Examples
    --------
    >>> added_columns(["text", "label"])
    ['predicted', 'probability', 'runner_up', 'runner_up_probability', 'margin']
    >>> added_columns(["text", "probability"])[:2]
    ['seedtopic_predicted', 'seedtopic_probability']
    """
    added = (*ADDED, PATH) if with_path else ADDED
    prefix = ""
    while any(prefix + name in existing for name in added):
        prefix += "seedtopic_"  # more than once for a file that was labelled twice
    return [prefix + name for name in added]


def label_values(
    classes: Sequence[Any],
    probabilities: NDArray[np.floating[Any]],
    min_probability: float = 0.0,
    paths: Mapping[Any, str] | None = None,
) -> Iterator[tuple[Any, ...]]:
    """Give what stands in the added columns, a document at a time.

    Parameters
    ----------
    classes
        The categories, in the order of the columns of `probabilities`.
    probabilities
        One row per document, one column per category.
    min_probability
        A document whose best category is less probable has None in the place of its label.
    paths
        Where there is a category tree, the path to each category.

    Returns
    -------
    iterator of tuple
        Probabilities are rounded to 6 decimals; with a single category there is no runner-up and no margin.

    Examples
    --------
    >>> list(label_values(["sport", "money"], np.array([[0.75, 0.25], [0.5, 0.5]]), 0.6))
    [('sport', 0.75, 'money', 0.25, 0.5), (None, 0.5, 'money', 0.5, 0.0)]
    """
    for row in probabilities:
        order = np.argsort(-row, kind="stable")[:2]  # stable: of equals, the category named first
        best, *second = ((classes[place], float(row[place])) for place in order)
        label = best[0] if best[1] >= min_probability else None
        runner_up, next_best = second[0] if second else (None, None)
        path = () if paths is None else (None if label is None else paths[label],)
        yield (
            label,
            round(best[1], DECIMALS),
            runner_up,
            None if next_best is None else round(next_best, DECIMALS),
            None if next_best is None else round(best[1] - next_best, DECIMALS),
            *path,
        )


def check_min_probability(value: Any) -> None:
    """Refuse what is no probability.

    Examples
    --------
    >>> check_min_probability(70)
    Traceback (most recent call last):
        ...
    seedtopic.errors.InputError: min_probability is 70: give a number from 0 to 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value <= 1:
        raise InputError(f"min_probability is {value!r}: give a number from 0 to 1.")
