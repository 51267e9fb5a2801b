"""The queue: which documents to check next, and how many of a round are checked."""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.advice.next_documents import next_documents
from seedtopic.learning.signals.vectors import sublinear, unit_rows, word_rarity
from seedtopic.studio.collection import Collection
from seedtopic.studio.draft import Draft
from seedtopic.studio.labels import Labels

ROUND = 50  # documents to check before the page says that it is enough for now
AHEAD = ROUND  # are chosen ahead: at a quick pace, no new labels may come before the round is over


class Queue:
    """Documents to check next, chosen again with all new labels."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._lock = Lock()
        self._skipped: set[int] = set()
        self._before: set[int] | None = None  # confirmed before the first round
        self._goal = ROUND
        self._chosen_for: Labels | None = None
        self._chosen: NDArray[np.intp] = np.empty(0, np.intp)

    def documents(self, draft: Draft, labels: Labels | None) -> NDArray[np.intp]:
        """Return the documents to check next, the best first; none without labels, or after a whole round."""
        with self._lock:
            self._begin(draft)
            if labels is None:
                return np.empty(0, np.intp)
            if self._chosen_for is not labels:
                self._chosen = self._choose(draft, labels)
                self._chosen_for = labels
            left = max(0, self._goal - self._checked(draft))
            out = {*draft.confirmed, *self._skipped}
            return np.array([row for row in self._chosen.tolist() if row not in out], np.intp)[:left]

    def progress(self, draft: Draft) -> dict[str, Any]:
        """Return how many documents of how many were checked."""
        with self._lock:
            self._begin(draft)
            return {"checked": self._checked(draft), "goal": self._goal, "skipped": len(self._skipped)}

    def skip(self, document: int) -> None:
        """Take a document out of the queue."""
        with self._lock:
            self._skipped.add(document)

    def more(self) -> None:
        """Begin another round."""
        with self._lock:
            self._goal += ROUND

    def _begin(self, draft: Draft) -> None:
        if self._before is None:
            self._before = set(draft.confirmed)

    def _checked(self, draft: Draft) -> int:
        """Count what was confirmed since the first round began."""
        return len(draft.confirmed.keys() - (self._before or set()))

    def _choose(self, draft: Draft, labels: Labels) -> NDArray[np.intp]:
        known = np.fromiter({*draft.confirmed, *self._skipped}, np.intp)
        return next_documents(labels.probabilities, self._vectors, AHEAD, known=known)

    @cached_property
    def _vectors(self) -> sp.csr_array:
        counts = self._collection.usual.matrix
        return unit_rows(sublinear(counts, word_rarity(counts)))
