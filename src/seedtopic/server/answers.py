"""The response with labels: one list per field, in the order of the texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.io.predictions import ADDED, DECIMALS, Extras, label_values

# The columns of labelled files, and the names of the corresponding lists in a response. There is no `source`:
# all labels of a response are the model's.
LISTS = {
    "predicted": "labels",
    "probability": "probabilities",
    "runner_up": "runners_up",
    "runner_up_probability": "runner_up_probabilities",
    "margin": "margins",
    "path": "paths",
    "none_probability": "none_probabilities",
    "labels": "all_labels",
}


def answer(
    classes: Sequence[Any],
    probabilities: NDArray[np.float64],
    extras: Extras,
    *,
    all_probabilities: bool = False,
) -> dict[str, Any]:
    """Convert the labels of documents into lists, with None for a document that cannot be labelled.

    Parameters
    ----------
    classes
        The categories, in the order of the columns of `probabilities`.
    probabilities
        One row per document, one column per category.
    extras
        Further columns, besides the two best categories.
    all_probabilities
        Whether to include the categories and the probability of each.

    Examples
    --------
    >>> given = answer(["sport", "money"], np.array([[0.75, 0.25]]), Extras(), all_probabilities=True)
    >>> given["labels"], given["runners_up"], given["categories"], given["all_probabilities"]
    (['sport'], ['money'], ['sport', 'money'], [[0.75, 0.25]])
    """
    names = [*ADDED, *extras.columns]
    rows = label_values(classes, probabilities, extras=extras)
    lists = zip(*rows, strict=True) if len(probabilities) else iter([()] * len(names))
    given: dict[str, Any] = {
        LISTS[name]: list(values) for name, values in zip(names, lists, strict=True) if name in LISTS
    }
    for of_names in ("labels", "runners_up"):  # the name of a category may be a number
        given[of_names] = [None if name is None else str(name) for name in given[of_names]]
    if extras.several is not None:
        named = given["all_labels"]
        given["all_labels"] = [None if names is None else list(map(str, names)) for names in named]
    if all_probabilities:
        given["categories"] = [str(name) for name in classes]
        rounded, labelled = probabilities.round(DECIMALS).tolist(), extras.labelled(len(probabilities))
        pairs = zip(rounded, labelled, strict=True)
        given["all_probabilities"] = [row if known else None for row, known in pairs]
    return given


def part_of(lists: dict[str, Any], first: int, last: int, *, all_probabilities: bool) -> dict[str, Any]:
    """Take the documents of one request from a response with the documents of several.

    Parameters
    ----------
    lists
        What `answer` gave.
    first, last
        The place of the first document, and the one after that of the last.
    all_probabilities
        Whether the request wants the categories and the probability of each.

    Examples
    --------
    >>> lists = answer(["sport", "money"], np.array([[0.75, 0.25], [0.1, 0.9]]), Extras())
    >>> part_of(lists, 1, 2, all_probabilities=False)["labels"]
    ['money']
    """
    part = {name: values[first:last] for name, values in lists.items()}
    if "categories" in lists:
        if all_probabilities:
            part["categories"] = lists["categories"]  # one for each category, not for each document
        else:
            del part["categories"], part["all_probabilities"]
    return part
