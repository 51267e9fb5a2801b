"""A fit while it runs: what the stages share, and the documents, which stay in blocks where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import pairwise
from operator import attrgetter
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checkpoint import Checkpoint
from seedtopic.base.engine import Blocks, Engine
from seedtopic.base.progress import Progress
from seedtopic.base.threads import threads_here
from seedtopic.io.predictions import Predictions
from seedtopic.learning.classify.self_training import SoftTargets
from seedtopic.learning.classify.trust import contradictions
from seedtopic.learning.graph.neighbours import GraphSource, WordGraph
from seedtopic.learning.graph.smoothing import Manifold
from seedtopic.learning.signals.answers import Confirmed
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.stage import Context, Stage
from seedtopic.model.training import TrainingSet

Array = NDArray[np.float64]


class Neighbours(NamedTuple):
    """The neighbours of the documents of a block."""

    similarity: sp.csr_array  # (n_documents, n_documents)
    averaging: sp.csr_array  # (n_documents, n_documents), gives the average over them

    @classmethod
    def of(cls, similarity: sp.csr_array) -> Neighbours:
        """Join documents that are near."""
        return cls(similarity, Manifold.of(sp.csr_array((similarity + similarity.T) / 2)).averaging)

    @classmethod
    def none(cls, n_documents: int) -> Neighbours:
        """Join no documents."""
        return cls(*[sp.csr_array((n_documents, n_documents))] * 2)


@dataclass(frozen=True, eq=False)
class DocumentBlock:
    """Some documents of a fit, and how the stages so far label them."""

    documents: Documents
    confirmed: Confirmed  # those whose label is confirmed, by their rows in the block
    examples: Confirmed  # those of them that teach what seeds do
    example_weights: Array  # (n_examples,), how much each of these counts
    neighbours: Neighbours
    posterior: Array  # (n_documents, n_categories), the label distributions
    learned: Array  # (n_documents, n_categories), the last that tell several labels
    none_probability: Array  # (n_documents,), of belonging to no category
    unheard: Array | None = (
        None  # (n_confirmed, n_categories), of the confirmed ones without their own answers
    )

    @classmethod
    def of(cls, counts: sp.csr_array, answers: tuple[Confirmed, Array], n_categories: int) -> DocumentBlock:
        """Take counted documents, and the confirmed ones among them with their weights."""
        n_documents = counts.shape[0]
        even = np.broadcast_to(1.0 / n_categories, (n_documents, n_categories))
        none = np.zeros(n_documents)
        return cls(Documents(counts), answers[0], *answers, Neighbours.none(n_documents), even, even, none)

    def __len__(self) -> int:
        return len(self.documents)

    def labelled(self, posterior: Array) -> DocumentBlock:
        """Label the documents by a stage that tells several labels of each."""
        return replace(self, posterior=posterior, learned=posterior)

    def taught(self, categories: NDArray[np.bool_]) -> DocumentBlock:
        """Let only the answers of these categories teach what seeds do."""
        weights = self.example_weights[categories[self.examples.categories]]
        return replace(self, examples=self.examples.of_categories(categories), example_weights=weights)

    def soft_targets(self, labels: Array | None = None) -> SoftTargets:
        """Return the documents as classifiers that train themselves see them, with their labels or others."""
        labels = self.posterior if labels is None else labels
        return SoftTargets.of(self.documents.vectors, self.neighbours.averaging, labels, self.confirmed)


@dataclass(frozen=True, kw_only=True)
class Run(Context):
    """A fit while it runs."""

    training: TrainingSet
    confirmed: Confirmed  # the rows whose label the stages may learn from
    engine: Engine
    blocks: Blocks
    rng: np.random.RandomState
    progress: Progress
    checkpoint: Checkpoint

    def learned(self, kind: type[Stage]) -> Run:
        """Return the run after a stage has learned."""
        result = kind.learn(self)
        if result is None:
            return self
        stage, blocks = result
        return replace(self, stages=(*self.stages, *([] if stage is None else [stage])), blocks=blocks)

    def labelled(self, posterior: NDArray[np.floating[Any]]) -> Blocks:
        """Return the blocks with these labels of all documents, which are here."""
        ends = np.concatenate(([0], np.cumsum(list(self.engine.gather(len, self.blocks)))))
        parts = [posterior[first:last] for first, last in pairwise(ends.tolist())]
        return self.engine.map(DocumentBlock.labelled, self.blocks, each=parts)

    def with_neighbours(self) -> Run:
        """Find the neighbours of each document in its block, or recall them."""
        self.progress("finding neighbours", 0, 1)
        recalled = self.checkpoint.recall_parts("neighbours")
        if recalled is not None:
            blocks = self.engine.map(_with_known_graph, self.blocks, each=recalled[1])
        else:
            source = self.engine.broadcast(self.training.graph or WordGraph(0))
            blocks = self.engine.map(_with_graph, self.blocks, source, len(self.confirmed) > 0)
            parts = partial(_graphs, self.engine, blocks)
            self.checkpoint.keep_parts("neighbours", {}, parts, done=1, last=True)
        self.progress("finding neighbours", 1, 1)
        return replace(self, blocks=blocks)

    def results(self) -> Predictions:
        """Bring what the fit says of all documents here, in the order of the training set."""
        return Predictions.joined(list(self.engine.gather(results_of, self.blocks, self.none_label)))

    def contradictions(self) -> tuple[NDArray[np.intp], Array] | None:
        """Return which category contradicts each confirmed label, -1 for none, and the log-odds for it."""
        if not len(self.confirmed):
            return None
        named = contradictions(self.engine, self.engine.map(DocumentBlock.soft_targets, self.blocks))
        parts = list(self.engine.gather(_contradicted, self.blocks, self.engine.broadcast(named)))
        contradicting, log_odds = map(np.concatenate, zip(*parts, strict=True))
        return contradicting, log_odds


# Probability from which a stage gives a label beside the first; chosen on documents joined from two train
# documents of six collections and seed sets.
SEVERAL_LEVEL = 0.15


def results_of(block: DocumentBlock, none_label: str | None = None) -> Predictions:
    """Return what the fit says of the documents of a block; the categories are numbers."""
    n_classes, confirmed = block.posterior.shape[1], np.zeros(len(block), bool)
    confirmed[block.confirmed.documents] = True
    has_words = block.documents.has_words
    return Predictions.of(
        range(n_classes),
        block.posterior,
        has_words=has_words | confirmed if n_classes > 1 else has_words,
        confirmed=confirmed,
        none_label=none_label,
        none_probability=block.none_probability,
        several=several_of(block.learned, block.documents),
    )


def several_of(posterior: Array, documents: Documents) -> NDArray[np.bool_]:
    """Return the labels that reach the level of several, apart from the first."""
    return np.asarray((posterior >= SEVERAL_LEVEL) & documents.has_words[:, None])


def _contradicted(block: DocumentBlock, named: Callable[[SoftTargets], Any]) -> Any:
    return named(block.soft_targets())


def _with_graph(block: DocumentBlock, source: GraphSource, keep: bool) -> DocumentBlock:
    documents = block.documents
    encoded = documents.directions if documents.meaning is not None and documents.meaning.n_encoded else None
    similarity = source.similarity(documents.vectors, threads_here(), encoded)
    documents = documents if encoded is None or keep else documents.without_directions()
    return replace(block, documents=documents, neighbours=Neighbours.of(similarity))


def _with_known_graph(block: DocumentBlock, graph: Mapping[str, NDArray[Any]]) -> DocumentBlock:
    parts = graph["data"], graph["indices"], graph["indptr"]
    similarity = sp.csr_array(parts, shape=(len(block), len(block)))
    return replace(block, neighbours=Neighbours.of(similarity))


def _graphs(engine: Engine, blocks: Blocks) -> Iterator[dict[str, NDArray[Any]]]:
    for graph in engine.gather(attrgetter("neighbours.similarity"), blocks):
        yield {"data": graph.data, "indices": graph.indices, "indptr": graph.indptr}


class ModelOptions:
    """A frozen dataclass of the parameters of a model that decide how it learns and labels."""

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Take the settings from an estimator with parameters of the same names."""
        return cls(**{one.name: getattr(estimator, one.name) for one in fields(cls)})  # type: ignore[arg-type]

    def check(self) -> None:
        """Refuse settings out of range."""

    def sizes(self, model: Context) -> dict[str, int]:
        """Return the sizes of arrays that these settings decide, by the names in their forms."""
        return {}
