"""Documents in shards of a fixed size, and the statistics of shards in one piece again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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
    """Put the documents of shards one after the other, and add up the rest in their order.

    Parts are taken one at a time, so that the statistics of words are in memory once and not once a shard.
    """
    doc_topic, doc_background = [], []
    word_topic: Floats | None = None
    word_background: Floats | None = None
    log_likelihood = 0.0
    for part in parts:
        doc_topic.append(part.doc_topic)
        doc_background.append(part.doc_background)
        word_topic = _added(word_topic, part.word_topic)
        word_background = _added(word_background, part.word_background)
        log_likelihood += part.log_likelihood
    return Statistics(
        np.concatenate(doc_topic),
        np.concatenate(doc_background),
        word_topic,
        word_background,
        float(log_likelihood),
    )


def _added(total: Floats | None, part: Floats | None) -> Floats | None:
    """Add to a total that this function began, in its place."""
    if total is None or part is None:
        return part
    if not total.flags.writeable:  # as arrays are that came from another process
        return total + part
    return np.add(total, part, out=total)
