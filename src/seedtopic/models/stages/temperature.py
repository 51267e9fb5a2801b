"""Probabilities as they come, where `calibrate` is off."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.explain import Evidence
from seedtopic.models.stages.word_space import DocumentView

Array = NDArray[np.float64]


class Uncalibrated:
    """The stage in place of reliability: it changes nothing."""

    def posterior(self, documents: DocumentView, posterior: Array, by: object = None) -> Array:
        """Return the probabilities."""
        return posterior

    def evidence(self, documents: DocumentView, posterior: Array, evidence: Evidence) -> Evidence:
        """Return the log-odds."""
        return evidence

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder."""
        return {"temperature_": np.array(1.0)}
