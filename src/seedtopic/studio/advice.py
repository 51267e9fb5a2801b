"""Warnings about the seeds, sorted by what they are about: a word, a category, or all seeds."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from seedtopic.advice.check import check_counted
from seedtopic.advice.meaning import table_for
from seedtopic.seeds import Seeds
from seedtopic.studio.collection import Collection
from seedtopic.studio.draft import Draft, DraftCategory, DraftWord


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
    """Check the seeds of a draft, as `seedtopic seeds check` does.

    Examples
    --------
    >>> from seedtopic.documents import Documents
    >>> texts = ["a game of golf", "goal in the game", "the bank", "bank or goal"]
    >>> collection = Collection(Documents(texts=texts, rows=[{"text": text} for text in texts]))
    >>> seeds = Seeds({"sports": ["game", "golf", "gaol"], "money": ["bank"]})
    >>> advise(collection, Draft.of(seeds), seeds).words
    {(1, 'gaol'): ["'gaol' (sports) does not occur; did you mean 'goal'?"]}
    """
    counts = collection.counts(seeds.counted, seeds.all_rules)
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
