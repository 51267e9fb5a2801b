"""How many of the nearest documents the approximate graph finds, and how long both graphs take.

    SEEDTOPIC_DATA=FOLDER python benchmarks/graph.py newsgroups20 --exact
    SEEDTOPIC_DATA=FOLDER python benchmarks/graph.py 100000

A number takes so many documents from FOLDER/scale/*.jsonl.gz, a document a line in the field "text".
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import typer

from seedtopic.base.threads import resolve_threads
from seedtopic.learning.graph.approximate import approximate_neighbors
from seedtopic.learning.graph.neighbours import similarity_graph
from seedtopic.learning.signals.words import sublinear, unit_rows, word_rarity
from seedtopic.text.counts import count_words
from seedtopic.text.tokens import stop_word_set, tokenize
from seedtopic_lab.corpora import fetch_corpus

N_NEIGHBORS = 10
N_QUERIES = 2000  # documents for which the true neighbours are computed


def main(corpus: str, exact: bool = False, threads: int | None = None) -> None:
    """Print one line of JSON; with --exact, time the exact graph of the whole corpus too."""
    n_threads = resolve_threads(threads)
    texts = scale_texts(int(corpus)) if corpus.isdigit() else fetch_corpus(corpus).texts
    counts = count_words(tokenize(texts), stop_words=stop_word_set("english")).matrix
    vectors = unit_rows(sublinear(counts, word_rarity(counts)))
    approximate_neighbors(vectors[:10], N_NEIGHBORS, n_threads)  # compiles
    found, seconds, cpu_seconds = timed(
        lambda: similarity_graph(vectors, N_NEIGHBORS, n_threads, "approximate")
    )
    line: dict[str, Any] = {
        "corpus": corpus,
        "documents": vectors.shape[0],
        "threads": n_threads,
        "recall": round(recall(vectors, found), 4),
        "approximate_seconds": seconds,
        "approximate_cpu_seconds": cpu_seconds,
    }
    if exact:
        _, seconds, cpu_seconds = timed(lambda: similarity_graph(vectors, N_NEIGHBORS, n_threads, "exact"))
        line |= {"exact_seconds": seconds, "exact_cpu_seconds": cpu_seconds}
    # Of the whole process, reading the texts included; kilobytes on Linux.
    line["peak_gb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2)
    typer.echo(json.dumps(line))


def scale_texts(n_documents: int) -> Iterator[str]:
    """Read the first documents of the scale data."""
    files = sorted(Path(os.environ["SEEDTOPIC_DATA"], "scale").glob("*.jsonl.gz"))
    return islice((text for file in files for text in _texts(file)), n_documents)


def recall(vectors: sp.csr_array, found: sp.csr_array) -> float:
    """Give the share of the true nearest that were found, over a sample of the documents.

    Of documents equally near, any is right: a neighbour counts when it is as near as the last true one.
    """
    n_documents = vectors.shape[0]
    queries = np.random.default_rng(0).choice(n_documents, min(N_QUERIES, n_documents), replace=False)
    by_word = vectors.T.tocsr()
    shares = []
    for query in queries:
        cosines = (vectors[[query]] @ by_word).toarray()[0]
        cosines[query] = 0.0
        nearest = np.sort(cosines[cosines > 0])[::-1][:N_NEIGHBORS]
        if len(nearest):
            near = found.data[found.indptr[query] : found.indptr[query + 1]]
            shares.append(np.sum(near >= nearest[-1] - 1e-5) / len(nearest))
    return float(np.mean(shares))


def timed(work: Callable[[], sp.csr_array]) -> tuple[sp.csr_array, float, float]:
    """Do the work; give its result, seconds by the clock and seconds of all cores."""
    start, cpu_start = time.perf_counter(), time.process_time()
    result = work()
    return result, round(time.perf_counter() - start, 1), round(time.process_time() - cpu_start, 1)


def _texts(file: Path) -> Iterator[str]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"]


if __name__ == "__main__":
    typer.run(main)
