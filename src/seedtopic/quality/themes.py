"""Clusters of documents that may be new categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit

from seedtopic.knowledge.tables import WordVectors
from seedtopic.learning.graph.neighbours import similarity_graph
from seedtopic.learning.signals.words import sublinear, unit_rows, unit_vectors, word_rarity
from seedtopic.quality.meaning import not_to_suggest
from seedtopic.quality.suggest import Coverage
from seedtopic.text.counts import Counts
from seedtopic.text.rules import is_rule

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

N_NEIGHBORS = 10
N_DIMS = 100  # of the space of words
SAY_OF_MEANING = 0.7  # beside words, which weigh 1
N_STEPS = 2  # in which a document moves half the way to its neighbours

# A regression on four things that are known of a cluster, fitted to the train labels of nineteen collections
# with some categories left out of the seeds; see docs/howto/discover.md.
INTERCEPT = -3.4
SEEDED, LIFT, NEARNESS, COHESION = -3.7, -0.53, -2.0, 2.05

# More clusters than categories, so that a theme that a category has absorbed gets a cluster of its own.
PER_CATEGORY, BESIDES = 2, 10
DOCUMENTS_EACH = 15  # on average at least
LEAST_MEMBERS = 10
LIKELY = 0.1  # probability from which a cluster is looked at
NEARER_THAN_CATEGORIES = 0.1  # in cosine, from which two clusters are one theme

MOST_WORDS = 8
LEAST_DOCUMENTS, LEAST_SHARE = 3, 0.03  # of the cluster that contain a word
LEAST_GAIN = 0.02  # of the documents of the cluster that a further word must add
DIRECTED_BY, LEAST_NEAR = 20, 0.15  # the best words, and the cosine with their direction of a word like them
OUTSIDE = 0.5  # a document outside that contains a word, beside 1 for one inside: some belong there, too
REACHED = 0.5  # what a document counts that a word before has reached, beside 1


def document_space(
    counts: Counts, table: WordVectors | None, n_threads: int = 1, random_state: int = 0
) -> tuple[Array, sp.csr_array]:
    """Return documents as points of length 1, and the matrix that averages over the neighbours of each."""
    from sklearn.decomposition import TruncatedSVD  # here: it takes a second to import

    vectors = unit_rows(sublinear(counts.matrix, word_rarity(counts.matrix)))
    similarity = similarity_graph(vectors, N_NEIGHBORS, n_threads)
    together = sp.csr_array((similarity + similarity.T) / 2)
    degree = np.asarray(together.sum(axis=1), np.float64)
    averaging = sp.csr_array(sp.diags_array(1.0 / np.where(degree > 0, degree, 1.0)) @ together)
    n_dims = min(N_DIMS, min(vectors.shape) - 1)
    points = unit_vectors(TruncatedSVD(n_dims, n_iter=3, random_state=random_state).fit_transform(vectors))
    if table is not None:
        meanings, _ = table.vectors(counts.vocabulary)
        directions = unit_vectors(vectors @ meanings)
        directions = unit_vectors(directions - directions.mean(axis=0))
        points = unit_vectors(np.hstack([points, SAY_OF_MEANING * directions]))
    for _ in range(N_STEPS):
        points = unit_vectors(points + averaging @ points)
    return points, averaging


@dataclass(frozen=True)
class Categories:
    """The documents as the categories see them."""

    points: Array  # (n_documents, n_dims), of length 1
    averaging: sp.csr_array  # (n_documents, n_documents), a document without neighbours has a row of zeros
    probabilities: Array  # (n_documents, n_categories)
    has_seed: Mask  # (n_documents, n_categories), whether a document contains a seed of a category

    @cached_property
    def labels(self) -> NDArray[np.intp]:
        """The most probable category of each document."""
        return np.asarray(self.probabilities.argmax(axis=1), np.intp)

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
        """Return the probability that no category explains these documents."""
        parent = int(self.probabilities[members].mean(axis=0).argmax())
        others = self.seeded & (self.labels == parent) & ~members
        if not others.any():
            others = self.seeded & (self.labels == parent)
        # Few of them contain a seed of their own category, or of the one that most of them are labelled with.
        seeded = self.seeded[members].mean() - self.seeded.mean()
        has_seed = self.has_seed[:, parent]
        here, anywhere = has_seed[members].mean() + 1 / members.sum(), has_seed.mean() + 1 / len(members)
        # They are not nearer to the others of that one than categories are, and have a theme of their own.
        nearness = self.centre(members) @ self.centre(others) - self.usual_nearness
        cohesion = float((self.averaging[members] @ members.astype(np.float64)).mean())
        log_odds = INTERCEPT + SEEDED * seeded + LIFT * np.log(here / anywhere)
        return float(expit(log_odds + NEARNESS * nearness + COHESION * cohesion))

    def centre(self, members: Mask) -> Array:
        """Return the direction of some documents."""
        return np.asarray(unit_vectors(self.points[members].sum(axis=0)[None])[0])


def find_candidates(categories: Categories, random_state: int = 0) -> list[Mask]:
    """Return the clusters of documents that no category may explain, the most probable first."""
    n_documents, n_categories = categories.probabilities.shape
    n_clusters = min(PER_CATEGORY * n_categories + BESIDES, n_documents // DOCUMENTS_EACH)
    if n_clusters < 2:
        return []
    from sklearn.cluster import KMeans  # here: it takes a second to import

    clustering = KMeans(n_clusters, n_init=1, max_iter=50, random_state=random_state)
    cluster = clustering.fit_predict(categories.points)
    likely = [
        members
        for members in (cluster == number for number in range(n_clusters))
        if members.sum() >= LEAST_MEMBERS and categories.unexplained(members) >= LIKELY
    ]
    return sorted(_merged(likely, categories), key=lambda members: -categories.unexplained(members))


def _merged(clusters: list[Mask], categories: Categories) -> list[Mask]:
    """Return clusters, joined while all parts of both are much nearer to each other than categories are."""
    if len(clusters) < 2:
        return clusters
    from scipy.cluster.hierarchy import fcluster, linkage  # here: few need it

    centres = np.array([categories.centre(members) for members in clusters])
    apart = 1.0 - (centres @ centres.T)[np.triu_indices(len(centres), k=1)]
    most = 1.0 - categories.usual_nearness - NEARER_THAN_CATEGORIES
    group = fcluster(linkage(apart, "complete"), most, "distance")
    together = np.array(clusters)
    return [together[group == number].any(axis=0) for number in range(1, group.max() + 1)]


class TypicalWords:
    """Chooses the words that many documents of a cluster contain and few others."""

    def __init__(self, counts: Counts, seeds: Sequence[str], table: WordVectors | None) -> None:
        self.vocabulary = counts.vocabulary
        self.presence = sp.csr_array((counts.matrix > 0).astype(np.float64))
        self.by_word = sp.csc_array(self.presence)
        worded = np.array(
            [any(map(str.isalpha, word)) and len(word) > 1 and not is_rule(word) for word in self.vocabulary]
        )
        self.allowed: Mask = worded & ~not_to_suggest(seeds, self.vocabulary)
        self.meanings = None if table is None else table.vectors(self.vocabulary)

    def of(self, members: Mask, held: Mask | None = None) -> list[str]:
        """Return words, each chosen by the documents that it adds to those before it."""
        value = np.where(members, 1.0, -OUTSIDE)
        if held is not None:
            value[held & ~members] = -1.0
        coverage = Coverage(self.presence, self.by_word, value, left=REACHED)
        inside = self.by_word.T @ members.astype(np.float64)
        frequent = inside >= max(LEAST_DOCUMENTS, LEAST_SHARE * members.sum())
        allowed = self.allowed & frequent & (coverage.gain > 0)
        allowed &= self._like_the_best(np.where(allowed, coverage.gain, 0.0))
        least = max(LEAST_GAIN * members.sum(), 1.0)
        chosen: list[str] = []
        for column, _ in coverage.chosen(allowed, MOST_WORDS, least):
            chosen.append(self.vocabulary[column])
            allowed &= ~not_to_suggest([chosen[-1]], self.vocabulary)
        return chosen

    def _like_the_best(self, gain: Array) -> Mask:
        """Return which words do not mean something else than the best ones."""
        if self.meanings is None:
            return np.ones(len(gain), bool)
        vectors, known = self.meanings
        best = np.argsort(-gain, kind="stable")[:DIRECTED_BY]
        direction = (gain[best, None] * vectors[best]).sum(axis=0)
        length = np.linalg.norm(direction)
        near = vectors @ (direction / max(length, 1e-12)) >= LEAST_NEAR
        return np.asarray(~known | near | (length == 0), bool)
