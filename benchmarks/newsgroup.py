"""Newsgroup from raw text to labels, beside scikit-learn's CountVectorizer, as one JSON line.

    SEEDTOPIC_DATA=folder python benchmarks/newsgroup.py

The two are run in turn, after a first fit that compiles what there is to compile; the smallest times count.
`predict` is timed on counts, without the reading of words, on one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer

from seedtopic import SeedTopicClassifier, SeedWarning
from seedtopic_lab.corpora import fetch_corpus, published_seeds


def seconds(work: Callable[[], Any]) -> float:
    """Time one call."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    """Measure, and print the line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore", SeedWarning)
    texts = fetch_corpus("newsgroups20").texts
    model = SeedTopicClassifier(published_seeds("newsgroups20", "SD"), random_state=0)
    first = seconds(lambda: model.fit(texts[:500]))
    count, fit, cpu_of_fit = [], [], []
    for _ in range(repeats):
        count.append(seconds(lambda: CountVectorizer().fit_transform(texts)))
        cpu = time.process_time()
        fit.append(seconds(lambda: model.fit(texts)))
        cpu_of_fit.append(time.process_time() - cpu)
    counts = CountVectorizer(vocabulary=model.vocabulary_).fit_transform(texts)
    model.set_params(n_threads=1)
    predict = min(seconds(lambda: model.predict(counts)) for _ in range(repeats))
    line = {
        "first_fit_s": round(first, 2),
        "count_vectorizer_s": round(min(count), 2),
        "fit_s": round(min(fit), 2),
        "fit_cpu_s": round(min(cpu_of_fit), 2),
        "load": round(os.getloadavg()[0], 1),
        "fit_times_count_vectorizer": round(min(fit) / min(count), 2),
        "predicted_per_s": round(len(texts) / predict),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
