"""The measures: one function each, from a task to the scores of its row."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError, SeedWarning
from seedtopic.learning.signals.seeds import (
    category_prior,
    membership_degree,
    nearest_categories,
    prototype_similarity,
    prototypes,
    seed_cooccurrence,
    seed_counts,
    seed_frequency,
    seed_prior,
)
from seedtopic.quality.scores import evaluate
from seedtopic.text.counts import count_known
from seedtopic.text.tokens import tokenize, words
from seedtopic_lab.experiments import advice, calibration, checking, cost, discovery, learning, small, systems
from seedtopic_lab.experiments.material import READING, Material, count
from seedtopic_lab.experiments.none_and_several import OF_NONE, complete_settings, none_of_these, several
from seedtopic_lab.experiments.perplexity import Folded, Unigram, perplexities
from seedtopic_lab.experiments.plan import Setting, Task

Parameters = Mapping[str, Any]
Scores = dict[str, Any]

ORACLE = "oracle"  # label_frequency = "oracle" in a plan: the true frequencies


def _count(task: Task, parameters: Parameters, material: Material) -> None:
    material.counts(task.setting)


@dataclass(frozen=True)
class Measure:
    """A measure: its function, the columns of its scores, how settings are completed, what is not timed."""

    function: Callable[[Task, Parameters, Material, int | None], Scores]
    columns: tuple[str, ...]
    complete: Callable[[str, Parameters], Parameters] = systems.settings
    prepare: Callable[[Task, Parameters, Material], None] = _count


def classification(task: Task, parameters: Parameters, material: Material, n_threads: int | None) -> Scores:
    """Score the labels of a system: dataless systems see all documents, supervised ones the train part."""
    dataset = material.dataset(task.setting.corpus)
    arguments = {
        **parameters,
        **_frequency(parameters, material, dataset.name),
        "random_state": task.run,
        "n_threads": n_threads,
        "track_objective": False,
    }
    learns_from = systems.entry(task.system.model).learns_from
    if learns_from == "counts":
        counts = material.counts(task.setting)
        arguments |= {"seeds": material.seeds(task.setting, task.draw), "vocabulary": counts.vocabulary}
        labels = _labels(systems.build(task.system.model, **arguments), counts.matrix)
    else:
        arguments |= READING.get(dataset.name, {})
        if learns_from == "texts":
            arguments["seeds"] = material.seeds(task.setting, task.draw)
            labels = _labels(systems.build(task.system.model, **arguments), dataset.texts)
        else:
            model = systems.build(task.system.model, **arguments)
            train = material.part(dataset.name, "train")
            model.fit([dataset.texts[i] for i in train], np.array(dataset.labels)[train])
            labels = np.asarray(model.predict(dataset.texts))
    return _judged(labels, dataset.name, material)


def tree(task: Task, parameters: Parameters, material: Material, n_threads: int | None) -> Scores:
    """Score the labels in a category tree: those of the leaves, and of the main groups above them.

    A document's main group is the one with the largest sum of probabilities ("main"), or the parent of its
    label ("path").
    """
    dataset, counts = material.dataset(task.setting.corpus), material.counts(task.setting)
    parent_of = material.main_group_of(dataset.name)
    model = systems.build(
        task.system.model,
        **parameters,
        seeds={
            name: {"words": listed, "parent": parent_of[str(name)]}
            for name, listed in material.seeds(task.setting).categories.items()
        },
        vocabulary=counts.vocabulary,
        random_state=task.run,
        n_threads=n_threads,
        track_objective=False,
    )
    labels = _labels(model, counts.matrix)
    sums = dict(zip(model.tree_.nodes, model.tree_.node_sums(model.label_distributions_).T, strict=True))
    main_groups = [str(node) for node in model.tree_.nodes if node not in model.tree_.parents]
    best = np.array(main_groups)[np.argmax([sums[group] for group in main_groups], axis=0)]
    truth = np.array(dataset.labels)
    true_groups, path_groups = (np.array([parent_of[name] for name in named]) for named in (truth, labels))
    scores: Scores = {}
    for part in ("test", "train"):
        rows = material.part(dataset.name, part)
        for level, right, given, names in (
            ("leaf", truth, labels, dataset.categories),
            ("main", true_groups, best, main_groups),
            ("path", true_groups, path_groups, main_groups),
        ):
            judged = evaluate(right[rows].tolist(), given[rows].tolist(), names)
            scores[f"{part}_{level}_macro"] = judged.macro_f1
    return scores


def marked(task: Task, parameters: Parameters, material: Material, n_threads: int | None) -> Scores:
    """Count documents without a marked label, and those whose true label is marked (M_dk above 0)."""
    dataset = material.dataset(task.setting.corpus)
    degree = _Prior(task.setting, material).degree(P=parameters["P"])
    truth = np.array([dataset.categories.index(label) for label in dataset.labels])
    return {
        "documents": len(dataset),
        "unmarked": int((degree.sum(axis=1) == 0).sum()),
        "true_marked": int((degree[np.arange(len(truth)), truth] > 0).sum()),
    }


def priors(task: Task, parameters: Parameters, material: Material, n_threads: int | None) -> Scores:
    """Compute the Dirichlet priors of example documents: alpha (Eq. 1) or alpha' (Eq. 6)."""
    prior = _Prior(task.setting, material)
    if parameters["prior"] == "alpha":
        values = seed_prior(prior.seed_count)
    else:
        given = _frequency(parameters, material, task.setting.corpus).get("label_frequency")
        frequency = prior.frequency if given is None else np.array(given)
        values = category_prior(prior.degree(P=1), frequency, rho=parameters["rho"])
    row_of = {name: row for row, name in enumerate(material.dataset(task.setting.corpus).ids)}
    return {"priors": {name: values[row_of[name]].round(4).tolist() for name in parameters["documents"]}}


def corpora(task: Task, parameters: Parameters, material: Material, n_threads: int | None) -> Scores:
    """Count documents, words, categories and seed words."""
    dataset = material.dataset(task.setting.corpus)
    seeds = material.seeds(task.setting)
    per_category = np.mean([len(listed) for listed in seeds.categories.values()])
    return {
        "documents": len(dataset),
        "train": len(material.part(dataset.name, "train")),
        "test": len(material.part(dataset.name, "test")),
        "words": len(material.counts(Setting(dataset.name)).vocabulary),
        "categories": len(dataset.categories),
        "seeds_per_category": float(per_category),
    }


def perplexity(task: Task, parameters: Parameters, material: Material, n_threads: int | None) -> Scores:
    """Learn from the train part alone and predict the words of the test part that the train part knows."""
    dataset, seeds = material.dataset(task.setting.corpus), material.seeds(task.setting)
    texts = {
        part: [dataset.texts[row] for row in material.part(dataset.name, part)] for part in ("train", "test")
    }
    train = count(texts["train"], dataset.name, frozenset(seeds.words))
    tokenizer = READING.get(dataset.name, {}).get("tokenizer", words)
    test = count_known(tokenize(texts["test"], tokenizer), train.vocabulary).matrix
    if task.system.model == "unigram":
        return perplexities(Unigram.of(train.matrix), test, task.run)
    model = systems.build(
        task.system.model,
        **parameters,
        seeds=seeds,
        vocabulary=train.vocabulary,
        random_state=task.run,
        n_threads=n_threads,
        track_objective=False,
    )
    _labels(model, train.matrix)
    return perplexities(Folded(model), test, task.run)


def _as_given(model: str, parameters: Parameters) -> Parameters:
    return parameters


def _unless_unigram(model: str, parameters: Parameters) -> Parameters:
    return parameters if model == "unigram" else systems.settings(model, parameters)


MEASURES = {
    "classification": Measure(classification, ("test_micro", "test_macro", "train_micro", "train_macro")),
    "calibration": Measure(
        calibration.calibration, calibration.COLUMNS, calibration.complete, calibration.prepare
    ),
    "tree": Measure(
        tree,
        tuple(f"{part}_{level}_macro" for part in ("test", "train") for level in ("leaf", "main", "path")),
    ),
    "discovered": Measure(discovery.discovered, discovery.COLUMNS, discovery.complete, discovery.prepare),
    "feedback": Measure(learning.feedback, ("test_micro", "test_macro"), learning.complete),
    "answered": Measure(learning.answered, ("micro", "macro"), learning.complete),
    "checking": Measure(checking.checking, checking.COLUMNS, checking.complete),
    "parts": Measure(learning.parts, ("test_micro", "test_macro"), learning.complete),
    "cost": Measure(cost.cost, cost.COLUMNS, cost.complete, cost.prepare),
    "small": Measure(small.small, ("micro", "macro", "encoder_seconds"), small.complete, small.prepare),
    "suggested": Measure(advice.suggested, advice.COLUMNS, advice.complete_suggested, advice.prepare),
    "checked": Measure(advice.checked, advice.COLUMNS, advice.complete_checked, advice.prepare),
    "marked": Measure(marked, ("documents", "unmarked", "true_marked"), _as_given),
    "priors": Measure(priors, ("priors",), _as_given),
    "corpora": Measure(
        corpora, ("documents", "train", "test", "words", "categories", "seeds_per_category"), _as_given
    ),
    "perplexity": Measure(perplexity, ("whole", "completion"), _unless_unigram),
    "none": Measure(
        none_of_these,
        OF_NONE,
        complete_settings,
    ),
    "several": Measure(
        several,
        (
            "micro",
            "macro",
            "exact",
            "exact_alone",
            "single_micro",
            "single_macro",
            "single_exact",
            "single_exact_alone",
        ),
        complete_settings,
    ),
}


def measure(name: str) -> Measure:
    """Find a kind of measurement by its name."""
    if name not in MEASURES:
        raise InputError(f"measure is {name!r}: use one of {', '.join(MEASURES)}.")
    return MEASURES[name]


class _Prior:
    """The parts of WSPTM's prior (Eqs. 4-7) for all documents of a setting."""

    def __init__(self, setting: Setting, material: Material) -> None:
        counts = material.counts(setting)
        membership = material.seeds(setting).bind(counts.vocabulary).membership
        word_totals = np.asarray(counts.matrix.sum(axis=0), dtype=np.float64)
        prototype = prototypes(
            seed_cooccurrence(counts.matrix, membership), np.asarray(membership @ word_totals)
        )
        self.similarity = prototype_similarity(counts.matrix, prototype)
        self.seed_count = seed_counts(counts.matrix, membership)
        self.frequency = seed_frequency(word_totals, membership)

    def degree(self, P: int) -> NDArray[np.float64]:
        return membership_degree(self.seed_count, nearest_categories(self.similarity, P))


def _frequency(parameters: Parameters, material: Material, corpus: str) -> dict[str, Any]:
    """Replace the word "oracle" by the true frequencies."""
    is_oracle = parameters.get("label_frequency") == ORACLE
    return {"label_frequency": material.label_frequency(corpus)} if is_oracle else {}


def _judged(labels: NDArray[np.str_], corpus: str, material: Material) -> Scores:
    dataset, truth = material.dataset(corpus), np.array(material.dataset(corpus).labels)
    scores: Scores = {}
    for part in ("test", "train"):
        rows = material.part(corpus, part)
        judged = evaluate(truth[rows].tolist(), labels[rows].tolist(), dataset.categories)
        scores |= {f"{part}_micro": judged.micro_f1, f"{part}_macro": judged.macro_f1}
    return scores


def _labels(model: Any, documents: Any) -> NDArray[np.str_]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)  # published lists have words that do not occur
        return np.asarray(model.fit(documents).transduction_)
