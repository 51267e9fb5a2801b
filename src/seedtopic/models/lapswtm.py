"""LapSWTM: the Laplacian seed word topic model (Li, Li, Chi, Ouyang and Li, CIKM 2018)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.models.seed_topic_model import SeedTopicModel
from seedtopic.prior import seed_counts, seed_prior
from seedtopic.seeds import BoundSeeds


class LapSWTM(SeedTopicModel):
    __doc__ = (SeedTopicModel.__doc__ or "").replace(
        "Category topics, background topics and a document graph, fitted by generalised EM.",
        "Laplacian seed word topic model: the prior of a document counts its seed words (Eq. 1).",
    )

    def _learn_prior(
        self, counts: sp.csr_array, seeds: BoundSeeds, cooccurrence: NDArray[np.float64]
    ) -> None:
        """Nothing to learn: the prior of a document depends on the document alone."""

    def _prior(self, counts: sp.csr_array, membership: sp.csr_array) -> NDArray[np.float64]:
        return seed_prior(seed_counts(counts, membership), self.eta, self.alpha0)
