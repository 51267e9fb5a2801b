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
    """The vectors of all documents, or of a fair sample of very many.

    Attributes
    ----------
    encode : callable
        The encoder, which also reads the seeds of each fit.
    documents : ndarray of int, shape (n_encoded,)
        The documents that were encoded, ascending.
    vectors : ndarray, shape (n_encoded, n_dims)

    Examples
    --------
    >>> texts = ["tea", "a game", "green tea"]
    >>> EncodedDocuments.of(lambda texts: [[len(text), 1.0] for text in texts], texts).vectors.shape
    (3, 2)
    >>> EncodedDocuments.of(None, texts) is None
    True
    """

    encode: Encode
    documents: NDArray[np.intp]
    vectors: NDArray[np.float32]

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
        """Give what a fit knows from the encoder.

        Parameters
        ----------
        documents : ndarray of int, shape (n_documents,)
            Which documents the rows of the training set are.
        fitted : TrainingSet
        stop_words : see `SeedTopicClassifier`
        """
        place = np.minimum(np.searchsorted(self.documents, documents), len(self.documents) - 1)
        rows = np.flatnonzero(self.documents[place] == documents)
        left_out = stop_word_set(stop_words)
        return encoded_source(self.encode, rows, self.vectors[place[rows]], fitted, left_out)
