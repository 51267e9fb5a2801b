"""Measures for documents that belong to no category, and for documents that belong to several."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics import f1_score

from seedtopic.base.errors import InputError, SeedWarning
from seedtopic.model import SeedTopicClassifier
from seedtopic.seeds import Seeds
from seedtopic.text.counts import Counts, count_known
from seedtopic.text.tokens import tokenize, words
from seedtopic_lab.corpora import fetch_reuters10
from seedtopic_lab.experiments import systems
from seedtopic_lab.experiments.material import Material, Unavailable
from seedtopic_lab.experiments.plan import Task
from seedtopic_lab.experiments.small import draw

Indicators = NDArray[np.bool_]

OTHER = "none of these"
# Of so many categories, the last is left out, 0 for none; how many train documents; whether to use real
# stories with several topics.
EVERY, DOCUMENTS = "every", "documents"
OF_DOCUMENTS = (EVERY, DOCUMENTS, "several_topics")
OF_NONE = (
    "outside",
    "lowest",
    "highest",
    "called",
    "precision",
    "recall",
    "right",
    "plain_right",
    "new_right",
    "new_plain_right",
)


def complete_settings(model: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Complete the settings of a model; those about the documents stay as they are."""
    own = {name: value for name, value in parameters.items() if name in OF_DOCUMENTS}
    settings = {name: value for name, value in parameters.items() if name not in OF_DOCUMENTS}
    return {**systems.settings(model, settings), **own}


def none_of_these(
    task: Task, parameters: Mapping[str, Any], material: Material, n_threads: int | None
) -> dict[str, Any]:
    """Leave out every second, third or no category, fit to train documents drawn by the run, and score these.

    Of the test part, which the model has not seen, the share of right decisions is given, too.
    """
    settings = dict(parameters)
    every, n_documents = settings.pop(EVERY), settings.pop(DOCUMENTS)
    dataset, seeds = material.dataset(task.setting.corpus), material.seeds(task.setting)
    left = {
        name: words
        for place, (name, words) in enumerate(seeds.categories.items())
        if not every or (place + 1) % every
    }
    model: SeedTopicClassifier = systems.build(
        task.system.model,
        **settings,
        seeds=Seeds(left),
        random_state=task.run,
        n_threads=n_threads,
        none_label=OTHER,
    )
    names = [str(name) for name in left]
    truth = np.array([label if label in names else OTHER for label in dataset.labels], dtype=object)
    train, test = (material.part(dataset.name, part) for part in ("train", "test"))
    train = train[draw(task.run, len(train), n_documents)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        model.fit([dataset.texts[row] for row in train])
    new = model.predict_all([dataset.texts[row] for row in test])
    called, true = model.transduction_ == OTHER, truth[train] == OTHER
    plain = model.classes_[model.label_distributions_.argmax(axis=1)]
    of_new = model.classes_[new.probabilities.argmax(axis=1)]
    lowest, highest = model.none_share_.tolist()
    return {
        "outside": float(true.mean()),
        "lowest": lowest,
        "highest": highest,
        "called": float(called.mean()),
        "precision": float(true[called].mean()) if called.any() else math.nan,
        "recall": float(called[true].mean()) if true.any() else math.nan,
        "right": float((model.transduction_ == truth[train]).mean()),
        "plain_right": float((plain == truth[train]).mean()),
        "new_right": float((new.labels == truth[test]).mean()),
        "new_plain_right": float((of_new == truth[test]).mean()),
    }


def several(
    task: Task, parameters: Mapping[str, Any], material: Material, n_threads: int | None
) -> dict[str, Any]:
    """Score all labels of test documents, some of which have several.

    Those are pairs of documents of different categories joined into one, as many as there are others; or the
    stories of Reuters with several topics, if the plan says `several_topics`.
    """
    settings = dict(parameters)
    of_several = _stories if settings.pop("several_topics", False) else _joined
    dataset, counts = material.dataset(task.setting.corpus), material.counts(task.setting)
    model = _fitted(task, settings, material.seeds(task.setting), material, n_threads)
    names = [str(name) for name in model.classes_]
    true = np.array([[name == label for name in names] for label in dataset.labels])
    test = material.part(dataset.name, "test")
    rng = np.random.RandomState(task.run)
    together, labels = of_several(counts, true, test, names, rng)
    alone = rng.permutation(test)[: len(labels)] if of_several is _joined else test
    documents = sp.csr_array(sp.vstack([counts.matrix[alone], together]))
    truth = np.vstack([true[alone], labels])
    first = np.arange(len(names)) == model.predict_proba(documents).argmax(axis=1)[:, None]
    scores: dict[str, Any] = {}
    for prefix, answer in (("", model.predict(documents, multi_label=True)), ("single_", first)):
        right = (truth == answer).all(axis=1)
        scores[f"{prefix}micro"] = float(f1_score(truth, answer, average="micro", zero_division=0))
        scores[f"{prefix}macro"] = float(f1_score(truth, answer, average="macro", zero_division=0))
        scores[f"{prefix}exact"] = float(right.mean())
        scores[f"{prefix}exact_alone"] = float(right[: len(alone)].mean())
    return scores


def _joined(
    counts: Counts, true: Indicators, test: NDArray[np.intp], names: list[str], rng: np.random.RandomState
) -> tuple[sp.csr_array, Indicators]:
    one, other = rng.permutation(test), rng.permutation(test)
    differ = (true[one] != true[other]).any(axis=1)
    one, other = one[differ], other[differ]
    return sp.csr_array(counts.matrix[one] + counts.matrix[other]), true[one] | true[other]


def _stories(
    counts: Counts, true: Indicators, test: NDArray[np.intp], names: list[str], rng: np.random.RandomState
) -> tuple[sp.csr_array, Indicators]:
    try:
        stories = fetch_reuters10(several=True)
    except InputError as error:
        raise Unavailable(str(error)) from error
    rows = [row for row, part in enumerate(stories.split) if part == "test"]
    texts = [stories.texts[row] for row in rows]
    topics = [stories.labels[row].split("; ") for row in rows]
    matrix = count_known(tokenize(texts, words), counts.vocabulary).matrix
    return matrix, np.array([[name in given for name in names] for given in topics])


def _fitted(
    task: Task, settings: Mapping[str, Any], seeds: Seeds, material: Material, n_threads: int | None
) -> SeedTopicClassifier:
    counts = material.counts(task.setting)
    model: SeedTopicClassifier = systems.build(
        task.system.model,
        **settings,
        seeds=seeds,
        vocabulary=counts.vocabulary,
        random_state=task.run,
        n_threads=n_threads,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        return model.fit(counts.matrix)
