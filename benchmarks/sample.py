"""What it costs to fit a sample and to predict the rest, as one JSON line for each size.

    SEEDTOPIC_DATA=folder python benchmarks/sample.py newsgroups20 --sizes 2500 5000 10000

Accuracy is that of all documents, those of the sample by the fit and the others by `predict`.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings

import numpy as np

from seedtopic import SeedTopicClassifier, SeedWarning
from seedtopic_lab.corpora import fetch_corpus, published_seeds


def main() -> None:
    """Measure, and print the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--seeds", default="SL")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_500, 5_000, 10_000])
    options = parser.parse_args()
    warnings.simplefilter("ignore", SeedWarning)
    corpus, seeds = fetch_corpus(options.corpus), published_seeds(options.corpus, options.seeds)
    texts, gold = np.array(corpus.texts, object), np.array([str(label) for label in corpus.labels])
    order = np.random.default_rng(0).permutation(len(texts))
    for size in [*options.sizes, len(texts)]:
        sample, rest = order[:size], order[size:]
        cpu = time.process_time()
        model = SeedTopicClassifier(seeds, random_state=0).fit(texts[sample])
        labels = np.empty(len(texts), object)
        labels[sample] = model.transduction_
        if len(rest):
            labels[rest] = model.predict(texts[rest])
        line = {
            "corpus": options.corpus,
            "fitted": size,
            "accuracy": round(float(np.mean(labels.astype(str) == gold)), 3),
            "cpu_seconds": round(time.process_time() - cpu, 1),
            "load": round(os.getloadavg()[0], 1),
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
