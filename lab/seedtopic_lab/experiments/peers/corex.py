"""Anchored CorEx (Gallagher et al., TACL 2017), from the package corextopic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from seedtopic.model.estimator import SeedsLike
from seedtopic.seeds import Seeds
from seedtopic_lab.experiments.peers.packages import require


@dataclass
class AnchoredCorEx:
    """One binary topic per category, anchored to its seeds, and as many free topics.

    A document's label is the anchored topic that is most probably present in it.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category.
    vocabulary : sequence of str
        The words of the columns.
    anchor_strength : float
        Weight of an anchor against another word; 2 is the value of the package's introduction.
    random_state : int, optional
        Seed of the start.
    """

    seeds: SeedsLike
    vocabulary: Sequence[str]
    anchor_strength: float = 2.0
    random_state: int | None = None

    def fit(self, counts: sp.csr_array) -> Self:
        """Label the documents."""
        corextopic = require("corextopic.corextopic", "AnchoredCorEx")
        seeds = Seeds.of(self.seeds)
        membership = seeds.bind(self.vocabulary).membership
        anchors = [columns.tolist() for columns in np.split(membership.indices, membership.indptr[1:-1])]
        # A category none of whose words occurs has no topic: the package skips it, so positions shift.
        anchored = [category for category, columns in enumerate(anchors) if columns]
        with np.errstate():  # the package changes numpy's error state permanently
            model = corextopic.Corex(n_hidden=2 * len(anchored), seed=self.random_state)
            model.fit(
                sp.csr_matrix(counts > 0),  # it needs presence, in the old kind of sparse matrix
                anchors=[anchors[category] for category in anchored],
                anchor_strength=self.anchor_strength,
            )
        # In logarithms: probabilities near 1 are clipped and tie.
        best = model.log_p_y_given_x[:, : len(anchored)].argmax(axis=1)
        self.transduction_ = np.array(seeds.names)[anchored][best]
        return self
