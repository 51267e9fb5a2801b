"""What all models share: documents in, labels out, a folder to be kept in.

Length: what users call is documented here once for all models.
"""

from __future__ import annotations

import copy
from abc import ABCMeta, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from seedtopic.base.arrays import Described
from seedtopic.base.checks import check_number
from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory, require_memory
from seedtopic.base.threads import resolve_threads, thread_limit
from seedtopic.documents.dask_collections import is_dask, is_dask_frame
from seedtopic.documents.frames import is_lazy_frame
from seedtopic.documents.inputs import Texts
from seedtopic.documents.label_columns import Extras, NoneOfThese, check_min_probability
from seedtopic.documents.labelable import Labelable
from seedtopic.learning.signals.shares import shares
from seedtopic.models.by_partition import labelled_later, predicted_later
from seedtopic.models.explaining import NO_PROBABILITIES
from seedtopic.models.known_words import counted
from seedtopic.models.reading import NewDocuments, TextReader
from seedtopic.models.saving import check_described, folder_of, restored
from seedtopic.models.saving.forms import Learned
from seedtopic.models.table_labels import TableLabeller, with_labels
from seedtopic.models.unknown_words import unknown_shares
from seedtopic.seeds import Seeds
from seedtopic.storage.model_folder import ModelFolder, write_model
from seedtopic.text.counts import Counts, KnownWords, MinDf, resolve_min_df
from seedtopic.text.phrases import Phrases
from seedtopic.text.rules import Rule
from seedtopic.text.tokens import StopWords, Tokenizer, stop_word_set


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
        Memory that the counts may take, in bytes or as ``"4GB"``; beyond it they are kept in temporary files
        that are mapped into memory. The result does not depend on it.
    """

    classes_: NDArray[Any]
    vocabulary_: KnownWords
    # The word of each column of the matrix that was fitted, where these are not the words of the model.
    columns_: Sequence[str] | None

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
    def _infer(self, documents: NewDocuments) -> NDArray[np.floating[Any]]:
        """Give the label distributions of documents, shape (n_documents, n_classes)."""

    def predict_proba(self, X: Texts) -> NDArray[np.float64]:
        """Give the probability of each class, in the order of `classes_`, for other documents.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.

        Returns
        -------
        ndarray, shape (n_documents, n_classes)
            For a collection of Dask, a lazy one with the same partitions: for a column or a frame, a frame
            with its index and one column for each class; for an array, an array; for a bag, a bag of rows.
        """
        check_is_fitted(self)
        if is_dask(X):
            later: NDArray[np.float64] = predicted_later(self, X, "predict_proba")
            return later
        return self._distributions(self._new_documents(X))

    def predict(self, X: Texts) -> NDArray[Any]:
        """Give the most probable class of other documents.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.

        Returns
        -------
        ndarray, shape (n_documents,)
            For a collection of Dask, a lazy one with the same partitions: for a column or a frame, a column
            with its index; for an array, an array; for a bag, a bag.
        """
        check_is_fitted(self)
        labels: NDArray[Any]
        if is_dask(X):
            labels = predicted_later(self, X, "predict")
        else:
            labels = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return labels

    def predict_all(self, X: Texts, *, several: bool = False) -> tuple[NDArray[np.float64], Extras]:
        """Give everything the model says of other documents, counting their words once.

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
        >>> probabilities, extras = model.predict_all(["the goal", "which rate?"], several=True)
        >>> probabilities.argmax(axis=1).tolist(), extras.columns
        ([0, 1], ['labels'])
        """
        if "classes_" not in vars(self):  # asking scikit-learn takes a while for one short text
            check_is_fitted(self)
        documents = self._new_documents(X)
        posterior = self._distributions(documents)
        return posterior, self._extras(documents, posterior, several)

    def label_frame(
        self,
        frame: Any,
        text: Any = "text",
        *,
        fitted: bool = False,
        min_probability: float = 0.0,
        multi: bool = False,
    ) -> Any:
        """Label the documents in a column of a table.

        Parameters
        ----------
        frame : data frame
            Of pandas, polars, Dask, a `pyarrow.Table` or a `datasets.Dataset`.
        text : str
            The column of the texts; a missing one is read as empty.
        fitted : bool
            Whether the frame is what the model was fitted to, in the same order: then the labels of the fit
            are given, otherwise those of `predict`. Not for a lazy frame.
        min_probability : float
            A document whose label is less probable is left without one.
        multi : bool
            Whether to add a column `labels` with a list of all labels of each document.

        Returns
        -------
        frame of the same kind
            A new one, lazy where the frame is: its rows, index, partitions and columns stay, and
            `predicted`, `probability`, `runner_up`, `runner_up_probability`, `margin` and `source` are
            added, as in the files of the command line; each with `seedtopic_` before its name where the
            frame has one of these already. `source` is ``"confirmed"`` where a person gave the label to
            `fit`, ``"labelled"`` where the model did, and ``"none"`` where a text is missing or blank, or
            has no word that the model knows: then the others are empty.

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
        if is_dask_frame(frame) or is_lazy_frame(frame):
            labeller = self.labeller(text, min_probability=min_probability, multi=multi)
            return labelled_later(labeller, frame, fitted=fitted)
        return with_labels(self, frame, text, fitted=fitted, min_probability=min_probability, multi=multi)

    def labeller(
        self, text: Any = "text", *, min_probability: float = 0.0, multi: bool = False
    ) -> TableLabeller:
        """Give a function that labels tables, to be called elsewhere: by Ray, Spark or worker processes.

        It is `label_frame` for parts of a table: it can be pickled and is small, it uses one thread, and the
        types of the columns that it gives do not depend on the rows.

        Parameters
        ----------
        text, min_probability, multi
            See `label_frame`.

        Returns
        -------
        TableLabeller
            Takes a table and gives it with labels.

        Examples
        --------
        >>> import pandas, pickle
        >>> from seedtopic import SeedTopicClassifier
        >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0)
        >>> model = model.fit(["the game", "a bank", "game and goal", "bank and rate"])
        >>> label = pickle.loads(pickle.dumps(model.labeller("body")))
        >>> label(pandas.DataFrame({"body": ["a goal", None]}))["source"].tolist()
        ['labelled', 'none']
        """
        check_is_fitted(self)
        check_min_probability(min_probability)
        return TableLabeller(self.slim().set_params(n_threads=1), text, min_probability, multi)

    def has_known_words(self, X: Texts) -> NDArray[np.bool_]:
        """Tell which documents contain a word that the model knows.

        `predict` gives a class to the others as well, since it has to; files, frames and the server do not.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.

        Examples
        --------
        >>> from seedtopic import SeedTopicClassifier
        >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0)
        >>> model = model.fit(["the game", "a bank", "game and goal", "bank and rate"])
        >>> model.has_known_words(["which rate?", "xyzzy", ""]).tolist()
        [True, False, False]
        """
        check_is_fitted(self)
        return self._has_words(self._new_documents(X))

    def fitted_has_words(self) -> NDArray[np.bool_]:
        """Tell which documents of the fit contain a word that the model knows, or have a confirmed label."""
        raise InputError(f"{type(self).__name__} keeps no labels of the fit: leave fitted=True out.")

    def fitted_confirmed(self) -> NDArray[np.bool_]:
        """Tell which documents of the fit have a label that a person gave, and the model kept."""
        raise InputError(f"{type(self).__name__} keeps no labels of the fit: leave fitted=True out.")

    def _has_words(self, documents: NewDocuments) -> NDArray[np.bool_]:
        """Tell which documents contain a word that the model knows."""
        return counted(documents.counts)

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

    def _distributions(self, documents: NewDocuments) -> NDArray[np.float64]:
        """Give what `_infer` does, and make sure that it is what it should be."""
        require_memory(documents.counts.shape[0], len(self.classes_), arrays=2)
        with np.errstate(all="ignore"), thread_limit(resolve_threads(self.n_threads)):
            return checked_distributions(self._infer(documents))

    def _extras(self, documents: NewDocuments, posterior: NDArray[np.float64], several: bool) -> Extras:
        """Give what is known of new documents beside their label distributions."""
        if several:
            raise InputError(f"{type(self).__name__} gives one label a document: use SeedTopicClassifier.")
        known = Labelable.by_words(self._has_words(documents))
        return Extras(self.paths(), labelable=known, unknown=self._unknown_shares(documents))

    def _unknown_shares(self, documents: NewDocuments) -> NDArray[np.float64] | None:
        """Give the share of each document's words that the fit did not know; None for a matrix."""
        return unknown_shares(documents.counts, documents.left_out, len(self.vocabulary_))

    def fitted_distributions(self, n_documents: int) -> NDArray[np.float64]:
        """Give the label distributions of the fit, and refuse if it had another number of documents.

        Parameters
        ----------
        n_documents : int
            How many documents there are, in the order of the fit.
        """
        raise InputError(f"{type(self).__name__} keeps no labels of the fit: leave fitted=True out.")

    def _given_labels(self) -> list[Any]:
        """Give all labels that documents can have."""
        labels: list[Any] = self.classes_.tolist()
        return labels

    def _fitted_labels(self) -> list[list[Any]]:
        """Give all labels of the fitted documents."""
        raise InputError(f"{type(self).__name__} gives one label a document: use SeedTopicClassifier.")

    def _reader(self) -> TextReader:
        """Give what reads documents for this model."""
        return TextReader(
            self,
            self.vocabulary,
            self.tokenizer,
            self.stop_words,
            self.min_df,
            self.n_threads,
            self.max_memory,
        )

    def _new_documents(self, X: Texts) -> NewDocuments:
        """Read documents to be labelled."""
        counts = self._known_counts(X, self._words_of_new_documents())
        return NewDocuments(counts.matrix, left_out=counts.left_out)

    def _words_of_new_documents(self) -> KnownWords:
        """Give the words that are counted in new documents, those of the model first."""
        return self.vocabulary_

    def _count_known(self, X: Texts, words: KnownWords) -> sp.csr_array:
        """Count words of new documents: those of the model, or these."""
        return self._known_counts(X, words).matrix

    def _known_counts(self, X: Texts, words: KnownWords) -> Counts:
        return self._reader().count_known(X, words, self._sought(), self.columns_, self._rules())

    def _sought(self) -> Phrases:
        """Give the phrases that new documents are searched for."""
        return Phrases()

    def _rules(self) -> Sequence[Rule]:
        """Give the rules that new documents are compared with."""
        return ()

    def _become(self, fitted: Mapping[str, Any]) -> None:
        """Replace everything learned before with what a fit has learned, all at once."""
        kept = {name: value for name, value in vars(self).items() if not name.endswith("_")}
        self.__dict__ = {**kept, **fitted}

    def slim(self) -> Self:
        """Give a copy that labels other documents as this model does, and is small enough to be sent around.

        It holds nothing of the size of the fitted documents, such as their labels, and nothing that only
        explains or continues a fit.

        Examples
        --------
        >>> from seedtopic import SeedTopicClassifier
        >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0)
        >>> slim = model.fit(["the game", "a bank", "game and goal", "bank and rate"]).slim()
        >>> slim.predict(["which rate?"]).tolist(), len(slim.label_distributions_)
        (['money'], 0)
        """
        check_is_fitted(self)
        slim = copy.copy(self)
        slim.__dict__ = {**vars(self), **self._slimmed()}
        return slim

    def _slimmed(self) -> dict[str, Any]:
        """Give smaller values of attributes that are not needed to label other documents."""
        return {}

    def save(self, folder: str | Path) -> None:
        """Write the fitted model as a folder that a person can read; see `seedtopic.load`.

        Parameters
        ----------
        folder : path
            A model that is there already is replaced, as soon as this one is complete.
        """
        check_is_fitted(self)
        write_model(Path(folder), folder_of(self))

    def _arrays(self) -> Mapping[str, Any]:
        """Give the arrays of a fitted model, by their names in a folder."""
        return {name: getattr(self, name) for name in self._learned}

    def _from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """Give the fitted attributes that arrays of a folder stand for."""
        return {name: arrays[name] for name in self._learned}

    def _take_outline(self, classes: NDArray[Any], vocabulary: KnownWords, seeds: Seeds | None) -> None:
        """Take what a folder says beside the parameters and the arrays, and check the parameters."""
        self.classes_, self.vocabulary_, self.columns_ = classes, vocabulary, None
        self._check_common_parameters()
        self._check_parameters()

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
        check_described(cls, folder, described)

    @classmethod
    def _restore(cls, folder: ModelFolder, tokenizer: Tokenizer | None) -> Self:
        return restored(cls, folder, tokenizer)

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
