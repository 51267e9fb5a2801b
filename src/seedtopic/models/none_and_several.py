"""No label, or several: functions over the label distributions of documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.seeds import Seeds

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def or_none(labels: NDArray[Any], none_label: str | None, none_probability: Array) -> NDArray[Any]:
    """Give `none_label` to the documents that more likely than not belong to no category.

    Categories that are numbers stay numbers, in an array of objects.

    Examples
    --------
    >>> or_none(np.array(["money", "sport"]), "other", np.array([0.9, 0.1])).tolist()
    ['other', 'sport']
    >>> or_none(np.array([3, 7]), "other", np.array([0.9, 0.1])).tolist()
    ['other', 7]
    """
    if none_label is None:
        return labels
    if labels.dtype.kind != "U":
        labels = labels.astype(object)
    return np.where(none_probability > 0.5, none_label, labels)


def all_labels(several: Mask, posterior: NDArray[np.floating[Any]], none_probability: Array) -> Mask:
    """Add the most probable label to several; a document that belongs to no category has none.

    Examples
    --------
    >>> posterior = np.array([[0.6, 0.4], [0.9, 0.1], [0.5, 0.5]])
    >>> all_labels(posterior >= 0.3, posterior, np.array([0.0, 0.0, 0.8])).tolist()
    [[True, True], [True, False], [False, False]]
    """
    first: Mask = np.arange(posterior.shape[1]) == posterior.argmax(axis=1)[:, None]
    return (first | several) & (none_probability <= 0.5)[:, None]


def check_none_label(none_label: Any, seeds: Seeds) -> None:
    """Refuse a name for documents of no category that is not a name, or that a category already has."""
    if none_label is None:
        return
    if not isinstance(none_label, str) or not none_label.strip():
        raise InputError(f"none_label is {none_label!r}: use a name such as 'other', or None.")
    if none_label in map(str, (*seeds.names, *seeds.tree.nodes)):
        raise InputError(f"none_label is {none_label!r}, which is the name of a category: use another name.")
