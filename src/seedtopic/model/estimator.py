"""What users call: documents in, labels out, a folder to be kept in; the same for all models."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from seedtopic.base.display import shown
from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory
from seedtopic.base.progress import Progress, silent
from seedtopic.base.threads import resolve_threads, thread_limit
from seedtopic.io.frames import (
    Texts,
    is_dask,
    is_dask_frame,
    is_lazy_frame,
    is_missing,
    texts_here,
    without_frame,
)
from seedtopic.io.predictions import Predictions, check_min_probability
from seedtopic.model.evidence import Explanation
from seedtopic.model.explain import explained
from seedtopic.model.fit import CheckpointLike, Learner
from seedtopic.model.fitted import FittedModel
from seedtopic.model.folder import folder_of, write_model
from seedtopic.model.label_tables import TableLabeller, labelled_later, predicted_later, with_labels
from seedtopic.model.seed_table import SeedTable
from seedtopic.model.stages.documents import Documents
from seedtopic.model.training import MOST_KEPT, TrainingSet
from seedtopic.seeds import Name, Seeds
from seedtopic.text.counts import MinDf
from seedtopic.text.identity import Fingerprint
from seedtopic.text.tokens import StopWords, Tokenizer

SeedsLike = Seeds | Mapping[Any, Sequence[str]] | str | Path

_ESTIMATES = ("estimated_accuracy_", "estimated_precisions_", "doubts_")


class SeedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that learns from unlabelled documents and seed words: what all models have in common.

    A model of its own is a subclass with a constructor, whose parameters scikit-learn reads, and the method
    `_learner`, which names its stages and the parameters that they need; see the page "Architecture".

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category, see `seedtopic.Seeds`; a path names a TOML or JSON file.
    vocabulary : sequence of str, optional
        The words of the columns when `fit` is given a matrix of counts.
    tokenizer : callable, optional
        Takes a text, gives its tokens. Left out: lower-case words of two characters and more.
    stop_words : str, collection of str, or None
        Words that are dropped, unless they are seeds: those of a language, such as ``"english"`` or, with the
        extra `languages`, ``"german"`` and others, or an own collection.
    min_df : int or "auto"
        Words in fewer documents are dropped, unless they are seeds.
    strict : bool
        Whether a category none of whose words occurs is an error instead of a warning.
    n_threads : int, optional
        Threads to use; all cores when left out. The result does not depend on it.
    random_state : int, RandomState or None
        Source of the random start.
    max_memory : int or str, optional
        Memory that the counts may take, in bytes or as ``"4GB"``; beyond it they are kept in temporary files
        that are mapped into memory. The result does not depend on it.

    Attributes
    ----------
    fitted_ : FittedModel
        All that was learned; what else ends in "_" is a part of it.
    """

    # What holds for a model whose constructor leaves a parameter out.
    seeds: SeedsLike | None = None
    vocabulary: Sequence[str] | None = None
    tokenizer: Tokenizer | None = None
    stop_words: StopWords = "english"
    min_df: MinDf = "auto"
    strict: bool = False
    n_threads: int | None = None
    random_state: int | np.random.RandomState | None = None
    max_memory: MaxMemory = None
    none_label: str | None = None  # of documents that belong to no category, where a model finds them
    fitted_: FittedModel

    def _learner(self) -> Learner:
        """Return how the model learns, by its parameters."""
        raise NotImplementedError(f"{type(self).__name__} has no method _learner.")

    def fit(
        self, X: Texts, y: object = None, *, progress: Progress = silent, checkpoint: CheckpointLike = None
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
        self.fitted_ = self._learner().fit(self, without_frame(X), y, progress, checkpoint)
        return self

    @available_if(lambda self: not self._learner().needs_labels)  # type: ignore[untyped-decorator]
    def partial_fit(
        self,
        X: Texts,
        y: object = None,
        classes: object = None,
        *,
        most_kept: int = MOST_KEPT,
        progress: Progress = silent,
        checkpoint: CheckpointLike = None,
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
        self.fitted_ = self._learner().fit_on(self, without_frame(X), y, most_kept, progress, checkpoint)
        return self

    def fit_training_set(self, training_set: TrainingSet, *, progress: Progress = silent) -> Self:
        """Learn from documents that are counted and in order already, as the studio does.

        Parameters
        ----------
        training_set : TrainingSet
        progress : callable, optional
            See `fit`.
        """
        self.fitted_ = self._learner().fit_training_set(self, training_set, progress)
        return self

    def __getattr__(self, name: str) -> Any:
        """Return a part of the fitted model by the name of a fitted attribute."""
        try:
            return vars(self)["fitted_"].attribute(name)
        except KeyError:
            known_after = "; it has after a fit with calibrate=True" if name in _ESTIMATES else ""
            sentence = f"{type(self).__name__!r} object has no attribute {name!r}{known_after}"
            raise AttributeError(sentence) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(self.fitted_.attributes() if "fitted_" in vars(self) else ())]

    def predict(self, X: Texts, multi_label: bool = False) -> NDArray[Any]:
        """Return the most probable category of other documents, or all that they belong to.

        Parameters
        ----------
        X : documents, as of `fit`
        multi_label : bool
            Whether to give all labels of a document: the most probable one, and those to which the regression
            gives a probability of 0.15 or more.

        Returns
        -------
        ndarray of str, or ndarray of bool of shape (n_documents, n_categories)
            One label a document, `none_label` for those that belong to no category where it is set. With
            `multi_label` an indicator matrix, as scikit-learn's are, its columns in the order of `classes_`;
            a row without a label for documents that belong to no category. `predict_labels` gives names.
            For a collection of Dask, a lazy one with the same partitions: for a column or a frame, a column
            with its index; for an array, an array; for a bag, a bag.
        """
        fitted = self._checked()
        if is_dask(X):
            later: NDArray[Any] = predicted_later(self, X, "predict", multi_label=multi_label)
            return later
        predictions = self.predict_all(X, several=multi_label)
        return fitted.labels_in(predictions) if predictions.several is None else predictions.several

    def predict_proba(self, X: Texts) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of `classes_`, for other documents.

        Parameters
        ----------
        X : documents, as of `fit`

        Returns
        -------
        ndarray, shape (n_documents, n_classes)
            For a collection of Dask, a lazy one with the same partitions: for a column or a frame, a frame
            with its index and one column for each class; for an array, an array; for a bag, a bag of rows.
        """
        self._checked()
        if is_dask(X):
            later: NDArray[np.float64] = predicted_later(self, X, "predict_proba")
            return later
        return self.predict_all(X).probabilities

    def predict_all(self, X: Texts, *, several: bool = False) -> Predictions:
        """Return everything the model says of other documents, counting their words once.

        Parameters
        ----------
        X : documents, as of `fit`
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
        fitted = self._checked()
        documents = self._documents(X)
        with thread_limit(resolve_threads(self.n_threads)):
            return fitted.predict(documents, several=several)

    def predict_labels(self, X: Texts) -> list[tuple[str, ...]]:
        """Return all labels of other documents by name; `none_label` alone where they belong to no category.

        Parameters
        ----------
        X : documents, as of `fit`
        """
        return self.named_labels(self.predict(texts_here(X), multi_label=True))

    def named_labels(self, indicators: NDArray[np.bool_]) -> list[tuple[str, ...]]:
        """Name the labels of an indicator matrix, such as `multi_transduction_`.

        Parameters
        ----------
        indicators : ndarray of bool, shape (n_documents, n_categories)
        """
        return self.fitted_.named(indicators)

    def predict_none_proba(self, X: Texts) -> NDArray[np.float64]:
        """Return how likely other documents are to belong to no category; 0 where `none_label` is left out.

        Parameters
        ----------
        X : documents, as of `fit`
        """
        return self.predict_all(X).none_probability

    def predict_path(self, X: Texts) -> list[tuple[Name, ...]]:
        """Return the categories of other documents from the root of the tree down to the label.

        Parameters
        ----------
        X : documents, as of `fit`

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
        X : documents, as of `fit`

        Returns
        -------
        ndarray, shape (n_documents, n_nodes)
            In the order of ``tree_.nodes``.
        """
        return np.asarray(self.tree_.node_sums(self.predict_proba(texts_here(X))))

    def score(self, X: Texts, y: Any, sample_weight: Any = None) -> float:
        """Give the share of documents whose label is that of `y`, which may hold `none_label` among numbers.

        Parameters
        ----------
        X : documents, as of `fit`
        y : sequence of labels
        sample_weight : sequence of float, optional
            The weight of each document.
        """
        predicted = self.predict(texts_here(X)).tolist()
        given = np.asarray(y, dtype=object).ravel().tolist() if hasattr(y, "__array__") else list(y)
        if len(given) != len(predicted):
            raise InputError(f"there are {len(given)} labels for {len(predicted)} documents: give one each.")
        # As in `fit`, a category that is a number may be given as text.
        right = [
            not is_missing(label) and (label == own or str(label) == str(own))
            for label, own in zip(given, predicted, strict=True)
        ]
        return float(np.average(right, weights=sample_weight))

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
        self._checked()
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
        self._checked()
        check_min_probability(min_probability)
        return TableLabeller(self.slim().set_params(n_threads=1), text, min_probability, multi)

    def has_known_words(self, X: Texts) -> NDArray[np.bool_]:
        """Return which documents contain a word that the model knows.

        `predict` gives a class to the others as well, since it has to; files, frames and the server do not.

        Parameters
        ----------
        X : documents, as of `fit`

        Examples
        --------
        >>> from seedtopic import SeedTopicClassifier
        >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0)
        >>> model = model.fit(["the game", "a bank", "game and goal", "bank and rate"])
        >>> model.has_known_words(["which rate?", "xyzzy", ""]).tolist()
        [True, False, False]
        """
        self._checked()
        return self._documents(X).has_words

    def fitted_predictions(
        self, documents: Collection[str] | int | None = None, *, several: bool = False
    ) -> Predictions:
        """Return what the fit says of its documents, and refuse if it had others.

        Parameters
        ----------
        documents : collection of str or int, optional
            The documents, in the order of the fit; or their number, where they are known to be the same.
        several : bool
            See `predict_all`.
        """
        predictions = self._checked().predictions_of_fit(several=several)
        n_documents = len(documents) if isinstance(documents, Collection) else documents
        remedy = "give the documents of the fit, or do not use --fitted (fitted in Python)."
        if n_documents not in (None, len(predictions)):
            raise InputError(
                f"there are {n_documents:,} documents, but the model was fitted to {len(predictions):,}: "
                f"{remedy}"
            )
        own = self.fitted_.fingerprint
        if own is not None and isinstance(documents, Collection) and Fingerprint.of(documents) != own:
            raise InputError(
                "the documents have other texts than those to which the model was fitted, or another order: "
                f"{remedy}"
            )
        return predictions

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
        self._checked()
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
        return self._checked().seed_table()

    def paths(self) -> dict[Any, str] | None:
        """Write the path to each category, as in news > money, where there is a tree."""
        return self._checked().paths

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
        slim = self._with(self._checked().slim())
        smaller = {"graph": "words", "runner": "local"}  # the graph is of the documents, or a given one
        if isinstance(vars(self).get("vectors"), np.ndarray):
            smaller["vectors"] = "auto"  # which is what is asked of new documents
        slim.__dict__.update({name: value for name, value in smaller.items() if name in vars(slim)})
        return slim

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
        return self._with(self._checked().without_documents())

    def save(self, folder: str | Path) -> None:
        """Write the fitted model as a folder that a person can read; see `seedtopic.load`.

        Parameters
        ----------
        folder : path
            A model that is there already is replaced, as soon as this one is complete.
        """
        self._checked()
        write_model(Path(folder), folder_of(self))

    def _checked(self) -> FittedModel:
        """Return what was learned, if the model is fitted."""
        if "fitted_" not in vars(self):  # asking scikit-learn takes a while for one short text
            check_is_fitted(self)
        return self.fitted_

    def _with(self, fitted: FittedModel) -> Self:
        """Return a copy that has learned something else."""
        other = copy.copy(self)
        other.fitted_ = fitted
        return other

    def _documents(self, X: Texts) -> Documents:
        """Read documents to be labelled."""
        learner = self._learner()
        return self.fitted_.read(X, learner.reader.of(self), learner.vectors)

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
        return shown(self, "tables.fit_in_notebook") if hasattr(self, "label_distributions_") else ""

    def __sklearn_tags__(self) -> Any:
        tags, learner = super().__sklearn_tags__(), self._learner()
        tags.input_tags.sparse = tags.input_tags.two_d_array = not learner.reads_order
        tags.input_tags.string = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = learner.needs_labels
        return tags
