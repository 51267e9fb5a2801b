"""The stage that makes probabilities mean something: one temperature for all documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.explain import Evidence
from seedtopic.learning.classify.calibration import temper
from seedtopic.models.evidence import tempered

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Temperature:
    """By which the probabilities of new documents are tempered; 1 leaves them as they are."""

    value: float = 1.0

    def posterior(self, posterior: Array) -> Array:
        """Temper probabilities; the order of the categories stays."""
        return temper(posterior, self.value)

    def evidence(self, evidence: Evidence) -> Evidence:
        """Temper log-odds."""
        return tempered(evidence, self.value)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give what is saved, by its name in a model folder."""
        return {"temperature_": np.array(self.value)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Temperature:
        """Take what was saved."""
        return cls(float(arrays["temperature_"]))
