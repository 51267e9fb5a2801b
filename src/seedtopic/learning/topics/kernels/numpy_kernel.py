"""The E-step in plain numpy: slow, readable, and the definition; what is used where there is no C code.

Sums are made in the order of the C code, so that both give the same to the last bit.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import scipy.sparse as sp

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

TOGETHER = 20_000_000  # numbers in the largest array, which bounds the memory: documents come in parts


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
    """Compute Eqs. 10-11 for every non-zero of the count matrix."""
    width = parameters.word_topic.shape[1] + parameters.word_background.shape[1]
    n_parts = 1 + int(shard.indptr[-1]) * width // TOGETHER
    ends = np.linspace(0, int(shard.indptr[-1]), n_parts + 1).astype(np.intp).tolist()
    document = np.repeat(np.arange(shard.n_documents), np.diff(shard.indptr))
    parts = [_scales(shard, document, slice(*part), parameters, relevance, bayes) for part in pairwise(ends)]
    to_topics, to_background, evidence = map(np.concatenate, zip(*parts, strict=True))
    theta, theta_hat = parameters.doc_topic, parameters.doc_background
    phi, phi_hat = parameters.word_topic, parameters.word_background
    shape = (shard.n_documents, shard.n_words)
    on = sp.csr_array((to_topics, shard.indices, shard.indptr), shape=shape)
    off = sp.csr_array((to_background, shard.indices, shard.indptr), shape=shape)
    return Statistics(  # sum_v a_dv N_dvk, and the others: what all terms of a sum share comes last
        (on @ phi) * theta,
        (off @ phi_hat) * theta_hat,
        (on.T @ theta) * phi if want_words else None,
        (off.T @ theta_hat) * phi_hat if want_words else None,
        log_likelihood(shard.data, evidence) if want_likelihood else float("nan"),
    )


def _scales(
    shard: Shard,
    document: np.ndarray,
    part: slice,
    parameters: Parameters,
    relevance: Floats,
    bayes: bool,
) -> tuple[Floats, Floats, Floats]:
    """Return what the terms of topics and of the background are multiplied by, and p(v | d)."""
    data, word, document = shard.data[part], shard.indices[part], document[part]
    theta, theta_hat = parameters.doc_topic[document], parameters.doc_background[document]
    topic_sum = _sums(theta * parameters.word_topic[word])  # A = sum_k theta_dk phi_kv
    background_sum = _sums(theta_hat * parameters.word_background[word])  # B
    low, one = data.dtype.type(DELTA_MARGIN), data.dtype.type(1)
    delta = np.clip(_sums(theta * relevance[word]), low, one - low)
    evidence = delta * topic_sum + (1 - delta) * background_sum  # p(v | d)
    if bayes:  # p(c=1 | v, d) = delta A / (delta A + (1 - delta) B)
        share = data / (evidence + TINY)
        return share * delta, share * (1 - delta), evidence
    # Eq. 10 and Eq. 11 (which prints phi for phi-hat): p(c=1) stays delta
    return data * delta / (topic_sum + TINY), data * (1 - delta) / (background_sum + TINY), evidence


def _sums(rows: Floats) -> Floats:
    """Add up each row as the C code does: by the lanes of a vector register, then these by halves."""
    n_lanes = VECTOR_BYTES // rows.itemsize
    lanes = np.zeros((len(rows), n_lanes), rows.dtype)
    for start in range(0, rows.shape[1], n_lanes):
        vector = rows[:, start : start + n_lanes]
        lanes[:, : vector.shape[1]] += vector
    half = lanes[:, : n_lanes // 2] + lanes[:, n_lanes // 2 :]
    even, odd = half[:, 0].copy(), half[:, 1].copy()
    for lane in range(2, n_lanes // 2, 2):
        even += half[:, lane]
        odd += half[:, lane + 1]
    return even + odd
