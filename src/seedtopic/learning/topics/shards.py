"""Documents in shards of a fixed size, and the statistics of shards in one piece again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import scipy.sparse as sp

from seedtopic.learning.topics.kernels.interface import Floats, Parameters, Shard, Statistics

SHARD_DOCUMENTS = 8_192  # of the smallest shard


def cut(weighted: sp.csr_array) -> list[Shard]:
    """Cut documents into shards, the last one being what is left.

    Both their size and their number grow with the square root of the number of documents: many shards can be
    spread over many workers, but the statistics of all words come back from each.
    """
    n_documents = weighted.shape[0]
    size = max(SHARD_DOCUMENTS, math.isqrt(SHARD_DOCUMENTS * n_documents))
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


def joined(parts: Iterable[Statistics], n_documents: int) -> Statistics:
    """Put the documents of shards one after the other, and add up the rest in their order.

    A part is done with before the next is asked for, so that a kernel may use its arrays again and the
    statistics of words are in memory once, not once a shard.
    """
    total, done = None, 0
    for part in parts:
        if total is None:
            total = _beginning(part, n_documents)
        else:
            _add(total.word_topic, part.word_topic)
            _add(total.word_background, part.word_background)
            total = total._replace(log_likelihood=total.log_likelihood + part.log_likelihood)
        rows = slice(done, done + len(part.doc_topic))
        total.doc_topic[rows], total.doc_background[rows] = part.doc_topic, part.doc_background
        done = rows.stop
    if total is None:
        raise ValueError("there are no shards to join")
    return total


def _beginning(first: Statistics, n_documents: int) -> Statistics:
    """Make room for all documents, and take the words of the first shard."""
    return Statistics(
        np.empty((n_documents, first.doc_topic.shape[1]), first.doc_topic.dtype),
        np.empty((n_documents, first.doc_background.shape[1]), first.doc_background.dtype),
        None if first.word_topic is None else first.word_topic.copy(),
        None if first.word_background is None else first.word_background.copy(),
        first.log_likelihood,
    )


def _add(total: Floats | None, part: Floats | None) -> None:
    if total is not None and part is not None:
        total += part
