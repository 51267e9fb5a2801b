"""What all models share: text in, counts made, classes out, a folder to be kept in."""

from __future__ import annotations

import re
from abc import ABCMeta, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from seedtopic.documents.frames import texts_of, with_columns
from seedtopic.documents.inputs import (
    Texts,
    given_texts,
    is_matrix,
    refuse_text_table,
    reported,
    without_frame,
)
from seedtopic.documents.label_columns import (
    Extras,
    NoneOfThese,
    added_columns,
    check_min_probability,
    label_values,
)
from seedtopic.errors import InputError
from seedtopic.learning.signals.shares import shares
from seedtopic.memory import MaxMemory, require_room
from seedtopic.models.learned import Learned, check_forms
from seedtopic.models.older_folders import brought_up_to_date
from seedtopic.models.parameters import check_number
from seedtopic.parallel.threads import resolve_threads
from seedtopic.progress import Progress
from seedtopic.storage.arrays import Described
from seedtopic.storage.model_folder import ModelFolder, write_model
from seedtopic.text.counts import (
    Counts,
    KnownWords,
    MinDf,
    checked_counts,
    count_known,
    count_words,
    resolve_min_df,
)
from seedtopic.text.phrases import Phrases
from seedtopic.text.tokens import StopWords, Tokenizer, stop_word_set, tokenize

_UNNAMED = re.compile(r"x\d+")  # scikit-learn's name of a column without a name

# Parameters that belong to the fit, or cannot be written down.
_UNSAVED = ("seeds", "vocabulary", "tokenizer", "max_memory", "embeddings", "runner")


NO_PROBABILITIES = (
    "its parameters are too large or too small, or its folder is damaged; fit it again with others."
)


class TextClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Text or counts in, classes out: what a model needs that has nothing to do with how it learns.

    Parameters
    ----------
    vocabulary : sequence of str, optional
        The words of the columns when `fit` is given a matrix of counts.
    tokenizer : callable, optional
        Takes a text, gives its tokens. Left out: lower-case words of two characters and more.
    stop_words : str, collection of str, or None
        Words that are dropped, unless they are seeds: those of a language, such as ``"english"`` or, with the
        extra `languages`, ``"german"`` and others, or an own collection.
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

    # The fitted arrays that a saved model must hold.
    _learned: ClassVar[Mapping[str, Learned]] = {}
    # Tables of documents, or words, and categories that learning holds at once, at the least.
    _tables = 4

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
    def _check_parameters(self) -> None:
        """Refuse parameters out of range, before any work is done."""

    @abstractmethod
    def _infer(self, counts: sp.csr_array) -> NDArray[np.floating[Any]]:
        """Give the label distributions of documents, shape (n_documents, n_classes)."""

    def _distributions(self, counts: sp.csr_array) -> NDArray[np.float64]:
        """Give what `_infer` does, and make sure that it is what it should be."""
        require_room(counts.shape[0], len(self.classes_), arrays=2)
        with np.errstate(all="ignore"):  # what comes of it is looked at
            return checked_distributions(self._infer(counts))

    def predict_proba(self, X: Texts) -> NDArray[np.float64]:
        """Give the probability of each class, in the order of `classes_`, for other documents.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.
        """
        check_is_fitted(self)
        return self._distributions(self._count_known(X))

    def predict(self, X: Texts) -> NDArray[np.str_]:
        """Give the most probable class of other documents.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.
        """
        best = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[np.str_] = self.classes_[best]
        return labels

    def predict_all(self, X: Texts, *, several: bool = False) -> tuple[NDArray[np.float64], Extras]:
        """Give all there is to say of other documents, their words counted once.

        Parameters
        ----------
        X : iterable of str, or matrix of counts of shape (n_documents, n_words)
        several : bool
            Whether to give all labels of each document, too; only `SeedTopicClassifier` can.

        Returns
        -------
        ndarray of shape (n_documents, n_classes), Extras
            What `predict_proba` gives, and what `label_values` takes beside it.

        Examples
        --------
        >>> from seedtopic import SeedTopicClassifier
        >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0)
        >>> model = model.fit(["the game", "a bank", "game and goal", "bank and rate"])
        >>> probabilities, beside = model.predict_all(["the goal", "which rate?"], several=True)
        >>> probabilities.argmax(axis=1).tolist(), beside.columns
        ([0, 1], ['labels'])
        """
        check_is_fitted(self)
        counts = self._count_known(X)
        posterior = self._distributions(counts)
        return posterior, self._extras(counts, posterior, several)

    def _extras(self, counts: sp.csr_array, posterior: NDArray[np.float64], several: bool) -> Extras:
        """Give what is known of new documents beside their label distributions."""
        if several:
            raise InputError(f"{type(self).__name__} gives one label a document: use SeedTopicClassifier.")
        return Extras(self.paths())

    def label_frame(
        self,
        frame: Any,
        text: Any = "text",
        *,
        fitted: bool = False,
        min_probability: float = 0.0,
        multi: bool = False,
    ) -> Any:
        """Label the documents in a column of a data frame of pandas or polars.

        Parameters
        ----------
        frame : pandas.DataFrame or polars.DataFrame
        text : str
            The column of the texts; a missing one is read as empty.
        fitted : bool
            Whether the frame is what the model was fitted to, in the same order: then the labels of the fit
            are given, otherwise those of `predict`.
        min_probability : float
            A document whose label is less probable is left without one.
        multi : bool
            Whether to add a column `labels` with a list of all labels of each document.

        Returns
        -------
        frame of the same kind
            A new one: its rows, index and columns stay, and `predicted`, `probability`, `runner_up`,
            `runner_up_probability` and `margin` are added, as in the files of the command line; each with
            `seedtopic_` before its name where the frame has one of these already. They are empty where a
            text is missing.

        Examples
        --------
        >>> import pandas
        >>> from seedtopic import SeedTopicClassifier
        >>> frame = pandas.DataFrame({"body": ["team wins game", "game lost", "bank cuts rate", "bank rate"]})
        >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0)
        >>> model.fit(frame["body"]).label_frame(frame, "body")["predicted"].tolist()
        ['sports', 'sports', 'money', 'money']
        """
        check_is_fitted(self)
        check_min_probability(min_probability)
        texts, missing = texts_of(frame, text)
        if fitted:
            probabilities = self._fitted_distributions(len(texts))
        else:
            probabilities = self.predict_proba(texts) if texts else np.empty((0, len(self.classes_)))
        none = self.none_of_these() if fitted else self.none_of_these(texts)
        several = self._all_labels(None if fitted else texts) if multi and texts else [] if multi else None
        extras = Extras(self.paths(), none, several)
        rows = list(label_values(self.classes_.tolist(), probabilities, min_probability, extras))
        for place in missing:
            rows[place] = (None,) * len(rows[place])
        names = added_columns(list(frame.columns), extras.columns)
        return with_columns(frame, {name: [row[place] for row in rows] for place, name in enumerate(names)})

    def _fitted_distributions(self, n_documents: int) -> NDArray[np.float64]:
        raise InputError(f"{type(self).__name__} keeps no labels of the fit: leave fitted=True out.")

    def _all_labels(self, X: Texts | None) -> list[list[Any]]:
        """Give all labels of documents, of the fitted ones where none are given."""
        raise InputError(f"{type(self).__name__} gives one label a document: leave multi=True out.")

    def none_of_these(self, X: Texts | None = None) -> NoneOfThese | None:
        """Give how likely documents are to belong to no category, the fitted ones where none are given.

        None where the model was not asked to find them.

        Parameters
        ----------
        X : documents, optional
            As of `fit`; the fitted ones when left out.
        """
        return None

    def paths(self) -> dict[Any, str] | None:
        """Write the path to each category, as in news > money, where there is a tree."""
        return None

    def save(self, folder: str | Path) -> None:
        """Write the fitted model as a folder that a person can read; see `seedtopic.load`.

        Parameters
        ----------
        folder : path
            A model that is there already is replaced, as soon as this one is complete.
        """
        check_is_fitted(self)
        parameters = self.get_params(deep=False)
        for unsaved in _UNSAVED:
            parameters.pop(unsaved, None)
        if not isinstance(self.random_state, int | np.integer):  # a generator cannot be written down
            parameters.pop("random_state")
        parameters = {name: value for name, value in parameters.items() if not sp.issparse(value)}
        write_model(
            Path(folder),
            ModelFolder(
                model=type(self).__name__,
                parameters={name: _plain(value) for name, value in parameters.items()},
                classes=self.classes_.tolist(),
                seeds=getattr(self, "seeds_", None),
                vocabulary=self.vocabulary_,
                arrays={
                    **{name: np.asarray(getattr(self, name)) for name in self._learned},
                    **self._beside_learned(),
                },
                custom_tokenizer=self.tokenizer is not None,
            ),
        )

    def _beside_learned(self) -> dict[str, NDArray[Any]]:
        """Give further arrays to save, which a model need not have."""
        return {}

    @classmethod
    def _outlined(cls, folder: ModelFolder, tokenizer: Tokenizer | None) -> Self:
        """Make a model with what a folder says of it but for the arrays."""
        for name in _UNSAVED:
            if name in folder.parameters:
                raise InputError(f"it is damaged: {name} is never saved with a model.")
        model = cls(tokenizer=tokenizer, **folder.parameters)
        model.classes_ = np.array(folder.classes)
        model.vocabulary_ = KnownWords(folder.vocabulary)
        model._check_common_parameters()
        model._check_parameters()
        return model

    def _check_common_parameters(self) -> None:
        """Refuse what `fit` would find out later about the parameters that all models have."""
        resolve_min_df(self.min_df, 1)
        resolve_threads(self.n_threads)
        if not isinstance(self.stop_words, str):
            stop_word_set(self.stop_words)
        if self.random_state is not None:
            check_number("random_state", self.random_state, least=0, most=2**32 - 1, whole=True)

    def _sizes(self) -> dict[str, int]:
        """Give the sizes that the arrays must have, by the names in `_learned`."""
        return {"classes": len(self.classes_), "words": len(self.vocabulary_)}

    def _forms(self, described: Mapping[str, Described]) -> Mapping[str, Learned]:
        """Give the forms of the arrays that a saved model must hold, if it holds these."""
        return self._learned

    @classmethod
    def _check_described(cls, folder: ModelFolder, described: Mapping[str, Described]) -> None:
        """Refuse a folder by what it says of its arrays, before there is room for them in memory."""
        folder, described = brought_up_to_date(folder, described)
        model = cls._outlined(folder, None)
        check_forms(model._forms(described), described, model._sizes())

    @classmethod
    def _restore(cls, folder: ModelFolder, tokenizer: Tokenizer | None) -> Self:
        described = {name: Described.of(array) for name, array in folder.arrays.items()}
        cls._check_described(folder, described)
        folder, found = brought_up_to_date(folder, described)
        model = cls._outlined(folder, tokenizer)
        for name, form in model._forms(found).items():
            if not form.holds(folder.arrays[name]):
                raise InputError(f"it is damaged: {name} has numbers that no such model has.")
        for name in cls._learned:
            setattr(model, name, folder.arrays[name])
        return model

    def _count(
        self,
        X: Texts,
        keep: Collection[str],
        progress: Progress,
        *,
        min_df: MinDf | None = None,
        reset: bool = True,
    ) -> Counts:
        """Count the words of the documents to learn from; `keep`, words and phrases, may not be dropped."""
        X = without_frame(X)
        if is_matrix(X):
            refuse_text_table(X)
            if self.vocabulary is None and keep and not any(_UNNAMED.fullmatch(word) for word in keep):
                raise InputError("a matrix of counts needs vocabulary=[...], the word of each column.")
            matrix = validate_data(
                self, X, accept_sparse="csr", ensure_all_finite=False, ensure_min_samples=0, reset=reset
            )
            counts = checked_counts(matrix, self.vocabulary)
        else:
            tokens = tokenize(reported(given_texts(X), progress), self.tokenizer, keep)
            stop_words = stop_word_set(self.stop_words)
            counts = count_words(
                tokens,
                min_df=self.min_df if min_df is None else min_df,
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
        X = without_frame(X)
        if is_matrix(X):
            refuse_text_table(X)
            matrix = validate_data(self, X, accept_sparse="csr", ensure_all_finite=False, reset=False)
            return checked_counts(matrix, self.vocabulary_).matrix
        tokens = tokenize(given_texts(X), self.tokenizer, self._sought())
        return count_known(tokens, self.vocabulary_, n_workers=resolve_threads(self.n_threads)).matrix

    def _sought(self) -> Phrases:
        """Give the phrases that new documents are searched for."""
        return Phrases()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.positive_only = True
        return tags


def checked_distributions(values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Scale rows to probabilities, and refuse what cannot be: no result holds NaN.

    Examples
    --------
    >>> checked_distributions(np.array([[1.0, 3.0]])).tolist()
    [[0.25, 0.75]]
    """
    distributions = shares(values.astype(np.float64))
    if not (np.abs(distributions.sum(axis=1) - 1.0) < 1e-6).all() or distributions.min(initial=0.0) < 0:
        raise InputError(f"no probabilities come of this model: {NO_PROBABILITIES}")
    return distributions


def _plain(value: Any) -> Any:
    """Turn a parameter into what JSON can hold."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return sorted(value) if isinstance(value, set | frozenset) else value
