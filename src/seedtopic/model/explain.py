"""Why a fitted model gives a document its label: what the model says, as an `Explanation`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from seedtopic.base.errors import InputError
from seedtopic.io.columns import has_text
from seedtopic.model.evidence import Explanation, WordShare, explain, word_shares
from seedtopic.model.fit import NO_PROBABILITIES
from seedtopic.model.reading import NewDocuments
from seedtopic.text.parts import word_spans

if TYPE_CHECKING:
    from seedtopic.model.estimator import SeedModel


def explained(model: SeedModel, text: str, fitted: int | None) -> Explanation:
    """Explain the label of a text; see `SeedModel.explain`."""
    if not isinstance(text, str):
        raise InputError(f"the document to explain is {type(text).__name__}: give one text.")
    distribution = None
    if fitted is not None:
        n_fitted = len(model.label_distributions_)
        if not -n_fitted <= fitted < n_fitted:
            raise InputError(
                f"fitted is {fitted}, but {n_fitted} documents were fitted: give a position from 0 to "
                f"{n_fitted - 1}."
            )
        distribution = model.label_distributions_[fitted]
    document = model._new_documents([text])
    vocabulary, membership = _as_wide(model, document.counts.shape[1])
    with np.errstate(all="ignore"):  # what comes of it is looked at
        found = explain(
            text,
            document.counts,
            model.classes_.tolist(),
            vocabulary,
            membership,
            lambda counts: model._distributions(_again(document, counts)),
            lambda counts, label, rival: model._evidence(replace(document, counts=counts), label, rival),
            lambda words: word_spans(text, words, model.tokenizer, model._sought()),
            distribution,
        )
    if not np.isfinite([found.log_odds, *found.terms.values()]).all():
        raise InputError(f"the label of this text cannot be explained: {NO_PROBABILITIES}")
    if not has_text(text):
        return replace(found, unlabelled="no text")
    predictions, row = model.fitted_predictions(), fitted
    if row is None:
        predictions, row = model._predictions(document, model._distributions(document), several=False), 0
    if predictions.none_label is None:
        return found if predictions.has_words[row] else replace(found, unlabelled="no known word")
    return replace(
        found, none_label=predictions.none_label, none_probability=float(predictions.none_probability[row])
    )


def words_behind(
    model: SeedModel, texts: Sequence[str], labels: Sequence[int], rivals: Sequence[int]
) -> list[tuple[WordShare, ...]]:
    """Give what the words of each text say for a category against another; nothing if the model cannot tell.

    This is the part of explanations that many documents can be asked for: nothing else is tried.
    """
    documents = model._new_documents(texts)
    vocabulary, membership = _as_wide(model, documents.counts.shape[1])
    found = []
    for place, (text, label, rival) in enumerate(zip(texts, labels, rivals, strict=True)):
        try:
            with np.errstate(all="ignore"):  # a word that weighs no number is left out
                evidence = model._evidence(_row(documents, place), label, rival)
        except InputError:  # a model that does not weigh words
            return [()] * len(texts)
        shares = word_shares(
            documents.counts[[place]],
            evidence,
            model.classes_.tolist(),
            vocabulary,
            membership,
            partial(word_spans, text, tokenizer=model.tokenizer, phrases=model._sought()),
        )
        found.append(tuple(share for share in shares if np.isfinite(share.log_odds)))
    return found


def _row(documents: NewDocuments, place: int) -> NewDocuments:
    sentences = documents.sentences
    return NewDocuments(documents.counts[[place]], None if sentences is None else sentences[[place]])


def _as_wide(model: SeedModel, n_columns: int) -> tuple[Sequence[str], sp.csr_array]:
    """Return the words of all columns, and the seeds among them."""
    membership = model.seeds_.bind(model.vocabulary_).membership
    vocabulary = model._words_of_new_documents()
    if n_columns == membership.shape[1]:
        return vocabulary, membership
    wide = (membership.data, membership.indices, membership.indptr)
    return vocabulary, sp.csr_array(wide, shape=(membership.shape[0], n_columns))


def _again(document: NewDocuments, counts: sp.csr_array) -> NewDocuments:
    """Return the document with other words; an encoder's reading of the text as a whole stays."""
    sentences = document.sentences
    return NewDocuments(counts, None if sentences is None else np.repeat(sentences, counts.shape[0], axis=0))
