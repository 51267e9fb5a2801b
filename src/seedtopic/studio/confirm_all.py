"""Confirms all documents of the list in one step, so that one undo takes all of it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.studio.checking import category_to_confirm
from seedtopic.studio.draft import Draft
from seedtopic.studio.labels import NOTHING, Labels


def unchecked(rows: NDArray[np.intp], draft: Draft) -> NDArray[np.intp]:
    """Return those of some documents that are not confirmed as anything yet.

    Examples
    --------
    >>> unchecked(np.array([5, 3, 1]), Draft(confirmed={3: (1,), 9: ()})).tolist()
    [5, 1]
    """
    if not draft.confirmed:
        return rows
    return rows[~np.isin(rows, np.fromiter(draft.confirmed, np.intp, len(draft.confirmed)))]


def answers(
    rows: NDArray[np.intp], draft: Draft, labels: Labels | None, request: Mapping[str, Any]
) -> dict[int, int]:
    """Return the key of the category that each document of the list is to be confirmed as."""
    left = unchecked(rows, draft)
    if request.get("label") is None:
        if labels is None:
            raise InputError("there are no labels to confirm yet.")
        keys = labels.key[left]
        left, keys = left[keys != NOTHING], keys[keys != NOTHING]
    else:
        keys = np.full(len(left), category_to_confirm(draft, request["label"]).key)
    if request.get("count") != len(left):
        raise InputError(
            f"the list has changed: {len(left):,} of its documents would be confirmed now. Look at it, and "
            "confirm again."
        )
    return dict(zip(left.tolist(), keys.tolist(), strict=True))
