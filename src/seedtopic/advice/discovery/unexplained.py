"""How likely a cluster of documents is a theme that no category explains."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.preprocessing import normalize

from seedtopic.advice.discovery.space import DocumentSpace
from seedtopic.learning.signals.seed_matches import seed_counts
from seedtopic.seeds import BoundSeeds
from seedtopic.text.counts import Counts

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# A regression on four things that are known of a cluster, fitted to the train labels of nineteen collections
# with some categories left out of the seeds; see docs/howto/discover.md.
INTERCEPT = -3.4
SEEDED, LIFT, NEARNESS, COHESION = -3.7, -0.53, -2.0, 2.05


@dataclass(frozen=True)
class Categories:
    """The documents as the categories see them."""

    space: DocumentSpace
    probabilities: Array  # (n_documents, n_categories)
    has_seed: Mask  # (n_documents, n_categories), whether a document contains a seed of a category

    @classmethod
    def of(cls, space: DocumentSpace, probabilities: Array, counts: Counts, seeds: BoundSeeds) -> Categories:
        """Find the seeds in the documents."""
        return cls(
            space, probabilities, seed_counts(counts.matrix, seeds.membership > 0, seeds.exclusion) > 0
        )

    @cached_property
    def labels(self) -> NDArray[np.intp]:
        """The most probable category of each document."""
        labels: NDArray[np.intp] = self.probabilities.argmax(axis=1)
        return labels

    @cached_property
    def seeded(self) -> Mask:
        """Whether a document contains a seed of its own category: the best reason for its label."""
        return self.has_seed[np.arange(len(self.labels)), self.labels]

    @cached_property
    def usual_nearness(self) -> float:
        """The cosine of a category and the nearest other one, on average."""
        categories = range(self.probabilities.shape[1])
        centres = np.array([self.centre(self.seeded & (self.labels == k)) for k in categories])
        nearness = centres @ centres.T - 2 * np.eye(len(centres))
        return float(nearness.max(axis=1).mean())

    def unexplained(self, members: Mask) -> float:
        """Give the probability that no category explains these documents.

        Few of them contain a seed of their category; the seeds of the category that most of them are labelled
        with are rare among them; they are not nearer to its other documents than two categories usually are;
        and their neighbours are among them, so that they have a theme.
        """
        parent = int(self.probabilities[members].mean(axis=0).argmax())
        others = self.seeded & (self.labels == parent) & ~members
        if not others.any():
            others = self.seeded & (self.labels == parent)
        seeded = self.seeded[members].mean() - self.seeded.mean()
        has_seed, n_members = self.has_seed[:, parent], members.sum()
        here, anywhere = has_seed[members].mean() + 1 / n_members, has_seed.mean() + 1 / len(members)
        nearness = self.centre(members) @ self.centre(others) - self.usual_nearness
        return float(
            expit(
                INTERCEPT
                + SEEDED * seeded
                + LIFT * np.log(here / anywhere)
                + NEARNESS * nearness
                + COHESION * self.cohesion(members)
            )
        )

    def cohesion(self, members: Mask) -> float:
        """Give the share of the neighbours of some documents that are among them."""
        return float((self.space.averaging[members] @ members.astype(np.float64)).mean())

    def centre(self, members: Mask) -> Array:
        """Give the direction of some documents."""
        centre: Array = normalize(self.space.points[members].sum(axis=0)[None])[0]
        return centre
