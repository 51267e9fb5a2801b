"""The second stage: a topic model with background topics, smoothed along the neighbour graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checkpoint import Checkpoint
from seedtopic.base.engine import Blocks, Engine
from seedtopic.base.products import Design
from seedtopic.base.progress import Progress
from seedtopic.learning.graph.smoothing import SmoothedTheta
from seedtopic.learning.signals.words import shares, word_relevance
from seedtopic.learning.topics import em
from seedtopic.learning.topics.em import Expectation, cut
from seedtopic.learning.topics.kernels import KernelName, get_kernel, resolve_kernel
from seedtopic.learning.topics.kernels.interface import Parameters, Shard
from seedtopic.model.evidence import Evidence, folded_evidence
from seedtopic.model.run import Block, Options
from seedtopic.model.stages.documents import DocumentView
from seedtopic.model.stages.first_guess import EPSILON, DocumentPrior, FirstGuess, only

Array = NDArray[np.float64]
Floats = NDArray[np.floating[Any]]

BETA = 0.01  # of the word distributions of all topics
ALPHA_BACKGROUND = 0.1


@dataclass(frozen=True)
class Topics:
    """The topic model: new documents are folded in with its word distributions held fixed."""

    guess: FirstGuess  # makes the prior of a document
    topic_word: Floats  # (n_categories, n_words), phi
    background_word: Floats  # (n_background, n_words), phi-hat
    relevance: Array  # (n_words, n_categories), gamma, after the last iteration
    label_frequency: Array  # (n_categories,), mean of theta
    n_iter: int
    kernel: KernelName

    def posterior(self, documents: DocumentView) -> Array:
        """Return theta of new documents."""
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

    def slim(self, guess: FirstGuess) -> Topics:
        """Leave out all words, for a model whose later stages label documents."""
        return replace(
            self,
            guess=guess,
            topic_word=self.topic_word[:, :0].copy(),
            background_word=self.background_word[:, :0].copy(),
            relevance=self.relevance[:0].copy(),
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder."""
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
    """Return the constants of the topic model."""
    return em.Settings(
        bayes=True, alpha_background=ALPHA_BACKGROUND, beta=BETA, beta_background=BETA, max_iter=max_iter
    )


@dataclass(frozen=True, eq=False)
class TopicBlock:
    """The documents of a block as the topic model sees them."""

    block: Block
    shards: Sequence[Shard]  # their weighted counts
    kernel: str
    prior: DocumentPrior
    smoothed: SmoothedTheta  # the M-step of theta
    theta: Floats  # (n_documents, n_categories)
    theta_hat: Floats  # (n_documents, n_background)

    @classmethod
    def of(cls, block: Block, guess: FirstGuess, options: Options, kernel: str) -> TopicBlock:
        """Start theta at the mean of its prior, with categories of even sizes."""
        documents = block.documents
        prior = guess.prior(documents)
        even = np.full(len(prior.seeded), 1.0 / len(prior.seeded))
        alpha = block.confirmed.hold(prior(even))
        return cls(
            block,
            cut(documents.weighted()),
            kernel,
            prior,
            SmoothedTheta(prior, Design.single(block.averaging), options.smoothing_steps),
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
        found = expectation(parameters, relevance, bayes=settings.bayes)
        theta = self.smoothed.update(found.doc_topic, frequency)
        if self.prior.allowed is not None:
            theta = shares(only(theta.astype(np.float64), self.prior.allowed))
        theta = self.block.confirmed.hold(theta).astype(found.doc_topic.dtype)
        after = replace(self, theta=theta, theta_hat=em.background_shares(found.doc_background, settings))
        return after, (found.word_topic, found.word_background, theta.sum(axis=0, dtype=np.float64))

    def words_met(self) -> Array:
        """Add up theta over the documents with each word."""
        counts = self.block.documents.counts
        presence = sp.csr_array((np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape)
        return np.asarray(presence.T @ self.theta.astype(np.float64))

    def labelled(self) -> Block:
        """Return the block with theta as its labels."""
        return replace(self.block, labels=self.theta.astype(np.float64))


def learn_topics(
    engine: Engine,
    blocks: Blocks,
    n_documents: int,
    guess: FirstGuess,
    relevance: Array,
    options: Options,
    words: tuple[Floats, Floats],
    progress: Progress,
    checkpoint: Checkpoint,
) -> tuple[Topics, Blocks]:
    """Fit the topic model (Algorithm 2); give it, and the blocks with theta as their labels."""
    constants = settings(options.max_iter)
    states = engine.map(
        TopicBlock.of, blocks, engine.broadcast(guess), options, _kernel(engine, blocks, options)
    )
    done, gamma = 0, relevance.astype(np.float32)
    if (kept := checkpoint.recall_parts("learning")) is not None:
        head, reached = kept
        words, gamma = (head["word_topic"], head["word_background"]), head["relevance"]
        done = int(head["iterations"])
        states = engine.map(TopicBlock.at, states, each=reached)
    frequency, sent_gamma = engine.tree(_theta_sum, states) / n_documents, engine.broadcast(gamma)
    for iteration in range(done, options.max_iter):
        if options.refresh_relevance and iteration and iteration % options.refresh_relevance == 0:
            gamma = _refreshed(guess, engine.tree(TopicBlock.words_met, states))
            sent_gamma = engine.broadcast(gamma)
        states, (topic, background, total) = engine.step(
            TopicBlock.iterate, states, engine.broadcast(words), sent_gamma, frequency, constants
        )
        words = em.word_distributions(topic, background, constants)
        frequency = total / n_documents
        checkpoint.keep_parts(
            "learning",
            {
                "word_topic": words[0],
                "word_background": words[1],
                "relevance": gamma,
                "iterations": np.array(iteration + 1),
            },
            partial(_kept_documents, engine, states),
            done=iteration + 1,
            last=iteration + 1 == options.max_iter,
        )
        progress("learning", iteration + 1, options.max_iter)
    topics = Topics(
        guess=guess,
        topic_word=np.ascontiguousarray(words[0].T),
        background_word=np.ascontiguousarray(words[1].T),
        relevance=gamma.astype(np.float64),
        label_frequency=frequency,
        n_iter=options.max_iter,
        kernel=options.kernel,
    )
    return topics, engine.map(TopicBlock.labelled, states)


def _kernel(engine: Engine, blocks: Blocks, options: Options) -> str:
    """Choose one kernel for all blocks, since kernels may differ in rounding."""
    found = set(engine.gather(_kernel_there, blocks, options.kernel))
    return found.pop() if len(found) == 1 else "numpy"


def _kernel_there(block: Block, kernel: KernelName) -> str:
    return resolve_kernel(kernel)


def _refreshed(guess: FirstGuess, met: Array) -> NDArray[np.float32]:
    """Compute the relevance of words anew from theta."""
    met[:, ~guess.seeded] = 0.0  # a category without a seed must not feed on itself
    exclusion = guess.seeds.exclusion
    return word_relevance(np.ascontiguousarray(met.T), EPSILON, exclusion).astype(np.float32)


def _theta_sum(state: TopicBlock) -> Array:
    return np.asarray(state.theta.sum(axis=0, dtype=np.float64))


def _of_documents(state: TopicBlock) -> tuple[Floats, Floats]:
    return state.theta, state.theta_hat


def _kept_documents(engine: Engine, states: Blocks) -> Iterator[dict[str, Floats]]:
    for theta, theta_hat in engine.gather(_of_documents, states):
        yield {"theta": theta, "theta_hat": theta_hat}
