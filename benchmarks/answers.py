"""What answers cost: 100,000 of them read and matched to documents, and one more added, as one JSON line.

    SEEDTOPIC_DATA=folder python benchmarks/answers.py --documents 388028 --answers 100000

The documents are those of FOLDER/scale/*.jsonl.gz. The time of one answer is that on the clock, the disk
included; the first one is added to a ledger that has just been read. Beside it is the time of a write alone,
of as many bytes as an answer has on average, and synced as well.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from pathlib import Path

from graph import scale_texts
from seedtopic.answers.ledger import Answer, Answers
from seedtopic.seeds.names import Names

CATEGORIES = ["sports", "money", "weather"]
N_ADDED = 50


def main() -> None:
    """Measure, and print the line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--documents", type=int, default=388_028)
    parser.add_argument("--answers", type=int, default=100_000)
    options = parser.parse_args()
    texts = list(scale_texts(options.documents))
    chosen = random.Random(0).sample(range(len(texts)), options.answers)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "docs.answers.csv")
        begin = time.process_time()
        Answers.read(path).add(Answer(texts[row], answer=CATEGORIES[row % 3], by="anna") for row in chosen)
        added = time.process_time()
        ledger = Answers.read(path)
        read = time.process_time()
        outcome = ledger.matching(texts, names=Names.listed(CATEGORIES))
        matched = time.process_time()
        size = path.stat().st_size
        times = []
        for number in range(N_ADDED):
            one = Answer(f"one more {number}", answer="sports", by="ben")
            start = time.perf_counter()
            ledger.add([one])
            times.append(time.perf_counter() - start)
        alone = [written(Path(folder, "alone"), size // options.answers) for _ in range(N_ADDED)]
    line = {
        "documents": len(texts),
        "answers": len(ledger) - N_ADDED,
        "used": len(outcome.used),
        "megabytes": round(size / 1e6, 1),
        "cpu_seconds_all_added": round(added - begin, 2),
        "cpu_seconds_read": round(read - added, 2),
        "cpu_seconds_matched": round(matched - read, 2),
        "milliseconds_one_added_first": round(1e3 * times[0], 1),
        "milliseconds_one_added_median": round(1e3 * sorted(times)[N_ADDED // 2], 1),
        "milliseconds_one_added_most": round(1e3 * max(times), 1),
        "milliseconds_write_alone_median": round(1e3 * sorted(alone)[N_ADDED // 2], 1),
        "load": round(os.getloadavg()[0], 1),
    }
    print(json.dumps(line))


def written(path: Path, n_bytes: int) -> float:
    """Return how long it takes to add bytes to a file and to sync it."""
    start = time.perf_counter()
    with path.open("ab") as file:
        file.write(b"x" * n_bytes)
        file.flush()
        os.fsync(file.fileno())
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
