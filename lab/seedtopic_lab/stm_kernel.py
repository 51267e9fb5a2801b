"""STM's Gibbs sampler in numba.

A document is tried in every category in turn. Its tokens are counted in place as if it belonged there, each
is drawn anew, and taking them out again gives the score: counting a token down leaves the very number by
which the likelihood grew when that token came in, so the log-gamma differences of the published score are
plain products. Counts are whole numbers held as float64, and what is added and taken away leaves no trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic_lab.compiled import jit

Array = NDArray[np.float64]

CATEGORY = -1  # the assignment of a token drawn from the category's own words (x = 0), else the topic z

_SMALL = 1e-250  # running products are turned into logarithms below this


class Concentrations(NamedTuple):
    """The Dirichlet parameters of the model."""

    alpha0: float
    alpha2: float
    beta0: float
    beta1: float


class TopicCounts(NamedTuple):
    """How many tokens are in which topic; a word a row, because the sampler walks words.

    Attributes
    ----------
    word_category : ndarray, shape (n_words, n_categories)
        n_cw.
    word_general : ndarray, shape (n_words, n_general)
        n_bw.
    category_general : ndarray, shape (n_categories, n_general)
        n_cb: tokens in general topic b of the documents in category c.
    category, general : ndarray
        n_c and n_b, the sums over the words.
    """

    word_category: Array
    word_general: Array
    category_general: Array
    category: Array
    general: Array


@dataclass(frozen=True)
class Tokens:
    """Documents as rows of word numbers; document d has words[starts[d]:starts[d + 1]]."""

    words: NDArray[np.int32]
    starts: NDArray[np.int64]

    def only(self, d: int) -> Tokens:
        """Give one document alone."""
        words = self.words[self.starts[d] : self.starts[d + 1]]
        return Tokens(words, np.array([0, len(words)]))


def topic_counts(word_category: Array, word_general: Array, category_general: Array) -> TopicCounts:
    """Gather the counts and their sums."""
    return TopicCounts(
        word_category, word_general, category_general, word_category.sum(axis=0), word_general.sum(axis=0)
    )


def tokens_of(counts: sp.csr_array) -> Tokens:
    """Write out each count as so many tokens."""
    times = counts.data.astype(np.int64)
    if (times != counts.data).any():
        raise InputError(
            f"the counts hold {counts.data[times != counts.data][0]:g}: STM draws tokens one by one, "
            "so every count must be a whole number."
        )
    ends = np.concatenate(([0], np.cumsum(times)))
    return Tokens(np.repeat(counts.indices.astype(np.int32), times), ends[counts.indptr].astype(np.int64))


def start(
    tokens: Tokens,
    eta: Array,
    is_seed: NDArray[np.bool_],
    n_general: int,
    rho: float,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Draw categories from the prior; a token belongs to its category by rho, a seed of it more surely.

    `is_seed`, of shape (n_categories, n_words), tells the seeds of each category.
    """
    above = np.cumsum(eta, axis=1)[:, :-1] <= rng.random(len(eta))[:, None]
    labels = above.sum(axis=1)
    of_token = np.repeat(labels, np.diff(tokens.starts))
    surely = is_seed[of_token, tokens.words]
    in_category = rng.random(len(of_token)) < np.where(surely, 0.5 + 0.5 * rho, rho)
    general = rng.integers(n_general, size=len(of_token), dtype=np.int32)
    return labels, np.where(in_category, np.int32(CATEGORY), general)


def counts_of(
    tokens: Tokens,
    labels: NDArray[np.int64],
    assignments: NDArray[np.int32],
    shape: tuple[int, int, int],
) -> TopicCounts:
    """Count the tokens of each topic; the shape is (n_words, n_categories, n_general)."""
    n_words, n_categories, n_general = shape
    of_token = np.repeat(labels, np.diff(tokens.starts))
    own = assignments == CATEGORY
    return topic_counts(
        _table(tokens.words[own], of_token[own], (n_words, n_categories)),
        _table(tokens.words[~own], assignments[~own], (n_words, n_general)),
        _table(of_token[~own], assignments[~own], (n_categories, n_general)),
    )


def _table(rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]) -> Array:
    """Count how often each row meets each column."""
    cells = np.bincount(rows.astype(np.int64) * shape[1] + columns, minlength=shape[0] * shape[1])
    return cells.reshape(shape).astype(np.float64)


_jit = jit(fastmath=True, error_model="numpy")


@_jit
def sweep(  # pragma: no cover - compiled
    words: Any, starts: Any, labels: Any, assignments: Any, delta: Any, log_eta: Any,
    counts: TopicCounts, parameters: Concentrations, rng: Any, posterior: Any,
) -> None:  # fmt: skip
    """Draw every document's category and its tokens' topics once; `posterior` receives p(c_d | the rest)."""
    n_categories = delta.shape[1]
    longest = 0
    for d in range(len(starts) - 1):
        longest = max(longest, starts[d + 1] - starts[d])
    drawn = np.empty((n_categories, longest), assignments.dtype)
    for d in range(len(starts) - 1):
        tokens = slice(starts[d], starts[d + 1])
        _count_document(words[tokens], labels[d], assignments[tokens], counts, -1.0)
        labels[d] = draw_document(
            words[tokens], assignments[tokens], delta, log_eta[d], counts, parameters, rng, drawn,
            posterior[d],
        )  # fmt: skip
        _count_document(words[tokens], labels[d], assignments[tokens], counts, 1.0)


@_jit
def draw_document(  # pragma: no cover - compiled
    words: Any, assignment: Any, delta: Any, log_eta: Any, counts: TopicCounts,
    parameters: Concentrations, rng: Any, drawn: Any, posterior: Any,
) -> int:  # fmt: skip
    """Draw the category of a document that is not counted; its tokens' topics go to `assignment`."""
    n_tokens, n_categories = len(words), delta.shape[1]
    for c in range(n_categories):
        drawn[c, :n_tokens] = assignment
        posterior[c] = log_eta[c] + _try_category(words, drawn[c], c, delta, counts, parameters, rng)
    posterior[:] = np.exp(posterior - posterior.max())
    posterior /= posterior.sum()
    remaining, label = rng.random(), 0
    while label < n_categories - 1 and remaining >= posterior[label]:
        remaining -= posterior[label]
        label += 1
    assignment[:] = drawn[label, :n_tokens]
    return label


@_jit
def _try_category(  # pragma: no cover - compiled
    words: Any, assignment: Any, c: int, delta: Any, counts: TopicCounts, parameters: Concentrations,
    rng: Any,
) -> Any:  # fmt: skip
    """Draw the document's tokens as if it were in category c, and give its log-likelihood there."""
    # alpha2 phi_cb: the mixture of general topics in this category, before the document joins it
    prior = counts.category_general[c] + parameters.alpha0
    prior *= parameters.alpha2 / prior.sum()
    inside = np.zeros(len(prior))  # m_b, the document's tokens in each general topic
    for i in range(len(words)):
        z = assignment[i]
        if z == CATEGORY:
            counts.word_category[words[i], c] += 1.0
            counts.category[c] += 1.0
        else:
            counts.word_general[words[i], z] += 1.0
            counts.general[z] += 1.0
            inside[z] += 1.0
    _draw_tokens(words, assignment, c, delta, counts, parameters, prior, inside, rng)
    return _take_out(words, assignment, c, counts, parameters, prior, inside)


@_jit
def _draw_tokens(  # pragma: no cover - compiled
    words: Any, assignment: Any, c: int, delta: Any, counts: TopicCounts, parameters: Concentrations,
    prior: Any, inside: Any, rng: Any,
) -> None:  # fmt: skip
    """Draw every token of a counted document once, given all others."""
    n_words, n_general = counts.word_general.shape
    beta0_sum, beta1_sum = n_words * parameters.beta0, n_words * parameters.beta1
    in_general = inside.sum()  # m_.
    # What does not depend on the word in a general topic's weight, and then the weight for one word.
    share = (inside + prior) / (counts.general + beta1_sum)
    weight = np.empty(n_general)
    for i in range(len(words)):
        w, z = words[i], assignment[i]
        n_bw = counts.word_general[w]
        if z == CATEGORY:
            counts.word_category[w, c] -= 1.0
            counts.category[c] -= 1.0
        else:
            n_bw[z] -= 1.0
            counts.general[z] -= 1.0
            inside[z] -= 1.0
            in_general -= 1.0
            share[z] = (inside[z] + prior[z]) / (counts.general[z] + beta1_sum)
        total = 0.0
        for b in range(n_general):
            weight[b] = (n_bw[b] + parameters.beta1) * share[b]
            total += weight[b]
        switch = delta[w, c]
        own = switch * (counts.word_category[w, c] + parameters.beta0) / (counts.category[c] + beta0_sum)
        scale = (1.0 - switch) / (in_general + parameters.alpha2)
        remaining = rng.random() * (own + scale * total) - own
        if remaining < 0.0:
            assignment[i] = CATEGORY
            counts.word_category[w, c] += 1.0
            counts.category[c] += 1.0
            continue
        remaining /= scale
        z = 0
        while z + 4 < n_general:  # four at a time: one by one the walk is what takes longest
            four = (weight[z] + weight[z + 1]) + (weight[z + 2] + weight[z + 3])
            if remaining < four:
                break
            remaining -= four
            z += 4
        while z < n_general - 1 and remaining >= weight[z]:
            remaining -= weight[z]
            z += 1
        assignment[i] = z
        n_bw[z] += 1.0
        counts.general[z] += 1.0
        inside[z] += 1.0
        in_general += 1.0
        share[z] = (inside[z] + prior[z]) / (counts.general[z] + beta1_sum)


@_jit
def _take_out(  # pragma: no cover - compiled
    words: Any, assignment: Any, c: int, counts: TopicCounts, parameters: Concentrations, prior: Any,
    inside: Any,
) -> Any:  # fmt: skip
    """Count a document out again; give the log-likelihood that it had (Eq. 3 without the prior)."""
    n_words = len(counts.word_general)
    beta0_sum, beta1_sum = n_words * parameters.beta0, n_words * parameters.beta1
    in_general = inside.sum()
    score, product = 0.0, 1.0
    for i in range(len(words)):
        w, z = words[i], assignment[i]
        if z == CATEGORY:
            counts.word_category[w, c] -= 1.0
            counts.category[c] -= 1.0
            product *= (counts.word_category[w, c] + parameters.beta0) / (counts.category[c] + beta0_sum)
        else:
            counts.word_general[w, z] -= 1.0
            counts.general[z] -= 1.0
            inside[z] -= 1.0
            in_general -= 1.0
            product *= (
                (counts.word_general[w, z] + parameters.beta1) * (inside[z] + prior[z])
                / ((counts.general[z] + beta1_sum) * (in_general + parameters.alpha2))
            )  # fmt: skip
        if product < _SMALL:
            score += np.log(product)
            product = 1.0
    return score + np.log(product)


@_jit
def _count_document(  # pragma: no cover - compiled
    words: Any, label: int, assignment: Any, counts: TopicCounts, step: float
) -> None:
    for i in range(len(words)):
        z = assignment[i]
        if z == CATEGORY:
            counts.word_category[words[i], label] += step
            counts.category[label] += step
        else:
            counts.word_general[words[i], z] += step
            counts.general[z] += step
            counts.category_general[label, z] += step
