"""Lbl2Vec (Schopf, Braun & Matthes, WEBIST 2021), from the package of its authors."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Self

import numpy as np

from seedtopic.base.threads import resolve_threads
from seedtopic.model.estimator import SeedsLike
from seedtopic.seeds import Seeds
from seedtopic_lab.experiments.peers.packages import require


@dataclass
class Lbl2Vec:
    """Vectors of words and documents, learned together; a category is the mean of documents near its seeds.

    Texts are read as in the authors' example on AG News. A category none of whose words is frequent enough
    gets no document, since the package refuses it.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category.
    similarity_threshold : float
        Documents nearer than this to a category's seeds make its vector; 0.3 is the example's value.
    min_num_docs : int
        The fewest such documents; 100 is the example's value.
    epochs : int
        Rounds of training; 10 is the example's value and the package's default.
    min_count : int
        How often a word must occur; 50 is the package's default.
    n_threads : int, optional
        Workers; with more than one the result may differ from run to run.
    """

    seeds: SeedsLike
    similarity_threshold: float = 0.3
    min_num_docs: int = 100
    epochs: int = 10
    min_count: int = 50
    n_threads: int | None = None

    def fit(self, texts: Sequence[str]) -> Self:
        """Label the documents."""
        package = _package()
        gensim = require("gensim.utils", "Lbl2Vec"), require("gensim.parsing.preprocessing", "Lbl2Vec")
        tagged = require("gensim.models.doc2vec", "Lbl2Vec").TaggedDocument
        read = [
            gensim[0].simple_preprocess(gensim[1].strip_tags(text), deacc=True, min_len=2, max_len=15)
            for text in texts
        ]
        frequency = Counter(word for document in read for word in document)
        known = {
            name: [word for word in words if frequency[word] >= self.min_count]
            for name, words in Seeds.of(self.seeds).categories.items()
        }
        named = {str(name): words for name, words in known.items() if words}
        model = package.Lbl2Vec(
            keywords_list=list(named.values()),
            label_names=list(named),
            tagged_documents=[tagged(words, [str(row)]) for row, words in enumerate(read)],
            similarity_threshold=self.similarity_threshold,
            min_num_docs=self.min_num_docs,
            epochs=self.epochs,
            min_count=self.min_count,
            workers=resolve_threads(self.n_threads),
            verbose=False,
        )
        model.fit()
        found = model.predict_model_docs()
        self.transduction_ = np.array(found["most_similar_label"].tolist())[
            np.argsort(found["doc_key"].astype(int).to_numpy(), kind="stable")
        ]
        return self


def _package() -> Any:
    """Import the package without its second model, for which the import alone downloads an encoder."""
    second = "lbl2vec.lbl2transformervec"
    if second not in sys.modules:
        stand_in = ModuleType(second)
        stand_in.Lbl2TransformerVec = None  # type: ignore[attr-defined]
        sys.modules[second] = stand_in
    return require("lbl2vec", "Lbl2Vec")
