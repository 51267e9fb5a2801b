"""Clusters of documents that may be new categories."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from seedtopic.advice.discovery.unexplained import Categories

Mask = NDArray[np.bool_]

# The clusters are finer than the categories, so that a theme that a category has taken in is apart from it.
PER_CATEGORY, BESIDES = 2, 10
DOCUMENTS_EACH = 15  # on average at least
LEAST_MEMBERS = 10
LIKELY = 0.1  # probability from which a cluster is looked at
NEARER_THAN_CATEGORIES = 0.1  # in cosine, from which two clusters are one theme


def find_candidates(categories: Categories, random_state: int = 0) -> list[Mask]:
    """Cluster documents, and give the clusters that no category may explain, the most probable first."""
    n_documents, n_categories = categories.probabilities.shape
    n_clusters = min(PER_CATEGORY * n_categories + BESIDES, n_documents // DOCUMENTS_EACH)
    if n_clusters < 2:
        return []
    clustering = KMeans(n_clusters, n_init=1, max_iter=50, random_state=random_state)
    cluster = clustering.fit_predict(categories.space.points)
    found = [cluster == number for number in range(n_clusters)]
    likely = [
        members
        for members in found
        if members.sum() >= LEAST_MEMBERS and categories.unexplained(members) >= LIKELY
    ]
    return sorted(_merged(likely, categories), key=lambda members: -categories.unexplained(members))


def _merged(clusters: list[Mask], categories: Categories) -> list[Mask]:
    """Join clusters while all parts of both are much nearer to each other than categories are."""
    if not clusters:
        return []
    centres = np.array([categories.centre(members) for members in clusters])
    nearness = centres @ centres.T
    least = categories.usual_nearness + NEARER_THAN_CATEGORIES
    np.fill_diagonal(nearness, -np.inf)
    groups: list[list[int]] = [[number] for number in range(len(clusters))]
    while True:
        linked = [
            (nearness[np.ix_(one, other)].min(), one, other)
            for place, one in enumerate(groups)
            for other in groups[place + 1 :]
        ]
        if not linked:
            break
        nearest, one, other = max(linked, key=lambda pair: pair[0])
        if nearest < least:
            break
        groups.remove(other)
        one.extend(other)
    return [np.any([clusters[number] for number in group], axis=0) for group in groups]
