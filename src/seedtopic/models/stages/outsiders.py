"""The last stage, where a name is given for them: documents that belong to no category."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.errors import SeedWarning
from seedtopic.learning.classify.logistic import Regression
from seedtopic.learning.classify.outsiders import LEAST_REACH, Outsiders, find_outsiders
from seedtopic.learning.signals.seed_matches import seed_counts
from seedtopic.learning.signals.shares import shares
from seedtopic.models.stages.first_guess import FirstGuess
from seedtopic.models.stages.word_space import DocumentView

Array = NDArray[np.float64]


@dataclass(frozen=True)
class OutsiderStage:
    """Tells who belongs to no category, from the words alone; a document without words does not belong.

    Attributes
    ----------
    outsiders : Outsiders or None
        None where every document with words belongs, as far as the seeds can tell.
    """

    outsiders: Outsiders | None

    def probability(self, documents: DocumentView) -> Array:
        """Give how likely new documents are to belong to no category."""
        none = np.zeros(documents.counts.shape[0])
        if self.outsiders is not None:
            none = self.outsiders.probability(documents.vectors)
        none[~documents.has_words] = 1.0
        return none

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give what is saved, by its name in a model folder."""
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
    documents: DocumentView,
    guess: FirstGuess,
    posterior: Array,
    averaging: sp.csr_array,
    none_label: str,
    rng: np.random.RandomState,
) -> tuple[OutsiderStage, Array]:
    """Find the documents that belong to no category; give the stage, and how likely each document is one."""
    weighed = seed_counts(documents.counts, guess.weighed_seeds())
    found = shares(weighed) * (weighed.sum(axis=1) > 0)[:, None]
    label = posterior.argmax(axis=1)
    reach = float((found[np.arange(len(label)), label] > 0).mean())
    if reach < LEAST_REACH:
        sentence = (
            f"none_label={none_label!r} needs seeds that reach {LEAST_REACH:.0%} of the documents, but only "
            f"{reach:.0%} contain a seed of their category: add seed words, or leave out documents that "
            "plainly belong to no category."
        )
        warnings.warn(sentence, SeedWarning, stacklevel=5)
    unseeded = np.ones(documents.counts.shape[1])
    unseeded[guess.seeds.membership.indices] = 0.0
    masked = sp.csr_array(documents.vectors @ sp.diags_array(unseeded))
    outsiders, probability = find_outsiders(masked, found, label, averaging, rng)
    probability[~documents.has_words] = 1.0
    return OutsiderStage(outsiders), probability
