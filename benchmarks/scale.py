"""From files to labels: seconds, CPU seconds and peak memory by the number of documents, as one JSON line.

    python benchmarks/scale.py ../shared/data/scale --documents 50000

reads so many documents from the .jsonl.gz files of a folder as a stream, fits SeedTopicClassifier with ten
categories, and reports each stage. Beyond the documents that the folder has, `--documents 1000000` say, new
ones are made of halves of two documents of one source, with new words in them, so that the vocabulary goes
on growing as it does in real text. One process a measurement: peak memory is that of the process.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from seedtopic import SeedTopicClassifier, SeedWarning
from seedtopic.text.tokens import stop_word_set, words

SEEDS = {
    "films": ["movie", "film", "actor", "director"],
    "books": ["book", "novel", "author", "reading"],
    "business": ["market", "stocks", "company", "bank"],
    "technology": ["apple", "google", "phone", "internet"],
    "health": ["patients", "disease", "cancer", "clinical"],
    "physics": ["quantum", "particle", "magnetic", "energy"],
    "mathematics": ["theorem", "algebra", "manifold", "prove"],
    "computing": ["algorithm", "network", "learning", "software"],
    "packages": ["library", "package", "module", "python"],
    "astronomy": ["galaxy", "stars", "telescope", "solar"],
}
NEW_WORDS = 0.02  # share of the words of a made document that are new or rare


def read(folder: Path) -> Iterator[tuple[str, str]]:
    """Give source and text of every document in the files of a folder."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield row.get("source", ""), row["text"]


def documents(folder: Path, n_documents: int) -> Iterator[str]:
    """Give the documents of a folder, and made ones where there are not enough."""
    given = 0
    for _, text in islice(read(folder), n_documents):
        given += 1
        yield text
    if given < n_documents:
        yield from made(folder, n_documents - given)


def made(folder: Path, n_documents: int) -> Iterator[str]:
    """Join halves of documents of one source; now and then a word that is new or was new before."""
    by_source: dict[str, list[str]] = defaultdict(list)
    for source, text in read(folder):
        by_source[source].append(text)
    draw = random.Random(0)
    sources, sizes = list(by_source), [len(texts) for texts in by_source.values()]
    for number, source in enumerate(draw.choices(sources, sizes, k=n_documents)):
        first, second = (draw.choice(by_source[source]).split() for _ in range(2))
        words = first[: len(first) // 2] + second[len(second) // 2 :]
        for position, word in enumerate(words):
            if draw.random() < NEW_WORDS:
                words[position] = f"{word}{draw.randrange(10 + number // 20)}"
        yield " ".join(words)


def shortened(texts: Iterator[str], n_words: int | None) -> Iterator[str]:
    """Give the first words of each document, or all of them: of short ones, more fit into memory."""
    return texts if n_words is None else (" ".join(text.split(None, n_words)[:n_words]) for text in texts)


def seeds(folder: Path, n_categories: int) -> dict[str, list[str]]:
    """Give the categories above, and further ones of four frequent words each."""
    if n_categories <= len(SEEDS):
        return dict(islice(SEEDS.items(), n_categories))
    given = {word for words in SEEDS.values() for word in words} | set(stop_word_set("english"))
    found = Counter(word for text in documents(folder, 5_000) for word in set(words(text)))
    frequent = [word for word, _ in found.most_common() if word not in given][100:]
    further = range(n_categories - len(SEEDS))
    return SEEDS | {f"category {n}": frequent[n :: len(further)][:4] for n in further}


def main() -> None:
    """Measure, and print the line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--first-words", type=int, default=None, help="of each document")
    parser.add_argument("--categories", type=int, default=len(SEEDS))
    parser.add_argument("--background", type=int, default=40)
    parser.add_argument("--threads", type=int, default=None)
    options = parser.parse_args()
    stages: dict[str, float] = {}
    cpu_stages: dict[str, float] = {}
    last = [time.perf_counter(), time.process_time()]

    def progress(stage: str, done: int, total: int) -> None:
        now = [time.perf_counter(), time.process_time()]
        stages[stage] = stages.get(stage, 0.0) + now[0] - last[0]
        cpu_stages[stage] = cpu_stages.get(stage, 0.0) + now[1] - last[1]
        last[:] = now

    model = SeedTopicClassifier(
        seeds(options.folder, options.categories),
        n_background=options.background,
        n_threads=options.threads,
        random_state=0,
    )
    started, cpu = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        texts = documents(options.folder, options.documents)
        model.fit(shortened(texts, options.first_words), progress=progress)
    line = {
        "documents": options.documents,
        "first_words": options.first_words,
        "words": len(model.vocabulary_),
        "categories": options.categories,
        "background": options.background,
        "threads": options.threads,
        "seconds": round(time.perf_counter() - started, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "load": round(os.getloadavg()[0], 1),
        "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "stages": {stage: round(seconds, 1) for stage, seconds in stages.items()},
        "cpu_stages": {stage: round(seconds, 1) for stage, seconds in cpu_stages.items()},
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
