"""Newsgroup from raw text to labels with this package and with others, in one run: a JSON line each.

    SEEDTOPIC_DATA=folder python benchmarks/peers.py [--only NAME ...]

needs `pip install './lab[peers,westclass]'` for the packages compared with. All are given the same texts,
and all but the support vector machine the same seeds (S^D) and the same counts, whose making is part of
their time. Settings are the packages' own defaults but for the number of topics, one a category and as many
beside them where a package has seeds, one a category where it has none. The linear support vector machine
is SUPERVISED: it learns from the labels of the train part. Scores are those of the test part, peak memory
that of a process of its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import LatentDirichletAllocation

from seedtopic import SeedTopicClassifier
from seedtopic.base.threads import resolve_threads
from seedtopic.quality.scores import evaluate
from seedtopic.seeds import Seeds
from seedtopic.text.counts import Counts
from seedtopic_lab.corpora import Dataset, fetch_corpus, published_seeds
from seedtopic_lab.experiments.material import count
from seedtopic_lab.experiments.peers.corex import AnchoredCorEx
from seedtopic_lab.experiments.peers.lda import SeededLDA
from seedtopic_lab.svm import linear_svm_pipeline

CORPUS = "newsgroups20"
Labels = list[str]


def default_model(corpus: Dataset, seeds: Seeds) -> Labels:
    """Label with the default model of this package."""
    return SeedTopicClassifier(seeds, random_state=0).fit(corpus.texts).transduction_.tolist()


def anchored_corex(corpus: Dataset, seeds: Seeds) -> Labels:
    """Label with corextopic."""
    counts = counted(corpus, seeds)
    return AnchoredCorEx(seeds, counts.vocabulary, random_state=0).fit(counts.matrix).transduction_.tolist()


def tomotopy_lda(corpus: Dataset, seeds: Seeds) -> Labels:
    """Label with the LDA of tomotopy, whose word priors know the seeds, after 200 rounds of sampling."""
    counts = counted(corpus, seeds)
    return SeededLDA(seeds, counts.vocabulary, random_state=0).fit(counts.matrix).transduction_.tolist()


def gensim_lda(corpus: Dataset, seeds: Seeds) -> Labels:
    """Label with the LDA of gensim, whose word priors know the seeds."""
    from gensim.models import LdaMulticore

    counts = counted(corpus, seeds)
    membership = seeds.bind(counts.vocabulary).membership.toarray()
    n_categories = len(seeds.names)
    prior = np.full((2 * n_categories, len(counts.vocabulary)), 0.01)
    prior[:n_categories] += 10.0 * membership
    rows = [
        list(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        for row in (counts.matrix[[number]] for number in range(counts.matrix.shape[0]))
    ]
    model = LdaMulticore(
        rows, num_topics=2 * n_categories, eta=prior, random_state=0, workers=resolve_threads(None),
        id2word=dict(enumerate(counts.vocabulary)),
    )  # fmt: skip
    share = np.zeros((len(rows), 2 * n_categories))
    for number, row in enumerate(rows):
        for topic, value in model.get_document_topics(row, minimum_probability=0.0):
            share[number, topic] = value
    return np.array(seeds.names)[share[:, :n_categories].argmax(axis=1)].tolist()


def sklearn_lda(corpus: Dataset, seeds: Seeds) -> Labels:
    """Label with the LDA of scikit-learn; a topic is given to the category whose seeds it prefers."""
    counts = counted(corpus, seeds)
    model = LatentDirichletAllocation(len(seeds.names), n_jobs=resolve_threads(None), random_state=0)
    share = model.fit_transform(counts.matrix)
    words = model.components_ / model.components_.sum(axis=1, keepdims=True)
    relative = words / words.sum(axis=0)
    category_of_topic = (seeds.bind(counts.vocabulary).membership @ relative.T).argmax(axis=0)
    return np.array(seeds.names)[category_of_topic[share.argmax(axis=1)]].tolist()


def linear_svm(corpus: Dataset, seeds: Seeds) -> Labels:
    """Label with a support vector machine that has learned from the labels of the train part."""
    train = [number for number, part in enumerate(corpus.split) if part == "train"]
    pipeline = linear_svm_pipeline(min_df=5)
    pipeline.fit([corpus.texts[number] for number in train], [corpus.labels[number] for number in train])
    return pipeline.predict(corpus.texts).tolist()


PEERS: dict[str, Callable[[Dataset, Seeds], Labels]] = {
    "seedtopic": default_model,
    "linear SVM (supervised)": linear_svm,
    "tomotopy": tomotopy_lda,
    "anchored CorEx": anchored_corex,
    "gensim LDA": gensim_lda,
    "scikit-learn LDA": sklearn_lda,
}


def counted(corpus: Dataset, seeds: Seeds) -> Counts:
    """Count words as the default model does."""
    counts = count(corpus.texts, CORPUS, frozenset(seeds.words))
    return Counts(sp.csr_array(counts.matrix), counts.vocabulary)


def measure(name: str) -> None:
    """Time one of them in this process, and print its line."""
    warnings.simplefilter("ignore")
    corpus, seeds = fetch_corpus(CORPUS), Seeds.of(published_seeds(CORPUS, "SD"))
    if name == "seedtopic":  # what was compiled at an earlier call is only loaded
        SeedTopicClassifier(seeds, random_state=0).fit(corpus.texts[:500])
    started = time.perf_counter()
    labels = PEERS[name](corpus, seeds)
    seconds = time.perf_counter() - started
    test = [number for number, part in enumerate(corpus.split) if part == "test"]
    scores = evaluate(
        [corpus.labels[number] for number in test], [labels[number] for number in test], corpus.categories
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    line = {
        "name": name, "seconds": round(seconds, 1), "micro_f1": round(scores.micro_f1, 3),
        "macro_f1": round(scores.macro_f1, 3), "peak_gb": round(peak, 2),
    }  # fmt: skip
    print(json.dumps(line), flush=True)


def main() -> None:
    """Measure all, each in a process of its own, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--here", choices=list(PEERS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        measure(options.here)
        return
    for name in options.only:
        subprocess.run([sys.executable, __file__, "--here", name], check=True)


if __name__ == "__main__":
    main()
