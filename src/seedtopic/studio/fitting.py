"""One fit for the studio: from a draft to labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from seedtopic.errors import SeedWarning
from seedtopic.models import SeedTopicClassifier
from seedtopic.progress import Progress
from seedtopic.seeds import Seeds
from seedtopic.studio.collection import Collection
from seedtopic.studio.draft import Draft

Check = Callable[[], None]


def fit_from_scratch(
    collection: Collection, draft: Draft, seeds: Seeds, progress: Progress
) -> SeedTopicClassifier:
    """Fit the default model to all documents, as the command line would."""
    counts = collection.counts(seeds.counted)
    model = SeedTopicClassifier(
        seeds, vocabulary=counts.vocabulary, n_threads=collection.n_threads, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)  # the page says it all in its place
        return model.fit(counts.matrix, confirmed_labels(draft, len(collection)), progress=progress)


def confirmed_labels(draft: Draft, n_documents: int) -> list[str | None] | None:
    """Give the confirmed label of each document, None where there is none, or None for no label at all."""
    if not draft.confirmed:
        return None
    name_of = {category.key: category.name for category in draft.categories}
    labels: list[str | None] = [None] * n_documents
    for document, key in draft.confirmed.items():
        labels[document] = name_of[key]
    return labels


def keys_of(draft: Draft, model: SeedTopicClassifier) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Give the key of each class of a model."""
    key_of = {category.name: category.key for category in draft.categories}
    return np.array([key_of[str(name)] for name in model.classes_], np.intp)
