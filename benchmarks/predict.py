"""Labelling files with a fitted model: seconds, CPU seconds and memory, as one JSON line.

    python benchmarks/predict.py ../shared/data/scale --documents 97007

fits SeedTopicClassifier to some documents of the .jsonl.gz files of a folder, writes so many documents to
.jsonl files in a temporary folder, and measures `seedtopic predict` on them, beside the CPU seconds that
reading the rows and counting their words take alone. `--against FOLDER`, the src folder of another version,
measures that version in turn on the same files, whose output must be the same.

CPU seconds are those of all processes. Memory is that of the largest process, and of all together with what
they share counted once, looked at five times a second.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import seedtopic
from scale import SEEDS, documents, read
from seedtopic import SeedTopicClassifier, SeedWarning
from seedtopic.text.tally import tally, tally_texts
from seedtopic.text.tokens import word_counts

COMMAND = "import sys; from seedtopic.cli import main; sys.argv[0] = 'seedtopic'; main()"
# The tokenizer's definition in Python, and the same in C where that was built.
READING: dict[str, Callable[[list[str]], Any]] = {
    "reading_alone": lambda texts: tally(texts, word_counts),
    "reading_alone_in_c": tally_texts,
}
LOOK = 0.2  # seconds between two looks at the memory
AT_ONCE = 2_000  # documents that are counted together


def write_model(folder: Path, n_documents: int, model: Path) -> None:
    """Fit a model to documents drawn from all files."""
    texts = [text for _, text in read(folder)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        drawn = random.Random(0).sample(texts, n_documents)
        SeedTopicClassifier(SEEDS, random_state=0).fit(drawn).save(model)


def write_files(folder: Path, n_documents: int, n_files: int, place: Path) -> None:
    """Write documents to files of the same number of lines."""
    place.mkdir()
    texts = documents(folder, n_documents)
    each = -(-n_documents // n_files)
    for number in range(n_files):
        with (place / f"{number:04}.jsonl").open("w", encoding="utf-8") as file:
            for row, text in enumerate(islice(texts, each)):
                file.write(json.dumps({"id": number * each + row, "text": text}, ensure_ascii=False) + "\n")


def reading_alone(place: Path, count: Callable[[list[str]], Any]) -> float:
    """Give the CPU seconds of reading rows and counting their words, in one process."""
    started = time.process_time()
    for path in sorted(place.iterdir()):
        with path.open("rb") as lines:
            texts = (json.loads(line)["text"] for line in lines)
            while part := list(islice(texts, AT_ONCE)):
                count(part)
    return time.process_time() - started


def measured(source: Path, arguments: list[str]) -> dict[str, Any]:
    """Run the command line of a version, and measure it."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", COMMAND, *arguments], env=environment)
    largest = together = 0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        seen = [_memory(of) for of in _family(process.pid)]
        largest = max([largest, *(resident for resident, _ in seen)])
        together = max(together, sum(shared for _, shared in seen))
        time.sleep(LOOK)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"seedtopic predict ended with {process.returncode}")
    return {
        "seconds": round(time.perf_counter() - started, 1),
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 1),
        "largest_gb": round(largest / 2**20, 3),
        "together_gb": round(together / 2**20, 3),
    }


def _family(pid: int) -> list[int]:
    """List a process and those that it has started."""
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return []
    return [pid, *(below for child in found for below in _family(int(child)))]


def _memory(pid: int) -> tuple[int, int]:
    """Give the kilobytes of a process: all, and its share of what is shared."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").split("\n")
    except OSError:
        return 0, 0
    sizes = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.endswith("kB")}
    return sizes.get("Rss", 0), sizes.get("Pss", 0)


def main() -> None:
    """Measure, and print the line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=97_007)
    parser.add_argument("--fitted", type=int, default=50_000, help="documents of the fit")
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--against", type=Path, default=None)
    options = parser.parse_args()
    own = Path(seedtopic.__file__).parents[1]
    with tempfile.TemporaryDirectory() as scratch:
        model, place, outputs = Path(scratch, "model"), Path(scratch, "in"), []
        write_model(options.folder, options.fitted, model)
        write_files(options.folder, options.documents, options.files, place)
        line: dict[str, Any] = {"documents": options.documents, "load": round(os.getloadavg()[0], 1)}
        for name, source in {"predict": own, "against": options.against}.items():
            if source is None:
                continue
            outputs.append(Path(scratch, f"{name}.jsonl"))
            arguments = ["predict", str(model), f"{place}/*.jsonl", "-o", str(outputs[-1]), "--quiet"]
            if options.workers and source == own:
                arguments += ["--workers", str(options.workers)]
            line[name] = measured(source, arguments)
        for how, count in READING.items():
            alone = reading_alone(place, count)
            line[how] = {"cpu_s": round(alone, 1), "times": round(line["predict"]["cpu_s"] / alone, 2)}
        if options.against is not None:
            line["times_as_fast"] = round(line["against"]["seconds"] / line["predict"]["seconds"], 2)
            line["same_output"] = outputs[0].read_bytes() == outputs[1].read_bytes()
    print(json.dumps(line))


if __name__ == "__main__":
    main()
