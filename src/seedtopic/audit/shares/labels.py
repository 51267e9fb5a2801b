"""The labels of documents as numbers, beside the probabilities of all categories."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedtopic.documents.label_columns import Extras

NO_LABEL = -1


def numbered_labels(
    probabilities: NDArray[np.float64], extras: Extras
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Give the number of each document's label, and the probabilities of all labels that there are.

    Examples
    --------
    >>> from seedtopic.documents.label_columns import NoneOfThese
    >>> extras = Extras(none=NoneOfThese("other", np.array([0.25, 0.75])))
    >>> labels, sure = numbered_labels(np.array([[0.8, 0.2], [0.6, 0.4]]), extras)
    >>> labels.tolist(), sure.round(2).tolist()
    ([0, 2], [[0.6, 0.15, 0.25], [0.15, 0.1, 0.75]])
    """
    labels = probabilities.argmax(axis=1)
    if extras.none is not None:
        outside = np.asarray(extras.none.probability, dtype=np.float64)
        labels = np.where(outside > 0.5, probabilities.shape[1], labels)
        probabilities = np.column_stack([probabilities * (1 - outside)[:, None], outside])
    return np.where(extras.labelled(len(labels)), labels, NO_LABEL), probabilities
