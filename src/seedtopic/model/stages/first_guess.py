"""The first stage: what seeds, prototypes and naive Bayes say of a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks, Engine
from seedtopic.base.errors import InputError
from seedtopic.knowledge.encoders import unit_rows
from seedtopic.learning.classify.naive_bayes import log_distributions, log_scores
from seedtopic.learning.classify.trust import seed_weights
from seedtopic.learning.signals.answers import Confirmed
from seedtopic.learning.signals.meaning import joined, values_at, weak_seeds
from seedtopic.learning.signals.seeds import (
    guess_category,
    guess_prior,
    not_excluded,
    prototype_similarity,
    prototypes,
    seed_cooccurrence,
    seed_counts,
    seed_evidence,
    seed_frequency,
    spread_seeds,
    taught_by_meaning,
)
from seedtopic.learning.signals.words import shares, word_relevance
from seedtopic.model.run import Block, Options
from seedtopic.model.stages.documents import DocumentView
from seedtopic.model.stages.meaning import Meaning
from seedtopic.seeds import BoundSeeds
from seedtopic.text.counts import WordTotals

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

EPSILON = 0.01  # least relevance of any word
SAMPLED = 200_000  # documents that seeds are weighed by, at the most
LEAST_DOCUMENTS = 2  # with a weak seed: a word of one document teaches nothing of others


@dataclass(frozen=True, eq=False)
class DocumentPrior:
    """The Dirichlet parameters of documents, given the label frequencies."""

    share: Array  # (n_documents, n_categories), of the seeds of a document
    guess: Array  # (n_documents, n_categories), the first guess
    length: Array  # (n_documents,), the sum of its weighted counts
    seeded: Mask  # (n_categories,)
    allowed: Mask | None  # (n_documents, n_categories), the categories a document may belong to; None for all
    rho: float

    def __call__(self, frequency: Array) -> Array:
        """Return alpha."""
        # A category none of whose seeds occurs has no share, so that it cannot feed on itself.
        prior = guess_prior(self.share, self.guess, frequency, self.rho, self.length)
        return only(prior * self.seeded, self.allowed)


@dataclass(frozen=True)
class FirstGuess:
    """What the prior of a document is made of."""

    seeds: BoundSeeds
    seed_weights: Array  # how much each seed counts, in the order of the membership
    weak: sp.csr_array  # (n_categories, n_words), words that are near a category in meaning
    weak_weights: Array  # how much each of them counts, in the order of `weak`
    known: Mask  # (n_categories,), whether the meaning of a category is known
    seed_frequency: Array  # (n_categories,), share in the seeds that occur, weak ones too
    prototype: Array  # (n_categories, n_words), of each category (Eq. 7)
    start_word: Array  # (n_categories, n_words), ln p(word | category) of naive Bayes
    naive_bayes_start: bool
    rho: float

    @property
    def seeded(self) -> Mask:
        """Whether a category can be guessed: a seed of it occurs, or its meaning is known."""
        return np.asarray(self.seed_frequency > 0) | self.known

    def prior(self, documents: DocumentView) -> DocumentPrior:
        """Return the Dirichlet parameters of each document, as a function of the label frequencies."""
        return DocumentPrior(
            share=shares(seed_counts(documents.counts, self.all_seeds(), self.seeds.exclusion)),
            guess=self.guess(documents),
            length=np.asarray(documents.weighted().sum(axis=1), dtype=np.float64),
            seeded=self.seeded,
            allowed=self.allowed(documents.counts),
            rho=self.rho,
        )

    def guess(self, documents: DocumentView) -> Array:
        """Return the probabilities of the first guess."""
        similarity = prototype_similarity(documents.counts, self.prototype)
        naive_bayes = float(self.naive_bayes_start) * self.naive_bayes(documents)
        return guess_category(similarity, naive_bayes, self.seeded, documents.scores)

    def naive_bayes(self, documents: DocumentView) -> Array:
        """Return the log-likelihoods by what the documents near seeds have taught."""
        return log_scores(documents.vectors, self.start_word.T)

    def allowed(self, counts: sp.csr_array) -> Mask | None:
        """Return the categories a document may belong to; all, where words speak against each of them."""
        allowed = not_excluded(counts, self.seeds.exclusion)
        if allowed is None:
            return None
        return allowed | ~(allowed & self.seeded).any(axis=1, keepdims=True)

    def all_seeds(self) -> sp.csr_array:
        """Return the membership of seeds and weak seeds in categories, each by its weight."""
        return joined(self.weighed_seeds(), weighed_seeds(self.weak, self.weak_weights))

    def weighed_seeds(self) -> sp.csr_array:
        """Return the membership of seeds in categories, each by its weight."""
        return weighed_seeds(self.seeds.membership, self.seed_weights)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder."""
        return {
            "prototype_": self.prototype,
            "start_word_": self.start_word,
            "seed_frequency_": self.seed_frequency,
            "seed_weights_": self.seed_weights,
            **({"known_meaning_": self.known, **self._weak_arrays()} if self.known.any() else {}),
        }

    def _weak_arrays(self) -> dict[str, NDArray[Any]]:
        category = np.repeat(np.arange(self.weak.shape[0]), np.diff(self.weak.indptr))
        return {
            "weak_seed_category_": category,
            "weak_seed_word_": self.weak.indices.astype(np.int64),
            "weak_seed_weight_": self.weak.data * self.weak_weights,
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], seeds: BoundSeeds, options: Options
    ) -> FirstGuess:
        """Take what was saved."""
        known, weak = np.zeros(len(arrays["seed_frequency_"]), bool), sp.csr_array(seeds.membership.shape)
        if "known_meaning_" in arrays:
            known = arrays["known_meaning_"]
            places = (arrays["weak_seed_category_"], arrays["weak_seed_word_"])
            for place, size in zip(places, seeds.membership.shape, strict=True):
                if (place >= size).any():
                    raise InputError("it is damaged: the weak seeds are of no category or word of the model.")
            weak = sp.csr_array((arrays["weak_seed_weight_"], places), shape=seeds.membership.shape)
        return cls(
            seeds=seeds,
            seed_weights=arrays["seed_weights_"],
            weak=weak,
            weak_weights=np.ones(weak.nnz),
            known=known,
            seed_frequency=arrays["seed_frequency_"],
            prototype=arrays["prototype_"],
            start_word=arrays["start_word_"],
            naive_bayes_start=options.naive_bayes_start,
            rho=options.rho,
        )


def learn_first_guess(
    engine: Engine,
    blocks: Blocks,
    totals: WordTotals,
    meaning: Meaning | None,
    seeds: BoundSeeds,
    confirmed: Confirmed,
    options: Options,
) -> tuple[FirstGuess, Array]:
    """Learn the first guess, and the relevance of words that the topic model starts with."""
    weak, known = _by_meaning(meaning, totals, seeds)
    membership = joined(seeds.membership, weak)
    weights = np.ones(membership.nnz)
    if options.weigh_seeds:
        weights = seed_weights(*_sample(engine, blocks, totals.n_documents), membership)
    weighed = weighed_seeds(membership, weights)
    cooccurrence, mass, heard_seeds = engine.tree(
        _taught, blocks, membership, weighed, seeds.exclusion, options.weigh_examples
    )
    of_weights = weighed_seeds(sp.csr_array(membership.astype(bool).astype(np.float64)), weights)
    guess = FirstGuess(
        seeds=seeds,
        seed_weights=values_at(of_weights, seeds.membership),
        weak=weak,
        weak_weights=values_at(of_weights, weak),
        known=known,
        seed_frequency=_frequency(totals, membership, heard_seeds, confirmed),
        prototype=prototypes(cooccurrence, np.asarray(weighed @ totals.occurrences)),
        start_word=log_distributions(mass).T,
        naive_bayes_start=options.naive_bayes_start,
        rho=options.rho,
    )
    return guess, word_relevance(cooccurrence, EPSILON, seeds.exclusion)


def _sample(engine: Engine, blocks: Blocks, n_documents: int) -> tuple[sp.csr_array, sp.csr_array]:
    """Bring counts and vectors of a fair sample of the documents here, of all where there are few enough."""
    counts, vectors = zip(*engine.gather(_some_rows, blocks, -(-n_documents // SAMPLED)), strict=True)
    return _stacked(counts), _stacked(vectors)


def _stacked(parts: Sequence[sp.csr_array]) -> sp.csr_array:
    return parts[0] if len(parts) == 1 else sp.csr_array(sp.vstack(parts, format="csr"))


def _some_rows(block: Block, step: int) -> tuple[sp.csr_array, sp.csr_array]:
    counts, vectors = block.documents.counts, block.documents.vectors
    return (counts, vectors) if step == 1 else (counts[::step], vectors[::step])


def _taught(
    block: Block,
    membership: sp.csr_array,
    weighed: sp.csr_array,
    exclusion: sp.csr_array,
    weigh_examples: bool,
) -> tuple[Array, Array, Array | None]:
    """Return what the documents of a block teach."""
    documents, confirmed = block.documents, block.confirmed
    counts = documents.counts
    cooccurrence = seed_cooccurrence(counts, weighed, exclusion)
    found = seed_counts(counts, membership, exclusion)
    examples = shares(found)
    if weigh_examples:
        examples = examples * seed_evidence(counts, membership, exclusion)
    if documents.scores is not None:
        examples = taught_by_meaning(examples, documents.scores)
    examples = confirmed.hold(examples, block.example_weights)
    spread = only(spread_seeds(examples, block.averaging), not_excluded(counts, exclusion))
    mass = np.asarray(documents.vectors.T @ spread, dtype=np.float64)
    return cooccurrence, mass, found.sum(axis=0) if exclusion.nnz else None


def _by_meaning(meaning: Meaning | None, totals: WordTotals, seeds: BoundSeeds) -> tuple[sp.csr_array, Mask]:
    """Find weak seeds, and the categories whose meaning is known."""
    n_categories, n_words = seeds.membership.shape
    if meaning is None:
        return sp.csr_array(seeds.membership.shape), np.zeros(n_categories, bool)
    taken = totals.document_frequency < LEAST_DOCUMENTS
    taken[seeds.membership.indices] = taken[seeds.exclusion.indices] = True
    own = meaning.of_words
    words = unit_rows(meaning.words.vectors(np.arange(n_words))[:, own])
    return weak_seeds(words, unit_rows(meaning.categories[:, own]), taken), meaning.known


def _frequency(
    totals: WordTotals, membership: sp.csr_array, heard_seeds: Array | None, confirmed: Confirmed
) -> Array:
    """Return the share of each category in the seeds that occur and in the labels that are confirmed."""
    frequency = seed_frequency(totals.occurrences, membership)
    if heard_seeds is not None:  # a category all of whose seeds are silenced has none
        frequency = shares(heard_seeds, axis=0)
    if len(confirmed):  # an example is as good as a seed
        of_labels = np.bincount(confirmed.categories, minlength=len(frequency)) / len(confirmed)
        frequency = (frequency + of_labels) / 2
    return frequency


def weighed_seeds(membership: sp.csr_array, weights: Array) -> sp.csr_array:
    """Let each seed count as much as its weight."""
    return sp.csr_array(
        (membership.data * weights, membership.indices, membership.indptr), shape=membership.shape
    )


def only(values: Array, allowed: Mask | None) -> Array:
    """Set to 0 what is not allowed; None allows everything."""
    return values if allowed is None else np.where(allowed, values, 0.0)
