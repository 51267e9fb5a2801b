"""The E-step in plain numpy: slow (some 20 times the numba kernel), readable, and the definition."""

from __future__ import annotations

import numpy as np

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
    """Compute Eqs. 10-11 for every non-zero of the count matrix; see `Kernel`."""
    n_documents = len(shard.indptr) - 1
    document = np.repeat(np.arange(n_documents), np.diff(shard.indptr))
    word = shard.indices
    theta, theta_hat = parameters.doc_topic[document], parameters.doc_background[document]

    topic = theta * parameters.word_topic[word]  # theta_dk phi_kv
    background = theta_hat * parameters.word_background[word]  # thetahat_dg phihat_gv
    topic_sum, background_sum = topic.sum(axis=1), background.sum(axis=1)  # A, B
    delta = np.clip((theta * relevance[word]).sum(axis=1), DELTA_MARGIN, 1 - DELTA_MARGIN)
    evidence = delta * topic_sum + (1 - delta) * background_sum  # p(v | d)

    if bayes:  # p(c=1 | v, d) = delta A / (delta A + (1 - delta) B)
        to_topics, to_background = delta / (evidence + TINY), (1 - delta) / (evidence + TINY)
    else:  # Eq. 10 and Eq. 11 (which prints phi for phi-hat): p(c=1) stays delta
        to_topics, to_background = delta / (topic_sum + TINY), (1 - delta) / (background_sum + TINY)
    topic *= (shard.data * to_topics)[:, None]  # a_dv N_dvk
    background *= (shard.data * to_background)[:, None]  # a_dv Nhat_dvg

    likelihood = log_likelihood(shard.data, evidence) if want_likelihood else float("nan")
    return Statistics(
        _summed(topic, document, n_documents),
        _summed(background, document, n_documents),
        _summed(topic, word, shard.n_words) if want_words else None,
        _summed(background, word, shard.n_words) if want_words else None,
        likelihood,
    )


def _summed(values: Floats, group: np.ndarray, n_groups: int) -> Floats:
    """Add up the rows of each group."""
    totals = np.zeros((n_groups, values.shape[1]), dtype=values.dtype)
    np.add.at(totals, group, values)
    return totals
