"""Numbers to shares of their sum: the one normalisation that all stages use."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def shares(values: NDArray[np.float64], axis: int = 1) -> NDArray[np.float64]:
    """Divide values by their sum along an axis; where the sum is 0 the shares are 0."""
    total = values.sum(axis=axis, keepdims=True)
    divided: NDArray[np.float64] = np.divide(values, total, out=np.zeros_like(values), where=total > 0)
    return divided
