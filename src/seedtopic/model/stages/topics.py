"""A topic model with background topics, smoothed along the neighbour graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks, Engine
from seedtopic.base.products import Design
from seedtopic.learning.graph.smoothing import SmoothedTheta
from seedtopic.learning.signals.seeds import seed_cooccurrence
from seedtopic.learning.signals.words import shares, word_relevance
from seedtopic.learning.topics import em
from seedtopic.learning.topics.em import Expectation, cut
from seedtopic.learning.topics.kernels import KernelName, get_kernel, resolve_kernel
from seedtopic.learning.topics.kernels.interface import Parameters, Shard
from seedtopic.model.evidence import Evidence, folded_evidence
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.first_guess import DocumentPrior, FirstGuess, only
from seedtopic.model.stages.stage import WHOLE, Stage, likely, linked, probability, stored, weight

if TYPE_CHECKING:
    from seedtopic.model.pipeline import Options
    from seedtopic.model.run import DocumentBlock, Run

Array = NDArray[np.float64]
Floats = NDArray[np.floating[Any]]

BETA = 0.01  # of the word distributions of all topics
ALPHA_BACKGROUND = 0.1
EPSILON = 0.01  # least relevance of any word


@dataclass(frozen=True)
class Topics(Stage):
    """The topic model: new documents are folded in with its word distributions held fixed."""

    guess: FirstGuess = linked(lambda model: model[FirstGuess])  # makes the prior of a document
    options: Options = linked(lambda model: model.options)
    topic_word: Floats = stored(likely("classes words"))  # phi
    background_word: Floats = stored(likely("background words"))  # phi-hat
    relevance: Array = stored(weight("words classes"))  # gamma, after the last iteration
    label_frequency: Array = stored(probability("classes"))  # mean of theta
    n_iter: int = stored(WHOLE)

    replaces: ClassVar[bool] = True
    gives_several: ClassVar[bool] = True

    @classmethod
    def learn(cls, run: Run) -> tuple[Self, Blocks]:
        """Fit the topic model (Algorithm 2)."""
        engine, guess, options = run.engine, run[FirstGuess], run.options
        n_documents = run.training.totals.n_documents
        constants = settings(options.max_iter)
        words = em.start_words(len(run.vocabulary), len(run.classes), options.n_background, run.rng)
        seeds = guess.all_seeds(), guess.seeds.exclusion
        gamma = _relevance(engine.tree(_cooccurrence, run.blocks, *seeds), guess)
        kernels = set(engine.gather(_kernel_there, run.blocks, options.kernel))
        kernel = kernels.pop() if len(kernels) == 1 else "numpy"  # one for all
        states = engine.map(TopicBlock.of, run.blocks, engine.broadcast(guess), options, kernel)
        done = 0
        if (recalled := run.checkpoint.recall_parts("learning")) is not None:
            head, reached = recalled
            words, gamma = (head["word_topic"], head["word_background"]), head["relevance"]
            done = int(head["iterations"])
            states = engine.map(TopicBlock.at, states, each=reached)
        frequency, sent_gamma = engine.tree(_theta_sum, states) / n_documents, engine.broadcast(gamma)
        for iteration in range(done, options.max_iter):
            if options.refresh_relevance and iteration and iteration % options.refresh_relevance == 0:
                met = engine.tree(TopicBlock.words_met, states)
                met[:, ~guess.seeded] = 0.0  # a category without a seed must not feed on itself
                gamma = _relevance(np.ascontiguousarray(met.T), guess)
                sent_gamma = engine.broadcast(gamma)
            states, (topic, background, total) = engine.step(
                TopicBlock.iterate, states, engine.broadcast(words), sent_gamma, frequency, constants
            )
            words = em.word_distributions(topic, background, constants)
            frequency = total / n_documents
            of_words = {"word_topic": words[0], "word_background": words[1], "relevance": gamma}
            run.checkpoint.keep_parts(
                "learning",
                {**of_words, "iterations": np.array(iteration + 1)},
                partial(_documents_reached, engine, states),
                done=iteration + 1,
                last=iteration + 1 == options.max_iter,
            )
            run.progress("learning", iteration + 1, options.max_iter)
        topics = cls.within(
            run,
            topic_word=np.ascontiguousarray(words[0].T),
            background_word=np.ascontiguousarray(words[1].T),
            relevance=gamma.astype(np.float64),
            label_frequency=frequency,
            n_iter=options.max_iter,
        )
        return topics, engine.map(TopicBlock.labelled, states)

    def apply(self, documents: Documents, posterior: Array) -> Array:
        """Return theta of new documents."""
        return em.fold_in(self._folding(documents)).astype(np.float64)

    def evidence(
        self, documents: Documents, posterior: Array, so_far: Evidence, label: int, rival: int
    ) -> Evidence:
        """Split ln(theta_label / theta_rival) of one document into its words and the prior."""
        evidence = folded_evidence(self._folding(documents), label, rival)
        return replace(evidence, words=documents.among_all_words(evidence.words))

    def _folding(self, documents: Documents) -> em.Folding:
        return em.Folding(
            documents.weighted(),
            self.guess.prior(documents)(self.label_frequency),
            self.relevance.astype(np.float32),
            np.ascontiguousarray(self.topic_word.T),
            np.ascontiguousarray(self.background_word.T),
            settings(self.n_iter),
            get_kernel(self.options.kernel),
        )

    def trimmed(self) -> Topics:
        """Leave out all words."""
        return replace(
            self,
            topic_word=self.topic_word[:, :0].copy(),
            background_word=self.background_word[:, :0].copy(),
            relevance=self.relevance[:0].copy(),
        )


def settings(max_iter: int) -> em.Settings:
    """Return the constants of the topic model."""
    return em.Settings(
        bayes=True, alpha_background=ALPHA_BACKGROUND, beta=BETA, beta_background=BETA, max_iter=max_iter
    )


@dataclass(frozen=True, eq=False)
class TopicBlock:
    """The documents of a block as the topic model sees them."""

    block: DocumentBlock
    shards: Sequence[Shard]  # their weighted counts
    kernel: str
    prior: DocumentPrior
    smoothed: SmoothedTheta  # the M-step of theta
    theta: Floats  # (n_documents, n_categories)
    theta_hat: Floats  # (n_documents, n_background)

    @classmethod
    def of(cls, block: DocumentBlock, guess: FirstGuess, options: Options, kernel: str) -> TopicBlock:
        """Start theta at the mean of its prior, with categories of even sizes."""
        documents = block.documents
        prior = guess.prior(documents)
        even = np.full(len(prior.seeded), 1.0 / len(prior.seeded))
        alpha = block.examples.hold(prior(even))
        return cls(
            block,
            cut(documents.weighted()),
            kernel,
            prior,
            SmoothedTheta(prior, Design.single(block.neighbours.averaging), options.smoothing_steps),
            *em.start_documents(alpha, options.n_background),
        )

    def at(self, reached: Mapping[str, Floats]) -> TopicBlock:
        """Take theta and theta-hat from elsewhere."""
        return replace(self, theta=reached["theta"], theta_hat=reached["theta_hat"])

    def iterate(
        self, words: tuple[Floats, Floats], relevance: Floats, frequency: Array, settings: em.Settings
    ) -> tuple[TopicBlock, tuple[Floats | None, Floats | None, Array]]:
        """Return the block after an iteration, the expected counts of words, and the sum of theta."""
        parameters = Parameters(self.theta, self.theta_hat, *words)
        expectation = Expectation(self.shards, get_kernel(self.kernel))
        expected = expectation(parameters, relevance, bayes=settings.bayes)
        theta = self.smoothed.update(expected.doc_topic, frequency)
        if self.prior.allowed is not None:
            theta = shares(only(theta.astype(np.float64), self.prior.allowed))
        theta = self.block.examples.hold(theta).astype(expected.doc_topic.dtype)
        after = replace(self, theta=theta, theta_hat=em.background_shares(expected.doc_background, settings))
        return after, (expected.word_topic, expected.word_background, theta.sum(axis=0, dtype=np.float64))

    def words_met(self) -> Array:
        """Add up theta over the documents with each word."""
        counts = self.block.documents.counts
        presence = sp.csr_array((np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape)
        return np.asarray(presence.T @ self.theta.astype(np.float64))

    def labelled(self) -> DocumentBlock:
        """Return the block with theta as its labels."""
        return self.block.labelled(self.theta.astype(np.float64))


def _kernel_there(block: DocumentBlock, kernel: KernelName) -> str:
    return resolve_kernel(kernel)


def _cooccurrence(block: DocumentBlock, seeds: sp.csr_array, exclusion: sp.csr_array) -> Array:
    return seed_cooccurrence(block.documents.counts, seeds, exclusion)


def _relevance(met: Array, guess: FirstGuess) -> NDArray[np.float32]:
    """Compute the relevance of words from how often each met each category."""
    return word_relevance(met, EPSILON, guess.seeds.exclusion).astype(np.float32)


def _theta_sum(state: TopicBlock) -> Array:
    return np.asarray(state.theta.sum(axis=0, dtype=np.float64))


def _documents_reached(engine: Engine, states: Blocks) -> Iterator[dict[str, Floats]]:
    for theta, theta_hat in engine.gather(attrgetter("theta", "theta_hat"), states):
        yield {"theta": theta, "theta_hat": theta_hat}
