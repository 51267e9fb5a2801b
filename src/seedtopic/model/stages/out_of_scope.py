"""The last stage, which changes nothing before: how many documents belong to no category, and which."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

from seedtopic.base.engine import Blocks, Engine
from seedtopic.base.errors import InputError
from seedtopic.base.products import Design
from seedtopic.learning.classify.logistic import Examples, Regression, fit_blocks
from seedtopic.learning.classify.out_of_scope import Tally, Witnesses, find_strangers
from seedtopic.learning.signals.seeds import seed_counts
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.stages.stage import Form, Stage, linked, probability, stored
from seedtopic.text.counts import KnownWords

if TYPE_CHECKING:
    from seedtopic.model.run import DocumentBlock, Run

Array = NDArray[np.float64]
Weights = NDArray[np.floating[Any]]
Evidence = NDArray[np.float32]  # (n_pieces, n_documents, n_categories)
Sums = tuple[Array, Array, int]  # of it and of its squares, and of how many documents

N_TYPICAL = 6  # words by which the documents of no category are told


@dataclass(frozen=True)
class OutOfScope(Stage):
    """Tells how many documents belong to no category, and which, where there is a name for them."""

    vocabulary: KnownWords = linked(lambda model: model.vocabulary)
    share: Array = stored(probability("2"), "none_share_")  # its lowest and highest value
    typical: NDArray[np.int64] = stored(Form("typical", "i", least=0), "none_words_")  # words of them
    coef: Weights | None = stored(Form("classes_and_none words"), "none_coef_", optional=True)
    intercept: Weights | None = stored(Form("classes_and_none"), "none_intercept_", optional=True)

    optional: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if (self.typical >= len(self.vocabulary)).any() or (self.coef is None) != (self.intercept is None):
            raise InputError("it is damaged: what it says of documents of no category does not fit it.")

    @classmethod
    def learn(cls, run: Run) -> tuple[Self, Blocks]:
        """Estimate the share; where they have a name, judge all documents, and learn to judge others."""
        engine, blocks, n_categories = run.engine, run.blocks, len(run.classes)
        evidence, sums = engine.step(_evidence, blocks, engine.broadcast(run[FirstGuess]))
        witnesses = engine.map(_witnesses, blocks, engine.broadcast(sums), each=evidence)
        del evidence

        def tally(which: int, outside: NDArray[np.bool_]) -> Tally:
            return Tally(*engine.tree(Witnesses.tally, witnesses, n_categories, which, outside))

        strangers = find_strangers(tally)
        judged = engine.map(_judged, blocks, strangers.probability, each=witnesses)
        typical = _typical(engine, judged) if strangers.share[0] else np.empty(0, np.int64)
        stage = cls.within(run, share=np.array(strangers.share), typical=typical)
        if run.none_label is None:
            return stage, blocks
        if strangers.share[0]:
            examples, n_documents = engine.map(_examples, judged), run.training.totals.n_documents
            l2 = 1.0 / max(n_documents, 100)  # more than `logistic.penalty`: nothing is learned by heart
            start = Regression.zero(len(run.vocabulary), n_categories + 1)
            learned = fit_blocks(engine, examples, n_documents, l2, start, max_iter=30)
            stage = replace(stage, coef=learned.weights.T, intercept=learned.intercept)
        return stage, judged

    @property
    def words(self) -> list[str]:
        """Words that are typical of documents of no category."""
        return [self.vocabulary[place] for place in self.typical.tolist()]


def none_probability(stage: OutOfScope | None, documents: Documents) -> Array:
    """Return how likely documents are to belong to no category; one without words does not belong."""
    none = np.zeros(len(documents))
    if stage is not None and stage.coef is not None and stage.intercept is not None:
        log_odds = Regression(stage.coef.T, stage.intercept).log_odds(documents.vectors)
        none = expit(log_odds[:, -1] - logsumexp(log_odds[:, :-1], axis=1))
    none[~documents.has_words] = 1.0
    return none


def _evidence(block: DocumentBlock, guess: FirstGuess) -> tuple[Evidence, Sums]:
    """Return how near documents are to categories by what they mean, and by their share of seeds."""
    documents = block.documents
    seeds = seed_counts(documents.counts, guess.weighed_seeds(), guess.seeds.exclusion)
    pieces = [seeds / np.maximum(np.diff(documents.counts.indptr), 1)[:, None]]
    if documents.nearness is not None:
        pieces.insert(0, documents.nearness.cosines)
    evidence = np.stack(pieces).astype(np.float32)
    exact = evidence.astype(np.float64)
    return evidence, (exact.sum(axis=1), (exact**2).sum(axis=1), len(block))


def _witnesses(block: DocumentBlock, evidence: Evidence, sums: Sums) -> Witnesses:
    """Standardise the evidence for each category over all documents, and judge by it."""
    first, squares, n_documents = sums
    mean = first / n_documents
    deviation = np.sqrt(np.maximum(squares / n_documents - mean**2, 0.0))
    standard = (evidence - mean[:, None]) / np.maximum(deviation, 1e-9)[:, None]
    return Witnesses.of(standard, block.posterior, block.neighbours.averaging, block.documents.has_words)


def _judged(block: DocumentBlock, witnesses: Witnesses, probability: Array) -> DocumentBlock:
    none = probability[witnesses.score]
    none[~block.documents.has_words] = 1.0
    none[block.confirmed.documents] = 0.0
    return replace(block, none_probability=none)


def _typical(engine: Engine, judged: Blocks) -> NDArray[np.int64]:
    """Return the words that tell documents of no category best from the others."""
    outside, everywhere, n_outside, n_documents = engine.tree(_words, judged)
    more = (outside / max(n_outside, 1) - everywhere / n_documents).astype(np.float32)
    return np.argsort(-more, kind="stable")[:N_TYPICAL].astype(np.int64)


def _words(block: DocumentBlock) -> tuple[Array, Array, int, int]:
    vectors, rows = block.documents.vectors, block.none_probability > 0.5
    outside, everywhere = (np.asarray(part.sum(axis=0), np.float64) for part in (vectors[rows], vectors))
    return outside, everywhere, int(rows.sum()), len(block)


def _examples(block: DocumentBlock) -> Examples:
    rows = block.documents.has_words
    none, posterior = block.none_probability[rows, None], block.posterior[rows]
    targets = np.hstack(((1.0 - none) * posterior, none))
    return Examples(Design.single(block.documents.vectors[rows]), targets.astype(np.float32))
