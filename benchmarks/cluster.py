"""A fit on a Dask cluster of this machine beside one in this process, as one JSON line each.

    python benchmarks/cluster.py ../shared/data/scale --documents 97007 388028 --partitions 8

writes the documents of benchmarks/scale.py as Parquet files, one for each partition, and fits them once in a
process and once on a LocalCluster of workers with one thread each. CPU seconds are those of all processes.
Peak memory is that of the client, in which LocalCluster's scheduler runs, and of the largest worker, before
any result is asked for. `labels` is a hash of all probabilities: it is the same for both.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import scale
from seedtopic import SeedTopicClassifier, SeedWarning


def write_parts(folder: Path, n_documents: int, n_partitions: int, out: Path) -> None:
    """Write the documents as one file for each partition."""
    texts = scale.documents(folder, n_documents)
    size = -(-n_documents // n_partitions)
    for number in range(n_partitions):
        pq.write_table(pa.table({"text": list(islice(texts, size))}), out / f"part-{number:03}.parquet")


def texts_of(parts: Path) -> Iterator[str]:
    """Read the files one batch at a time."""
    for path in sorted(parts.glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(1000):
            yield from batch.column(0).to_pylist()


def used() -> tuple[float, float]:
    """Give CPU seconds and peak memory of a process."""
    return time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def over_the_wire() -> float:
    """Give the gigabytes that have passed between processes of this machine, where the system tells."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/net/dev").read_text(encoding="ascii").splitlines():
            if line.strip().startswith("lo:"):
                return int(line.split()[1]) / 1e9
    return float("nan")


def fitted(documents: Any, runner: Any) -> SeedTopicClassifier:
    """Fit without warnings about seeds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        return SeedTopicClassifier(scale.SEEDS, random_state=0, runner=runner).fit(documents)


def labels_of(model: SeedTopicClassifier) -> str:
    """Give a hash of all probabilities."""
    return hashlib.sha256(np.ascontiguousarray(model.label_distributions_).tobytes()).hexdigest()[:12]


def fit_here(parts: Path) -> dict[str, Any]:
    """Fit in this process."""
    started = time.perf_counter()
    model = fitted(texts_of(parts), "local")
    seconds = time.perf_counter() - started
    cpu, peak = used()
    return {"seconds": seconds, "cpu_seconds": cpu, "client_gb": peak, "labels": labels_of(model)}


def fit_on_cluster(parts: Path, n_workers: int) -> dict[str, Any]:
    """Fit on workers with one thread each."""
    import dask.dataframe
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        _, empty = used()
        started, sent = time.perf_counter(), over_the_wire()
        model = fitted(dask.dataframe.read_parquet(str(parts), split_row_groups=False)["text"], client)
        seconds = time.perf_counter() - started
        (cpu, peak), workers = used(), list(client.run(used).values())
        return {
            "seconds": seconds,
            "cpu_seconds": cpu + sum(worker for worker, _ in workers),
            "client_cpu_seconds": cpu,
            "client_gb": peak,
            "client_gb_before": empty,
            "wire_gb": over_the_wire() - sent,
            "worker_gb": max(worker for _, worker in workers),
            "labels": labels_of(model),
        }


def main() -> None:
    """Measure, and print a line for each fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, nargs="+", default=[97_007])
    parser.add_argument("--partitions", type=int, nargs="+", default=[8])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--parts", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--where", choices=["here", "cluster"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.parts:
        here = options.where == "here"
        line = fit_here(options.parts) if here else fit_on_cluster(options.parts, options.workers)
        print(json.dumps({name: round(x, 2) if isinstance(x, float) else x for name, x in line.items()}))
        return
    for n_documents in options.documents:
        for number, n_partitions in enumerate(options.partitions):
            with tempfile.TemporaryDirectory() as parts:
                write_parts(options.folder, n_documents, n_partitions, Path(parts))
                for where in (
                    ["here", "cluster"] if number == 0 else ["cluster"]
                ):  # one process knows no partitions
                    arguments = ["--parts", parts, "--where", where, "--workers", str(options.workers)]
                    run = [sys.executable, __file__, str(options.folder), *arguments]
                    found = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
                    about = {"where": where, "documents": n_documents, "partitions": n_partitions}
                    print(json.dumps(about | found | {"load": round(os.getloadavg()[0], 1)}), flush=True)


if __name__ == "__main__":
    main()
