"""The number of documents with each word and category, counted at once, without waiting for a fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedtopic.seeds.wildcards import is_wildcard, matching
from seedtopic.studio.collection import Collection
from seedtopic.studio.draft import Draft


@dataclass(frozen=True)
class Reach:
    """The number of documents with each word, and with a word of each category but none that it excludes."""

    words: dict[str, int]
    categories: list[int]


def reach(collection: Collection, draft: Draft) -> Reach:
    """Count the documents with each word and category of a draft."""
    whole = draft.with_parents()
    written = [word.word for category in draft.categories for word in category.words]
    used = [word for category in whole for word in category.words]  # some are words of names
    rows = {word: collection.documents_of(word) for word in dict.fromkeys([*written, *used])}
    found = []
    for category in whole:
        reached = np.zeros(len(collection), bool)
        for word in category.words:
            reached[rows[word]] = True
        for word in category.exclude:
            # A wildcard does not exclude the words that the category itself spells out.
            own = matching(word, category.words) if is_wildcard(word) else []
            reached[_without(collection, word, own) if own else rows[word]] = False
        found.append(int(reached.sum()))
    return Reach({word: len(found_in) for word, found_in in rows.items()}, found)


def _without(collection: Collection, wildcard: str, own: list[str]) -> NDArray[np.int32]:
    """Return the documents with a word that the wildcard matches, other than those of the category itself."""
    others = [word for word in matching(wildcard, collection.usual.vocabulary) if word not in own]
    return np.concatenate([np.empty(0, np.int32), *(collection.documents_of(word) for word in others)])
