"""What models that learn from seeds share: checked seeds, one order of documents, fitted state set once.

Length: `fit` and `partial_fit` are documented here once for all models.
"""

from __future__ import annotations

import copy
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from seedtopic.base.arrays import Described
from seedtopic.base.checkpoint import Checkpoint
from seedtopic.base.checks import check_choice, check_number
from seedtopic.base.errors import InputError, SeedWarning
from seedtopic.base.memory import MaxMemory
from seedtopic.base.progress import Progress, silent
from seedtopic.documents.inputs import Texts, is_matrix, texts_here, without_frame
from seedtopic.explain import Evidence, Explanation
from seedtopic.learning.signals.confirmed import Confirmed
from seedtopic.models.base import TextClassifier, checked_distributions
from seedtopic.models.examples import with_examples
from seedtopic.models.explaining import explained
from seedtopic.models.fitting import (
    CheckpointLike,
    Fit,
    check_seeds_occur,
    identity,
    opened,
    warn_of_unreadable,
)
from seedtopic.models.known_words import counted
from seedtopic.models.reading import NewDocuments, Read
from seedtopic.models.sample import MOST_KEPT, UNKNOWN, Sample
from seedtopic.models.saving.forms import Learned, probability, weight
from seedtopic.models.seed_table import SeedTable, seed_table
from seedtopic.models.training_set import TrainingSet
from seedtopic.models.unknown_words import expected_unknown
from seedtopic.seeds import Name, Seeds
from seedtopic.seeds.tree import Tree
from seedtopic.text.counts import NO_COUNTS, Counts, KnownWords, MinDf, resolve_min_df
from seedtopic.text.phrases import Phrases
from seedtopic.text.rules import Rule
from seedtopic.text.tokens import StopWords, Tokenizer

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
        """Say whether the documents are read once more after they were counted."""
        return False

    def _with_sources(self, training_set: TrainingSet, X: Texts | None, progress: Progress) -> TrainingSet:
        """Say where the neighbour graph and the vectors come from, where the user may choose."""
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
        """Give the fitted attributes; those of documents for these rows."""
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
        """Give the fitted attributes of the documents, in the user's order."""
        return {
            "label_distributions_": posterior,
            "transduction_": classes[posterior.argmax(axis=1)],
            **of_documents,
        }

    def _sample_before(self, seeds: Seeds) -> Sample | None:
        """Give what was kept of earlier documents, None at the beginning."""
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
        """Give the confirmed category of each document, and a number to draw priorities with."""
        confirmed = Confirmed.of(y, seeds.names, counts.matrix.shape[0])
        category = np.full(counts.matrix.shape[0], UNKNOWN, np.intp)
        category[confirmed.documents] = confirmed.categories
        return category, int(check_random_state(self.random_state).randint(2**31 - 1))

    def _training_set(self, counts: Counts, seeds: Seeds, category: NDArray[np.intp]) -> TrainingSet:
        """Give what is learned from: the documents and, if the model learns from labels, the examples."""
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

    def fitted_distributions(self, n_documents: int) -> NDArray[np.float64]:
        if n_documents != len(self.label_distributions_):
            raise InputError(
                f"there are {n_documents:,} documents, but the model was fitted to "
                f"{len(self.label_distributions_):,}: give the documents of the fit, "
                "or do not use --fitted (fitted in Python)."
            )
        return self.label_distributions_

    def fitted_has_words(self) -> NDArray[np.bool_]:
        return self.has_words_

    def fitted_confirmed(self) -> NDArray[np.bool_]:
        return self.confirmed_

    def explain(self, text: str, *, fitted: int | None = None) -> Explanation:
        """Say which words, and what else, made the label of a document.

        Parameters
        ----------
        text : str
            The document.
        fitted : int, optional
            Its position among the documents that `fit` was given. Then the label it was fitted with is
            explained, in which its neighbours had a say; left out, the label that `predict` gives it.
        """
        return explained(self, text, fitted)

    def seed_table(self) -> SeedTable:
        """Give every seed with its word, the weight that was given, and the weight that was learned.

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
        """Give the categories of other documents from the root of the tree down to the label.

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
        """Give the probability of every category of the tree for other documents.

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
        """Give a copy that knows nothing of single documents of the fit, such as their labels.

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
        """Give what a fit says of documents, of none of them."""
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
        """Give notebooks the same."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        html = {kind: self._shown_fitted() + shown for kind, shown in bundle.items() if kind == "text/html"}
        return {**bundle, **html}

    def _shown_fitted(self) -> str:
        from seedtopic.models.notebook import fitted_as_notebook  # which is built on the models

        return fitted_as_notebook(self) if hasattr(self, "classes_") else ""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags
