"""Calibration: whether labels are right as often as they seem to be, with right seeds and with wrong ones."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError, SeedWarning
from seedtopic.learning.signals.seeds import seed_counts
from seedtopic.quality.scores import expected_calibration_error
from seedtopic.seeds import Name, Seeds
from seedtopic_lab.experiments import systems
from seedtopic_lab.experiments.material import Material, count
from seedtopic_lab.experiments.plan import Task
from seedtopic_lab.experiments.small import DOCUMENTS, draw

Parameters = Mapping[str, Any]
Array = NDArray[np.float64]
Rows = NDArray[np.bool_]

# A setting of the experiment, not of a model: what is done to the seeds.
WRONG_SEEDS = "wrong_seeds"
WRONGS = ("first two swapped", "drawn two swapped", "first unrelated")
UNRELATED = ("kitchen", "yellow", "river", "shoulder")

SURE = 0.95  # the least probability of a label that one would not check
N_BINS = 15
COLUMNS = (
    "accuracy",
    "estimate",
    "ece",
    "seeded_ece",
    "unseeded_ece",
    "sure",
    "sure_right",
    "wronged",
    "doubted",
    "bins",
)


def complete(model: str, parameters: Parameters) -> dict[str, Any]:
    """Complete the settings of the model; those of the experiment stay as they are."""
    own = {name: value for name, value in parameters.items() if name in (DOCUMENTS, WRONG_SEEDS)}
    if own.get(WRONG_SEEDS, WRONGS[0]) not in WRONGS:
        raise InputError(f"{WRONG_SEEDS} is {own[WRONG_SEEDS]!r}: use one of {', '.join(WRONGS)}.")
    if own.get(DOCUMENTS, 1) < 1:
        raise InputError(f"{DOCUMENTS} is {own[DOCUMENTS]}: draw 1 or more, or leave it out to take all.")
    return {**systems.settings(model, _of_model(parameters)), **own}


def prepare(task: Task, parameters: Parameters, material: Material) -> None:
    """Read the corpus."""
    material.dataset(task.setting.corpus)


def calibration(
    task: Task, parameters: Parameters, material: Material, n_threads: int | None
) -> dict[str, Any]:
    """Compare the probabilities of a dataless system's labels with how many of them are right.

    It is fitted to all documents and scored on the test part; or it is fitted to documents drawn by the run
    and scored on all of those.
    """
    dataset = material.dataset(task.setting.corpus)
    if DOCUMENTS in parameters:
        rows = draw(task.run, len(dataset), parameters[DOCUMENTS])
        scored = np.arange(len(rows))
    else:
        rows, scored = np.arange(len(dataset)), material.part(dataset.name, "test")
    seeds, wronged = wrong_seeds(material.seeds(task.setting), parameters.get(WRONG_SEEDS))

    counts = count([dataset.texts[row] for row in rows], dataset.name, frozenset(seeds.words))
    model = systems.build(
        task.system.model,
        **_of_model(parameters),
        seeds=seeds,
        vocabulary=counts.vocabulary,
        random_state=task.run,
        n_threads=n_threads,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)  # published lists have words that do not occur
        model.fit(counts.matrix)
    has_seed = seed_counts(counts.matrix, seeds.bind(counts.vocabulary).membership).sum(axis=1) > 0
    probability = model.label_distributions_.max(axis=1)
    right = np.asarray(model.transduction_ == np.array(dataset.labels)[rows])
    doubts = getattr(model, "doubts_", None)  # only a calibrated model has them
    return {
        **scores(probability[scored], right[scored], has_seed[scored]),
        "wronged": wronged,
        "doubted": None if doubts is None else [doubt.category for doubt in doubts],
    }


def wrong_seeds(seeds: Seeds, wrong: str | None) -> tuple[Seeds, list[Name]]:
    """Give the seeds with the mistake that is wanted, and the categories whose seeds are wrong now.

    The first categories are those of the seeds; the two that are drawn depend only on how many there are.

    Examples
    --------
    >>> seeds, wronged = wrong_seeds(Seeds({"a": ["b"], "c": ["d"]}), "first two swapped")
    >>> dict(seeds.categories), wronged
    ({'a': ('d',), 'c': ('b',)}, ['a', 'c'])
    """
    if wrong is None:
        return seeds, []
    names, words = seeds.names, {name: list(listed) for name, listed in seeds.categories.items()}
    if wrong == "first unrelated":
        return Seeds({**words, names[0]: list(UNRELATED)}), names[:1]
    drawn = np.random.default_rng(0).choice(len(names), 2, replace=False)
    one, other = names[:2] if wrong == "first two swapped" else [names[place] for place in drawn]
    return Seeds({**words, one: words[other], other: words[one]}), [one, other]


def scores(probability: Array, right: Rows, has_seed: Rows) -> dict[str, Any]:
    """Compare probabilities with the labels that are right.

    Parameters
    ----------
    probability : ndarray, shape (n_documents,)
        Of each label.
    right : ndarray of bool, shape (n_documents,)
        Whether the label is.
    has_seed : ndarray of bool, shape (n_documents,)
        Whether the document contains a seed word, of whatever category.

    Returns
    -------
    dict
        The share of right labels ("accuracy") and the mean probability ("estimate"); the expected calibration
        error of all documents, of those with a seed and of the others (NaN if there are none); the share of
        documents that are sure, and the share that are sure and right; the bins, see `reliability_bins`.

    Examples
    --------
    >>> found = scores(np.array([1.0, 0.5]), np.array([True, False]), np.array([True, False]))
    >>> found["accuracy"], found["estimate"], found["ece"], found["seeded_ece"], found["unseeded_ece"]
    (0.5, 0.75, 0.25, 0.0, 0.5)
    """
    sure = probability >= SURE
    return {
        "accuracy": float(right.mean()),
        "estimate": float(probability.mean()),
        "ece": _ece(probability, right),
        "seeded_ece": _ece(probability[has_seed], right[has_seed]),
        "unseeded_ece": _ece(probability[~has_seed], right[~has_seed]),
        "sure": float(sure.mean()),
        "sure_right": float((sure & right).mean()),
        "bins": reliability_bins(probability, right),
    }


def reliability_bins(probability: Array, right: Rows) -> list[tuple[int, float, float]]:
    """Give the bins of the expected calibration error that have documents.

    Returns
    -------
    list of (int, float, float)
        The number of documents, their mean probability, and the share of right labels.

    Examples
    --------
    >>> reliability_bins(np.array([0.5, 0.52, 1.0]), np.array([True, False, True]))
    [(2, 0.51, 0.5), (1, 1.0, 1.0)]
    """
    bin_of = np.minimum((probability * N_BINS).astype(int), N_BINS - 1)
    found = [bin_of == number for number in np.unique(bin_of)]
    return [
        (int(rows.sum()), round(float(probability[rows].mean()), 4), round(float(right[rows].mean()), 4))
        for rows in found
    ]


def _ece(probability: Array, right: Rows) -> float:
    return expected_calibration_error(probability, right, N_BINS) if len(right) else np.nan


def _of_model(parameters: Parameters) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name not in (DOCUMENTS, WRONG_SEEDS)}
