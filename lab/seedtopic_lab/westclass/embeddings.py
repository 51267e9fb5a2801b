"""Word vectors: skip-gram with negative sampling, learned by gensim from the documents themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.checkpoint import NO_CHECKPOINT, Checkpoint
from seedtopic.base.progress import Progress
from seedtopic_lab.westclass.sequences import Text

# gensim cuts what it is given at this many words; longer documents are given in pieces.
_LONGEST_SENTENCE = 10_000


def learn_embedding(
    texts: Sequence[Text],
    vocabulary: Sequence[str],
    *,
    size: int,
    window: int,
    subsampling: float,
    n_epochs: int,
    random_seed: int,
    progress: Progress,
    checkpoint: Checkpoint = NO_CHECKPOINT,
) -> NDArray[np.float32]:
    """Learn a vector of length one for each word, shape (n_words, size).

    Every word of the vocabulary gets a vector: min_df has dropped the rare ones, and seeds must have one.
    One worker, because several write to the same vectors without waiting for each other.
    """
    recalled = checkpoint.recall("embedding")
    if recalled is not None:
        return recalled["vectors"]
    from gensim.models import Word2Vec

    sentences = [
        [vocabulary[column] for column in text[start : start + _LONGEST_SENTENCE]]
        for text in texts
        for start in range(0, len(text), _LONGEST_SENTENCE)
    ]
    progress("embedding words", 0, n_epochs)
    learned: Any = Word2Vec(
        sentences,
        sg=1,
        vector_size=size,
        window=window,
        min_count=1,
        sample=subsampling,
        epochs=n_epochs,
        workers=1,
        seed=random_seed,
        callbacks=[_EpochReport(progress, n_epochs)],
    )
    vectors = learned.wv[list(vocabulary)]
    unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    checkpoint.keep("embedding", {"vectors": unit}, last=True)
    return unit


class _EpochReport:
    """What gensim calls between epochs; written without its base class, which would have to be imported."""

    def __init__(self, progress: Progress, n_epochs: int) -> None:
        self._progress = progress
        self._n_epochs = n_epochs
        self._done = 0

    def on_train_begin(self, model: object) -> None:
        """Nothing to report."""

    def on_epoch_begin(self, model: object) -> None:
        """Nothing to report."""

    def on_epoch_end(self, model: object) -> None:
        """Report one more epoch."""
        self._done += 1
        self._progress("embedding words", self._done, self._n_epochs)

    def on_train_end(self, model: object) -> None:
        """Nothing to report."""
