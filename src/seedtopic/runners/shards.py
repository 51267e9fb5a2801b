"""Documents in shards of a fixed size, and the statistics of shards in one piece again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

import numpy as np
import scipy.sparse as sp

from seedtopic.kernels import Parameters, Shard, Statistics
from seedtopic.kernels.interface import Floats

SHARD_DOCUMENTS = 8_192  # of a shard, at least
MOST_SHARDS = 32  # since the statistics of all words come back from each


def cut(weighted: sp.csr_array) -> list[Shard]:
    """Cut documents into shards, the last one being what is left.

    Examples
    --------
    >>> [shard.n_documents for shard in cut(sp.csr_array((20_000, 3)))]
    [8192, 8192, 3616]
    """
    n_documents = weighted.shape[0]
    size = max(SHARD_DOCUMENTS, -(-n_documents // MOST_SHARDS))
    return [Shard.of(weighted[start : start + size]) for start in range(0, n_documents, size)]


def parameters_of(shards: Sequence[Shard], parameters: Parameters) -> Iterator[Parameters]:
    """Give the parameters for each shard: those of its documents, and those of all words."""
    start = 0
    for shard in shards:
        rows = slice(start, start + shard.n_documents)
        start += shard.n_documents
        yield Parameters(
            parameters.doc_topic[rows],
            parameters.doc_background[rows],
            parameters.word_topic,
            parameters.word_background,
        )


def joined(parts: Iterable[Statistics]) -> Statistics:
    """Put the documents of shards one after the other, and add up the rest in their order."""
    parts = list(parts)
    return Statistics(
        np.concatenate([part.doc_topic for part in parts]),
        np.concatenate([part.doc_background for part in parts]),
        _added([part.word_topic for part in parts]),
        _added([part.word_background for part in parts]),
        float(sum(part.log_likelihood for part in parts)),
    )


def _added(parts: list[Floats | None]) -> Floats | None:
    there = [part for part in parts if part is not None]
    return reduce(np.add, there) if there else None
