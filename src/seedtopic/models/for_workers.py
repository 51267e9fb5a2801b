"""A model as it is sent to other processes and machines: what labelling needs, and no more."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seedtopic.models.base import TextClassifier

# What is of the size of the fitted documents.
_OF_DOCUMENTS = (
    "confirmed_",
    "has_words_",
    "label_distributions_",
    "multi_transduction_",
    "none_probability_",
    "sample_",
    "transduction_",
)


def for_workers(model: TextClassifier) -> TextClassifier:
    """Return a copy that labels new documents alike, in one thread: a worker shares its own among tasks."""
    sent = copy.copy(model)
    kept = {name: value for name, value in vars(model).items() if name not in _OF_DOCUMENTS}
    here = {"runner": "local"} if "runner" in kept else {}  # a client of a cluster stays where it is
    sent.__dict__ = {**kept, **here, "n_threads": 1}
    return sent
