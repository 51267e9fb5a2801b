"""Experiments with confirmed labels, and with a collection that is learned in parts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import SeedWarning
from seedtopic.quality.scores import evaluate
from seedtopic_lab.experiments import systems
from seedtopic_lab.experiments.material import READING, Material
from seedtopic_lab.experiments.plan import Task

Scores = dict[str, Any]

# Settings of the experiment, not of a model.
LABELS, PARTS, KEPT = "labels_per_category", "parts", "most_kept"
DOCUMENTS, ANSWERS = "documents", "answers"
OWN = (LABELS, PARTS, KEPT, DOCUMENTS, ANSWERS)


def complete(model: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Complete the settings of the model; those of the experiment stay as they are."""
    own = {name: value for name, value in parameters.items() if name in OWN}
    return systems.settings(model, _of_model(parameters)) | own


def feedback(task: Task, parameters: Mapping[str, Any], material: Material, n_threads: int | None) -> Scores:
    """Score the test part with a few labelled documents of the train part, drawn again in each run."""
    dataset, counts = material.dataset(task.setting.corpus), material.counts(task.setting)
    truth, train = np.array(dataset.labels), material.part(dataset.name, "train")
    draw = np.random.default_rng(task.run)
    labels = np.full(len(truth), None, object)
    for category in dataset.categories:
        given = draw.choice(train[truth[train] == category], parameters[LABELS], replace=False)
        labels[given] = category
    model = _built(task, parameters, material, n_threads, vocabulary=counts.vocabulary)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        found = model.fit(counts.matrix, labels).transduction_
    return _scores(found, task, material)


def answered(task: Task, parameters: Mapping[str, Any], material: Material, n_threads: int | None) -> Scores:
    """Score the other documents of a small collection after some, drawn at random, were answered.

    Both are of the train part and drawn anew in each run. A supervised system learns from the answers alone.
    """
    dataset = material.dataset(task.setting.corpus)
    rows = np.random.default_rng(task.run).permutation(material.part(dataset.name, "train"))
    rows = rows[: parameters[DOCUMENTS]]
    texts, truth = [dataset.texts[row] for row in rows], np.array(dataset.labels)[rows]
    drawn = np.random.default_rng([task.run, 1]).permutation(len(rows))[: parameters[ANSWERS]]
    labels = np.full(len(rows), None, object)
    labels[drawn] = truth[drawn]
    model = _built(task, parameters, material, n_threads, **READING.get(dataset.name, {}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        if systems.is_supervised(task.system.model):
            found = model.fit([texts[row] for row in drawn], truth[drawn]).predict(texts)
        else:
            found = model.fit(texts, labels).transduction_
    rest = np.setdiff1d(np.arange(len(rows)), drawn)
    judged = evaluate(truth[rest].tolist(), np.asarray(found)[rest].tolist(), dataset.categories)
    return {"micro": judged.micro_f1, "macro": judged.macro_f1}


def parts(task: Task, parameters: Mapping[str, Any], material: Material, n_threads: int | None) -> Scores:
    """Learn a corpus in parts, in an order drawn again in each run, and score the labels of the last model.

    One part is one fit. Labels are those that `predict` gives to the texts, in both cases.
    """
    dataset = material.dataset(task.setting.corpus)
    order = np.random.default_rng(task.run).permutation(len(dataset))
    model = _built(task, parameters, material, n_threads, **READING.get(dataset.name, {}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        for part in np.array_split(order, parameters[PARTS]):
            texts = [dataset.texts[number] for number in part]
            if parameters[PARTS] == 1:
                model.fit(texts)
            else:
                model.partial_fit(texts, most_kept=parameters[KEPT])
    return _scores(model.predict(dataset.texts), task, material)


def _of_model(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name not in OWN}


def _built(
    task: Task, parameters: Mapping[str, Any], material: Material, n_threads: int | None, **arguments: Any
) -> Any:
    return systems.build(
        task.system.model,
        **_of_model(parameters),
        seeds=material.seeds(task.setting) if task.setting.seeds else None,
        random_state=task.run,
        n_threads=n_threads,
        **arguments,
    )


def _scores(labels: NDArray[np.str_], task: Task, material: Material) -> Scores:
    dataset = material.dataset(task.setting.corpus)
    test = material.part(dataset.name, "test")
    truth = np.array(dataset.labels)
    judged = evaluate(truth[test].tolist(), np.asarray(labels)[test].tolist(), dataset.categories)
    return {"test_micro": judged.micro_f1, "test_macro": judged.macro_f1}
