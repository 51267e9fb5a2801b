"""How many documents words and categories reach: counted at once, without waiting for a fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seedtopic.studio.collection import Collection
from seedtopic.studio.draft import Draft, DraftCategory


@dataclass(frozen=True)
class Reach:
    """Documents with each word, and for each category those with a word for it and none against it."""

    words: dict[str, int]
    categories: list[int]


def reach(collection: Collection, draft: Draft) -> Reach:
    """Count the documents that a draft reaches.

    Examples
    --------
    >>> from seedtopic.documents import Documents
    >>> from seedtopic.seeds import Seeds
    >>> texts = ["a game", "game on the river bank", "a bank", "bank rate"]
    >>> collection = Collection(Documents(texts=texts, rows=[{"text": text} for text in texts]))
    >>> seeds = Seeds({"sports": ["game"], "money": {"words": ["bank"], "exclude": ["river"]}})
    >>> reach(collection, Draft.of(seeds))
    Reach(words={'game': 2, 'bank': 3, 'river': 1}, categories=[2, 2])
    """
    rows = {
        word.word: collection.documents_of(word.word)
        for category in draft.categories
        for word in category.words
    }
    by_name = {category.name: category for category in draft.categories}
    found = []
    for category in draft.categories:
        reached = np.zeros(len(collection), bool)
        line = [category, *_parents(category, by_name)]
        own = {word.word for word in category.words}
        for excluded in (False, True):
            for member in line:
                for word in member.words:
                    if word.excluded is excluded and (member is category or word.word not in own):
                        reached[rows[word.word]] = not excluded
        found.append(int(reached.sum()))
    return Reach({word: len(found_in) for word, found_in in rows.items()}, found)


def _parents(category: DraftCategory, by_name: dict[str, DraftCategory]) -> list[DraftCategory]:
    line, seen = [], {category.name}
    while category.parent in by_name and category.parent not in seen:
        category = by_name[category.parent]
        seen.add(category.name)
        line.append(category)
    return line
