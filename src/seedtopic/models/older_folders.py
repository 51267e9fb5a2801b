"""Folders of earlier formats, as they would be written now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.storage.arrays import Described
from seedtopic.storage.model_folder import FORMAT, ModelFolder

_RENAMED = {"lambda_": "lam"}
_DROPPED = ("neighbor_weight",)  # of the fit alone


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
    if folder.format == FORMAT:
        return folder, described
    parameters = {
        _RENAMED.get(name, name): value for name, value in folder.parameters.items() if name not in _DROPPED
    }
    older = replace(folder, parameters=parameters, format=FORMAT)
    if folder.model != "SeedTopicClassifier" or folder.seeds is None:
        return older, described
    if "rho" not in parameters:  # before the label frequency had a say
        parameters["rho"] = 0.0
    added = {name: form for name, form in _later_arrays(folder, described).items() if name not in described}
    return replace(older, arrays={**folder.arrays, **_filled(added, folder.arrays)}), {**described, **added}


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
        "none_coef_": Described("float64", (n_classes + 1, 0)),
        "none_intercept_": Described("float64", (n_classes + 1, 0)),
        "none_level_": Described("float64", ()),
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
