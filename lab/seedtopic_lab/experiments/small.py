"""Small collections: how well a system labels a few documents if it has no others to learn from."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError, SeedWarning
from seedtopic.quality.scores import evaluate
from seedtopic_lab.experiments import systems
from seedtopic_lab.experiments.material import READING, Material, count
from seedtopic_lab.experiments.plan import Task

Parameters = Mapping[str, Any]

DOCUMENTS = "documents"  # a setting of the experiment, not of a model: how many are drawn
VECTORS, ENCODER = "vectors", "encoder"


def complete(model: str, parameters: Parameters) -> dict[str, Any]:
    """Complete the settings of the model; the number of documents stays as it is."""
    of_model = {name: value for name, value in parameters.items() if name != DOCUMENTS}
    n_drawn = parameters.get(DOCUMENTS)
    if not isinstance(n_drawn, int) or n_drawn < 1:
        raise InputError(f"documents is {n_drawn!r}: give the number of documents to draw, 1 or more.")
    return {**systems.settings(model, of_model), DOCUMENTS: n_drawn}


def prepare(task: Task, parameters: Parameters, material: Material) -> None:
    """Read the documents and, for a system that needs the encoder, encode those that are not yet."""
    texts, _ = _drawn(task, parameters, material)
    if parameters.get(VECTORS) == ENCODER:
        material.encoder(texts)


def small(task: Task, parameters: Parameters, material: Material, n_threads: int | None) -> dict[str, Any]:
    """Fit a system to a few documents, drawn again in each run, and score the labels of all of them.

    Macro-F1 is the mean over the categories that the drawn documents belong to: among thirty documents, not
    all of twenty categories have one.
    """
    texts, truth = _drawn(task, parameters, material)
    present = [name for name in material.dataset(task.setting.corpus).categories if name in truth]
    judged = evaluate(truth.tolist(), _labels(task, parameters, material, texts, n_threads).tolist(), present)
    encoded = parameters.get(VECTORS) == ENCODER
    return {
        "micro": judged.micro_f1,
        "macro": judged.macro_f1,
        "encoder_seconds": material.encoder.seconds(texts) if encoded else 0.0,
    }


def draw(run: int, n_documents: int, n_drawn: int) -> NDArray[np.intp]:
    """Draw documents by the run, all of them if there are no more."""
    return np.random.default_rng(run).permutation(n_documents)[:n_drawn]


def _drawn(task: Task, parameters: Parameters, material: Material) -> tuple[list[str], NDArray[np.str_]]:
    """Draw documents of both parts of a corpus, all of them if there are no more, and give their labels."""
    dataset = material.dataset(task.setting.corpus)
    rows = draw(task.run, len(dataset), parameters[DOCUMENTS])
    return [dataset.texts[row] for row in rows], np.array(dataset.labels)[rows]


def _labels(
    task: Task, parameters: Parameters, material: Material, texts: list[str], n_threads: int | None
) -> NDArray[np.str_]:
    corpus, seeds = task.setting.corpus, material.seeds(task.setting)
    arguments = {
        **parameters,
        "seeds": seeds,
        "random_state": task.run,
        "n_threads": n_threads,
        "track_objective": False,
    }
    if parameters.get(VECTORS) == ENCODER:
        arguments[VECTORS] = material.encoder
    documents: Any = texts
    # A model that can use vectors gets texts, with and without them.
    if systems.entry(task.system.model).learns_from == "counts" and VECTORS not in parameters:
        counts = count(texts, corpus, frozenset(seeds.words))
        documents, arguments["vocabulary"] = counts.matrix, counts.vocabulary
    else:
        arguments |= READING.get(corpus, {})
    model = systems.build(task.system.model, **arguments)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SeedWarning)  # few documents lack many seeds
            return np.asarray(model.fit(documents).transduction_)
    except InputError:
        counts = count(texts, corpus, frozenset(seeds.words))
        if len(seeds.names) - len(seeds.bind(counts.vocabulary).empty_categories) > 1:
            raise
        # Too few categories have a seed that occurs: a model that refuses this labels nothing right.
        return np.full(len(texts), "")
