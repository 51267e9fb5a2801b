"""Which documents contain a word that a model knows; all categories are equally probable for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.models.reading import NewDocuments

if TYPE_CHECKING:
    from seedtopic.models.stages.pipeline import FitResult

Mask = NDArray[np.bool_]


def counted(counts: sp.csr_array) -> Mask:
    """Tell which documents contain a word that was counted.

    Examples
    --------
    >>> counted(sp.csr_array([[1.0, 2.0], [0.0, 0.0]])).tolist()
    [True, False]
    """
    return np.asarray(np.diff(counts.indptr) > 0)


def uneven(posterior: NDArray[np.floating[Any]]) -> Mask:
    """Tell for which documents the categories are not all equally probable.

    Examples
    --------
    >>> uneven(np.array([[0.6, 0.4], [0.5, 0.5]])).tolist()
    [True, False]
    """
    return np.asarray(np.ptp(posterior, axis=1) > 0)


def known_to_the_fit(result: FitResult, counts: sp.csr_array) -> Mask:
    """Tell which documents of a fit it knew anything of: a word, a text that was encoded, or its label.

    Probabilities that are not even say so; even ones may also be those of a document between categories.
    """
    known = uneven(result.posterior)
    rest = np.flatnonzero(~known)
    if len(rest):
        known[rest] = result.stages.documents(NewDocuments(sp.csr_array(counts[rest]))).has_words
    return known
