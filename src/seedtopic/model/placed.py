"""A fit whose documents stay on a cluster: where it can be, and what is brought here of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checkpoint import fingerprint
from seedtopic.base.engine import Blocks, Engine
from seedtopic.cluster.counts import ClusterCounts, Rows, count_on_workers
from seedtopic.cluster.engine import DaskBlocks, DaskEngine
from seedtopic.io.frames import is_dask
from seedtopic.io.predictions import Predictions
from seedtopic.learning.graph.blocks import Cells, as_vectors, blocks_in, is_sampled
from seedtopic.model.fitted import fitted_predictions
from seedtopic.model.run import Run
from seedtopic.model.training import TrainingSet
from seedtopic.seeds import Seeds
from seedtopic.text.counts import MinDf, n_blocks_for
from seedtopic.text.tokens import StopWords, Tokenizer, find_phrases, stop_word_set


def blocks_on_workers(counts: ClusterCounts) -> DaskBlocks:
    """Return counted documents to their blocks, each a `Rows`: the blocks of `block_order`, in its order.

    A sample of bounded size comes here; nothing else of the documents does.
    """
    totals = counts.totals
    n_blocks = n_blocks_for(totals.n_documents)
    if n_blocks == 1:
        return counts.blocks(1, lambda rows: np.zeros(rows.shape[0], np.intp))
    sample = counts.sample(is_sampled, totals.n_documents)
    return counts.blocks(n_blocks, blocks_in, Cells.of(as_vectors(sample.counts, totals), n_blocks), totals)


def stays_on_cluster(X: Any, y: object, runner: Any, graph: Any, on_its_own: bool, seeds: Seeds) -> bool:
    """Return whether documents can be learned from where they are.

    They can be as parts of a Dask collection, unless something that is here belongs to single documents:
    confirmed labels, a graph, vectors of documents or an encoder, rules or examples.
    """
    local = isinstance(runner, str) and runner == "local"
    of_documents = y is not None or sp.issparse(graph) or on_its_own
    return is_dask(X) and not (local or of_documents or seeds.all_rules or seeds.examples)


def training_set_on_cluster(
    engine: DaskEngine,
    documents: Any,
    seeds: Seeds,
    tokenizer: Tokenizer | None,
    min_df: MinDf,
    stop_words: StopWords,
) -> TrainingSet:
    """Count the words of documents where they are, and put them into blocks there."""
    counts = count_on_workers(
        engine,
        documents.to_delayed(),
        phrases=find_phrases(seeds.counted_words, tokenizer),
        tokenizer=tokenizer,
        min_df=min_df,
        stop_words=stop_word_set(stop_words),
        keep=seeds.counted_words,
    )
    placed = PlacedDocuments(engine, blocks_on_workers(counts))
    return TrainingSet.elsewhere(placed, counts.totals, counts.vocabulary, seeds)


@dataclass(frozen=True, eq=False)
class PlacedDocuments:
    """Documents in blocks of `Rows` on the workers of a cluster."""

    engine: Engine
    blocks: Blocks

    def counts(self) -> Blocks:
        """Return blocks of counts."""
        return self.engine.map(attrgetter("counts"), self.blocks)

    def __len__(self) -> int:
        return len(self.blocks)

    def data(self) -> Iterator[NDArray[Any]]:
        """Yield what stands for the content of each block."""
        for digest in self.engine.gather(_digest, self.blocks):
            yield np.frombuffer(digest.encode(), np.uint8)

    def positions(self) -> NDArray[np.int64]:
        """Return the position of each document of the blocks among those that were given."""
        return np.concatenate(list(self.engine.gather(attrgetter("positions"), self.blocks)))


@dataclass(frozen=True, eq=False)
class Placed:
    """What a fit says of documents that stay on a cluster."""

    run: Run  # the stages, and the blocks as they label them

    @cached_property
    def brought(self) -> Predictions:
        """What it says, in the order of the documents that were given, brought here when first asked."""
        assert self.run.training.placed is not None
        return fitted_predictions(self.run)[np.argsort(self.run.training.placed.positions())]


def _digest(rows: Rows) -> str:
    return fingerprint(None, [rows.counts.data, rows.counts.indices, rows.counts.indptr])
