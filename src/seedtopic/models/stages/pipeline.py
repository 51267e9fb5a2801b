"""The stages put together: learned in one pass by `learn`, and asked for the labels of new documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from seedtopic.explain import Evidence
from seedtopic.learning.classify.mixture import fit_mixture, mixture_helps
from seedtopic.learning.classify.self_training import ITERATIONS, self_train
from seedtopic.learning.classify.suspicion import contradictions
from seedtopic.learning.graph.smoothing import Manifold
from seedtopic.learning.graph.sources import WordGraph, kept_graph
from seedtopic.learning.signals.shares import shares
from seedtopic.learning.topics import em
from seedtopic.learning.topics.kernels.interface import Parameters
from seedtopic.models.reading import NewDocuments
from seedtopic.models.stages.first_guess import FirstGuess, learn_first_guess
from seedtopic.models.stages.meaning import Meaning
from seedtopic.models.stages.mixture import MixtureStage
from seedtopic.models.stages.options import Options
from seedtopic.models.stages.outsiders import OutsiderStage, learn_outsiders
from seedtopic.models.stages.regression import RegressionStage
from seedtopic.models.stages.reliability import Calibration, ReliabilityStage, learn_reliability
from seedtopic.models.stages.temperature import Temperature
from seedtopic.models.stages.topics import Topics, learn_topics
from seedtopic.models.stages.warm_start import NO_OBSERVER, Observer, WarmStart
from seedtopic.models.stages.word_space import DocumentView, WordSpace
from seedtopic.models.training_set import TrainingSet
from seedtopic.parallel.threads import thread_limit
from seedtopic.progress import Progress, silent
from seedtopic.seeds import BoundSeeds
from seedtopic.storage.checkpoint import NO_CHECKPOINT, Checkpoint, RandomState
from seedtopic.text.counts import KnownWords

Array = NDArray[np.float64]
Arrays = Mapping[str, NDArray[Any]]

# Probability from which the regression gives a label beside the first; chosen on documents joined from two
# train documents of six collections and seed sets.
SEVERAL_LEVEL = 0.15
SMALL = 100  # documents: in more, their meaning has less to say once words have been learned
SAY_IN_SMALL = 1.5  # of the standardised cosine, in log-odds


@dataclass(frozen=True)
class Stages:
    """Everything the default model knows after a fit."""

    space: WordSpace
    meaning: Meaning | None
    guess: FirstGuess
    topics: Topics
    regression: RegressionStage | None
    mixture: MixtureStage | None
    calibration: Calibration
    outsiders: OutsiderStage | None

    @cached_property
    def _wider(self) -> dict[str, KnownWords]:
        return {}

    @property
    def last(self) -> Topics | RegressionStage | MixtureStage:
        """The last stage that labels documents from their words."""
        return self.mixture or self.regression or self.topics

    def words(self, vocabulary: KnownWords) -> KnownWords:
        """Give the words that are counted in new documents: those of the fit, and others that are known."""
        if self.meaning is None or not self.meaning.words.unseen:
            return vocabulary
        if "words" not in self._wider:
            self._wider["words"] = KnownWords([*vocabulary, *self.meaning.words.unseen])
        return self._wider["words"]

    def documents(self, new: NewDocuments) -> DocumentView:
        """Give new documents as the stages see them."""
        return DocumentView(new.counts, self.space, self.meaning, new.sentences)

    def posterior(self, new: NewDocuments) -> Array:
        """Give the label distributions of new documents."""
        documents = self.documents(new)
        posterior = self.last.posterior(documents)
        return documents.even_without_words(self.calibration.posterior(documents, posterior))

    def evidence(self, new: NewDocuments, label: int, rival: int) -> Evidence:
        """Split the log-odds of one new document into its words and the rest."""
        documents = self.documents(new)
        found = self.last.evidence(documents, label, rival)
        return self.calibration.evidence(documents, self.last.posterior(documents), found)

    def several(self, new: NewDocuments) -> NDArray[np.bool_]:
        """Give the labels of new documents that reach the level of several, apart from the first."""
        documents = self.documents(new)
        # Not by the mixture, in which a document has one label.
        part = (self.regression or self.last).posterior(documents)
        return (part >= SEVERAL_LEVEL) & documents.has_words[:, None]

    def none_probability(self, new: NewDocuments) -> Array:
        """Give how likely new documents are to belong to no category; 0 where that was not learned."""
        if self.outsiders is None:
            return np.zeros(new.counts.shape[0])
        return self.outsiders.probability(self.documents(new))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give what is saved, by its name in a model folder; a stage that was not taken has no arrays."""
        stages = (
            self.space, self.meaning, self.guess, self.topics, self.regression, self.mixture,
            self.calibration, self.outsiders,
        )  # fmt: skip
        return {
            name: array for stage in stages if stage is not None for name, array in stage.arrays().items()
        }

    @classmethod
    def from_arrays(
        cls, arrays: Arrays, seeds: BoundSeeds, options: Options, meaning: Meaning | None
    ) -> Self:
        """Put the stages together again from what `arrays` gave, and from the meaning, which needs words."""
        guess = FirstGuess.from_arrays(arrays, seeds, options)
        topics, regression = Topics.from_arrays(arrays, guess, options), RegressionStage.from_arrays(arrays)
        calibration: Calibration
        if "reliability_offsets_" in arrays:
            calibration = ReliabilityStage.from_arrays(arrays, guess, regression or topics)
        else:
            calibration = Temperature.from_arrays(arrays)
        return cls(
            space=WordSpace.from_arrays(arrays),
            meaning=meaning,
            guess=guess,
            topics=topics,
            regression=regression,
            mixture=MixtureStage.from_arrays(arrays),
            calibration=calibration,
            outsiders=None if options.none_label is None else OutsiderStage.from_arrays(arrays),
        )


@dataclass(frozen=True)
class FitResult:
    """The stages, and what they say of the documents they were learned from, a row each.

    Attributes
    ----------
    stages : Stages
    posterior : ndarray, shape (n_documents, n_categories)
        In which neighbours have a say, too.
    several : ndarray of bool, shape (n_documents, n_categories)
        The labels that reach the level of several, apart from the first.
    none_probability : ndarray, shape (n_documents,)
    instead : ndarray of int, shape (n_documents,)
        The category that contradicts a confirmed label, -1 where none does.
    log_odds_against : ndarray, shape (n_documents,)
        Of that category against the label.
    """

    stages: Stages
    posterior: Array
    several: NDArray[np.bool_]
    none_probability: Array
    instead: NDArray[np.intp]
    log_odds_against: Array


def learn(
    training_set: TrainingSet,
    options: Options,
    *,
    random_state: RandomState = None,
    n_threads: int = 1,
    progress: Progress = silent,
    checkpoint: Checkpoint = NO_CHECKPOINT,
    warm_start: WarmStart | None = None,
    observer: Observer = NO_OBSERVER,
) -> FitResult:
    """Learn all stages from documents and seeds; nothing else is read, and nothing is changed.

    Parameters
    ----------
    training_set : TrainingSet
    options : Options
    random_state : int, RandomState or None
    n_threads : int
    progress : callable
        Given the name of a step, the parts done and the parts in all.
    checkpoint : Checkpoint
        Where the steps done are kept, and gone on from.
    warm_start : WarmStart, optional
        For a quick fit: what is taken from an earlier one.
    observer : Observer
        Sees what the fit reaches on its way.
    """
    rng = check_random_state(checkpoint.random_state(random_state))
    confirmed = training_set.confirmed
    documents = _with_meaning(
        DocumentView(training_set.counts, WordSpace.of(training_set.counts)), training_set
    )
    source = training_set.graph or WordGraph(0)
    progress("finding neighbours", 0, 1)
    encoded = documents.directions if documents.meaning is not None and documents.meaning.n_encoded else None
    similarity = kept_graph(checkpoint, lambda: source.similarity(documents.vectors, n_threads, encoded))
    observer.graph(similarity)
    averaging = Manifold.of(sp.csr_array((similarity + similarity.T) / 2)).averaging
    progress("finding neighbours", 1, 1)

    known_weights = {} if warm_start is None else {"known_weights": warm_start.seed_weights}
    guess, relevance = learn_first_guess(
        documents, training_set.seeds, confirmed, averaging, options, **known_weights
    )

    def topic_start(alpha: Array, guess: FirstGuess) -> tuple[int, Parameters]:
        known = None if warm_start is None else warm_start.topics(alpha, guess)
        return known or (0, em.start_prior(documents.counts.shape[1], alpha, options.n_background, rng))

    with thread_limit(n_threads):
        topics, theta = learn_topics(
            documents, guess, relevance, confirmed, averaging, options, topic_start, progress, checkpoint,
            observer.topics,
        )  # fmt: skip
        regression, posterior = None, theta
        if options.refine:
            theta = confirmed.hold(_with_say_of_meaning(documents, theta))
            start = None if warm_start is None else warm_start.regression(documents.vectors, theta, confirmed)
            fitted = self_train(
                documents.vectors,
                theta,
                averaging,
                options.self_training_rounds,
                partial(progress, "refining"),
                confirmed,
                checkpoint,
                ITERATIONS if warm_start is None else warm_start.iterations,
                start,
                observer.regression,
            )
            regression = RegressionStage(fitted)
            posterior = regression.posterior(documents)
        learned = posterior
        several = (posterior >= SEVERAL_LEVEL) & documents.has_words[:, None]  # before the mixture, see there
        mixture = None
        if _mixture_wanted(options, similarity, topics.label_frequency, posterior):
            mixed, posterior = fit_mixture(
                documents.vectors, posterior, topics.label_frequency, averaging, confirmed=confirmed
            )
            mixture = MixtureStage(mixed)
            posterior = shares(posterior * np.exp(documents.by_meaning))
        calibration: Calibration = Temperature()
        if options.calibrate:
            progress("calibrating", 0, 1)
            if regression is None:
                learned = topics.posterior(documents)
            reliability = learn_reliability(documents, guess, regression or topics, posterior.argmax(axis=1))
            posterior = reliability.fitted_posterior(documents, posterior, learned)
            calibration = reliability
            progress("calibrating", 1, 1)
        posterior = confirmed.hold(documents.even_without_words(posterior))
        instead, against = contradictions(documents.vectors, posterior, confirmed)
        outsiders, none_probability = None, np.zeros(len(posterior))
        if options.none_label is not None:  # last, so that it changes nothing above
            outsiders, none_probability = learn_outsiders(
                documents, guess, posterior, averaging, options.none_label, rng
            )
            none_probability[confirmed.documents] = 0.0
    stages = Stages(
        documents.space, documents.meaning, guess, topics, regression, mixture, calibration, outsiders
    )
    return FitResult(stages, posterior, several, none_probability, instead, against)


def _with_meaning(documents: DocumentView, training_set: TrainingSet) -> DocumentView:
    """Give documents their meaning, where its source is known."""
    if training_set.vectors is None:
        return documents
    meaning, vectors = training_set.vectors.learn(documents, training_set.vocabulary)
    return replace(documents, meaning=meaning, sentences=vectors)


def _with_say_of_meaning(documents: DocumentView, theta: Array) -> Array:
    """Let the meaning of documents speak once more, the less the more documents have taught the topics."""
    if documents.scores is None:
        return theta
    say = SAY_IN_SMALL * min(1.0, SMALL / len(theta))
    return shares(theta * np.exp(say * documents.scores))


def _mixture_wanted(options: Options, similarity: sp.csr_array, marginals: Array, posterior: Array) -> bool:
    if options.mixture == "auto":
        return mixture_helps(similarity, marginals, posterior)
    return bool(options.mixture)
