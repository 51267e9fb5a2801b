"""The E-step in C, in two walks: over documents, then over words.

Rows are laid out for it: all that a document, or a word, brings lies in one row, each part padded with
zeros to whole vectors of the processor. Every sum belongs to one document or one word and is made in a fixed
order, so that nothing depends on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from seedtopic.base.threads import walk_in_threads
from seedtopic.learning.topics.kernels._estep import walk_documents, walk_words
from seedtopic.learning.topics.kernels.interface import (
    DELTA_MARGIN,
    TINY,
    VECTOR_BYTES,
    Floats,
    Parameters,
    Scratch,
    Shard,
    Statistics,
    log_likelihood,
)

NUMBERS_PER_STEP = 8  # that are copied in about the time of one step of a walk


def estep(
    shard: Shard,
    parameters: Parameters,
    relevance: Floats,
    *,
    bayes: bool,
    want_words: bool = True,
    want_likelihood: bool = False,
    scratch: Scratch | None = None,
) -> Statistics:
    """Compute expected counts, as `numpy_kernel.estep` defines them."""
    dtype = parameters.doc_topic.dtype
    if dtype not in (np.float32, np.float64):
        raise TypeError(f"the C kernel computes in float32 or float64, not in {dtype}")
    n_documents = len(shard.indptr) - 1
    n_topics, n_background = parameters.word_topic.shape[1], parameters.word_background.shape[1]
    sizes = (dtype.itemsize, n_topics, n_background)
    data, indices = np.ascontiguousarray(shard.data, dtype), np.ascontiguousarray(shard.indices, np.int32)
    indptr = np.ascontiguousarray(shard.indptr, np.int64)
    scratch = scratch or Scratch()
    of_documents = (parameters.doc_topic, parameters.doc_background)
    documents = _room(scratch, "documents", of_documents)
    of_words = (parameters.word_topic, parameters.word_background, relevance)
    words = scratch.once("words", of_words, lambda: _rows(scratch, "words", of_words))  # same for all shards
    scales = scratch.empty("scales", (len(data), 2), dtype)
    evidence = scratch.empty("evidence", (len(data) if want_likelihood else 0,), dtype)  # p(v | d)
    doc_topic = scratch.empty("doc_topic", (n_documents, n_topics), dtype)
    doc_background = scratch.empty("doc_background", (n_documents, n_background), dtype)

    def walk(first: int, last: int) -> None:
        _lay(documents, of_documents, first, last)
        walk_documents(
            first, last, *sizes, bayes, DELTA_MARGIN, TINY,
            data, indices, indptr, documents, words, scales, evidence, doc_topic, doc_background,
        )  # fmt: skip

    walk_in_threads(walk, indptr)
    likelihood = log_likelihood(data, evidence) if want_likelihood else float("nan")
    if not want_words:
        return Statistics(doc_topic, doc_background, None, None, likelihood)

    pointers, document_of, positions = shard.by_word
    word_topic = scratch.empty("word_topic", (shard.n_words, n_topics), dtype)
    word_background = scratch.empty("word_background", (shard.n_words, n_background), dtype)
    walk_in_threads(
        lambda first, last: walk_words(
            first, last, *sizes,
            pointers, document_of, positions, documents, words, scales, word_topic, word_background,
        ),
        pointers,
    )  # fmt: skip
    return Statistics(doc_topic, doc_background, word_topic, word_background, likelihood)


def _rows(scratch: Scratch, name: str, parts: Sequence[Floats]) -> Floats:
    """Lay the rows of several matrices side by side, each padded with zeros to whole vectors."""
    rows = _room(scratch, name, parts)
    numbers = np.arange(len(rows) + 1, dtype=np.int64) * (rows.shape[1] // NUMBERS_PER_STEP)
    walk_in_threads(lambda first, last: _lay(rows, parts, first, last), numbers)
    return rows


def _room(scratch: Scratch, name: str, parts: Sequence[Floats]) -> Floats:
    rows: Floats = scratch.empty(name, (len(parts[0]), _starts(parts)[-1]), parts[0].dtype)
    return rows


def _lay(rows: Floats, parts: Sequence[Floats], first: int, last: int) -> None:
    starts = _starts(parts)
    for part, start, end in zip(parts, starts[:-1], starts[1:], strict=True):
        rows[first:last, start : start + part.shape[1]] = part[first:last]
        rows[first:last, start + part.shape[1] : end] = 0


def _starts(parts: Sequence[Floats]) -> list[int]:
    """Return the column where each part begins, and where the last ends."""
    lanes = VECTOR_BYTES // parts[0].dtype.itemsize
    return [0, *accumulate(-(-part.shape[1] // lanes) * lanes for part in parts)]
