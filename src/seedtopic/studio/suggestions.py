"""Suggested seed words: from the labels on screen, and by meaning while there are none."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from seedtopic.advice.meaning import table_for
from seedtopic.advice.near_words import near_words
from seedtopic.advice.suggest import suggest_from_labels
from seedtopic.advice.suggestions import Suggestion, as_suggestion
from seedtopic.seeds.category import Category
from seedtopic.seeds.tree import Name
from seedtopic.studio.collection import Collection
from seedtopic.studio.draft import Draft
from seedtopic.studio.labels import Labels

TOP = 12
Suggested = dict[int, list[dict[str, Any]]]


class Suggestions:
    """The suggestions for a collection, computed once for the labels or the draft on screen."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._known: tuple[Labels | Draft, Suggested] | None = None
        self._lock = Lock()

    def of(self, category: str, draft: Draft, labels: Labels | None) -> dict[str, Any]:
        """Return suggested words for a category: from its labels, or by meaning if it has none."""
        asked = draft.category(category)
        labelled = labels is not None and asked.key in labels.keys.tolist()
        with self._lock:
            source = labels if labelled else draft
            if self._known is None or self._known[0] is not source:
                if labels is not None and labelled:
                    self._known = labels, suggested(self._collection, labels)
                else:
                    self._known = draft, suggested_by_meaning(self._collection, draft)
            found = self._known[1]
        words = found.get(asked.key, [])
        taken = {word.word for word in asked.words}
        return {"category": category, "suggestions": [word for word in words if word["word"] not in taken]}


def suggested(collection: Collection, labels: Labels) -> Suggested:
    """Return the suggestions for the key of each category that has labels."""
    counts = collection.counts(labels.seeds.counted, labels.seeds.all_rules)
    table = table_for(collection.stop_words)
    found = suggest_from_labels(labels.seeds, counts, labels.probabilities, TOP, collection.texts, table)
    return {
        key: [_sent(word) for word in category.words]
        for key, category in zip(labels.keys.tolist(), found.categories, strict=True)
    }


def suggested_by_meaning(collection: Collection, draft: Draft) -> Suggested:
    """Return words of the documents that are near in meaning, for the key of each category.

    Examples
    --------
    >>> from seedtopic.documents import Documents
    >>> from seedtopic.studio.draft import DraftCategory, DraftWord
    >>> texts = ["the goal of a striker", "a cup of tea", "the bank"]
    >>> collection = Collection(Documents(texts=texts, rows=[{"text": text} for text in texts]))
    >>> draft = Draft((DraftCategory(1, "sports", (DraftWord("goal"),)),))
    >>> [found["word"] for found in suggested_by_meaning(collection, draft)[1]]
    ['striker', 'cup']
    """
    table = table_for(collection.stop_words)
    if table is None:
        return {}
    parents = {category.parent for category in draft.categories}
    whole: dict[Name, Category] = {
        category.key: entry
        for category, entry in zip(draft.categories, draft.with_parents(), strict=True)
        if category.name not in parents
    }
    words = collection.usual.vocabulary
    frequency = np.bincount(collection.usual.matrix.indices, minlength=len(words)).astype(np.float64)
    found = near_words(whole, words, frequency, table, TOP)
    return {
        int(key): [_sent(as_suggestion(word, len(collection.documents_of(word.word)))) for word in near]
        for key, near in found.items()
    }


def _sent(word: Suggestion) -> dict[str, Any]:
    return {
        "word": word.word,
        "documents": word.documents,
        "score": round(word.gain, 2),
        "examples": list(word.examples),
        "near": list(word.near) if word.source == "meaning" else [],
        "share": round(word.share, 3),
        "safe": word.safe,
    }
