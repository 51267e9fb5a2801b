"""What a system costs: the seconds from texts to labels, of one core or of one GPU."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from typing import Any

from seedtopic.base.errors import InputError, SeedWarning
from seedtopic_lab.experiments import systems
from seedtopic_lab.experiments.material import READING, Material, count
from seedtopic_lab.experiments.plan import Task
from seedtopic_lab.experiments.small import draw

Parameters = Mapping[str, Any]

COLUMNS = ("documents", "busy_seconds")
DOCUMENTS, DEVICE = "documents", "device"  # settings of the measurement, not of a model
ALL = 0  # documents


def complete(model: str, parameters: Parameters) -> dict[str, Any]:
    """Complete the settings of the model; those of the measurement have defaults of their own.

    Examples
    --------
    >>> complete("MiniLM", {"documents": 300})
    {'documents': 300, 'device': 'cpu'}
    """
    documents = parameters.get(DOCUMENTS, ALL)
    if not isinstance(documents, int) or documents < 0:
        raise InputError(f"documents is {documents!r}: give the number of documents to draw, or 0 for all.")
    of_model = {name: value for name, value in parameters.items() if name not in (DOCUMENTS, DEVICE)}
    device = parameters.get(DEVICE, "cpu")
    return {**systems.settings(model, of_model), DOCUMENTS: documents, DEVICE: device}


def prepare(task: Task, parameters: Parameters, material: Material) -> None:
    """Read the corpus before the clock starts."""
    material.dataset(task.setting.corpus)


def cost(task: Task, parameters: Parameters, material: Material, n_threads: int | None) -> dict[str, Any]:
    """Label documents in one thread and return the CPU seconds, or on a GPU the seconds.

    Counting words counts; loading packages, compiled code and a model's files does not, since a smaller fit
    comes before.
    """
    dataset, seeds = material.dataset(task.setting.corpus), material.seeds(task.setting)
    rows = draw(task.run, len(dataset), parameters[DOCUMENTS] or len(dataset))
    texts = [dataset.texts[row] for row in rows]
    clock = time.process_time if parameters[DEVICE] == "cpu" else time.perf_counter

    def label(documents: list[str]) -> None:
        arguments = {**parameters, "seeds": seeds, "random_state": task.run, "n_threads": 1}
        given: Any = documents
        if systems.entry(task.system.model).learns_from == "counts":
            counts = count(documents, dataset.name, frozenset(seeds.words))
            given, arguments["vocabulary"] = counts.matrix, counts.vocabulary
        else:
            arguments |= READING.get(dataset.name, {})
        systems.build(task.system.model, **arguments).fit(given)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        label(texts[: max(len(texts) // 20, 20)])
        started = clock()
        label(texts)
        return {"documents": len(texts), "busy_seconds": clock() - started}
