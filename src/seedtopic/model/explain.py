"""Why a fitted model gives a document its label: what the model says, as an `Explanation`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import fsum
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from seedtopic.base.errors import InputError
from seedtopic.base.threads import resolve_threads, thread_limit
from seedtopic.io.columns import has_text
from seedtopic.model.evidence import Array, Explanation, Trial, WordShare, logarithm, word_shares
from seedtopic.model.fitted import NO_PROBABILITIES, FittedModel
from seedtopic.model.stages.documents import Documents
from seedtopic.text.counts import Counts
from seedtopic.text.parts import word_spans

if TYPE_CHECKING:
    from seedtopic.model.estimator import SeedClassifier


def explained(model: SeedClassifier, text: str, place: int | None) -> Explanation:
    """Explain the label of a text; see `SeedClassifier.explain`."""
    if not isinstance(text, str):
        raise InputError(f"the document to explain is {type(text).__name__}: give one text.")
    fitted = model.fitted_
    of_fit = None if place is None else fitted.fitted
    if place is not None and of_fit is not None and not -len(of_fit) <= place < len(of_fit):
        raise InputError(
            f"fitted is {place}, but {len(of_fit)} documents were fitted: give a position from 0 to "
            f"{len(of_fit) - 1}."
        )
    document, classes = model._documents([text]), fitted.classes.tolist()
    counts = document.all_counts
    vocabulary, membership = _as_wide(fitted, counts.shape[1])
    spans = partial(word_spans, text, tokenizer=model.tokenizer, phrases=fitted.phrases(model.tokenizer))

    def infer(counts: sp.csr_array) -> Array:
        return fitted.posterior(_with_counts(fitted, document, counts))

    limit = thread_limit(resolve_threads(model.n_threads))
    with limit, np.errstate(all="ignore"):  # what comes of it is looked at
        by_words = logarithm(infer(counts)[0])
        final = by_words if of_fit is None else logarithm(of_fit.probabilities[place])
        label, rival = (int(category) for category in np.argsort(-final, kind="stable")[:2])
        evidence = fitted.evidence(_with_counts(fitted, document, counts), label, rival)
        alone, log_odds = (float(logs[label] - logs[rival]) for logs in (by_words, final))
        trial = Trial(counts, infer, final - by_words, classes, vocabulary, label)
        explanation = Explanation(
            text=text,
            label=classes[label],
            probability=float(np.exp(final[label])),
            runner_up=classes[rival],
            runner_up_probability=float(np.exp(final[rival])),
            log_odds=log_odds,
            words=word_shares(counts, evidence, classes, vocabulary, membership, spans),
            prior=evidence.prior,
            neighbours=log_odds - alone,
            sentence_meaning=evidence.sentence,
            limit=alone - fsum(evidence.words.tolist()) - evidence.prior - evidence.sentence,
            without=trial.without(evidence.words),
            with_=trial.with_(evidence.pull),
        )
    if not np.isfinite([explanation.log_odds, *explanation.terms.values()]).all():
        raise InputError(f"the label of this text cannot be explained: {NO_PROBABILITIES}")
    if not has_text(text):
        return replace(explanation, unlabelled="no text")
    if fitted.none_label is None:
        known = document.has_words[0] if of_fit is None else of_fit.has_words[place]
        return explanation if known else replace(explanation, unlabelled="no known word")
    none = fitted.none_probability(document)[0] if of_fit is None else of_fit.none_probability[place]
    return replace(explanation, none_label=fitted.none_label, none_probability=float(none))


def words_behind(
    model: SeedClassifier, texts: Sequence[str], labels: Sequence[int], runners_up: Sequence[int]
) -> list[tuple[WordShare, ...]]:
    """Give what the words of each text say for a category against another; nothing if the model cannot tell.

    This is the part of explanations that many documents can be asked for: nothing else is tried.
    """
    fitted, documents = model.fitted_, model._documents(texts)
    vocabulary, membership = _as_wide(fitted, documents.all_counts.shape[1])
    of_texts = []
    for place, (text, label, rival) in enumerate(zip(texts, labels, runners_up, strict=True)):
        counts = documents.all_counts[[place]]
        sentences = None if documents.sentences is None else documents.sentences[[place]]
        try:
            with np.errstate(all="ignore"):  # a word that weighs no number is left out
                evidence = fitted.evidence(fitted.view(Counts(counts, []), sentences), label, rival)
        except InputError:  # a model that does not weigh words
            return [()] * len(texts)
        spans = partial(word_spans, text, tokenizer=model.tokenizer, phrases=fitted.phrases(model.tokenizer))
        shares = word_shares(counts, evidence, fitted.classes.tolist(), vocabulary, membership, spans)
        of_texts.append(tuple(share for share in shares if np.isfinite(share.log_odds)))
    return of_texts


def _as_wide(fitted: FittedModel, n_columns: int) -> tuple[Sequence[str], sp.csr_array]:
    """Return the words of all columns, and the seeds among them."""
    membership = sp.csr_array((len(fitted.classes), n_columns))
    if fitted.seeds is not None:
        membership = fitted.seeds.membership
    if n_columns == membership.shape[1]:
        return fitted.words, membership
    wide = (membership.data, membership.indices, membership.indptr)
    return fitted.words, sp.csr_array(wide, shape=(membership.shape[0], n_columns))


def _with_counts(fitted: FittedModel, document: Documents, counts: sp.csr_array) -> Documents:
    """Return the document with other words; an encoder's reading of the text as a whole stays."""
    sentences = document.sentences
    if sentences is not None:
        sentences = np.repeat(sentences, counts.shape[0], axis=0)
    return fitted.view(Counts(counts, []), sentences)
