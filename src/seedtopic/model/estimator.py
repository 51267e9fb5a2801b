"""What all models share: documents in, labels out, a folder to be kept in.

Length: what users call is documented here once for all models.
"""

from __future__ import annotations

import copy
import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from seedtopic.base.arrays import Described
from seedtopic.base.checkpoint import Checkpoint
from seedtopic.base.checks import check_choice, check_number, random_generator
from seedtopic.base.display import shown
from seedtopic.base.errors import InputError, SeedWarning
from seedtopic.base.memory import MaxMemory, require_memory
from seedtopic.base.progress import Progress, silent
from seedtopic.base.threads import resolve_threads, thread_limit
from seedtopic.io.frames import (
    Texts,
    is_dask,
    is_dask_frame,
    is_lazy_frame,
    is_matrix,
    texts_here,
    without_frame,
)
from seedtopic.io.predictions import Predictions, check_min_probability
from seedtopic.learning.signals.answers import Confirmed
from seedtopic.model.evidence import Evidence, Explanation
from seedtopic.model.explain import explained
from seedtopic.model.fit import (
    CheckpointLike,
    Fit,
    check_seeds_occur,
    checked_distributions,
    identity,
    opened,
    warn_of_unreadable,
)
from seedtopic.model.folder import (
    Learned,
    ModelFolder,
    check_described,
    folder_of,
    probability,
    restored,
    weight,
    write_model,
)
from seedtopic.model.label_tables import TableLabeller, labelled_later, predicted_later, with_labels
from seedtopic.model.reading import NewDocuments, Read, TextReader, counted, expected_unknown, unknown_shares
from seedtopic.model.seed_table import SeedTable, seed_table
from seedtopic.model.training import MOST_KEPT, UNKNOWN, Sample, TrainingSet, with_examples
from seedtopic.seeds import Name, Seeds
from seedtopic.seeds.tree import Tree
from seedtopic.text.counts import NO_COUNTS, Counts, KnownWords, MinDf, resolve_min_df
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
    # The label of documents that belong to no category, where a model finds them.
    none_label: str | None = None
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
        """Return the label distributions of documents, shape (n_documents, n_classes)."""

    def predict_proba(self, X: Texts) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of `classes_`, for other documents.

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
        """Return the most probable class of other documents.

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

    def predict_all(self, X: Texts, *, several: bool = False) -> Predictions:
        """Return everything the model says of other documents, counting their words once.

        Parameters
        ----------
        X : iterable of str, or matrix of counts of shape (n_documents, n_words)
        several : bool
            Whether to give all labels of each document, too; only `SeedTopicClassifier` can.

        Returns
        -------
        Predictions
            What `predict_proba` gives, and what is known beside it.

        Examples
        --------
        >>> from seedtopic import SeedTopicClassifier
        >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0)
        >>> model = model.fit(["the game", "a bank", "game and goal", "bank and rate"])
        >>> predictions = model.predict_all(["the goal", "which rate?"], several=True)
        >>> predictions.labels.tolist(), predictions.all_labels
        (['sports', 'money'], [['sports'], ['money']])
        """
        if "classes_" not in vars(self):  # asking scikit-learn takes a while for one short text
            check_is_fitted(self)
        documents = self._new_documents(X)
        return self._predictions(documents, self._distributions(documents), several)

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
        """Return a function that labels tables, to be called elsewhere: by Ray, Spark or worker processes.

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
        """Return which documents contain a word that the model knows.

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

    def _has_words(self, documents: NewDocuments) -> NDArray[np.bool_]:
        """Return which documents contain a word that the model knows."""
        return counted(documents.counts)

    def paths(self) -> dict[Any, str] | None:
        """Write the path to each category, as in news > money, where there is a tree."""
        return None

    def _distributions(self, documents: NewDocuments) -> NDArray[np.float64]:
        """Return what `_infer` does, and make sure that it is what it should be."""
        require_memory(documents.counts.shape[0], len(self.classes_), arrays=2)
        with np.errstate(all="ignore"), thread_limit(resolve_threads(self.n_threads)):
            return checked_distributions(self._infer(documents))

    def _predictions(
        self, documents: NewDocuments, posterior: NDArray[np.float64], several: bool
    ) -> Predictions:
        """Return what is known of new documents beside their label distributions."""
        if several:
            raise InputError(f"{type(self).__name__} gives one label a document: use SeedTopicClassifier.")
        return Predictions.of(
            self.classes_.tolist(),
            posterior,
            has_words=self._has_words(documents),
            paths=self.paths(),
            unknown=self._unknown_shares(documents),
        )

    def _unknown_shares(self, documents: NewDocuments) -> NDArray[np.float64] | None:
        """Return the share of each document's words that the fit did not know; None for a matrix."""
        return unknown_shares(documents.counts, documents.left_out, len(self.vocabulary_))

    def fitted_predictions(self, n_documents: int | None = None, *, several: bool = False) -> Predictions:
        """Return what the fit says of its documents, and refuse if it had another number of them.

        Parameters
        ----------
        n_documents : int, optional
            How many documents there are, in the order of the fit.
        several : bool
            See `predict_all`.
        """
        raise InputError(f"{type(self).__name__} keeps no labels of the fit: leave fitted=True out.")

    def _given_labels(self) -> list[Any]:
        """Return all labels that documents can have."""
        return [*self.classes_.tolist(), *(() if self.none_label is None else (self.none_label,))]

    def _reader(self) -> TextReader:
        """Return what reads documents for this model."""
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
        """Return the words that are counted in new documents, those of the model first."""
        return self.vocabulary_

    def _count_known(self, X: Texts, words: KnownWords) -> sp.csr_array:
        """Count words of new documents: those of the model, or these."""
        return self._known_counts(X, words).matrix

    def _known_counts(self, X: Texts, words: KnownWords) -> Counts:
        return self._reader().count_known(X, words, self._sought(), self.columns_, self._rules())

    def _sought(self) -> Phrases:
        """Return the phrases that new documents are searched for."""
        return Phrases()

    def _rules(self) -> Sequence[Rule]:
        """Return the rules that new documents are compared with."""
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
        """Return smaller values of attributes that are not needed to label other documents."""
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
        """Return the arrays of a fitted model, by their names in a folder."""
        return {name: getattr(self, name) for name in self._learned}

    def _from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """Return the fitted attributes that arrays of a folder stand for."""
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
        """Return the sizes that the arrays must have, by the names in `_learned`."""
        return {"classes": len(self.classes_), "words": len(self.vocabulary_)}

    def _forms(self, described: Mapping[str, Described]) -> Mapping[str, Learned]:
        """Return the forms of the arrays that a saved model must hold, if it holds these."""
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


_ALL_CONFIRMED = (
    "all {:,} documents have a confirmed label, from which the model learns: to score what the seed words "
    "alone achieve, fit without labels and compare the result with them."
)

SeedsLike = Seeds | Mapping[Any, Sequence[str]] | str | Path


class SeedModel(TextClassifier):
    """A classifier that learns from unlabelled documents and seed words.

    A model of its own writes three hooks, `_check_parameters`, `_learn` from a training set, and `_infer` for
    counts of new documents, and names the arrays it has learned.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category, see `seedtopic.Seeds`; a path names a TOML or JSON file.
    strict : bool
        Whether a category none of whose words occurs is an error instead of a warning.
    vocabulary, tokenizer, stop_words, min_df, n_threads, random_state, max_memory
        See `TextClassifier`.
    """

    seeds_: Seeds
    label_distributions_: NDArray[np.float64]
    transduction_: NDArray[Any]
    has_words_: NDArray[np.bool_]
    confirmed_: NDArray[np.bool_]
    sample_: Sample | None
    saves_sample_: bool
    unknown_words_: NDArray[np.float64] | None

    _learned: ClassVar[Mapping[str, Learned]] = {
        "label_distributions_": probability("documents classes"),
        "has_words_": Learned("documents", "b"),
        "confirmed_": Learned("documents", "b"),
    }
    # How many words new documents may be expected to have that the model does not know.
    _unknown: ClassVar[Mapping[str, Learned]] = {"unknown_words_": probability("2")}
    # A sample of the documents, which a model may keep.
    _sampled: ClassVar[Mapping[str, Learned]] = {
        "sample_data": weight("entries"),
        "sample_indices": Learned("entries", "i", least=0),
        "sample_indptr": Learned("ends", "i", least=0),
        "sample_priority": Learned("kept", least=-1.0, most=1.0),
        "sample_category": Learned("kept", "i", least=-1),
        "sample_words": Learned("letters", "u", least=0),
    }
    # Whether confirmed labels are learned from.
    _learns_from_labels: ClassVar[bool] = False
    # What a category may say, see `seedtopic.Seeds`, that the model has no use for.
    _unused_in_seeds: tuple[Literal["weights", "exclude", "rules"], ...] = ()

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
    def _learn(self, training_set: TrainingSet, progress: Progress, checkpoint: Checkpoint) -> Fit:
        """Learn from documents and seeds, without changing the estimator."""

    def _reads_again(self) -> bool:
        """Return whether the documents are read once more after they were counted."""
        return False

    def _with_sources(self, training_set: TrainingSet, X: Texts | None, progress: Progress) -> TrainingSet:
        """Return where the neighbour graph and the vectors come from, where the user may choose."""
        return training_set

    def _check_seeds(self, seeds: Seeds) -> None:
        """Refuse parameters that do not go with the seeds."""

    def _fitted_on_cluster(
        self, X: Texts, y: object, progress: Progress, checkpoint: CheckpointLike | None
    ) -> bool:
        """Learn from documents where they are, if that can be; tell whether it was done."""
        return False

    def _warn_of_doubts(self) -> None:
        """Say of which categories the labels are in doubt, where the model can tell."""

    def _evidence(self, documents: NewDocuments, label: int, rival: int) -> Evidence:
        """Split the log-odds that `_infer` gives one document into its words and the rest."""
        raise InputError(
            f"{type(self).__name__} cannot explain its labels by words: use SeedTopicClassifier, WSPTM or "
            "LapSWTM."
        )

    def fit(
        self,
        X: Texts,
        y: object = None,
        *,
        progress: Progress = silent,
        checkpoint: CheckpointLike | None = None,
    ) -> Self:
        """Learn from unlabelled documents.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents: texts from anywhere, such as a column of pandas, polars or pyarrow, or a frame or
            table with one column of texts, at hand or of Dask. The columns of a matrix are named by
            `vocabulary`.
        y : sequence of labels, optional
            Confirmed labels: those of documents for which they are known, None or -1 for the others.
            `SeedTopicClassifier` learns from them and keeps them; other models do not look at them. So
            ``cross_val_score(model, X, y)`` scores a model that was given labels, not what the seeds alone
            achieve: for that, call ``fit(X)`` and compare the labels with `y` afterwards, as in the example.
        progress : callable, optional
            Told the stage, the steps done and the steps in all; `seedtopic.progress_bars` gives one that
            draws bars in a notebook or a terminal.
        checkpoint : path, optional
            A folder where the work done is kept. However the process ends, the same call goes on from there
            and ends as if nothing had happened: the documents are counted anew, and steps that are done are
            not done again. A folder of another fit is refused. It stays after the fit: delete it when the
            model is saved.

        Warns
        -----
        SeedWarning
            When every document has a confirmed label, and the model learns from them.

        Examples
        --------
        Scores of the seeds alone, on documents that the model has not seen:

        >>> from sklearn.model_selection import KFold
        >>> from seedtopic import SeedTopicClassifier
        >>> X = ["the game", "a bank", "game and goal", "bank and rate", "goal of the game", "rate of a bank"]
        >>> y = ["sports", "money"] * 3
        >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0)
        >>> for train, test in KFold(3).split(X):
        ...     model = model.fit([X[i] for i in train])  # without y
        ...     print(model.score([X[i] for i in test], [y[i] for i in test]))
        1.0
        1.0
        1.0
        """
        X = without_frame(X)
        if self._fitted_on_cluster(X, y, progress, checkpoint):
            return self
        if isinstance(X, Iterator) and self._reads_again():
            X = list(X)
        kept = opened(checkpoint, self.random_state)
        seeds = self._checked_seeds(X)
        read = self._reader().count(X, seeds.counted, progress, rules=seeds.all_rules)
        category, draw = self._confirmed(y, read.counts, seeds)
        if self._learns_from_labels and (category != UNKNOWN).all():
            warnings.warn(_ALL_CONFIRMED.format(len(category)), SeedWarning, stacklevel=2)
        sample = Sample.of(read.counts, category, draw, MOST_KEPT)
        least = resolve_min_df(self.min_df, len(category))
        unknown = expected_unknown(
            read.counts, least, {*seeds.counted, *(rule.word for rule in seeds.all_rules)}
        )
        training_set, n_documents = self._training_set(read.counts, seeds, category), len(category)
        read = replace(read, counts=NO_COUNTS)  # which may take as much memory as all that learning needs
        fitted = self._fitted(training_set, read, X, training_set.places[:n_documents], progress, kept)
        kept_of = {"sample_": sample, "saves_sample_": False, "unknown_words_": unknown}
        self._become({**fitted, **kept_of})
        self._warn_of_doubts()
        return self

    def partial_fit(
        self,
        X: Texts,
        y: object = None,
        classes: object = None,
        *,
        most_kept: int = MOST_KEPT,
        progress: Progress = silent,
        checkpoint: CheckpointLike | None = None,
    ) -> Self:
        """Continue training on new documents, keeping the categories and adding new words.

        The model keeps a fair sample of all documents it has seen, as counts of their words, and learns anew
        from these and the new ones: memory is bounded however many come. Afterwards `transduction_` and
        `label_distributions_` are those of the documents just given. `fit` keeps a sample, too, but it is
        saved with a model only after `partial_fit`: the folder then holds the word counts of documents.

        Parameters
        ----------
        X, y, progress, checkpoint
            See `fit`. Documents with confirmed labels are always kept.
        classes : ignored
            Present for scikit-learn's sake: the categories are those of the seeds.
        most_kept : int
            Documents to keep for the next time.

        Examples
        --------
        >>> from seedtopic import SeedTopicClassifier
        >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0)
        >>> model = model.partial_fit(["the game", "a bank", "game and goal", "bank and rate"])
        >>> model.partial_fit(["a goal", "one more goal", "the rate"]).transduction_.tolist()
        ['sports', 'sports', 'money']
        """
        X = without_frame(X)
        kept = opened(checkpoint, self.random_state)
        seeds = self._checked_seeds(X)
        check_number("most_kept", most_kept, least=2, whole=True)
        before = self._sample_before(seeds)
        rules = seeds.all_rules
        read = self._reader().count(X, seeds.counted, progress, rules=rules, min_df=1, reset=before is None)
        n_new = read.counts.matrix.shape[0]
        category, draw = self._confirmed(y, read.counts, seeds)
        sample = (before or Sample.empty()).joined(read.counts, category, draw, read.columns)
        known = () if before is None else self.vocabulary_
        least = resolve_min_df(self.min_df, len(sample.priority))
        kept_words = {*seeds.counted, *(rule.word for rule in rules), *known, *(read.columns or ())}
        counts = sample.learnable(least, kept_words)
        unknown = None if read.counts.left_out is None else expected_unknown(counts, least, kept_words)
        training_set, n_documents = self._training_set(counts, seeds, sample.category), len(sample.category)
        read = replace(read, counts=NO_COUNTS)
        del counts
        rows = training_set.places[n_documents - n_new : n_documents]
        fitted = self._fitted(training_set, read, X, rows, progress, kept)
        kept_of = {"sample_": sample.trimmed(most_kept), "saves_sample_": True, "unknown_words_": unknown}
        self._become({**fitted, **kept_of})
        self._warn_of_doubts()
        return self

    def _fitted(
        self,
        training_set: TrainingSet,
        read: Read,
        X: Texts,
        rows: NDArray[np.intp],
        progress: Progress,
        checkpoint: Checkpoint,
    ) -> dict[str, Any]:
        """Learn, and give the fitted attributes; those of documents for these rows."""
        training_set = self._with_sources(training_set, X, progress)
        check_seeds_occur(training_set, strict=self.strict, tables=self._tables)
        seeds = training_set.seeds.seeds
        checkpoint.begin(identity(self, seeds, training_set.vocabulary), training_set.data())
        return self._attributes(training_set, self._learn(training_set, progress, checkpoint), read, rows)

    def _attributes(
        self, training_set: TrainingSet, fit: Fit, read: Read, rows: NDArray[np.intp]
    ) -> dict[str, Any]:
        """Return the fitted attributes; those of documents for these rows."""
        seeds, vocabulary = training_set.seeds.seeds, training_set.vocabulary
        classes = np.array(seeds.names)
        confirmed = np.zeros(len(training_set.order), dtype=bool)
        if self._learns_from_labels:
            confirmed[training_set.confirmed.documents] = True
        known = {"has_words_": counted(training_set.counts), "confirmed_": confirmed}
        of_documents = {name: values[rows] for name, values in {**known, **fit.of_documents}.items()}
        columns = None if read.columns is None or list(read.columns) == vocabulary else read.columns
        return {
            **read.noted,
            "seeds_": seeds,
            "classes_": classes,
            "vocabulary_": KnownWords(vocabulary),
            "columns_": columns,
            **fit.attributes,
            **self._labelled(classes, checked_distributions(fit.posterior)[rows], of_documents),
        }

    def _labelled(
        self, classes: NDArray[Any], posterior: NDArray[np.float64], of_documents: Mapping[str, NDArray[Any]]
    ) -> dict[str, Any]:
        """Return the fitted attributes of the documents, in the user's order."""
        return {
            "label_distributions_": posterior,
            "transduction_": classes[posterior.argmax(axis=1)],
            **of_documents,
        }

    def _sample_before(self, seeds: Seeds) -> Sample | None:
        """Return what was kept of earlier documents, None at the beginning."""
        before: Sample | None = getattr(self, "sample_", None)
        if before is None and hasattr(self, "classes_"):
            raise InputError(
                "this model was saved without documents to continue from: "
                "fit it again with --learn-on, or with partial_fit in Python."
            )
        if before is not None and self.classes_.tolist() != seeds.names:
            raise InputError("the seeds have other categories than before: fit a new model.")
        return before

    def _confirmed(self, y: object, counts: Counts, seeds: Seeds) -> tuple[NDArray[np.intp], int]:
        """Return the confirmed category of each document, and a number to draw priorities with."""
        confirmed = Confirmed.of(y, seeds.names, counts.matrix.shape[0])
        category = np.full(counts.matrix.shape[0], UNKNOWN, np.intp)
        category[confirmed.documents] = confirmed.categories
        return category, int(random_generator(self.random_state).randint(2**31 - 1))

    def _training_set(self, counts: Counts, seeds: Seeds, category: NDArray[np.intp]) -> TrainingSet:
        """Return what is learned from: the documents and, if the model learns from labels, the examples."""
        if self._learns_from_labels:
            counts, category = with_examples(counts, category, seeds, self.tokenizer)
        return TrainingSet.of(counts, seeds, category)

    def _checked_seeds(self, X: Texts) -> Seeds:
        """Check what can be checked before any work is done, and give the seeds."""
        self._check_parameters()
        if self.seeds is None:
            raise InputError("no seeds are given: pass seeds={'category': ['word', ...], ...}.")
        seeds = Seeds.of(self.seeds)
        self._check_seeds(seeds)
        if not is_matrix(X):
            warn_of_unreadable(seeds, self.tokenizer)
        unused: list[str] = [key for key in self._unused_in_seeds if any(getattr(seeds, key).values())]
        if seeds.examples and not self._learns_from_labels:
            unused.append("examples")
        if unused:
            sentence = f"{type(self).__name__} makes no use of {' and '.join(unused)} in the seeds."
            warnings.warn(sentence, SeedWarning, stacklevel=3)
        return seeds

    def fitted_predictions(self, n_documents: int | None = None, *, several: bool = False) -> Predictions:
        posterior = self.label_distributions_
        if n_documents not in (None, len(posterior)):
            raise InputError(
                f"there are {n_documents:,} documents, but the model was fitted to "
                f"{len(posterior):,}: give the documents of the fit, "
                "or do not use --fitted (fitted in Python)."
            )
        if several:
            raise InputError(f"{type(self).__name__} gives one label a document: use SeedTopicClassifier.")
        return Predictions.of(
            self.classes_.tolist(),
            posterior,
            has_words=self.has_words_,
            confirmed=self.confirmed_,
            paths=self.paths(),
        )

    def explain(self, text: str, *, fitted: int | None = None) -> Explanation:
        """Return which words, and what else, made the label of a document.

        Parameters
        ----------
        text : str
            The document.
        fitted : int, optional
            Its position among the documents that `fit` was given. Then the label it was fitted with is
            explained, in which its neighbours had a say; left out, the label that `predict` gives it.
        """
        check_is_fitted(self)
        return explained(self, text, fitted)

    def seed_table(self) -> SeedTable:
        """Return every seed with its word, the weight that was given, and the weight that was learned.

        `SeedTopicClassifier` learns weights, `seed_weights_`; other models do not.

        Examples
        --------
        >>> from seedtopic import SeedTopicClassifier
        >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0)
        >>> model = model.fit(["the game", "a bank", "game and goal", "bank and rate"])
        >>> [(row.category, row.word, row.learned) for row in model.seed_table()]
        [('sports', 'game', 1.0), ('money', 'bank', 1.0)]
        """
        check_is_fitted(self)
        learned = getattr(self, "seed_weights_", ())
        return seed_table(self.seeds_.bind(self.vocabulary_), self.vocabulary_, learned)

    @property
    def tree_(self) -> Tree:
        """The category tree of the seeds; false where no category has a parent."""
        return self.seeds_.tree

    def predict_path(self, X: Texts) -> list[tuple[Name, ...]]:
        """Return the categories of other documents from the root of the tree down to the label.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.

        Examples
        --------
        >>> from seedtopic import SeedTopicClassifier
        >>> seeds = {name: {"words": [name], "parent": "oils"} for name in ("olive", "crude")}
        >>> texts = ["olive salad", "fine olive", "crude price", "crude rose", "gold mine", "old mine"]
        >>> model = SeedTopicClassifier({**seeds, "gold": ["mine"]}, random_state=0).fit(texts)
        >>> model.predict_path(["crude", "mine"])
        [('oils', 'crude'), ('gold',)]
        """
        return [self.tree_.path(label) for label in self.predict(texts_here(X)).tolist()]

    def node_probabilities(self, X: Texts) -> NDArray[np.float64]:
        """Return the probability of every category of the tree for other documents.

        That of a parent is the sum of its children's; for the fitted documents see
        ``tree_.node_sums(label_distributions_)``.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.

        Returns
        -------
        ndarray, shape (n_documents, n_nodes)
            In the order of ``tree_.nodes``.
        """
        return self.tree_.node_sums(self.predict_proba(texts_here(X)))

    def paths(self) -> dict[Any, str] | None:
        if not self.tree_:
            return None
        return {leaf: " > ".join(map(str, self.tree_.path(leaf))) for leaf in self.tree_.leaves}

    def _sought(self) -> Phrases:
        return self.seeds_.phrases(self.tokenizer)

    def _rules(self) -> Sequence[Rule]:
        return self.seeds_.all_rules

    def _arrays(self) -> Mapping[str, Any]:
        return {**super()._arrays(), **self._sample_arrays(), **self._unknown_arrays()}

    def _from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        return {
            **super()._from_arrays(arrays),
            **self._labelled(self.classes_, arrays["label_distributions_"], {}),
            **self._sample_from(arrays),
            "unknown_words_": arrays.get("unknown_words_"),
        }

    def _unknown_arrays(self) -> Mapping[str, NDArray[Any]]:
        return {} if self.unknown_words_ is None else {"unknown_words_": self.unknown_words_}

    def _sample_arrays(self) -> Mapping[str, NDArray[Any]]:
        return self.sample_.to_arrays() if self.sample_ is not None and self.saves_sample_ else {}

    def _sample_from(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        return {"sample_": Sample.from_arrays(arrays, len(self.classes_)), "saves_sample_": True}

    def _take_outline(self, classes: NDArray[Any], vocabulary: KnownWords, seeds: Seeds | None) -> None:
        if seeds is None:
            raise InputError(f"it is damaged: the {type(self).__name__} model has no seeds.")
        self.seeds = self.seeds_ = seeds
        super()._take_outline(classes, vocabulary, seeds)
        self._check_seeds(seeds)
        check_choice("strict", self.strict, (True, False))

    def _sizes(self) -> dict[str, int]:
        return {**super()._sizes(), "seeds": self.seeds_.bind(self.vocabulary_).membership.nnz}

    def _forms(self, described: Mapping[str, Described]) -> Mapping[str, Learned]:
        sampled = self._sampled if "sample_words" in described else {}
        return {**self._learned, **sampled, **(self._unknown if "unknown_words_" in described else {})}

    def without_documents(self) -> Self:
        """Return a copy that knows nothing of single documents of the fit, such as their labels.

        It labels, explains and is saved as this model, however many documents there were.

        Examples
        --------
        >>> from seedtopic import SeedTopicClassifier
        >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0)
        >>> bare = model.fit(["the game", "a bank", "game and goal", "bank and rate"]).without_documents()
        >>> bare.predict(["which rate?"]).tolist(), len(bare.label_distributions_)
        (['money'], 0)
        """
        check_is_fitted(self)
        bare = copy.copy(self)
        bare.__dict__ = {**vars(self), **self._of_no_documents()}
        return bare

    def _of_no_documents(self) -> dict[str, Any]:
        """Return what a fit says of documents, of none of them."""
        of_documents = [name for name, form in self._learned.items() if "documents" in form.shape.split()]
        empty = {name: getattr(self, name)[:0].copy() for name in (*of_documents, "transduction_")}
        return {**empty, "sample_": None}

    def _slimmed(self) -> dict[str, Any]:
        return {**super()._slimmed(), **self._of_no_documents()}

    def __getstate__(self) -> Any:
        """Leave the sample of the documents behind, as `save` does, unless training was continued."""
        state = super().__getstate__()
        return state if state.get("saves_sample_", True) else {**state, "sample_": None}

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """What was fitted, above scikit-learn's diagram; missing where scikit-learn is set to show text."""
        diagram: Callable[[], str] = super()._repr_html_
        return lambda: self._shown_fitted() + diagram()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return notebooks the same."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        html = {kind: self._shown_fitted() + page for kind, page in bundle.items() if kind == "text/html"}
        return {**bundle, **html}

    def _shown_fitted(self) -> str:
        return shown(self, "tables.fit_in_notebook") if hasattr(self, "classes_") else ""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags
