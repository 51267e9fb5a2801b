"""Time the E-step kernels beside a C function compiled for the given K and G: one line of JSON.

    python benchmarks/estep.py [--synthetic] [--repeats N] [--reference FILE]

All run in one process on the same arrays and take turns, so that a busy machine slows them alike. A call is
what EM makes: statistics of documents and of words, without the objective.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from seedtopic.base.threads import thread_limit
from seedtopic.learning.topics.kernels import KERNELS, c_kernel_is_built, get_kernel
from seedtopic.learning.topics.kernels.interface import Parameters, Scratch, Shard
from seedtopic_lab.corpora import fetch_newsgroups20
from seedtopic_lab.experiments.material import count

HERE = Path(__file__).resolve().parent
SIZES = ((20, 20), (4, 10), (52, 20))  # K, G
FLAGS = ("-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC")
Problem = tuple[Shard, Parameters, np.ndarray]


def main() -> None:
    """Measure, and print the line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--synthetic", action="store_true", help="draw counts instead of reading Newsgroup")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument(
        "--reference", type=Path, default=default_reference(), help="C source of the yardstick"
    )
    options = parser.parse_args()
    counts = synthetic_counts() if options.synthetic else newsgroup_counts()
    found = {
        "counts": "synthetic" if options.synthetic else "newsgroups20",
        "documents": counts.shape[0],
        "words": counts.shape[1],
        "nonzeros": counts.nnz,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "sizes": [measured(counts, k, g, options.reference, options.repeats) for k, g in SIZES],
    }
    print(json.dumps(found))


def default_reference() -> Path:
    """Find the yardstick: in the folder SEEDTOPIC_BENCH, beside the repository, or here."""
    folders = (os.environ.get("SEEDTOPIC_BENCH"), HERE.parents[1] / "shared" / "bench", HERE)
    candidates = [Path(folder) / "estep_reference.c" for folder in folders if folder]
    return next(path for path in candidates if path.exists())


def newsgroup_counts() -> sp.csr_array:
    """Count words as a model does that is given the texts."""
    return count(fetch_newsgroups20().texts, "newsgroups20", frozenset()).matrix


def synthetic_counts(n_documents: int = 18_846, n_words: int = 30_255, draws: int = 120) -> sp.csr_array:
    """Draw counts of the size of Newsgroup, words by Zipf's law."""
    rng = np.random.default_rng(0)
    lengths = rng.negative_binomial(1, 1 / draws, n_documents)
    frequency = 1 / (20.0 + np.arange(n_words))
    words = rng.choice(n_words, lengths.sum(), p=frequency / frequency.sum())
    documents = np.repeat(np.arange(n_documents), lengths)
    ones = np.ones(len(words), np.float32)
    return sp.csr_array(sp.coo_array((ones, (documents, words)), shape=(n_documents, n_words)))


def random_problem(counts: sp.csr_array, k: int, g: int) -> Problem:
    """Draw parameters and a relevance."""
    rng = np.random.default_rng(0)
    n_documents, n_words = counts.shape

    def distributions(*shape: int) -> np.ndarray:
        return rng.dirichlet(np.ones(shape[1]), shape[0]).astype(np.float32)

    parameters = Parameters(
        distributions(n_documents, k),
        distributions(n_documents, g),
        np.ascontiguousarray(distributions(k, n_words).T),
        np.ascontiguousarray(distributions(g, n_words).T),
    )
    return Shard.of(counts), parameters, (0.01 + 0.9 * rng.random((n_words, k))).astype(np.float32)


def measured(counts: sp.csr_array, k: int, g: int, reference: Path, repeats: int) -> dict[str, Any]:
    """Time every contestant in turn; the smallest time of each is the one least disturbed."""
    problem = random_problem(counts, k, g)
    problem[0].by_word  # noqa: B018 - made once for a whole fit
    contestants: dict[str, Callable[[], Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        yardstick = compiled_reference(reference, problem, k, g, Path(folder))
        if yardstick is not None:
            contestants["reference"] = yardstick
        for name in ("c",) if c_kernel_is_built() else ():
            for n_threads in (1, 2):
                contestants[f"{name}, {n_threads} thread{'s'[: n_threads - 1]}"] = limited(
                    name, n_threads, problem
                )
        results = {name: contestant() for name, contestant in contestants.items()}  # also warms up
        seconds = {name: [] for name in contestants}
        for _ in range(repeats):
            for name, contestant in contestants.items():
                seconds[name].append(timed(contestant))
    truth, seconds["numpy"] = (numpy := limited("numpy", 1, problem))(), [timed(numpy)]
    fastest = {name: min(times) for name, times in seconds.items()}
    return {
        "K": k,
        "G": g,
        "ms": {name: round(1e3 * value, 1) for name, value in fastest.items()},
        "times_reference": ratios(fastest, "reference"),
        "times_reference_median": ratios({n: float(np.median(t)) for n, t in seconds.items()}, "reference"),
        "speedup_of_2_threads": {
            name: round(fastest[f"{name}, 1 thread"] / fastest[f"{name}, 2 threads"], 2)
            for name in KERNELS
            if f"{name}, 1 thread" in fastest
        },
        "largest_difference": {name: difference(result, truth) for name, result in results.items()},
    }


def limited(kernel: str, n_threads: int, problem: Problem) -> Callable[[], Any]:
    """Give a call of a kernel on so many threads, with arrays to work in that last as long as a fit."""
    scratch = Scratch()

    def call() -> Any:
        scratch.forget()  # as after an M-step: all that was made from the last parameters
        with thread_limit(n_threads):
            return get_kernel(kernel)(*problem, bayes=True, scratch=scratch)[:4]

    return call


def timed(call: Callable[[], Any]) -> float:
    """Give the seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def ratios(seconds: dict[str, float], to: str) -> dict[str, float]:
    """Divide one-thread times by the yardstick's; nothing where it could not be built."""
    one_thread = {name: value for name, value in seconds.items() if "2 threads" not in name and name != to}
    return (
        {name: round(value / seconds[to], 2) for name, value in one_thread.items()} if to in seconds else {}
    )


def difference(found: Any, truth: Any) -> float:
    """Give the largest difference to the numpy kernel, relative to 1 + the statistic, which is a count."""
    pairs = zip(found, truth, strict=True)
    return float(f"{max((np.abs(a - b) / (1 + b)).max() for a, b in pairs):.1e}")


def compiled_reference(
    source: Path, problem: Problem, k: int, g: int, folder: Path
) -> Callable[[], Any] | None:
    """Build the yardstick for one K and G, and give a call of it on one thread; None without a compiler."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return None
    text = re.sub(r"(?m)^#define K \d+", f"#define K {k}", source.read_text())
    (folder / "reference.c").write_text(re.sub(r"(?m)^#define G \d+", f"#define G {g}", text))
    library = folder / f"reference_{k}_{g}.so"
    if subprocess.run([compiler, *FLAGS, "-o", library, folder / "reference.c"]).returncode:
        return None
    loaded = ctypes.CDLL(str(library))
    shard, p, relevance = problem
    n_documents, n_words = len(shard.indptr) - 1, shard.n_words
    found = [
        np.empty(shape, np.float32)
        for shape in ((n_documents, k), (n_documents, g), (n_words, k), (n_words, g))
    ]
    arrays = [
        shard.indptr.astype(np.int32), shard.indices, shard.data,
        p.doc_topic, p.doc_background, p.word_topic, p.word_background, relevance, *found,
    ]  # fmt: skip
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]

    def call() -> Any:
        # Each time: others may use the same library and set the number for both.
        getattr(loaded, "omp_set_num_threads", lambda n: None)(1)
        loaded.estep(ctypes.c_int64(n_documents), *pointers, ctypes.c_int64(n_words))
        return arrays[-4:]

    return call


if __name__ == "__main__":
    main()
