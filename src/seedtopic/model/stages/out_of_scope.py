"""The last stage, which changes nothing before, where a name is given for them: documents of no category."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks
from seedtopic.base.errors import SeedWarning, warn_caller
from seedtopic.learning.classify.logistic import Regression
from seedtopic.learning.classify.out_of_scope import LEAST_REACH, Outsiders, find_outsiders, seeds_near
from seedtopic.learning.signals.seeds import seed_counts
from seedtopic.learning.signals.words import shares
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.stages.stage import Form, Stage, stored

if TYPE_CHECKING:
    from seedtopic.model.run import DocumentBlock, Run

Array = NDArray[np.float64]

SAMPLED = 200_000  # documents that are asked who belongs nowhere, at the most


@dataclass(frozen=True)
class OutOfScope(Stage):
    """Tells which documents belong to no category, from the words alone."""

    coef: NDArray[np.floating[Any]] = stored(Form("classes_and_none words"), "none_coef_")
    intercept: NDArray[np.floating[Any]] = stored(Form("classes_and_none"), "none_intercept_")
    level: float = stored(Form(), "none_level_")

    optional: ClassVar[bool] = True

    @classmethod
    def learn(cls, run: Run) -> tuple[Self | None, Blocks] | None:
        """Find the documents of no category, where a name is given for them and seeds reach far enough."""
        none_label, engine, blocks = run.options.none_label, run.engine, run.blocks
        if none_label is None:
            return None
        sent = engine.broadcast(run[FirstGuess])
        seeded, n_documents = engine.tree(_reached, blocks, sent)
        reach = float(seeded / n_documents)
        if reach < LEAST_REACH:
            sentence = (
                f"none_label={none_label!r} needs seeds that reach {LEAST_REACH:.0%} of the documents, but "
                f"only {reach:.0%} contain a seed of their category: add seed words, or leave out documents "
                "that plainly belong to no category."
            )
            warn_caller(sentence, SeedWarning)
        parts = list(engine.gather(_asked, blocks, sent, -(-n_documents // SAMPLED)))
        if len(parts) == 1:
            [(masked, seeds, label, _, averaging)] = parts
            learned, probability = find_outsiders(masked, seeds, label, averaging, run.rng)
            return cls.of(learned), engine.map(_judged, blocks, each=[probability])
        matrices, *arrays = list(zip(*parts, strict=True))[:-1]
        masked = sp.csr_array(sp.vstack(matrices, format="csr"))
        seeds, label, near = map(np.concatenate, arrays)
        alone = sp.csr_array(sp.eye_array(len(label)))
        stage = cls.of(find_outsiders(masked, seeds, label, alone, run.rng, near)[0])
        return stage, engine.map(_judged_by_words, blocks, engine.broadcast(stage))

    @classmethod
    def of(cls, learned: Outsiders | None) -> Self | None:
        """Take what was learned; None where every document with words belongs, as far as seeds can tell."""
        if learned is None:
            return None
        return cls(learned.regression.weights.T, learned.regression.intercept, learned.level)

    @cached_property
    def learned(self) -> Outsiders:
        """The regression with one class more than there are categories."""
        return Outsiders(Regression(self.coef.T, self.intercept), self.level)


def none_probability(stage: OutOfScope | None, documents: Documents) -> Array:
    """Return how likely documents are to belong to no category; one without words does not belong."""
    none = np.zeros(len(documents)) if stage is None else stage.learned.probability(documents.vectors)
    none[~documents.has_words] = 1.0
    return none


def _seed_shares(block: DocumentBlock, guess: FirstGuess) -> Array:
    """Return the shares of the categories in the seeds of each document."""
    weighed = seed_counts(block.documents.counts, guess.weighed_seeds())
    return np.asarray(shares(weighed) * (weighed.sum(axis=1) > 0)[:, None])


def _reached(block: DocumentBlock, guess: FirstGuess) -> tuple[int, int]:
    label = block.posterior.argmax(axis=1)
    return int((_seed_shares(block, guess)[np.arange(len(label)), label] > 0).sum()), len(label)


def _asked(
    block: DocumentBlock, guess: FirstGuess, step: int
) -> tuple[sp.csr_array, Array, NDArray[np.intp], Array, sp.csr_array]:
    """Return what one in so many documents of a block says."""
    documents, seeds = block.documents, _seed_shares(block, guess)
    unseeded = np.ones(documents.counts.shape[1])
    unseeded[guess.seeds.membership.indices] = 0.0
    masked = sp.csr_array(documents.vectors @ sp.diags_array(unseeded))
    near = seeds_near(seeds, block.neighbours.averaging)
    label = block.posterior.argmax(axis=1)
    return masked[::step], seeds[::step], label[::step], near[::step], block.neighbours.averaging


def _judged_by_words(block: DocumentBlock, stage: OutOfScope | None) -> DocumentBlock:
    return _judged(block, none_probability(stage, block.documents))


def _judged(block: DocumentBlock, probability: Array) -> DocumentBlock:
    none = probability.copy()
    none[~block.documents.has_words] = 1.0
    none[block.confirmed.documents] = 0.0
    return replace(block, none_probability=none)
