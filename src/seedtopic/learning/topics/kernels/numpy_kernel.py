"""The E-step in plain numpy: slow, readable, and the definition; what is used where there is no C code."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from seedtopic.learning.topics.kernels.interface import (
    DELTA_MARGIN,
    TINY,
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
    bounds = np.searchsorted(shard.indptr, np.linspace(0, shard.indptr[-1], n_parts + 1)[1:-1])
    ends = [0, *bounds.tolist(), shard.n_documents]
    parts = [
        _part(shard, slice(start, end), parameters, relevance, bayes, want_words, want_likelihood)
        for start, end in pairwise(ends)
    ]
    return Statistics(
        np.concatenate([part.doc_topic for part in parts]),
        np.concatenate([part.doc_background for part in parts]),
        _total([part.word_topic for part in parts]),
        _total([part.word_background for part in parts]),
        sum(part.log_likelihood for part in parts),
    )


def _part(
    shard: Shard,
    rows: slice,
    parameters: Parameters,
    relevance: Floats,
    bayes: bool,
    want_words: bool,
    want_likelihood: bool,
) -> Statistics:
    starts = shard.indptr[rows.start : rows.stop + 1]
    data, word = shard.data[starts[0] : starts[-1]], shard.indices[starts[0] : starts[-1]]
    n_documents = len(starts) - 1
    document = np.repeat(np.arange(n_documents), np.diff(starts))
    theta, theta_hat = parameters.doc_topic[rows][document], parameters.doc_background[rows][document]

    topic = theta * parameters.word_topic[word]  # theta_dk phi_kv
    background = theta_hat * parameters.word_background[word]  # thetahat_dg phihat_gv
    topic_sum, background_sum = topic.sum(axis=1), background.sum(axis=1)  # A, B
    delta = np.clip((theta * relevance[word]).sum(axis=1), DELTA_MARGIN, 1 - DELTA_MARGIN)
    evidence = delta * topic_sum + (1 - delta) * background_sum  # p(v | d)

    if bayes:  # p(c=1 | v, d) = delta A / (delta A + (1 - delta) B)
        to_topics, to_background = delta / (evidence + TINY), (1 - delta) / (evidence + TINY)
    else:  # Eq. 10 and Eq. 11 (which prints phi for phi-hat): p(c=1) stays delta
        to_topics, to_background = delta / (topic_sum + TINY), (1 - delta) / (background_sum + TINY)
    topic *= (data * to_topics)[:, None]  # a_dv N_dvk
    background *= (data * to_background)[:, None]  # a_dv Nhat_dvg
    return Statistics(
        _summed(topic, document, n_documents),
        _summed(background, document, n_documents),
        _summed(topic, word, shard.n_words) if want_words else None,
        _summed(background, word, shard.n_words) if want_words else None,
        log_likelihood(data, evidence) if want_likelihood else float("nan"),
    )


def _total(statistics: list[Floats | None]) -> Floats | None:
    there = [part for part in statistics if part is not None]
    return sum(there[1:], there[0]) if there else None


def _summed(values: Floats, group: np.ndarray, n_groups: int) -> Floats:
    """Add up the rows of each group, one after another."""
    ones, place = np.ones(len(group), values.dtype), np.arange(len(group) + 1)
    return np.asarray(sp.csc_array((ones, group, place), shape=(n_groups, len(group))) @ values)
