"""The documents of a studio as an encoder reads them: once, for all fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.progress import Progress, silent
from seedtopic.meaning import encoded, fair_sample
from seedtopic.meaning.encoding import Encode
from seedtopic.models.stages.vector_sources import EncodedSource
from seedtopic.models.training_set import TrainingSet
from seedtopic.models.vectors import encoded_source
from seedtopic.text.tokens import StopWords, stop_word_set


@dataclass(frozen=True, eq=False)
class EncodedDocuments:
    """The vectors of all documents, or of a fair sample of very many."""

    encode: Encode  # the encoder, which also reads the seeds of each fit
    documents: NDArray[np.intp]  # (n_encoded,), the documents that were encoded, ascending
    vectors: NDArray[np.float32]  # (n_encoded, n_dims)

    @classmethod
    def of(
        cls, encode: Encode | None, texts: Sequence[str], progress: Progress = silent
    ) -> EncodedDocuments | None:
        """Encode documents; None without an encoder."""
        if encode is None:
            return None
        chosen = fair_sample(len(texts))
        return cls(encode, chosen, encoded(encode, [texts[row] for row in chosen], progress=progress))

    def source(
        self, documents: NDArray[np.intp], fitted: TrainingSet, stop_words: StopWords
    ) -> EncodedSource:
        """Give what a fit knows from the encoder."""
        place = np.minimum(np.searchsorted(self.documents, documents), len(self.documents) - 1)
        rows = np.flatnonzero(self.documents[place] == documents)
        left_out = stop_word_set(stop_words)
        return encoded_source(self.encode, rows, self.vectors[place[rows]], fitted, left_out)
