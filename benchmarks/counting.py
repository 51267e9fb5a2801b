"""From files to counts: reading, counting and both, as one JSON line with CPU seconds, wall time and load.

    python benchmarks/counting.py ../shared/data/scale --documents 100000

reads so many documents from the .jsonl.gz files of a folder and counts their words; then it counts the known
words of the same documents, as `predict` does, all at once and one by one. CPU seconds are those of this
process and of the processes that it has started. With PYTHONPATH at the sources of another version it
measures that one.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from scale import read
from seedtopic.text.counts import Counts, KnownWords, count_known, count_words
from seedtopic.text.tokens import stop_word_set, tokenize

ONE_BY_ONE = 2000


def cpu() -> float:
    """Give the CPU seconds of this process and its children."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def measured(line: dict[str, Any], name: str, work: Callable[[], Any]) -> Any:
    """Do some work, and note how long it took."""
    cpu_before, before = cpu(), time.perf_counter()
    result = work()
    line[f"{name}_s"] = round(time.perf_counter() - before, 2)
    line[f"{name}_cpu_s"] = round(cpu() - cpu_before, 2)
    return result


def main() -> None:
    """Measure, and print the line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    stop, threads = stop_word_set("english"), options.threads

    def texts() -> Iterator[str]:
        return (text for _, text in islice(read(options.folder), options.documents))

    def count(texts: Iterable[str]) -> Counts:
        return count_words(tokenize(texts), stop_words=stop, n_workers=threads)

    def count_again(texts: Iterable[str]) -> Counts:
        return count_known(tokenize(texts), known, stop_words=stop, n_workers=threads)

    line: dict[str, Any] = {"documents": options.documents, "threads": threads}
    measured(line, "files_to_counts", lambda: count(texts()))
    listed = measured(line, "read", lambda: list(texts()))
    counts = measured(line, "count", lambda: count(listed))
    known = KnownWords(counts.vocabulary)
    count_again(listed[:1])  # which prepares the words
    measured(line, "known", lambda: count_again(listed))
    few = listed[:: max(1, len(listed) // ONE_BY_ONE)]
    measured(line, "one_by_one", lambda: [count_again([text]) for text in few])
    line["one_by_one_us"] = round(line.pop("one_by_one_cpu_s") / len(few) * 1e6)
    line.pop("one_by_one_s")
    line["words"], line["entries"] = len(counts.vocabulary), counts.matrix.nnz
    line["load"] = round(os.getloadavg()[0], 1)
    print(json.dumps(line))


if __name__ == "__main__":
    main()
