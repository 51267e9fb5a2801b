"""The part of a response that belongs to one request of several."""

from __future__ import annotations

from typing import Any


def part_of(lists: dict[str, Any], first: int, last: int, *, all_probabilities: bool) -> dict[str, Any]:
    """Take the documents of one request from a response with the documents of several.

    Parameters
    ----------
    lists
        What `Predictions.lists` gave.
    first, last
        The place of the first document, and the one after that of the last.
    all_probabilities
        Whether the request wants the categories and the probability of each.

    Examples
    --------
    >>> lists = {"labels": ["sport", "money"], "probabilities": [0.75, 0.9]}
    >>> part_of(lists, 1, 2, all_probabilities=False)
    {'labels': ['money'], 'probabilities': [0.9]}
    """
    part = {name: values[first:last] for name, values in lists.items()}
    if "categories" in lists:
        if all_probabilities:
            part["categories"] = lists["categories"]  # one for each category, not for each document
        else:
            del part["categories"], part["all_probabilities"]
    return part
