"""How many blocks documents are learned in, and a fair lot for each document by what it says."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_IN_ONE_BLOCK = 100_000  # documents
BLOCK_DOCUMENTS = 50_000  # of each of several blocks: in smaller ones, documents miss too many neighbours


def n_blocks_for(n_documents: int) -> int:
    """Give the number of blocks for documents: one up to a number, then blocks of half that size.

    It depends on nothing else, so that neither the partitions of the input nor the workers change a result.

    Examples
    --------
    >>> n_blocks_for(100_000), n_blocks_for(388_028)
    (1, 8)
    """
    return 1 if n_documents <= MOST_IN_ONE_BLOCK else -(-n_documents // BLOCK_DOCUMENTS)


def lots(fingerprint: NDArray[np.float64], n_lots: int) -> NDArray[np.intp]:
    """Give a number below `n_lots` to each document, as good as drawn; equal documents have the same."""
    mixed = np.ascontiguousarray(fingerprint).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(32)) % np.uint64(n_lots)).astype(np.intp)
