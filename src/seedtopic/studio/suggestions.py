"""Suggested seed words, from the labels on screen."""

from __future__ import annotations

from typing import Any

from seedtopic.advice.suggest import suggest_from_labels
from seedtopic.studio.collection import Collection
from seedtopic.studio.labels import Labels

TOP = 12


def suggested(collection: Collection, labels: Labels) -> list[list[dict[str, Any]]]:
    """Return the suggestions for each category, in the order of the model's classes."""
    counts = collection.counts(labels.seeds.counted)
    found = suggest_from_labels(labels.seeds, counts, labels.probabilities, TOP, collection.texts)
    return [
        [
            {
                "word": word.word,
                "documents": word.documents,
                "score": round(word.gain, 2),
                "examples": list(word.examples),
            }
            for word in category.words
        ]
        for category in found.categories
    ]
