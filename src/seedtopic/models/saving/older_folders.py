"""Folders of earlier formats, as they would be written now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.arrays import Described
from seedtopic.storage.model_folder import FORMAT, ModelFolder

_RENAMED = {"lambda_": "lam"}
_DROPPED = ("neighbor_weight",)  # of the fit alone
_DEFAULT = "SeedTopicClassifier"


def brought_up_to_date(
    folder: ModelFolder, described: Mapping[str, Described]
) -> tuple[ModelFolder, Mapping[str, Described]]:
    """Give a folder, and what it says of its arrays, in the format of today.

    Parameters
    ----------
    folder : ModelFolder
        Of any format that can be read; with or without arrays.
    described : mapping of str to Described
        Of its arrays.
    """
    if folder.format < 2:
        folder, described = _from_format_1(folder, described)
    if folder.format < 3 and folder.model == _DEFAULT:
        folder, described = _without_empty(folder, described)
    if folder.format < 4 and folder.model == _DEFAULT:
        folder = replace(folder, parameters=_without_vectors(folder.parameters))
    return replace(folder, format=FORMAT), described


def _without_vectors(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Say that format 3 knew no meanings; a graph by embeddings was of the fit alone."""
    graph = {"graph": "words"} if parameters.get("graph") == "embeddings" else {}
    return {**parameters, **graph, "vectors": None}


def _without_empty(
    folder: ModelFolder, described: Mapping[str, Described]
) -> tuple[ModelFolder, Mapping[str, Described]]:
    """Leave out what format 2 wrote for a stage that was not taken: arrays without a column, and a level."""
    kept = {name: form for name, form in described.items() if form.shape[-1:] != (0,) or name[-1] != "_"}
    kept.pop("objective_", None)
    if "none_coef_" not in kept:
        kept.pop("none_level_", None)
    arrays = {name: array for name, array in folder.arrays.items() if name in kept}
    return replace(folder, arrays=arrays), kept


def _from_format_1(
    folder: ModelFolder, described: Mapping[str, Described]
) -> tuple[ModelFolder, Mapping[str, Described]]:
    """Rename parameters, and say in arrays what the first models meant without them."""
    parameters = {
        _RENAMED.get(name, name): value for name, value in folder.parameters.items() if name not in _DROPPED
    }
    if folder.model != _DEFAULT or folder.seeds is None:
        return replace(folder, parameters=parameters), described
    parameters.setdefault("rho", 0.0)  # before the label frequency had a say
    added = {name: form for name, form in _later_arrays(folder, described).items() if name not in described}
    arrays = {**folder.arrays, **_filled(added, folder.arrays)}
    return replace(folder, parameters=parameters, arrays=arrays), {**described, **added}


def _later_arrays(folder: ModelFolder, described: Mapping[str, Described]) -> dict[str, Described]:
    """Describe the arrays that the first of these models did not have."""
    n_classes = len(folder.classes)
    n_documents = next(iter(described["label_distributions_"].shape), 0) if described else 0
    n_seeds = 0 if folder.seeds is None else folder.seeds.bind(folder.vocabulary).membership.nnz
    return {
        "seed_weights_": Described("float64", (n_seeds,)),
        "label_frequency_": Described("float64", (n_classes,)),
        "multi_transduction_": Described("bool", (n_documents, n_classes)),
        "none_probability_": Described("float64", (n_documents,)),
    }


def _filled(added: Mapping[str, Described], arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Say in arrays what those models meant: all seeds alike, one label a document, none without any."""
    if not arrays:
        return {}
    filled: dict[str, NDArray[Any]] = {name: np.zeros(form.shape, form.dtype) for name, form in added.items()}
    if "seed_weights_" in filled:
        filled["seed_weights_"][:] = 1.0
    if "multi_transduction_" in filled:
        best = arrays["label_distributions_"].argmax(axis=1)
        filled["multi_transduction_"][np.arange(len(best)), best] = True
    return filled
