"""The last stage, where a name is given for them: documents that belong to no category."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks, Engine
from seedtopic.base.errors import SeedWarning
from seedtopic.learning.classify.logistic import Regression
from seedtopic.learning.classify.outsiders import LEAST_REACH, Outsiders, find_outsiders, seeds_near
from seedtopic.learning.signals.seeds import seed_counts
from seedtopic.learning.signals.words import shares
from seedtopic.model.run import Block
from seedtopic.model.stages.documents import DocumentView
from seedtopic.model.stages.first_guess import FirstGuess

Array = NDArray[np.float64]

SAMPLED = 200_000  # documents that are asked who belongs nowhere, at the most


@dataclass(frozen=True)
class OutsiderStage:
    """Tells who belongs to no category, from the words alone; a document without words does not belong."""

    outsiders: Outsiders | None  # none where every document with words belongs, as far as the seeds can tell

    def probability(self, documents: DocumentView) -> Array:
        """Return how likely new documents are to belong to no category."""
        none = np.zeros(documents.counts.shape[0])
        if self.outsiders is not None:
            none = self.outsiders.probability(documents.vectors)
        none[~documents.has_words] = 1.0
        return none

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder."""
        if self.outsiders is None:
            return {}
        return {
            "none_coef_": self.outsiders.regression.weights.T,
            "none_intercept_": self.outsiders.regression.intercept,
            "none_level_": np.array(self.outsiders.level),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> OutsiderStage:
        """Take what was saved; where nothing was, every document with words belongs to a category."""
        if "none_coef_" not in arrays:
            return cls(None)
        regression = Regression(arrays["none_coef_"].T, arrays["none_intercept_"])
        return cls(Outsiders(regression, float(arrays["none_level_"])))


def learn_outsiders(
    engine: Engine, blocks: Blocks, guess: FirstGuess, none_label: str, rng: np.random.RandomState
) -> tuple[OutsiderStage, Blocks]:
    """Return the stage that finds documents of no category, and blocks with how likely each is one."""
    sent = engine.broadcast(guess)
    seeded, n_documents = engine.tree(_reached, blocks, sent)
    reach = float(seeded / n_documents)
    if reach < LEAST_REACH:
        sentence = (
            f"none_label={none_label!r} needs seeds that reach {LEAST_REACH:.0%} of the documents, but only "
            f"{reach:.0%} contain a seed of their category: add seed words, or leave out documents that "
            "plainly belong to no category."
        )
        warnings.warn(sentence, SeedWarning, stacklevel=5)
    parts = list(engine.gather(_asked, blocks, sent, -(-n_documents // SAMPLED)))
    if len(parts) == 1:
        [(masked, found, label, _, averaging)] = parts
        outsiders, probability = find_outsiders(masked, found, label, averaging, rng)
        return OutsiderStage(outsiders), engine.map(_judged, blocks, each=[probability])
    matrices, *arrays = list(zip(*parts, strict=True))[:-1]
    masked = sp.csr_array(sp.vstack(matrices, format="csr"))
    found, label, near = map(np.concatenate, arrays)
    alone = sp.csr_array(sp.eye_array(len(label)))
    stage = OutsiderStage(find_outsiders(masked, found, label, alone, rng, near)[0])
    return stage, engine.map(_judged_by_words, blocks, engine.broadcast(stage))


def _found(block: Block, guess: FirstGuess) -> Array:
    """Return the shares of the categories in the seeds of each document."""
    weighed = seed_counts(block.documents.counts, guess.weighed_seeds())
    return np.asarray(shares(weighed) * (weighed.sum(axis=1) > 0)[:, None])


def _reached(block: Block, guess: FirstGuess) -> tuple[int, int]:
    label = block.labels.argmax(axis=1)
    return int((_found(block, guess)[np.arange(len(label)), label] > 0).sum()), len(label)


def _asked(
    block: Block, guess: FirstGuess, step: int
) -> tuple[sp.csr_array, Array, NDArray[np.intp], Array, sp.csr_array]:
    """Return what every so manieth document of a block has to say."""
    documents, found = block.documents, _found(block, guess)
    unseeded = np.ones(documents.counts.shape[1])
    unseeded[guess.seeds.membership.indices] = 0.0
    masked = sp.csr_array(documents.vectors @ sp.diags_array(unseeded))
    near = seeds_near(found, block.averaging)
    label = block.labels.argmax(axis=1)
    return masked[::step], found[::step], label[::step], near[::step], block.averaging


def _judged_by_words(block: Block, stage: OutsiderStage) -> Block:
    return _judged(block, stage.probability(block.documents))


def _judged(block: Block, probability: Array) -> Block:
    none = probability.copy()
    none[~block.documents.has_words] = 1.0
    none[block.confirmed.documents] = 0.0
    return replace(block, none_probability=none)
