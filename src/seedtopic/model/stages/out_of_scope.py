"""The last stage, which changes nothing before: how many documents belong to no category, and which."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from seedtopic.base.engine import Blocks, Engine
from seedtopic.base.errors import InputError
from seedtopic.base.products import Design
from seedtopic.learning.classify.logistic import Examples, Regression, fit_blocks
from seedtopic.learning.classify.out_of_scope import (
    Tally,
    Witnesses,
    find_strangers,
    margin,
)
from seedtopic.learning.signals.seeds import seed_counts
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.stages.stage import Form, Stage, linked, probability, stored
from seedtopic.text.counts import KnownWords

if TYPE_CHECKING:
    from seedtopic.model.run import DocumentBlock, Run

Array = NDArray[np.float64]
Evidence = NDArray[np.float32]

N_TYPICAL = 6  # words by which the documents of no category are told


@dataclass(frozen=True)
class OutOfScope(Stage):
    """Tells how many documents belong to no category, and which, where there is a name for them."""

    vocabulary: KnownWords = linked(lambda model: model.vocabulary)
    share: Array = stored(probability("2"), "none_share_")  # its lowest and highest value
    typical: NDArray[np.int64] = stored(Form("typical", "i", least=0), "none_words_")  # words of them
    coef: NDArray[np.floating[Any]] | None = stored(
        Form("classes_and_none words"), "none_coef_", optional=True
    )
    intercept: NDArray[np.floating[Any]] | None = stored(
        Form("classes_and_none"), "none_intercept_", optional=True
    )

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

        def tally(which: int, found: NDArray[np.bool_]) -> Tally:
            return Tally(*engine.tree(Witnesses.tally, witnesses, n_categories, which, found))

        strangers = find_strangers(tally)
        judged = engine.map(_judged, blocks, strangers.probability, each=witnesses)
        typical = _typical(engine, judged) if strangers.told else np.empty(0, np.int64)
        stage = cls.within(run, share=np.array(strangers.share), typical=typical)
        if run.none_label is None:
            return stage, blocks
        if strangers.told:
            n_words = len(run.vocabulary)
            n_examples = int(engine.tree(_n_with_words, judged))
            learned = fit_blocks(
                engine,
                engine.map(_examples, judged),
                n_examples,
                # More than `logistic.penalty`: what a few documents have is not learned by heart.
                1.0 / max(n_examples, 100),
                Regression.zero(n_words, n_categories + 1),
                max_iter=30,
            )
            stage = replace(stage, coef=learned.weights.T, intercept=learned.intercept)
        return stage, judged

    @property
    def is_told(self) -> bool:
        """Whether documents of no category can be told from the others."""
        return bool(len(self.typical))

    @property
    def words(self) -> list[str]:
        """Words that are typical of documents of no category."""
        return [self.vocabulary[place] for place in self.typical.tolist()]

    @cached_property
    def regression(self) -> Regression | None:
        """The regression with one class more than there are categories; None where it was not learned."""
        if self.coef is None or self.intercept is None:
            return None
        return Regression(self.coef.T, self.intercept)


def none_probability(stage: OutOfScope | None, documents: Documents) -> Array:
    """Return how likely documents are to belong to no category; one without words does not belong."""
    none = np.zeros(len(documents))
    if stage is not None and stage.regression is not None:
        none = expit(margin(stage.regression.log_odds(documents.vectors)))
    none[~documents.has_words] = 1.0
    return none


class _Sums(NamedTuple):
    """Sums of the evidence, each of shape (n_pieces, n_categories)."""

    first: Array
    squares: Array
    n_documents: int


def _evidence(block: DocumentBlock, guess: FirstGuess) -> tuple[Evidence, _Sums]:
    """Return how near documents are to categories by what they mean, and by their share of seeds."""
    documents = block.documents
    seeds = seed_counts(documents.counts, guess.weighed_seeds(), guess.seeds.exclusion)
    pieces = [seeds / np.maximum(np.diff(documents.counts.indptr), 1)[:, None]]
    if documents.nearness is not None:
        pieces.insert(0, documents.nearness.cosines)
    evidence = np.stack(pieces).astype(np.float32)
    exact = evidence.astype(np.float64)
    return evidence, _Sums(exact.sum(axis=1), (exact**2).sum(axis=1), len(block))


def _witnesses(block: DocumentBlock, evidence: Evidence, sums: _Sums) -> Witnesses:
    """Standardise the evidence for each category over all documents, and judge by it."""
    mean = sums.first / sums.n_documents
    deviation = np.sqrt(np.maximum(sums.squares / sums.n_documents - mean**2, 0.0))
    standard = (evidence - mean[:, None]) / np.maximum(deviation, 1e-9)[:, None]
    documents = block.documents
    averaging, confirmed = block.neighbours.averaging, block.confirmed.documents
    return Witnesses.of(standard, block.posterior, averaging, documents.has_words, confirmed)


def _judged(block: DocumentBlock, witnesses: Witnesses, probability: Array) -> DocumentBlock:
    none = probability[witnesses.score]
    none[~block.documents.has_words] = 1.0
    none[block.confirmed.documents] = 0.0
    return replace(block, none_probability=none)


def _typical(engine: Engine, judged: Blocks) -> NDArray[np.int64]:
    """Return the words that tell documents of no category best from the others."""
    outside, inside, n_outside, n_inside = engine.tree(_words_of_both, judged)
    more = (outside / max(n_outside, 1) - inside / max(n_inside, 1)).astype(np.float32)
    return np.argsort(-more, kind="stable")[:N_TYPICAL].astype(np.int64)


def _words_of_both(block: DocumentBlock) -> tuple[Array, Array, int, int]:
    found = (block.none_probability > 0.5) & block.documents.has_words
    vectors = block.documents.vectors
    outside, inside = (np.asarray(vectors[rows].sum(axis=0), np.float64) for rows in (found, ~found))
    return outside, inside, int(found.sum()), int((~found).sum())


def _n_with_words(block: DocumentBlock) -> int:
    return int(block.documents.has_words.sum())


def _examples(block: DocumentBlock) -> Examples:
    rows = block.documents.has_words
    none, posterior = block.none_probability[rows, None], block.posterior[rows]
    targets = np.hstack(((1.0 - none) * posterior, none))
    return Examples(Design.single(block.documents.vectors[rows]), targets.astype(np.float32))
