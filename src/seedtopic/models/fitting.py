"""What every fit from seeds goes through: its checks, its identity for a checkpoint, and its result."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from seedtopic.base.checkpoint import NO_CHECKPOINT, Checkpoint, CheckpointFolder
from seedtopic.base.errors import InputError, SeedWarning
from seedtopic.base.memory import require_memory
from seedtopic.models.training_set import TrainingSet
from seedtopic.seeds import Seeds
from seedtopic.text.tokens import Tokenizer, tokenize

CheckpointLike = Checkpoint | str | Path

# Parameters that do not change what is learned, or that the counts and the seeds already stand for.
_NOT_IDENTITY = (
    "seeds", "vocabulary", "tokenizer", "stop_words", "min_df", "strict", "vectors", "runner",
    "n_threads", "max_memory",
)  # fmt: skip


@dataclass(frozen=True)
class Fit:
    """What a model has learned, before anything of it is set on the estimator.

    Attributes
    ----------
    posterior : ndarray, shape (n_documents, n_categories)
        The label distributions of the documents, in the order of the training set.
    attributes : mapping
        The fitted attributes, by name.
    of_documents : mapping
        Fitted attributes that have a row for each document.
    """

    posterior: NDArray[np.floating[Any]]
    attributes: Mapping[str, Any]
    of_documents: Mapping[str, NDArray[Any]] = field(default_factory=dict)


def opened(checkpoint: CheckpointLike | None, random_state: object) -> Checkpoint:
    """Turn what `fit` was given into a checkpoint, and refuse one that cannot be, before any work."""
    if checkpoint is None:
        return NO_CHECKPOINT
    if isinstance(random_state, np.random.RandomState):
        raise InputError("random_state is a generator: with a checkpoint, give a whole number or None.")
    found = checkpoint if isinstance(checkpoint, Checkpoint) else CheckpointFolder(checkpoint)
    found.check_place()
    return found


def identity(model: BaseEstimator, seeds: Seeds, vocabulary: list[str]) -> dict[str, Any]:
    """Name everything that the result of a fit depends on, beside the documents."""
    parameters = model.get_params(deep=False)
    for name in _NOT_IDENTITY:
        parameters.pop(name, None)
    return {
        "seedtopic": version("seedtopic"),
        "model": type(model).__name__,
        "parameters": {name: value for name, value in parameters.items() if not sp.issparse(value)},
        "seeds": list(seeds.table().items()),  # a list: the order of the categories counts
        "vocabulary": vocabulary,
    }


def warn_of_unreadable(seeds: Seeds, tokenizer: Tokenizer | None) -> None:
    """Name the seeds that can never match, because no word can be read from them."""
    sought = tokenize(seeds.counted, tokenizer, seeds.counted)
    nothing = [repr(word) for word, tokens in zip(seeds.counted, sought, strict=True) if word not in tokens]
    if nothing:
        remedy = "use words of two or more letters or digits" if tokenizer is None else "change the tokenizer"
        sentence = f"because no word is read from them: {', '.join(nothing)}; {remedy}."
        warnings.warn(f"these seed words never match, {sentence}", SeedWarning, stacklevel=4)


def check_seeds_occur(training_set: TrainingSet, *, strict: bool, tables: int) -> None:
    """Refuse seeds that do not occur, and sizes beyond the memory; warn of seeds that are missing.

    A category none of whose seeds occurs is left in where its meaning is known, or some of its documents.
    """
    bound, totals, known = training_set.seeds, training_set.totals, training_set.known_meanings
    taught = training_set.taught
    bound.require(strict=strict, known=known, taught=taught)
    occurs = (bound.membership @ totals.occurrences).any()  # a column may be empty
    if not occurs and len({*(known or ()), *taught}) < 2:
        raise InputError("no seed word occurs in the documents: add words that do.")
    n_documents, n_words = (
        training_set.counts.shape
    )  # here: those on a cluster take no memory of this machine
    require_memory(n_documents, len(bound.seeds.names), n_words=n_words, arrays=tables)
    report = bound.report(known or (), taught)
    if report:
        warnings.warn(report, SeedWarning, stacklevel=4)
