"""The E-step in numba, parallel over documents and then over words.

Two passes instead of one accumulator per thread: the first walks documents and keeps, for each non-zero,
the two scalars by which its topic and background terms are scaled; the second walks words and needs only
those. Every sum belongs to one document or one word, is made by one thread in a fixed order, and so does
not depend on the number of threads. The factors theta_dk and phi_kv are constant within a document's, or a
word's, sum and are multiplied in at its end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from seedtopic.base.threads import walk_in_threads
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
from seedtopic.parallel.compiled import jit

# Not numba's own threads: they wait for each other by spinning, and where cores are shared with other work a
# short walk takes a hundred times as long.
_jit = jit(fastmath=True, error_model="numpy")


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
    """Compute expected counts; see `Kernel`."""
    dtype = parameters.doc_topic.dtype
    n_documents = len(shard.indptr) - 1
    n_topics, n_background = parameters.word_topic.shape[1], parameters.word_background.shape[1]
    doc_topic = np.zeros((n_documents, n_topics), dtype)
    doc_background = np.zeros((n_documents, n_background), dtype)
    scratch = scratch or Scratch()
    to_topics, to_background = (
        scratch.empty(name, (len(shard.data),), dtype) for name in ("topics", "background")
    )
    evidence = np.empty(len(shard.data) if want_likelihood else 0, dtype)  # p(v | d)
    walk_in_threads(
        lambda first, last: _walk_documents(
            first, last, shard.data, shard.indices, shard.indptr,
            parameters.doc_topic, parameters.doc_background,
            parameters.word_topic, parameters.word_background,
            relevance, bayes, to_topics, to_background, doc_topic, doc_background, evidence,
        ),
        shard.indptr,
    )  # fmt: skip
    likelihood = log_likelihood(shard.data, evidence) if want_likelihood else float("nan")
    if not want_words:
        return Statistics(doc_topic, doc_background, None, None, likelihood)
    word_topic = np.zeros((shard.n_words, n_topics), dtype)
    word_background = np.zeros((shard.n_words, n_background), dtype)
    pointers, documents, positions = shard.by_word
    walk_in_threads(
        lambda first, last: _walk_words(
            first, last, pointers, documents, positions, to_topics, to_background,
            parameters.doc_topic, parameters.doc_background,
            parameters.word_topic, parameters.word_background,
            word_topic, word_background,
        ),
        pointers,
    )  # fmt: skip
    return Statistics(doc_topic, doc_background, word_topic, word_background, likelihood)


@_jit
def _walk_documents(  # pragma: no cover - compiled
    first: int, last: int, data: Any, indices: Any, indptr: Any,
    theta: Any, theta_hat: Any, phi: Any, phi_hat: Any,
    gamma: Any, bayes: bool, to_topics: Any, to_background: Any, m: Any, m_hat: Any, evidence: Any,
) -> None:  # fmt: skip
    n_topics, n_background = phi.shape[1], phi_hat.shape[1]
    real = theta.dtype.type
    one, low, high, tiny = real(1.0), real(DELTA_MARGIN), real(1.0 - DELTA_MARGIN), real(TINY)
    for d in range(first, last):
        for p in range(indptr[d], indptr[d + 1]):
            v = indices[p]
            topic_sum, delta, background_sum = real(0.0), real(0.0), real(0.0)
            for k in range(n_topics):
                topic_sum += theta[d, k] * phi[v, k]
                delta += theta[d, k] * gamma[v, k]
            for g in range(n_background):
                background_sum += theta_hat[d, g] * phi_hat[v, g]
            delta = min(max(delta, low), high)
            p_word = delta * topic_sum + (one - delta) * background_sum
            if bayes:
                scale, scale_hat = p_word, p_word
            else:
                scale, scale_hat = topic_sum, background_sum
            r = data[p] * delta / (scale + tiny)
            r_hat = data[p] * (one - delta) / (scale_hat + tiny)
            to_topics[p], to_background[p] = r, r_hat
            for k in range(n_topics):
                m[d, k] += r * phi[v, k]
            for g in range(n_background):
                m_hat[d, g] += r_hat * phi_hat[v, g]
            if len(evidence) > 0:
                evidence[p] = p_word
        for k in range(n_topics):
            m[d, k] *= theta[d, k]
        for g in range(n_background):
            m_hat[d, g] *= theta_hat[d, g]


@_jit
def _walk_words(  # pragma: no cover - compiled
    first: int, last: int, pointers: Any, documents: Any, positions: Any, to_topics: Any, to_background: Any,
    theta: Any, theta_hat: Any, phi: Any, phi_hat: Any, n: Any, n_hat: Any,
) -> None:  # fmt: skip
    n_topics, n_background = phi.shape[1], phi_hat.shape[1]
    for v in range(first, last):
        for q in range(pointers[v], pointers[v + 1]):
            d, r, r_hat = documents[q], to_topics[positions[q]], to_background[positions[q]]
            for k in range(n_topics):
                n[v, k] += r * theta[d, k]
            for g in range(n_background):
                n_hat[v, g] += r_hat * theta_hat[d, g]
        for k in range(n_topics):
            n[v, k] *= phi[v, k]
        for g in range(n_background):
            n_hat[v, g] *= phi_hat[v, g]
