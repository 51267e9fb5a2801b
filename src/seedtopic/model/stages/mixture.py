"""The fourth stage, where it helps: a mixture in which every document has exactly one category."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.learning.classify.naive_bayes import STRENGTH, Mixture
from seedtopic.model.evidence import Evidence, linear_evidence
from seedtopic.model.stages.documents import DocumentView

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MixtureStage:
    """Naive Bayes with the sizes of the categories held."""

    mixture: Mixture

    def posterior(self, documents: DocumentView) -> Array:
        """Return p(category | document), without any neighbours."""
        return self.mixture.posterior(documents.vectors, documents.by_meaning)

    def evidence(self, documents: DocumentView, label: int, rival: int) -> Evidence:
        """Split the log-odds of one document into its words and the bias."""
        weights, bias = STRENGTH * self.mixture.log_words.T, self.mixture.bias
        return linear_evidence(documents, weights, bias, label, rival)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder."""
        return {"mixture_word_": self.mixture.log_words.T, "mixture_bias_": self.mixture.bias}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> MixtureStage | None:
        """Take what was saved; None where the stage was not taken."""
        if "mixture_word_" not in arrays:
            return None
        return cls(Mixture(arrays["mixture_word_"].T, arrays["mixture_bias_"]))
