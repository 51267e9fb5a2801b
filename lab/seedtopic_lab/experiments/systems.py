"""The models in plans: where each is, what it learns from, which parameters determine its result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from seedtopic.base.errors import InputError
from seedtopic.model import MODELS


@dataclass(frozen=True)
class Entry:
    """Where a model is, as module:name, what it learns from, and whether its random state matters."""

    path: str
    learns_from: Literal["counts", "texts", "labels"]
    is_random: bool = True


# Imported when used: a plan can be read without PyTorch.
ENTRIES = {
    **{
        model.name: Entry(f"seedtopic.model:{model.name}", model.learns_from, model.is_random)
        for model in MODELS.values()
    },
    "SVM": Entry("seedtopic_lab.svm:linear_svm_pipeline", "labels", is_random=False),
    "SeedControl": Entry("seedtopic_lab.experiments.peers.control:SeedControl", "counts", is_random=False),
    "CosineToSeeds": Entry("seedtopic_lab.experiments.peers.cosine:CosineToSeeds", "texts", is_random=False),
    "AnchoredCorEx": Entry("seedtopic_lab.experiments.peers.corex:AnchoredCorEx", "counts"),
    "SeededLDA": Entry("seedtopic_lab.experiments.peers.lda:SeededLDA", "counts"),
    "KeyATM": Entry("seedtopic_lab.experiments.peers.keyatm:KeyATM", "counts"),
    "Lbl2Vec": Entry("seedtopic_lab.experiments.peers.lbl2vec:Lbl2Vec", "texts"),
    "Model2Vec": Entry("seedtopic_lab.experiments.peers.static:Model2Vec", "texts", is_random=False),
    "MultilingualEncoder": Entry(
        "seedtopic_lab.experiments.peers.multilingual:MultilingualEncoder", "texts", is_random=False
    ),
    "MiniLM": Entry("seedtopic_lab.experiments.peers.sentences:MiniLM", "texts", is_random=False),
    "ZeroShotBERTopic": Entry("seedtopic_lab.experiments.peers.sentences:ZeroShotBERTopic", "texts"),
}

NONE = "none"  # in a plan, since TOML has no word for None

# Arguments that are not settings, and settings that cannot change a label.
_NOT_SETTINGS = frozenset(
    {
        "seeds",
        "vocabulary",
        "tokenizer",
        "strict",
        "n_threads",
        "device",
        "random_state",
        "max_memory",
        "track_objective",
        "kernel",
        "runner",
        "none_label",
    }
)


def entry(model: str) -> Entry:
    """Find a model by its name."""
    if model not in ENTRIES:
        raise InputError(f"there is no model {model!r}: use one of {', '.join(ENTRIES)}.")
    return ENTRIES[model]


def is_supervised(model: str) -> bool:
    """Return whether a model learns from labels and ignores seeds.

    Examples
    --------
    >>> is_supervised("SVM"), is_supervised("WSPTM"), is_supervised("unigram")
    (True, False, False)
    """
    return model in ENTRIES and ENTRIES[model].learns_from == "labels"


def is_random(model: str) -> bool:
    """Return whether two runs of a model differ; one that is not known is taken to be random.

    Examples
    --------
    >>> is_random("WSPTM"), is_random("SVM")
    (True, False)
    """
    return model not in ENTRIES or ENTRIES[model].is_random


def settings(model: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Complete the settings of a plan with the model's defaults, so that a row records all of them.

    Examples
    --------
    >>> settings("SVM", {"min_df": 2})
    {'stop_words': 'english', 'min_df': 2}
    """
    known = {
        name: parameter.default
        for name, parameter in _parameters(_factory(model)).items()
        if name not in _NOT_SETTINGS
    }
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InputError(f"{model} has no setting {unknown[0]!r}: use one of {', '.join(known)}.")
    return {**known, **{name: None if value == NONE else value for name, value in given.items()}}


def build(model: str, **arguments: Any) -> Any:
    """Make an unfitted model from the arguments that it accepts."""
    factory = _factory(model)
    taken = _parameters(factory)
    return factory(**{name: value for name, value in arguments.items() if name in taken})


def _factory(model: str) -> Callable[..., Any]:
    module, _, name = entry(model).path.partition(":")
    factory: Callable[..., Any] = getattr(import_module(module), name)
    return factory


def _parameters(factory: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    return {
        name: parameter
        for name, parameter in inspect.signature(factory).parameters.items()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    }
