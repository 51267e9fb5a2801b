"""Which documents contain a word that a model knows; all categories are equally probable for the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

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
