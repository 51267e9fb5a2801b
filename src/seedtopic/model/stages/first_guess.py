"""What seeds, prototypes and naive Bayes say of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import methodcaller
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks
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
from seedtopic.learning.signals.words import shares
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.meaning import Meaning
from seedtopic.model.stages.stage import Form, Stage, Stored, linked, part, probability, stored, weight
from seedtopic.seeds import BoundSeeds
from seedtopic.text.counts import WordTotals

if TYPE_CHECKING:
    from seedtopic.model.pipeline import Options
    from seedtopic.model.run import DocumentBlock, Run

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

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
class WeakSeeds(Stored):
    """Words that are near a category in meaning, and the categories whose meaning is known."""

    known: Mask = stored(Form("classes", "b"), "known_meaning_")
    category: NDArray[np.intp] = stored(Form("weak", "i", least=0), "weak_seed_category_")
    word: NDArray[np.int64] = stored(Form("weak", "i", least=0), "weak_seed_word_")
    weight: Array = stored(weight("weak"), "weak_seed_weight_")

    @classmethod
    def of(cls, known: Mask, membership: sp.csr_array) -> Self:
        """Take the membership of the words in the categories, by their weights."""
        category = np.repeat(np.arange(membership.shape[0]), np.diff(membership.indptr))
        return cls(known, category, membership.indices.astype(np.int64), membership.data)

    def membership(self, shape: tuple[int, int]) -> sp.csr_array:
        """Return the membership of all words of the model in the categories."""
        places = (self.category, self.word)
        if any((place >= size).any() for place, size in zip(places, shape, strict=True)):
            raise InputError("it is damaged: the weak seeds are of no category or word of the model.")
        return sp.csr_array((self.weight, places), shape=shape)


@dataclass(frozen=True)
class FirstGuess(Stage):
    """What the prior of a document is made of."""

    seeds: BoundSeeds = linked(lambda model: model.seeds)
    options: Options = linked(lambda model: model.options)
    prototype: Array = stored(weight("classes words"))  # of each category (Eq. 7)
    start_word: Array = stored(Form("classes words", most=1e-9))  # ln p(word | category) of naive Bayes
    seed_frequency: Array = stored(probability("classes"))  # share in the seeds that occur, weak ones too
    seed_weights: Array = stored(weight("seeds"))  # how much each counts, in the order of the membership
    weak_seeds: WeakSeeds | None = part(WeakSeeds, optional=True)

    def __post_init__(self) -> None:
        _ = self.weak  # which refuses what no fit gives

    @classmethod
    def learn(cls, run: Run) -> tuple[Self, Blocks]:
        """Learn the first guess, and the graph of neighbours that it asks."""
        run = run.with_neighbours()
        seeds, totals, options = run.seeds, run.training.totals, run.options
        weak, known = _by_meaning(run.get(Meaning), totals, seeds)
        membership = joined(seeds.membership, weak)
        weights = np.ones(membership.nnz)
        if options.weigh_seeds:
            weights = seed_weights(*_sample(run), membership)
        weighed = weighed_seeds(membership, weights)
        frequency = seed_frequency(totals.occurrences, membership)
        confirmed = run.confirmed
        if options.refine:  # seeds are weighed by the answers later; only what no seed says is learned here
            unsaid = ~((frequency > 0) | known)
            run = replace(run, blocks=run.engine.map(methodcaller("taught", unsaid), run.blocks))
            confirmed = confirmed.of_categories(unsaid)
        taught = run.engine.tree(
            _soft_targets, run.blocks, membership, weighed, seeds.exclusion, options.weigh_examples
        )
        of_weights = weighed_seeds(sp.csr_array(membership.astype(bool).astype(np.float64)), weights)
        weighed_weak = weighed_seeds(weak, values_at(of_weights, weak))
        guess = cls.within(
            run,
            prototype=prototypes(taught.cooccurrence, np.asarray(weighed @ totals.occurrences)),
            start_word=log_distributions(taught.mass).T,
            seed_frequency=_frequency(frequency, taught.seeds, confirmed),
            seed_weights=values_at(of_weights, seeds.membership),
            weak_seeds=WeakSeeds.of(known, weighed_weak) if known.any() else None,
        )
        return guess, run.blocks

    @cached_property
    def weak(self) -> sp.csr_array:
        """Words that are near a category in meaning, by their weights, shape (n_categories, n_words)."""
        shape = self.seeds.membership.shape
        return sp.csr_array(shape) if self.weak_seeds is None else self.weak_seeds.membership(shape)

    @property
    def known(self) -> Mask:
        """Whether the meaning of a category is known."""
        return np.zeros(len(self.seed_frequency), bool) if self.weak_seeds is None else self.weak_seeds.known

    @property
    def seeded(self) -> Mask:
        """Whether a category can be guessed: a seed of it occurs, or its meaning is known."""
        return np.asarray(self.seed_frequency > 0) | self.known

    def prior(self, documents: Documents) -> DocumentPrior:
        """Return the Dirichlet parameters of each document, as a function of the label frequencies."""
        return DocumentPrior(
            share=shares(seed_counts(documents.counts, self.all_seeds(), self.seeds.exclusion)),
            guess=self.guess(documents),
            length=np.asarray(documents.weighted().sum(axis=1), dtype=np.float64),
            seeded=self.seeded,
            allowed=self.allowed(documents.counts),
            rho=self.options.rho,
        )

    def guess(self, documents: Documents) -> Array:
        """Return the probabilities of the first guess."""
        similarity = prototype_similarity(documents.counts, self.prototype)
        naive_bayes = float(self.options.naive_bayes_start) * self.naive_bayes(documents)
        return guess_category(similarity, naive_bayes, self.seeded, documents.scores)

    def naive_bayes(self, documents: Documents) -> Array:
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
        return joined(self.weighed_seeds(), self.weak)

    def trimmed(self) -> FirstGuess:
        """Leave out the prototypes."""
        return replace(self, prototype=self.prototype[:, :0].copy())

    def weighed_seeds(self) -> sp.csr_array:
        """Return the membership of seeds in categories, each by its weight."""
        return weighed_seeds(self.seeds.membership, self.seed_weights)


class _Lesson(NamedTuple):
    """What documents teach."""

    cooccurrence: Array  # (n_categories, n_words), of words with seeds
    mass: Array  # (n_words, n_categories), the vectors of the documents of each category
    seeds: Array | None  # (n_categories,), how often seeds occur, where some may be silenced


def _sample(run: Run) -> tuple[sp.csr_array, sp.csr_array]:
    """Bring counts and vectors of a fair sample of the documents here, of all where there are few enough."""
    step = -(-run.training.totals.n_documents // SAMPLED)
    counts, vectors = zip(*run.engine.gather(_some_rows, run.blocks, step), strict=True)
    return _stacked(counts), _stacked(vectors)


def _stacked(parts: Sequence[sp.csr_array]) -> sp.csr_array:
    return parts[0] if len(parts) == 1 else sp.csr_array(sp.vstack(parts, format="csr"))


def _some_rows(block: DocumentBlock, step: int) -> tuple[sp.csr_array, sp.csr_array]:
    counts, vectors = block.documents.counts, block.documents.vectors
    return (counts, vectors) if step == 1 else (counts[::step], vectors[::step])


def _soft_targets(
    block: DocumentBlock,
    membership: sp.csr_array,
    weighed: sp.csr_array,
    exclusion: sp.csr_array,
    weigh_examples: bool,
) -> _Lesson:
    """Return what the documents of a block teach."""
    documents = block.documents
    counts = documents.counts
    cooccurrence = seed_cooccurrence(counts, weighed, exclusion)
    seeds = seed_counts(counts, membership, exclusion)
    examples = shares(seeds)
    if weigh_examples:
        examples = examples * seed_evidence(counts, membership, exclusion)
    if documents.scores is not None:
        examples = taught_by_meaning(examples, documents.scores)
    examples = block.examples.hold(examples, block.example_weights)
    spread = only(spread_seeds(examples, block.neighbours.averaging), not_excluded(counts, exclusion))
    mass = np.asarray(documents.vectors.T @ spread, dtype=np.float64)
    return _Lesson(cooccurrence, mass, seeds.sum(axis=0) if exclusion.nnz else None)


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


def _frequency(frequency: Array, seeds_there: Array | None, confirmed: Confirmed) -> Array:
    """Return the share of each category in the seeds that occur and in the labels that are confirmed."""
    if seeds_there is not None:  # a category all of whose seeds are silenced has none
        frequency = shares(seeds_there, axis=0)
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
