"""The stage that makes probabilities mean something: each document is as sure as its label is reliable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax

from seedtopic.base.engine import Blocks
from seedtopic.learning.classify.reliability import (
    VIEWS,
    Agreements,
    CategoryViews,
    Reliability,
    category_views,
    document_views,
    temper,
    temperatures_for,
)
from seedtopic.model.evidence import Evidence, tempered
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.stages.meaning import Meaning
from seedtopic.model.stages.regression import RegressionStage
from seedtopic.model.stages.stage import Form, Stage, linked, probability, stored
from seedtopic.model.stages.topics import Topics
from seedtopic.seeds.seeds import names_among_seeds

if TYPE_CHECKING:
    from seedtopic.model.run import DocumentBlock, Run

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ReliabilityStage(Stage):
    """How reliable labels are, by views of a document that can disagree."""

    guess: FirstGuess = linked(lambda model: model[FirstGuess])  # says what naive Bayes, seeds and names say
    classifier: RegressionStage | Topics = linked(lambda model: model.get(RegressionStage) or model[Topics])
    trust: Array = stored(probability("classes"), "reliability_trust_")
    offsets: Array = stored(Form("classes"), "reliability_offsets_")
    slopes: Array = stored(Form(str(len(VIEWS))), "reliability_slopes_")
    seeded: Array = stored(probability("classes"), "seeded_shares_")  # of the documents: with a seed of it

    optional: ClassVar[bool] = True

    @classmethod
    def learn(cls, run: Run) -> tuple[Self, Blocks] | None:
        """Measure how far the views of the documents agree; no label of theirs is known."""
        if not run.options.calibrate:
            return None
        run.progress("calibrating", 0, 1)
        guess, meaning = run[FirstGuess], run.get(Meaning)
        agreements = run.engine.tree(_agreements_of_block, run.blocks, run.engine.broadcast(guess))
        categories = views_of_categories(agreements, guess, meaning)
        known = meaning is not None and bool(meaning.known.any())
        measured = Reliability.of(categories, with_meaning=known)
        if run.engine.tree(_answers, run.blocks):
            judged = zip(*run.engine.gather(_judged, run.blocks, guess), strict=True)
            measured = measured.corrected(*map(np.concatenate, judged))
        stage = cls.within(run, **vars(measured), seeded=categories.seeded)
        blocks = run.engine.map(_calibrated, run.blocks, run.engine.broadcast(stage))
        run.progress("calibrating", 1, 1)
        return stage, blocks

    def apply(self, documents: Documents, posterior: Array) -> Array:
        """Make every document as sure of its label as that is reliable, and one without words of none."""
        calibrated = temper(posterior, self._temperatures_of_new(documents, posterior))
        return documents.even_without_words(calibrated)

    def evidence(
        self, documents: Documents, posterior: Array, so_far: Evidence, label: int, rival: int
    ) -> Evidence:
        """Divide the log-odds of one document by its temperature."""
        return tempered(so_far, float(self._temperatures_of_new(documents, posterior)[0]))

    def _temperatures_of_new(self, documents: Documents, posterior: Array) -> Array:
        # By the words that a fit has seen, so that it does not count whether a document was in the fit.
        seen = documents.by_seen_words()
        return self.temperatures(seen, posterior, seen.posterior(self.classifier))

    def temperatures(self, documents: Documents, posterior: Array, learned: Array) -> Array:
        """Return what the log-odds of each document are divided by, given what was learned of it."""
        label = posterior.argmax(axis=1)
        views = views_of_documents(documents, self.guess, label, learned)
        reliability = Reliability(self.trust, self.offsets, self.slopes)
        return temperatures_for(posterior, reliability.probability(views, label))


def _answers(block: DocumentBlock) -> int:
    return 0 if block.unheard is None else len(block.unheard)


def _judged(block: DocumentBlock, guess: FirstGuess) -> tuple[Array, NDArray[np.intp], NDArray[np.bool_]]:
    """Return the views of documents with an answer, the labels they had without it, and which are right."""
    assert block.unheard is not None
    label, learned, rows = block.posterior.argmax(axis=1), block.learned.copy(), block.confirmed.documents
    label[rows], learned[rows] = block.unheard.argmax(axis=1), block.unheard
    views = views_of_documents(block.documents, guess, label, learned)[rows]
    return views, label[rows], label[rows] == block.confirmed.categories


def _calibrated(block: DocumentBlock, stage: ReliabilityStage) -> DocumentBlock:
    documents, learned = block.documents, block.learned
    if isinstance(stage.classifier, Topics):
        learned = stage.classifier.apply(documents, learned)
    posterior = temper(block.posterior, stage.temperatures(documents, block.posterior, learned))
    return _with_answers(replace(block, posterior=posterior))


def _with_answers(block: DocumentBlock) -> DocumentBlock:
    """Hold what was confirmed; nothing is said of a document without words."""
    posterior = block.documents.even_without_words(block.posterior)
    return replace(block, posterior=block.confirmed.hold(posterior))


@dataclass(frozen=True)
class Uncalibrated(Stage):
    """The stage in place of reliability: it leaves probabilities as they are."""

    temperature: float = stored(Form(least=1.0, most=1.0))

    optional: ClassVar[bool] = True

    @classmethod
    def learn(cls, run: Run) -> tuple[Self, Blocks] | None:
        """Change nothing, where probabilities are not to be calibrated."""
        return None if run.options.calibrate else (cls(1.0), run.engine.map(_with_answers, run.blocks))

    def apply(self, documents: Documents, posterior: Array) -> Array:
        """Make a document without words sure of no category."""
        return documents.even_without_words(posterior)


def views_of_categories(agreements: Agreements, guess: FirstGuess, meaning: Meaning | None) -> CategoryViews:
    """Measure the categories of a fit."""
    named, misnamed = names_among_seeds(guess.seeds.seeds)
    names, categories = (None, None) if meaning is None else (meaning.names, meaning.categories)
    return category_views(agreements, names, categories, named, misnamed)


def agreements_of(documents: Documents, guess: FirstGuess, label: NDArray[np.intp]) -> Agreements:
    """Count how many documents agree with their label, of all that have words."""
    rows = documents.has_words
    own = contains_any(documents.counts, guess.seeds.is_seed)[np.arange(len(label)), label]
    return Agreements.of(
        label[rows],
        guess.guess(documents).argmax(axis=1)[rows],
        None if documents.scores is None else documents.scores[rows],
        own[rows],
        len(guess.seed_frequency),
    )


def _agreements_of_block(block: DocumentBlock, guess: FirstGuess) -> Agreements:
    return agreements_of(block.documents, guess, block.posterior.argmax(axis=1))


def views_of_documents(
    documents: Documents, guess: FirstGuess, label: NDArray[np.intp], learned: Array
) -> Array:
    """Measure documents and their labels, given what was learned of them."""
    return document_views(
        label,
        learned,
        guess.naive_bayes(documents),
        documents.scores,
        documents.near_names,
        contains_any(documents.counts, guess.seeds.is_seed),
        contains_any(documents.counts, guess.seeds.is_name),
    )


def contains_any(counts: sp.csr_array, of_words: sp.csr_array) -> NDArray[np.bool_]:
    """Return which documents contain a word of which categories."""
    # Few words are of a category, so that finding these first is quicker than a product of the matrices.
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


def shared_among_rivals(posterior: Array, documents: Documents, guess: FirstGuess) -> Array:
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
