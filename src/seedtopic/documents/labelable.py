"""Which documents can be labelled: the one place that decides, for files, frames, server and studio."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from seedtopic.documents.columns import has_text

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Labelable:
    """Which documents have a text, and which of them contain a word that the model knows."""

    has_words: Mask  # (n_documents,), whether the model knows a word of the document
    has_text: Mask  # (n_documents,)

    @classmethod
    def by_words(cls, has_words: Mask) -> Labelable:
        """Take documents that all have a text, as far as is known."""
        return cls(has_words, np.ones(len(has_words), dtype=bool))

    @classmethod
    def of(cls, texts: Iterable[str], has_words: Mask) -> Labelable:
        """Look at the texts."""
        return cls(has_words, np.fromiter(map(has_text, texts), bool, len(has_words)))

    def with_texts(self, has_text: Mask) -> Labelable:
        """Say which documents have a text."""
        return replace(self, has_text=self.has_text & has_text)

    def labelled(self, *, none_label: bool) -> Mask:
        """Tell which documents have a label, if the model has one for documents of no category or not."""
        return self.has_text & (self.has_words | none_label)

    @property
    def without_text(self) -> int:
        """The number of documents without a text."""
        return int((~self.has_text).sum())

    @property
    def without_known_word(self) -> int:
        """The number of documents that have a text, but no word that the model knows."""
        return int((self.has_text & ~self.has_words).sum())
