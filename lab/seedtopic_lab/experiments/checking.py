"""Experiments with a person who checks documents: which ones, and what a mistake costs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError, SeedWarning
from seedtopic.model.drift import document_vectors
from seedtopic.quality.next import next_documents
from seedtopic.quality.scores import evaluate
from seedtopic_lab.experiments import systems
from seedtopic_lab.experiments.material import Material
from seedtopic_lab.experiments.plan import Task

Parameters = Mapping[str, Any]

# Settings of the experiment, not of a model: how documents are chosen, in how many rounds, how many in all,
# and how many of the answers are wrong.
OWN: dict[str, Any] = {"choice": "random", "rounds": 1, "checked": 0, "wrong": 0}
CHOICES = ("random", "next")
COLUMNS = ("test_micro", "test_macro", "named_wrong", "named_right")


def complete(model: str, parameters: Parameters) -> dict[str, Any]:
    """Complete the settings of the model, and those of the experiment."""
    own = {name: parameters.get(name, default) for name, default in OWN.items()}
    if own["choice"] not in CHOICES:
        raise InputError(f"choice is {own['choice']!r}: use one of {', '.join(CHOICES)}.")
    return {**systems.settings(model, _of_model(parameters)), **own}


def checking(task: Task, parameters: Parameters, material: Material, n_threads: int | None) -> dict[str, Any]:
    """Score the test part after some documents of the train part were checked.

    Their labels answer, except that the first ones are given another category where some are to be wrong:
    how many of these the fit suspects is `named_wrong`, and how many of the right ones `named_right`.
    """
    dataset, counts = material.dataset(task.setting.corpus), material.counts(task.setting)
    truth, train = np.array(dataset.labels), material.part(dataset.name, "train")
    draw = np.random.default_rng(task.run)
    labels: NDArray[Any] = np.full(len(truth), None, object)
    model = systems.build(
        task.system.model,
        **_of_model(parameters),
        seeds=material.seeds(task.setting),
        random_state=task.run,
        n_threads=n_threads,
        vocabulary=counts.vocabulary,
    )
    each = parameters["checked"] // parameters["rounds"]
    checked = np.empty(0, np.intp)
    if parameters["choice"] == "next" or not parameters["checked"]:
        _fit(model, counts.matrix, None)
    for _ in range(parameters["rounds"] if each else 0):
        if parameters["choice"] == "random":
            new = draw.choice(np.setdiff1d(train, checked), each, replace=False)
        else:
            new = _next_of(model, counts.matrix, train, checked, each)
        checked = np.concatenate((checked, new))
        labels[new] = truth[new]
        if parameters["choice"] == "next" or len(checked) == parameters["checked"]:
            for row in checked[: parameters["wrong"]]:
                labels[row] = draw.choice([name for name in dataset.categories if name != truth[row]])
            _fit(model, counts.matrix, labels)
    test = material.part(dataset.name, "test")
    judged = evaluate(truth[test].tolist(), model.transduction_[test].tolist(), dataset.categories)
    named = [suspect.row in checked[: parameters["wrong"]] for suspect in model.suspect_confirmed_]
    return {
        "test_micro": judged.micro_f1,
        "test_macro": judged.macro_f1,
        "named_wrong": named.count(True),
        "named_right": named.count(False),
    }


def _next_of(
    model: Any, counts: Any, train: NDArray[np.intp], checked: NDArray[np.intp], n: int
) -> NDArray[np.intp]:
    """Choose documents of the train part; those of the test part are not asked for."""
    vectors = document_vectors(model, counts)[train]
    known = np.searchsorted(train, checked)
    return train[next_documents(model.label_distributions_[train], vectors, n, known=known)]


def _fit(model: Any, counts: Any, labels: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)  # published lists have words that do not occur
        model.fit(counts, labels)


def _of_model(parameters: Parameters) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name not in OWN}
