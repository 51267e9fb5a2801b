"""Warnings about the seeds, sorted by what they are about: a word, a category, or all seeds."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from seedtopic.quality.check import check_counted
from seedtopic.quality.meaning import near_words, table_for
from seedtopic.quality.suggest import Suggestion, as_suggestion, suggest_from_labels
from seedtopic.seeds import Seeds
from seedtopic.seeds.category import Category
from seedtopic.seeds.tree import Name
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.draft import Draft, DraftCategory, DraftWord
from seedtopic.web.studio.labels import Labels


@dataclass(frozen=True)
class Advice:
    """Warnings by category key and word, by category key, and about the seeds as a whole."""

    words: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    categories: dict[int, list[str]] = field(default_factory=dict)
    general: list[str] = field(default_factory=list)

    def of_word(self, category: DraftCategory, word: DraftWord, documents: int) -> list[str]:
        """Return the warnings about a word; that it does not occur is known before the check has run."""
        known = self.words.get((category.key, word.word), [])
        return known or ([f"{word.word!r} does not occur."] if not documents else [])

    def of_category(self, category: DraftCategory, *, is_parent: bool) -> list[str]:
        """Return the warnings about a category."""
        known = self.categories.get(category.key, [])
        if is_parent or category.own_words:
            return known
        named = ", ".join(category.category().or_named(category.name).words)
        if not named:
            return [f"{category.name!r} has no words yet, so no document gets this label."]
        return [f"{category.name!r} has no words yet, so those of its name are used: {named}.", *known]


def advise(collection: Collection, draft: Draft, seeds: Seeds) -> Advice:
    """Check the seeds of a draft, as `seedtopic seeds check` does."""
    counts = collection.counts(seeds.counted_words, seeds.all_rules)
    key_of = {category.name: category.key for category in draft.categories}
    words, categories, general = defaultdict(list), defaultdict(list), []
    table = table_for(collection.stop_words)
    for finding in check_counted(seeds, counts, table).findings:
        keys = [key_of[str(name)] for name in finding.categories if str(name) in key_of]
        if finding.word is not None:
            for key in keys:
                words[key, finding.word].append(finding.sentence)
        elif len(keys) == 1:
            categories[keys[0]].append(finding.sentence)
        else:
            general.append(finding.sentence)
    return Advice(dict(words), dict(categories), general)


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
        source = labels if labels is not None and asked.key in labels.keys.tolist() else draft
        with self._lock:
            if self._known is None or self._known[0] is not source:
                if isinstance(source, Draft):
                    self._known = source, suggested_by_meaning(self._collection, source)
                else:
                    self._known = source, suggested(self._collection, source)
            by_key = self._known[1]
        words = by_key.get(asked.key, [])
        taken = {word.word for word in asked.words}
        return {"category": category, "suggestions": [word for word in words if word["word"] not in taken]}


def suggested(collection: Collection, labels: Labels) -> Suggested:
    """Return the suggestions for the key of each category that has labels."""
    counts = collection.counts(labels.seeds.counted_words, labels.seeds.all_rules)
    table = table_for(collection.stop_words)
    suggestions = suggest_from_labels(
        labels.seeds, counts, labels.probabilities, TOP, collection.texts, table
    )
    return {
        key: [_sent(word) for word in category.words]
        for key, category in zip(labels.keys.tolist(), suggestions.categories, strict=True)
    }


def suggested_by_meaning(collection: Collection, draft: Draft) -> Suggested:
    """Return words of the documents that are near in meaning, for the key of each category."""
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
    near_words_of = near_words(whole, words, frequency, table, TOP)
    return {
        int(key): [_sent(as_suggestion(word, len(collection.documents_of(word.word)))) for word in near]
        for key, near in near_words_of.items()
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
