"""A fitted model as a folder and back: what is written, and what is checked before it is believed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import scipy.sparse as sp

from seedtopic.base.arrays import Described
from seedtopic.base.errors import InputError
from seedtopic.meaning import WordVectors
from seedtopic.models.saving.forms import check_forms
from seedtopic.storage.model_folder import ModelFolder
from seedtopic.text.counts import KnownWords
from seedtopic.text.tokens import Tokenizer

if TYPE_CHECKING:
    from seedtopic.models.base import TextClassifier

Model = TypeVar("Model", bound="TextClassifier")

# Parameters that belong to the fit, or cannot be written down.
_UNSAVED = ("seeds", "vocabulary", "tokenizer", "max_memory", "runner")


def folder_of(model: TextClassifier) -> ModelFolder:
    """Give what the folder of a fitted model holds."""
    parameters = model.get_params(deep=False)
    for unsaved in _UNSAVED:
        parameters.pop(unsaved, None)
    if not isinstance(model.random_state, int | np.integer):  # a generator cannot be written down
        parameters.pop("random_state")
    return ModelFolder(
        model=type(model).__name__,
        parameters={name: _plain(value) for name, value in parameters.items() if _writable(name, value)},
        classes=model.classes_.tolist(),
        seeds=getattr(model, "seeds_", None),
        vocabulary=model.vocabulary_,
        arrays={name: np.asarray(array) for name, array in model._arrays().items()},
        custom_tokenizer=model.tokenizer is not None,
    )


def outlined(cls: type[Model], folder: ModelFolder, tokenizer: Tokenizer | None) -> Model:
    """Make a model with everything a folder says of it, except the arrays."""
    for name in _UNSAVED:
        if name in folder.parameters:
            raise InputError(f"it is damaged: {name} is never saved with a model.")
    model = cls(tokenizer=tokenizer, **folder.parameters)
    model._take_outline(np.array(folder.classes), KnownWords(folder.vocabulary), folder.seeds)
    return model


def check_described(cls: type[TextClassifier], folder: ModelFolder, found: Mapping[str, Described]) -> None:
    """Refuse a folder by what it says of its arrays, before any memory is taken for them."""
    model = outlined(cls, folder, None)
    check_forms(model._forms(found), found, model._sizes())


def restored(cls: type[Model], folder: ModelFolder, tokenizer: Tokenizer | None) -> Model:
    """Make a fitted model from a folder."""
    described = {name: Described.of(array) for name, array in folder.arrays.items()}
    check_described(cls, folder, described)
    model = outlined(cls, folder, tokenizer)
    for name, form in model._forms(described).items():
        if not form.holds(folder.arrays[name]):
            raise InputError(f"it is damaged: {name} has numbers that no such model has.")
    model.__dict__.update(model._from_arrays(folder.arrays))
    return model


def _writable(name: str, value: Any) -> bool:
    """Say whether a parameter can be written down: a graph, a table or a function of the user's cannot.

    Nor can the path of a table: what the model needs of it is in the folder, which may be used elsewhere.
    """
    if name == "vectors" and isinstance(value, str | Path):
        return value in ("auto", "encoder")
    return not (sp.issparse(value) or callable(value) or isinstance(value, WordVectors))


def _plain(value: Any) -> Any:
    """Turn a parameter into what JSON can hold."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return sorted(value) if isinstance(value, set | frozenset) else value
