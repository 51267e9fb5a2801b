"""What all models share: text in, counts made, seeds checked, classes kept in the user's order."""

from __future__ import annotations

import re
import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from seedtopic.corpus import Counts, MinDf, canonical_order, checked_counts, count_known, count_words
from seedtopic.counting.memory import MaxMemory
from seedtopic.errors import InputError, SeedWarning
from seedtopic.kernels.threads import resolve_threads
from seedtopic.models.inputs import Texts, given_texts, is_matrix, refuse_text_table, reported
from seedtopic.progress import Progress, silent
from seedtopic.seeds import BoundSeeds, Seeds
from seedtopic.shares import shares
from seedtopic.storage import ModelFolder, write_model
from seedtopic.text import StopWords, Tokenizer, stop_word_set, tokenize

_UNNAMED = re.compile(r"x\d+")  # scikit-learn's name of a column without a name

# Parameters that belong to the fit, or cannot be written down.
_UNSAVED = ("seeds", "vocabulary", "tokenizer", "random_state", "max_memory", "embeddings", "runner")

SeedsLike = Seeds | Mapping[Any, Sequence[str]] | str | Path


class TextClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Text or counts in, classes out: what a model needs that has nothing to do with how it learns.

    Parameters
    ----------
    vocabulary : sequence of str, optional
        The words of the columns when `fit` is given a matrix of counts.
    tokenizer : callable, optional
        Takes a text, gives its tokens. Left out: lower-case words of two characters and more.
    stop_words : "english", collection of str, or None
        Words that are dropped, unless they are seeds.
    min_df : int or "auto"
        Words in fewer documents are dropped, unless they are seeds.
    n_threads : int, optional
        Threads to use; all cores when left out. The result does not depend on it.
    random_state : int, RandomState or None
        Source of the random start.
    max_memory : int or str, optional
        Memory that the counts may take, in bytes or as ``"4GB"``; beyond it they lie in temporary files
        that are mapped into memory. The result does not depend on it.
    """

    # The names of the fitted arrays that a saved model must hold.
    _learned: tuple[str, ...] = ()

    def __init__(
        self,
        *,
        vocabulary: Sequence[str] | None = None,
        tokenizer: Tokenizer | None = None,
        stop_words: StopWords = "english",
        min_df: MinDf = "auto",
        n_threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        max_memory: MaxMemory = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.min_df = min_df
        self.n_threads = n_threads
        self.random_state = random_state
        self.max_memory = max_memory

    @abstractmethod
    def _infer(self, counts: sp.csr_array) -> NDArray[np.floating[Any]]:
        """Give the label distributions of documents, shape (n_documents, n_classes)."""

    def predict_proba(self, X: Texts) -> NDArray[np.float64]:
        """Give the probability of each class, in the order of `classes_`, for other documents."""
        check_is_fitted(self)
        return shares(self._infer(self._count_known(X)).astype(np.float64))

    def predict(self, X: Texts) -> NDArray[np.str_]:
        """Give the most probable class of other documents."""
        best = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[np.str_] = self.classes_[best]
        return labels

    def save(self, folder: str | Path) -> None:
        """Write the fitted model as a folder that a person can read; see `seedtopic.load`."""
        check_is_fitted(self)
        parameters = self.get_params(deep=False)
        for unsaved in _UNSAVED:
            parameters.pop(unsaved, None)
        parameters = {name: value for name, value in parameters.items() if not sp.issparse(value)}
        write_model(
            Path(folder),
            ModelFolder(
                model=type(self).__name__,
                parameters={name: _plain(value) for name, value in parameters.items()},
                classes=self.classes_.tolist(),
                seeds=getattr(self, "seeds_", None),
                vocabulary=self.vocabulary_,
                arrays={name: np.asarray(getattr(self, name)) for name in self._learned},
                custom_tokenizer=self.tokenizer is not None,
            ),
        )

    @classmethod
    def _restore(cls, folder: ModelFolder, tokenizer: Tokenizer | None) -> Self:
        model = cls(tokenizer=tokenizer, **folder.parameters)
        model.classes_ = np.array(folder.classes)
        model.vocabulary_ = folder.vocabulary
        for name in cls._learned:
            setattr(model, name, folder.arrays[name])
        return model

    def _count(self, X: Texts, keep: Collection[str], progress: Progress) -> Counts:
        """Count the words of the documents to learn from; `keep` may not be dropped."""
        if is_matrix(X):
            refuse_text_table(X)
            if self.vocabulary is None and keep and not any(_UNNAMED.fullmatch(word) for word in keep):
                raise InputError("a matrix of counts needs vocabulary=[...], the word of each column.")
            matrix = validate_data(
                self, X, accept_sparse="csr", ensure_all_finite=False, ensure_min_samples=0
            )
            counts = checked_counts(matrix, self.vocabulary)
        else:
            tokens = tokenize(reported(given_texts(X), progress), self.tokenizer)
            stop_words = stop_word_set(self.stop_words)
            counts = count_words(
                tokens,
                min_df=self.min_df,
                stop_words=stop_words,
                keep=keep,
                n_workers=resolve_threads(self.n_threads),
                max_memory=self.max_memory,
            )
        n_documents = counts.matrix.shape[0]
        if n_documents < 2:
            raise InputError(
                f"Found {n_documents} document(s) (n_samples = {n_documents}): learning needs at least 2."
            )
        if counts.matrix.nnz == 0:
            raise InputError(
                "no document has a word that can be used: all are empty, or min_df and stop_words drop all."
            )
        return counts

    def _count_known(self, X: Texts) -> sp.csr_array:
        if is_matrix(X):
            refuse_text_table(X)
            matrix = validate_data(self, X, accept_sparse="csr", ensure_all_finite=False, reset=False)
            return checked_counts(matrix, self.vocabulary_).matrix
        tokens = tokenize(given_texts(X), self.tokenizer)
        return count_known(tokens, self.vocabulary_, n_workers=resolve_threads(self.n_threads)).matrix

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.positive_only = True
        return tags


class SeedModel(TextClassifier):
    """A classifier that learns from unlabelled documents and seed words.

    A model of its own writes three hooks, `_check_parameters`, `_learn` from counts and seeds, and `_infer`
    for counts of new documents, and names the arrays it has learned.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category; a path names a TOML or JSON file.
    strict : bool
        Whether a category none of whose words occurs is an error instead of a warning.
    vocabulary, tokenizer, stop_words, min_df, n_threads, random_state, max_memory
        See `TextClassifier`.
    """

    _learned: tuple[str, ...] = ("label_distributions_",)

    def __init__(
        self,
        seeds: SeedsLike | None = None,
        *,
        vocabulary: Sequence[str] | None = None,
        tokenizer: Tokenizer | None = None,
        stop_words: StopWords = "english",
        min_df: MinDf = "auto",
        strict: bool = False,
        n_threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        max_memory: MaxMemory = None,
    ) -> None:
        super().__init__(
            vocabulary=vocabulary,
            tokenizer=tokenizer,
            stop_words=stop_words,
            min_df=min_df,
            n_threads=n_threads,
            random_state=random_state,
            max_memory=max_memory,
        )
        self.seeds = seeds
        self.strict = strict

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse parameters out of range, before any work is done."""

    @abstractmethod
    def _learn(
        self, counts: sp.csr_array, seeds: BoundSeeds, progress: Progress
    ) -> NDArray[np.floating[Any]]:
        """Learn from counts and seeds; return the label distributions of the documents."""

    def _reads_again(self) -> bool:
        """Tell whether `_beside_counts` reads the documents after they were counted."""
        return False

    def _beside_counts(self, X: Texts, order: NDArray[np.intp]) -> NDArray[np.float64] | sp.csr_array | None:
        """Give what `_learn` shall know of the documents, in this order, beside their words, or None."""
        return None

    def fit(self, X: Texts, y: object = None, *, progress: Progress = silent) -> Self:
        """Learn from unlabelled documents.

        Parameters
        ----------
        X : iterable of str, or matrix of counts of shape (n_documents, n_words)
            The documents. The columns of a matrix are named by `vocabulary`.
        y : ignored
            Present for scikit-learn's sake.
        progress : callable, optional
            Told the stage, the steps done and the steps in all.
        """
        self._check_parameters()
        if isinstance(X, Iterator) and self._reads_again():
            X = list(X)
        if self.seeds is None:
            raise InputError("no seeds are given: pass seeds={'category': ['word', ...], ...}.")
        seeds = Seeds.of(self.seeds)
        counts = self._count(X, seeds.words, progress)
        if not is_matrix(X):
            self._warn_of_unreadable(seeds)
        bound = seeds.bind(counts.vocabulary)
        bound.require(strict=self.strict)
        report = bound.report()
        if report:
            warnings.warn(report, SeedWarning, stacklevel=2)
        self.seeds_ = seeds
        self.classes_ = np.array(seeds.names)
        self.vocabulary_ = counts.vocabulary
        order = canonical_order(counts.matrix)
        beside = self._beside_counts(X, order)
        known = () if beside is None else (beside,)
        ordered = counts.matrix[order]
        del counts  # which may be as large as all that learning needs
        distributions = self._learn(ordered, bound, progress, *known)
        self.label_distributions_ = np.empty(distributions.shape)
        self.label_distributions_[order] = shares(distributions.astype(np.float64))
        self._label_fitted(order)
        return self

    def _label_fitted(self, order: NDArray[np.intp]) -> None:
        """Label the fitted documents from their distributions; `order` is the one they were learned in."""
        self.transduction_ = self.classes_[self.label_distributions_.argmax(axis=1)]

    def _warn_of_unreadable(self, seeds: Seeds) -> None:
        """Name the seeds that can never match, because documents are cut into words in another way."""
        read = zip(seeds.words, tokenize(seeds.words, self.tokenizer), strict=True)
        otherwise = [
            f"{word!r} as {' and '.join(map(repr, t)) or 'nothing'}" for word, t in read if t != [word]
        ]
        if otherwise:
            sentence = (
                f"these seed words never match, because they are read otherwise: {', '.join(otherwise)}."
            )
            warnings.warn(sentence, SeedWarning, stacklevel=3)

    @classmethod
    def _restore(cls, folder: ModelFolder, tokenizer: Tokenizer | None) -> Self:
        model = super()._restore(folder, tokenizer)
        if folder.seeds is None:
            raise InputError(f"the {folder.model} model has no seeds: its folder is damaged.")
        model.seeds = model.seeds_ = folder.seeds
        model._label_fitted(np.arange(len(model.label_distributions_)))
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


def _plain(value: Any) -> Any:
    """Turn a parameter into what JSON can hold."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return sorted(value) if isinstance(value, set | frozenset) else value
