"""The second stage: a topic model with background topics, smoothed along the neighbour graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.explain import Evidence
from seedtopic.learning.graph.smoothing import SmoothedTheta
from seedtopic.learning.signals.confirmed import Confirmed
from seedtopic.learning.signals.shares import shares
from seedtopic.learning.signals.word_weights import word_relevance
from seedtopic.learning.topics import em
from seedtopic.learning.topics.kernels import KernelName, get_kernel
from seedtopic.learning.topics.kernels.interface import Parameters
from seedtopic.learning.topics.runners import expectation
from seedtopic.models.evidence import folded_evidence
from seedtopic.models.stages.first_guess import EPSILON, FirstGuess, only
from seedtopic.models.stages.options import Options
from seedtopic.models.stages.word_space import DocumentView
from seedtopic.parallel.products import Design
from seedtopic.progress import Progress
from seedtopic.storage.checkpoint import Checkpoint

Array = NDArray[np.float64]
Floats = NDArray[np.floating[Any]]
# Gives the number of iterations that are done already and the parameters after them, from the prior and the
# first guess.
Start = Callable[[Array, FirstGuess], tuple[int, Parameters]]

BETA = 0.01  # of the word distributions of all topics
ALPHA_BACKGROUND = 0.1


@dataclass(frozen=True)
class Topics:
    """The topic model: new documents are folded in with its word distributions held fixed.

    Attributes
    ----------
    guess : FirstGuess
        Makes the prior of a document.
    topic_word, background_word : ndarray, shapes (n_categories, n_words) and (n_background, n_words)
        phi and phi-hat.
    relevance : ndarray, shape (n_words, n_categories)
        gamma, after the last iteration.
    label_frequency : ndarray, shape (n_categories,)
        Mean of theta.
    n_iter : int
    kernel : str
    """

    guess: FirstGuess
    topic_word: Floats
    background_word: Floats
    relevance: Array
    label_frequency: Array
    n_iter: int
    kernel: KernelName

    def posterior(self, documents: DocumentView) -> Array:
        """Give theta of new documents."""
        return em.fold_in(*self._folding(documents)).astype(np.float64)

    def evidence(self, documents: DocumentView, label: int, rival: int) -> Evidence:
        """Split ln(theta_label / theta_rival) of one document into its words and the prior."""
        found = folded_evidence(self._folding(documents), label, rival)
        return replace(found, words=documents.among_all_words(found.words))

    def _folding(self, documents: DocumentView) -> em.Folding:
        return em.Folding(
            documents.weighted(),
            self.guess.prior(documents)(self.label_frequency),
            self.relevance.astype(np.float32),
            np.ascontiguousarray(self.topic_word.T),
            np.ascontiguousarray(self.background_word.T),
            settings(self.n_iter),
            get_kernel(self.kernel),
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give what is saved, by its name in a model folder."""
        return {
            "topic_word_": self.topic_word,
            "background_word_": self.background_word,
            "relevance_": self.relevance,
            "label_frequency_": self.label_frequency,
            "n_iter_": np.array(self.n_iter),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], guess: FirstGuess, options: Options) -> Topics:
        """Take what was saved."""
        return cls(
            guess=guess,
            topic_word=arrays["topic_word_"],
            background_word=arrays["background_word_"],
            relevance=arrays["relevance_"],
            label_frequency=arrays["label_frequency_"],
            n_iter=int(arrays["n_iter_"]),
            kernel=options.kernel,
        )


def settings(max_iter: int) -> em.Settings:
    """Give the constants of the topic model."""
    return em.Settings(
        bayes=True, alpha_background=ALPHA_BACKGROUND, beta=BETA, beta_background=BETA, max_iter=max_iter
    )


def learn_topics(
    documents: DocumentView,
    guess: FirstGuess,
    relevance: Array,
    confirmed: Confirmed,
    averaging: sp.csr_array,
    options: Options,
    start: Start,
    progress: Progress,
    checkpoint: Checkpoint,
    observe: Callable[[int, Parameters], None],
) -> tuple[Topics, Array]:
    """Fit the topic model; give it, and theta of the documents.

    Parameters
    ----------
    documents, confirmed, averaging, options
        See `learn_first_guess`.
    guess : FirstGuess
    relevance : ndarray, shape (n_words, n_categories)
        gamma at the start.
    start : callable
        See `Start`.
    progress, checkpoint, observe
        See `seedtopic.learning.topics.em.run`.
    """
    prior = guess.prior(documents)
    smoothed = SmoothedTheta(prior, Design(averaging.astype(np.float32)), options.smoothing_steps)
    allowed = guess.allowed(documents.counts)
    n_categories = len(guess.seed_frequency)
    even = np.full(n_categories, 1.0 / n_categories)

    def theta_step(expected: Floats, theta: Floats) -> Floats:
        new = smoothed.update(expected, theta)
        return confirmed.hold(new if allowed is None else shares(only(new.astype(np.float64), allowed)))

    n_done, parameters = start(confirmed.hold(prior(even)), guess)
    fitted = em.run(
        expectation(options.runner, documents.weighted(), options.kernel),
        relevance.astype(np.float32),
        parameters,
        settings(options.max_iter),
        theta_step,
        refresh=_Refresh.of(documents.counts, guess, options.refresh_relevance),
        on_iteration=partial(progress, "learning"),
        checkpoint=checkpoint,
        n_done=n_done,
        observe=observe,
    )
    theta = fitted.parameters.doc_topic.astype(np.float64)
    topics = Topics(
        guess=guess,
        topic_word=np.ascontiguousarray(fitted.parameters.word_topic.T),
        background_word=np.ascontiguousarray(fitted.parameters.word_background.T),
        relevance=fitted.relevance.astype(np.float64),
        label_frequency=theta.mean(axis=0),
        n_iter=options.max_iter,
        kernel=options.kernel,
    )
    return topics, theta


@dataclass(frozen=True)
class _Refresh:
    """Computes the relevance of words anew from theta, every few iterations."""

    documents_of_word: sp.csr_array
    guess: FirstGuess
    every: int

    @classmethod
    def of(cls, counts: sp.csr_array, guess: FirstGuess, every: int) -> _Refresh:
        return cls(sp.csr_array(counts.astype(bool).astype(np.float64).T), guess, every)

    def __call__(self, iteration: int, theta: Floats) -> NDArray[np.float32] | None:
        if not self.every or iteration == 0 or iteration % self.every:
            return None
        met = np.asarray(self.documents_of_word @ theta.astype(np.float64))
        met[:, ~self.guess.seeded] = 0.0  # a category without a seed must not feed on itself
        exclusion = self.guess.seeds.exclusion
        return word_relevance(np.ascontiguousarray(met.T), EPSILON, exclusion).astype(np.float32)
