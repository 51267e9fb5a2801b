"""The stage that makes probabilities mean something: each document is as sure as its label is reliable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax

from seedtopic.base.engine import Blocks, Engine
from seedtopic.learning.classify.reliability import (
    Agreements,
    CategoryViews,
    Reliability,
    category_views,
    document_views,
    temper,
    temperatures_for,
)
from seedtopic.model.evidence import Evidence, tempered
from seedtopic.model.run import Block
from seedtopic.model.stages.documents import DocumentView
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.stages.meaning import Meaning
from seedtopic.model.stages.regression import RegressionStage
from seedtopic.model.stages.topics import Topics
from seedtopic.seeds.seeds import names_among_seeds

Array = NDArray[np.float64]


class Calibration(Protocol):
    """Changes how sure documents are, and neither their labels nor the order of the categories."""

    def posterior(self, documents: DocumentView, posterior: Array, by: object = None) -> Array:
        """Return probabilities that mean something, perhaps told which stage gave them."""
        ...

    def evidence(self, documents: DocumentView, posterior: Array, evidence: Evidence) -> Evidence:
        """Change the log-odds of one document as its probabilities are changed."""
        ...

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder."""
        ...


@dataclass(frozen=True)
class ReliabilityStage:
    """How reliable labels are, by views of a document that can disagree."""

    reliability: Reliability
    seeded: Array  # (n_categories,), the share of its documents with one of its seeds
    guess: FirstGuess  # gives what naive Bayes, the seeds and the names of the categories say
    learned: RegressionStage | Topics  # gives what was learned

    def posterior(self, documents: DocumentView, posterior: Array, by: object = None) -> Array:
        """Make every document as sure of its label as that is reliable."""
        return temper(posterior, self._temperatures_of_new(documents, posterior, by))

    def evidence(self, documents: DocumentView, posterior: Array, evidence: Evidence) -> Evidence:
        """Divide the log-odds of one document by its temperature."""
        return tempered(evidence, float(self._temperatures_of_new(documents, posterior)[0]))

    def fitted_posterior(self, documents: DocumentView, posterior: Array, learned: Array) -> Array:
        """Do what `posterior` does, where what was learned is at hand."""
        return temper(posterior, self._temperatures(documents, posterior, learned))

    def _temperatures_of_new(self, documents: DocumentView, posterior: Array, by: object = None) -> Array:
        # By the words that a fit has seen, so that it does not count whether a document was in the fit.
        seen = documents.by_seen_words()
        at_hand = seen is documents and by is self.learned  # which is most of the time of a short text
        return self._temperatures(seen, posterior, posterior if at_hand else self.learned.posterior(seen))

    def _temperatures(self, documents: DocumentView, posterior: Array, learned: Array) -> Array:
        label = posterior.argmax(axis=1)
        views = views_of_documents(documents, self.guess, label, learned)
        return temperatures_for(posterior, self.reliability.probability(views, label))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder."""
        return {
            "reliability_trust_": self.reliability.trust,
            "reliability_offsets_": self.reliability.offsets,
            "reliability_slopes_": self.reliability.slopes,
            "seeded_shares_": self.seeded,
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], guess: FirstGuess, learned: RegressionStage | Topics
    ) -> ReliabilityStage:
        """Take what was saved."""
        trust, offsets, slopes = (arrays[f"reliability_{part}_"] for part in ("trust", "offsets", "slopes"))
        return cls(Reliability(trust, offsets, slopes), arrays["seeded_shares_"], guess, learned)


def learn_reliability(
    engine: Engine,
    blocks: Blocks,
    meaning: Meaning | None,
    guess: FirstGuess,
    learned: RegressionStage | Topics,
) -> ReliabilityStage:
    """Measure how far the views of the documents agree; no label of theirs is known."""
    known = meaning is not None and bool(meaning.known.any())
    agreements = engine.tree(_agreements_of_block, blocks, engine.broadcast(guess))
    categories = views_of_categories(agreements, guess, meaning)
    reliability = Reliability.of(categories, with_meaning=known)
    return ReliabilityStage(reliability, categories.seeded, guess, learned)


def views_of_categories(agreements: Agreements, guess: FirstGuess, meaning: Meaning | None) -> CategoryViews:
    """Measure the categories of a fit."""
    named, misnamed = names_among_seeds(guess.seeds.seeds)
    names, categories = (None, None) if meaning is None else (meaning.names, meaning.categories)
    return category_views(agreements, names, categories, named, misnamed)


def agreements_of(documents: DocumentView, guess: FirstGuess, label: NDArray[np.intp]) -> Agreements:
    """Count how many documents agree with their label, of all that have words."""
    rows = documents.has_words
    own = _contained(documents.counts, guess.seeds.is_seed)[np.arange(len(label)), label]
    return Agreements.of(
        label[rows],
        guess.guess(documents).argmax(axis=1)[rows],
        None if documents.scores is None else documents.scores[rows],
        own[rows],
        len(guess.seed_frequency),
    )


def _agreements_of_block(block: Block, guess: FirstGuess) -> Agreements:
    return agreements_of(block.documents, guess, block.labels.argmax(axis=1))


def views_of_documents(
    documents: DocumentView, guess: FirstGuess, label: NDArray[np.intp], learned: Array
) -> Array:
    """Measure documents and their labels, given what was learned of them."""
    return document_views(
        label,
        learned,
        guess.naive_bayes(documents),
        documents.scores,
        documents.near_names,
        _contained(documents.counts, guess.seeds.is_seed),
        _contained(documents.counts, guess.seeds.is_name),
    )


def _contained(counts: sp.csr_array, of_words: sp.csr_array) -> NDArray[np.bool_]:
    """Return which documents contain a word of which categories.

    Few words are of a category, so that finding these first is quicker than a product of the matrices.
    """
    contained = np.zeros((counts.shape[0], of_words.shape[1]), bool)
    begins = of_words.indptr[counts.indices]
    n_categories = of_words.indptr[1:][counts.indices] - begins
    met = np.flatnonzero(n_categories)
    if len(met):
        each = n_categories[met]
        documents = np.searchsorted(counts.indptr, met, side="right") - 1
        # The entries of each word, one after the other.
        entries = np.arange(each.sum()) + np.repeat(begins[met] - (np.cumsum(each) - each), each)
        is_one = of_words.data[entries] > 0
        contained[np.repeat(documents, each)[is_one], of_words.indices[entries[is_one]]] = True
    return contained


# Chosen on the train parts of five collections with two seed lists each, amid a wide range of values that do
# as well. Of the five largest true confusions of each, 26 of 50 are among the five most expected there, and
# 16 by the probabilities alone; in the test parts 27 and 20.
SAY_OF_GUESS = 0.3  # of its log-probabilities
SAY_OF_NAMES = 6.0  # of the cosine to a category's name
LEAST_PROBABILITY = 1e-12


def shared_among_rivals(posterior: Array, documents: DocumentView, guess: FirstGuess) -> Array:
    """Share the probability that a label is wrong among the other categories; that of the label stays.

    The model has made up its mind, so its own second choice says little of its mistakes: the first guess and
    the names of the categories say more.
    """
    if posterior.shape[1] == 1:
        return posterior
    log_shares = SAY_OF_GUESS * np.log(np.maximum(guess.guess(documents), LEAST_PROBABILITY))
    if documents.near_names is not None:
        log_shares = log_shares + SAY_OF_NAMES * documents.near_names
    is_label = np.arange(posterior.shape[1]) == posterior.argmax(axis=1)[:, None]
    shares = softmax(np.where(is_label, -np.inf, log_shares), axis=1)
    probability = posterior.max(axis=1, keepdims=True)
    return np.asarray(np.where(is_label, probability, (1.0 - probability) * shares))
