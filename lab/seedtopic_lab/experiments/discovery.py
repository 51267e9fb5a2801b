"""Categories left out of the seeds: how many are discovered, and what proposed seeds are worth."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from seedtopic.base.errors import InputError, SeedWarning
from seedtopic.model import SeedTopicClassifier
from seedtopic.quality.discover import discover
from seedtopic.quality.scores import evaluate
from seedtopic.seeds import Seeds
from seedtopic_lab.experiments import systems
from seedtopic_lab.experiments.material import Material, count
from seedtopic_lab.experiments.plan import Task
from seedtopic_lab.experiments.small import draw

Labels = NDArray[np.str_]

PURE = 0.6  # share of the documents of a proposed category that belong to the category that it has found
LEFT_OUT, DOCUMENTS = "left_out", "documents"  # settings of the experiment: 0 documents are all of them
COLUMNS = ("left_out", "found", "proposed", "false", "test_macro", "without_macro", "full_macro")


def complete(model: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Complete the settings of the model; those of the experiment stay as they are."""
    of_model = {name: value for name, value in parameters.items() if name not in (LEFT_OUT, DOCUMENTS)}
    if not isinstance(parameters.get(LEFT_OUT), int):
        raise InputError("left_out must be given as a number of categories, 0 or more.")
    own = {LEFT_OUT: parameters[LEFT_OUT], DOCUMENTS: parameters.get(DOCUMENTS, 0)}
    return {**systems.settings(model, of_model), **own}


def discovered(
    task: Task, parameters: Mapping[str, Any], material: Material, n_threads: int | None
) -> dict[str, Any]:
    """Leave categories out of the seeds, drawn by the run, and fit with the categories that are proposed.

    A left-out category is found if most documents of a proposed one, 60 % or more, belong to it. Proposed
    categories are matched with left-out ones, one to one, by their documents in the train part. Those without
    a match are errors. Macro-F1 on the test part is over all categories: with the proposed seeds, without
    them, and with the published seeds of all categories.
    """
    settings = dict(parameters)
    n_left_out, n_documents = settings.pop(LEFT_OUT), settings.pop(DOCUMENTS)
    dataset, seeds = material.dataset(task.setting.corpus), material.seeds(task.setting)
    drawn = np.random.RandomState(task.run).choice(len(seeds.names), n_left_out, replace=False)
    left_out = [str(seeds.names[place]) for place in drawn]
    seeds_left = Seeds({name: words for name, words in seeds.categories.items() if str(name) not in left_out})
    counts, rows = material.counts(task.setting), np.arange(len(dataset))
    if n_documents:
        rows = draw(task.run, len(dataset), n_documents)
        counts = count([dataset.texts[row] for row in rows], dataset.name, frozenset(seeds.words))
    truth = np.array(dataset.labels)[rows]
    train, test = (np.array(dataset.split)[rows] == part for part in ("train", "test"))

    def fitted(with_seeds: Seeds) -> SeedTopicClassifier:
        model: SeedTopicClassifier = systems.build(
            task.system.model,
            **settings,
            seeds=with_seeds,
            vocabulary=counts.vocabulary,
            random_state=task.run,
            n_threads=n_threads,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SeedWarning)
            return model.fit(counts.matrix)

    model = fitted(seeds_left)
    found = discover(model, counts.matrix, random_state=task.run)
    names = [str(new.name) for new in found.categories]
    labels = fitted(found.proposed).transduction_.astype(str) if names else model.transduction_.astype(str)
    shared = overlaps(truth[train], labels[train], left_out, names)
    pure = shared >= PURE * np.array([(labels[train] == name).sum() for name in names]).reshape(-1, 1)
    pure &= shared > 0
    matched = renamed(labels, shared, left_out, names)
    full = fitted(seeds).transduction_.astype(str)
    return {
        "left_out": n_left_out,
        "found": int(pure.any(axis=0).sum()),
        "proposed": len(names),
        "false": int(len(names) - pure.any(axis=1).sum()),
        "test_macro": _macro(truth[test], matched[test], dataset.categories),
        "without_macro": _macro(truth[test], model.transduction_.astype(str)[test], dataset.categories),
        "full_macro": _macro(truth[test], full[test], dataset.categories),
    }


def overlaps(
    truth: Labels, labels: Labels, left_out: Sequence[str], names: Sequence[str]
) -> NDArray[np.intp]:
    """Count the documents that each proposed category shares with each left-out one.

    Examples
    --------
    >>> overlaps(np.array(["a", "a", "b"]), np.array(["x", "y", "x"]), ["a", "b"], ["x", "y"]).tolist()
    [[1, 1], [1, 0]]
    """
    shared = [[np.sum((labels == name) & (truth == left)) for left in left_out] for name in names]
    return np.array(shared, np.intp).reshape(len(names), len(left_out))


def renamed(
    labels: Labels, shared: NDArray[np.intp], left_out: Sequence[str], names: Sequence[str]
) -> Labels:
    """Give the documents of proposed categories the names of the left-out ones that these are matched with.

    Examples
    --------
    >>> renamed(np.array(["x", "y", "c"]), np.array([[5], [3]]), ["a"], ["x", "y"]).tolist()
    ['a', 'y', 'c']
    """
    ones, others = linear_sum_assignment(-shared)
    places = zip(ones.tolist(), others.tolist(), strict=True)
    name_of = {names[one]: left_out[other] for one, other in places if shared[one, other]}
    return np.array([name_of.get(label, label) for label in labels.tolist()])


def _macro(truth: Labels, labels: Labels, categories: Sequence[str]) -> float:
    return evaluate(truth.tolist(), labels.tolist(), categories).macro_f1


def prepare(task: Task, parameters: Mapping[str, Any], material: Material) -> None:
    """Count the words, unless documents are drawn."""
    if not parameters[DOCUMENTS]:
        material.counts(task.setting)
