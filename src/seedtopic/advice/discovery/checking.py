"""Proposed categories checked: a model is fitted with their words, and must find their documents again."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedtopic.advice.discovery.unexplained import Categories
from seedtopic.base.errors import SeedWarning
from seedtopic.base.progress import Progress
from seedtopic.models.seed_topic_classifier import SeedTopicClassifier
from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name
from seedtopic.text.counts import Counts

Mask = NDArray[np.bool_]

# Chosen on the train labels of nineteen collections, with and without categories left out of the seeds.
# The share of the documents of a candidate that are found again, and the share of right labels, which counts
# twice: a candidate may have held documents that do not belong to it, a new category should not.
SAY_OF_RIGHT, LEAST_TOGETHER = 2.0, 2.0
MOST_HELD = 0.35  # of the documents of a new category that contain a seed of their present one
LEAST_WORTH = 0.1  # the probability that it is new times its size, beside that of an average category


@dataclass(frozen=True)
class Fitted:
    """Labels of the documents with the new categories, and the estimated share of right ones of each."""

    labels: NDArray[np.str_]
    right: Mapping[Name, float]

    def members(self, name: Name) -> Mask:
        """Tell which documents have the label."""
        return np.asarray(self.labels == str(name), bool)


def fit_with(
    seeds: Seeds,
    new: Mapping[Name, tuple[str, ...]],
    counts: Counts,
    n_threads: int | None,
    random_state: int,
    progress: Progress,
) -> Fitted:
    """Fit the default model with the old categories and the new ones."""
    model = SeedTopicClassifier(
        Seeds({**seeds.table(), **new}),
        vocabulary=counts.vocabulary,
        n_threads=n_threads,
        random_state=random_state,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)  # the user knows about the old seeds
        model.fit(counts.matrix, progress=progress)
    right = dict(zip(model.classes_.tolist(), model.estimated_precisions_.tolist(), strict=True))
    return Fitted(model.transduction_.astype(str), right)


def holds(name: Name, members: Mask, fitted: Fitted, categories: Categories) -> bool:
    """Tell whether a new category holds its documents, and few that others hold for good reasons."""
    labelled = fitted.members(name)
    if not labelled.any():
        return False
    found_again = (labelled & members).sum() / members.sum()
    held = (labelled & categories.seeded).sum() / labelled.sum()
    size = labelled.mean() * categories.probabilities.shape[1]
    return bool(
        found_again + SAY_OF_RIGHT * fitted.right[name] >= LEAST_TOGETHER
        and held <= MOST_HELD
        and categories.unexplained(labelled) * size >= LEAST_WORTH
    )
