"""Documents in, counts out: the one place where a model reads what a user passes as `X`."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory
from seedtopic.base.progress import Progress
from seedtopic.base.threads import resolve_threads
from seedtopic.io.frames import (
    Texts,
    given_texts,
    is_dask,
    is_matrix,
    refuse_other_columns,
    refuse_text_table,
    reported,
    without_frame,
)
from seedtopic.text.counts import Counts, KnownWords, MinDf, checked_counts, count_known, count_words
from seedtopic.text.identity import Fingerprint
from seedtopic.text.phrases import Phrases
from seedtopic.text.rules import Rule, counted_with_rules, known_with_rules
from seedtopic.text.tokens import StopWords, Tokenizer, stop_word_set, tokenize

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


_UNNAMED = re.compile(r"x\d+")  # scikit-learn's name of a column without a name


@dataclass(frozen=True)
class CountedTexts:
    """Documents as they were read for a fit."""

    counts: Counts
    columns: Sequence[str] | None  # the word of each column of the matrix that was given
    inputs: Mapping[str, Any]  # what scikit-learn notes of a matrix, such as `n_features_in_`, by its name
    fingerprint: str | None = None  # of the texts in their order; None for a matrix, and texts elsewhere


@dataclass(frozen=True)
class Reading:
    """How words of texts are counted; see `SeedClassifier` for each."""

    tokenizer: Tokenizer | None = None
    stop_words: StopWords = "english"
    min_df: MinDf = "auto"
    n_threads: int | None = None
    max_memory: MaxMemory = None

    def counts(self, texts: Iterable[Any], keep: Collection[str], rules: Sequence[Rule]) -> Counts:
        """Count words, of which some are kept however rare they are, and the documents that rules match."""
        return counted_with_rules(
            rules,
            texts,
            lambda plain: count_words(
                tokenize(plain, self.tokenizer, keep),
                min_df=self.min_df,
                stop_words=stop_word_set(self.stop_words),
                keep=keep,
                n_workers=resolve_threads(self.n_threads),
                max_memory=self.max_memory,
            ),
        )


@dataclass(frozen=True)
class TextReader:
    """Counts the words of texts, and checks matrices of counts."""

    estimator: BaseEstimator  # whose documents are read
    vocabulary: Sequence[str] | None  # see `SeedClassifier`
    tokenizer: Tokenizer | None  # see `SeedClassifier`
    stop_words: StopWords  # see `SeedClassifier`
    min_df: MinDf  # see `SeedClassifier`
    n_threads: int | None  # see `SeedClassifier`
    max_memory: MaxMemory  # see `SeedClassifier`

    @classmethod
    def of(cls, model: BaseEstimator) -> Self:
        """Take the parameters of a model."""
        names = (one.name for one in fields(cls) if one.name != "estimator")
        parameters: dict[str, Any] = {name: getattr(model, name, None) for name in names}
        return cls(model, **parameters)

    def count(
        self,
        X: Texts,
        keep: Collection[str],
        progress: Progress,
        *,
        rules: Sequence[Rule] = (),
        min_df: MinDf | None = None,
        reset: bool = True,
    ) -> CountedTexts:
        """Count the words of the documents to learn from."""
        X = without_frame(X)
        columns, inputs, fingerprint = None, {}, None
        if is_matrix(X):
            refuse_text_table(X)
            if self.vocabulary is None and keep and not any(_UNNAMED.fullmatch(word) for word in keep):
                raise InputError("a matrix of counts needs vocabulary=[...], the word of each column.")
            notebook = copy.copy(self.estimator)  # the estimator itself changes only when the fit is done
            counts = checked_counts(_checked_matrix(notebook, X, least=0, reset=reset), self.vocabulary)
            refuse_other_columns(X, counts.vocabulary)
            columns = counts.vocabulary
            names = ("n_features_in_", "feature_names_in_")
            inputs = {name: getattr(notebook, name) for name in names if hasattr(notebook, name)}
        else:
            texts = reported(given_texts(X), progress)
            if not is_dask(X):
                fingerprint = Fingerprint()
                texts = fingerprint.passing(texts)
            least = self.min_df if min_df is None else min_df
            reading = Reading(self.tokenizer, self.stop_words, least, self.n_threads, self.max_memory)
            counts = reading.counts(texts, keep, rules)
        n_documents = counts.matrix.shape[0]
        if n_documents < 2:
            raise InputError(
                f"Found {n_documents} document(s) (n_samples = {n_documents}): learning needs at least 2."
            )
        if counts.matrix.nnz == 0:
            raise InputError(
                "no document has a word that can be used: all are empty, or min_df and stop_words drop all."
            )
        return CountedTexts(counts, columns, inputs, None if fingerprint is None else str(fingerprint))

    def count_known(
        self,
        X: Texts,
        vocabulary: KnownWords,
        phrases: Phrases,
        columns: Sequence[str] | None = None,
        rules: Sequence[Rule] = (),
    ) -> Counts:
        """Count the words of new documents that a fitted model knows."""
        X = without_frame(X)
        if is_matrix(X):
            refuse_text_table(X)
            counts = checked_counts(
                _checked_matrix(self.estimator, X, least=1, reset=False), columns or vocabulary
            )
            refuse_other_columns(X, counts.vocabulary)
            return counts if columns is None else Counts(counts.in_columns(vocabulary), vocabulary)
        n_workers = resolve_threads(self.n_threads)
        return known_with_rules(
            rules,
            given_texts(X),
            vocabulary,
            lambda texts: count_known(
                tokenize(texts, self.tokenizer, phrases),
                vocabulary,
                stop_words=stop_word_set(self.stop_words),
                n_workers=n_workers,
            ),
        )


def _checked_matrix(estimator: BaseEstimator, X: Texts, *, least: int, reset: bool) -> Any:
    from sklearn.utils.validation import validate_data  # here: only a matrix needs it

    return validate_data(
        estimator, X, accept_sparse="csr", ensure_all_finite=False, ensure_min_samples=least, reset=reset
    )


Array = NDArray[np.float64]


def unknown_shares(
    counts: sp.csr_array, left_out: NDArray[np.floating[Any]] | None, n_words: int
) -> Array | None:
    """Give the share of each document's words that a model does not know; 0 for a document without words."""
    if left_out is None:
        return None
    all_known = np.asarray(counts.sum(axis=1), dtype=np.float64)
    known: NDArray[Any] = all_known
    if counts.shape[1] > n_words:
        of_model = counts.indices < n_words
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        known = np.bincount(rows[of_model], counts.data[of_model], counts.shape[0])
    return _shares(all_known - known + left_out, all_known + left_out)


def expected_unknown(counts: Counts, least: int, always: Collection[str]) -> Array | None:
    """Return mean and standard deviation of the share of unknown words to expect in new documents."""
    if counts.left_out is None:
        return None
    matrix = counts.matrix
    frequency = np.bincount(matrix.indices, minlength=matrix.shape[1])
    rare = (frequency <= least) & ~np.array([word in always for word in counts.vocabulary], dtype=bool)
    shares = _shares(
        matrix @ rare.astype(np.float64) + counts.left_out,
        np.asarray(matrix.sum(axis=1), dtype=np.float64) + counts.left_out,
    )
    return np.array([shares.mean(), shares.std()])


def _shares(part: NDArray[Any], whole: NDArray[Any]) -> Array:
    return np.asarray(np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0))


def has_counts(counts: sp.csr_array) -> NDArray[np.bool_]:
    """Return which documents contain a word that was counted."""
    return np.asarray(np.diff(counts.indptr) > 0)
