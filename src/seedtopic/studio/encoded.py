"""The documents of a studio as an encoder reads them: once, for all fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedtopic.meaning import encoded, fair_sample
from seedtopic.meaning.encoding import Encode
from seedtopic.models.stages.vector_sources import EncodedSource
from seedtopic.models.vectors import encoded_categories
from seedtopic.progress import Progress, silent
from seedtopic.seeds import Seeds


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
    >>> found = EncodedDocuments.of(lambda texts: [[len(text), 1.0] for text in texts], texts)
    >>> found.source(np.array([2, 0]), Seeds({"drinks": ["tea"], "sports": ["game"]})).rows.tolist()
    [0, 1]
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

    def source(self, documents: NDArray[np.intp], seeds: Seeds) -> EncodedSource:
        """Give what a fit of some documents, in this order, knows from the encoder."""
        place = np.minimum(np.searchsorted(self.documents, documents), len(self.documents) - 1)
        rows = np.flatnonzero(self.documents[place] == documents)
        return EncodedSource(rows, self.vectors[place[rows]], encoded_categories(self.encode, seeds))
