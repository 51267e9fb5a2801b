"""The blocks that a model learns from, made on a cluster of the texts that are there."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.cluster.counts import ClusterCounts
from seedtopic.cluster.engine import DaskBlocks
from seedtopic.learning.graph.cells import Cells, as_vectors, blocks_in, is_sampled
from seedtopic.text.blocks import n_blocks_for


def blocks_on_workers(counted: ClusterCounts) -> DaskBlocks:
    """Give counted documents to their blocks, each a `Rows`: the blocks of `block_order`, in its order.

    A sample of bounded size comes here; nothing else of the documents does.

    Parameters
    ----------
    counted : ClusterCounts
    """
    totals = counted.totals
    n_blocks = n_blocks_for(totals.n_documents)
    if n_blocks == 1:
        return counted.blocks(1, _the_only_block)
    sample = counted.sample(is_sampled, totals.n_documents)
    return counted.blocks(n_blocks, blocks_in, Cells.of(as_vectors(sample.counts, totals), n_blocks), totals)


def _the_only_block(counts: sp.csr_array) -> NDArray[np.intp]:
    return np.zeros(counts.shape[0], np.intp)
