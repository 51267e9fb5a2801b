"""Documents in blocks of about equal size, by what they say: each block is a fair sample of all."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.text.counts import canonical_order, fingerprints

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


def blocks_of(fingerprint: NDArray[np.float64], n_blocks: int) -> NDArray[np.intp]:
    """Give the block of each document by its fingerprint, as good as drawn by lot; the same ones together.

    Examples
    --------
    >>> blocks_of(np.array([0.5, 1.5, 0.5]), 2).tolist()
    [0, 1, 0]
    """
    mixed = np.ascontiguousarray(fingerprint).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(32)) % np.uint64(n_blocks)).astype(np.intp)


def block_order(counts: sp.csr_array) -> tuple[NDArray[np.intp], list[int]]:
    """Return the canonical order of the documents block by block, and the size of each block.

    Examples
    --------
    >>> order, sizes = block_order(sp.csr_array([[1.0, 0.0], [0.0, 2.0]]))
    >>> sizes
    [2]
    """
    n_blocks = n_blocks_for(counts.shape[0])
    if n_blocks == 1:
        return canonical_order(counts), [counts.shape[0]]
    fingerprint = fingerprints(counts)
    block = blocks_of(fingerprint, n_blocks)
    order = np.lexsort((fingerprint, block))  # stable: equal documents stay as they came
    return order, np.bincount(block, minlength=n_blocks).tolist()
