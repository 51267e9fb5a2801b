"""Why a fitted model gives a document its label: what the model says, in the words of `seedtopic.explain`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from seedtopic.errors import InputError
from seedtopic.explain import Explanation, explain
from seedtopic.models.base import NO_PROBABILITIES
from seedtopic.text.positions import word_spans

if TYPE_CHECKING:
    from seedtopic.models.seed_model import SeedModel


def explained(model: SeedModel, text: str, fitted: int | None) -> Explanation:
    """Explain the label of a text; see `SeedModel.explain`."""
    check_is_fitted(model)
    if not isinstance(text, str):
        raise InputError(f"the document to explain is {type(text).__name__}: give one text.")
    known = None
    if fitted is not None:
        n_fitted = len(model.label_distributions_)
        if not -n_fitted <= fitted < n_fitted:
            raise InputError(
                f"fitted is {fitted}, but {n_fitted} documents were fitted: give a position from 0 to "
                f"{n_fitted - 1}."
            )
        known = model.label_distributions_[fitted]
    none = model.none_of_these(None if fitted is not None else [text])
    with np.errstate(all="ignore"):  # what comes of it is looked at
        found = explain(
            text,
            model._count_known([text]),
            model.classes_.tolist(),
            model.vocabulary_,
            model.seeds_.bind(model.vocabulary_).membership,
            model._distributions,
            model._evidence,
            lambda words: word_spans(text, words, model.tokenizer, model._sought()),
            known,
        )
    if not np.isfinite([found.log_odds, *found.terms.values()]).all():
        raise InputError(f"the label of this text cannot be explained: {NO_PROBABILITIES}")
    if none is None:
        return found
    outside = float(none.probability[0 if fitted is None else fitted])
    return replace(found, none_label=none.label, none_probability=outside)
