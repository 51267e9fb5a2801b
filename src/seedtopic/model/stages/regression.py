"""The third stage: a logistic regression that is fitted to the topic model and then trains itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.learning.classify.logistic import Regression, softmax
from seedtopic.model.evidence import Evidence, linear_evidence
from seedtopic.model.stages.documents import DocumentView

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RegressionStage:
    """A logistic regression on TF-IDF vectors."""

    regression: Regression

    def posterior(self, documents: DocumentView) -> Array:
        """Return p(category | document)."""
        log_odds = self.regression.log_odds(documents.vectors) + documents.by_meaning
        return softmax(log_odds)

    def evidence(self, documents: DocumentView, label: int, rival: int) -> Evidence:
        """Split the log-odds of one document into its words and the intercept."""
        weights, bias = self.regression.weights.T, self.regression.intercept
        return linear_evidence(documents, weights, bias, label, rival)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder."""
        return {"coef_": self.regression.weights.T, "intercept_": self.regression.intercept}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> RegressionStage | None:
        """Take what was saved; None where the stage was not taken."""
        if "coef_" not in arrays:
            return None
        return cls(Regression(arrays["coef_"].T, arrays["intercept_"]))


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
