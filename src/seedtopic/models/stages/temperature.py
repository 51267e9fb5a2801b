"""Probabilities tempered alike in all documents: as they come, and in model folders of earlier formats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax as rows_to_one

from seedtopic.explain import Evidence
from seedtopic.models.evidence import tempered
from seedtopic.models.stages.word_space import DocumentView

Array = NDArray[np.float64]

LEAST_PROBABILITY = 1e-12
ORDER = 1e-9  # share of what is below that floor which is kept, so that the order of the categories is
COLDEST, HOTTEST = 0.025, 100.0


@dataclass(frozen=True)
class Temperature:
    """By which the probabilities of new documents are tempered; 1 leaves them as they are."""

    value: float = 1.0

    def posterior(self, documents: DocumentView, posterior: Array, by: object = None) -> Array:
        """Temper probabilities; the order of the categories stays."""
        if self.value == 1.0:
            return posterior
        floored = np.log(np.maximum(posterior, LEAST_PROBABILITY))
        below = np.log(np.maximum(posterior, np.finfo(np.float64).tiny)) - floored
        return np.asarray(rows_to_one((floored + ORDER * below) / self.value, axis=1))

    def evidence(self, documents: DocumentView, posterior: Array, evidence: Evidence) -> Evidence:
        """Temper log-odds."""
        return tempered(evidence, self.value)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give what is saved, by its name in a model folder."""
        return {"temperature_": np.array(self.value)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Temperature:
        """Take what was saved."""
        return cls(float(arrays["temperature_"]))
