"""What all models share: text in, counts made, seeds checked, classes kept in the user's order."""

from __future__ import annotations

import re
import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from seedtopic.corpus import (
    Counts,
    MinDf,
    canonical_order,
    checked_counts,
    count_known,
    count_words,
    in_order,
    resolve_min_df,
)
from seedtopic.counting.memory import MaxMemory
from seedtopic.errors import InputError, SeedWarning
from seedtopic.explain import Evidence, Explanation, explain
from seedtopic.feedback import Confirmed
from seedtopic.frames import texts_of, with_columns
from seedtopic.kernels.threads import resolve_threads
from seedtopic.labelled import Extras, NoneOfThese, added_columns, check_min_probability, label_values
from seedtopic.models.inputs import Texts, given_texts, is_matrix, refuse_text_table, reported, without_frame
from seedtopic.models.parameters import check_number
from seedtopic.positions import word_spans
from seedtopic.progress import Progress, silent
from seedtopic.sample import MOST_KEPT, UNKNOWN, Sample
from seedtopic.seeds import BoundSeeds, Seeds
from seedtopic.shares import shares
from seedtopic.storage import ModelFolder, write_model
from seedtopic.text import StopWords, Tokenizer, stop_word_set, tokenize
from seedtopic.tree import Name, Tree

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

    def label_frame(
        self, frame: Any, text: Any = "text", *, fitted: bool = False, min_probability: float = 0.0
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

        Returns
        -------
        frame of the same kind
            A new one: its rows, index and columns stay, and `predicted`, `probability`, `runner_up`,
            `runner_up_probability` and `margin` are added, as in the files of the command line; each with
            `seedtopic_` before its name where the frame has one of these already.

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
        texts = texts_of(frame, text)
        if fitted:
            probabilities = self._fitted_distributions(len(texts))
        else:
            probabilities = self.predict_proba(texts) if texts else np.empty((0, len(self.classes_)))
        none = self.none_of_these() if fitted else self.none_of_these(texts)
        extras = Extras(self.paths(), none)
        rows = list(label_values(self.classes_.tolist(), probabilities, min_probability, extras))
        names = added_columns(list(frame.columns), extras.columns)
        return with_columns(frame, {name: [row[place] for row in rows] for place, name in enumerate(names)})

    def _fitted_distributions(self, n_documents: int) -> NDArray[np.float64]:
        raise InputError(f"{type(self).__name__} keeps no labels of the fit: leave fitted=True out.")

    def none_of_these(self, X: Texts | None = None) -> NoneOfThese | None:
        """Give how likely documents are to belong to no category, the fitted ones where none are given.

        None where the model was not asked to find them.
        """
        return None

    def paths(self) -> dict[Any, str] | None:
        """Write the path to each category, as in news > money, where there is a tree."""
        return None

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
    def _restore(cls, folder: ModelFolder, tokenizer: Tokenizer | None) -> Self:
        model = cls(tokenizer=tokenizer, **folder.parameters)
        model.classes_ = np.array(folder.classes)
        model.vocabulary_ = folder.vocabulary
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

    def _sought(self) -> Collection[str]:
        """Name the words among which are the phrases that new documents are searched for."""
        return ()

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
        The words of each category, see `seedtopic.Seeds`; a path names a TOML or JSON file.
    strict : bool
        Whether a category none of whose words occurs is an error instead of a warning.
    vocabulary, tokenizer, stop_words, min_df, n_threads, random_state, max_memory
        See `TextClassifier`.
    """

    label_distributions_: NDArray[np.float64]
    transduction_: NDArray[np.str_]

    _learned: tuple[str, ...] = ("label_distributions_",)
    # What a category may say, see `seedtopic.Seeds`, that the model has no use for.
    _unused_in_seeds: tuple[Literal["weights", "exclude"], ...] = ()

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

    def _beside_counts(self, X: Texts, category: NDArray[np.intp], order: NDArray[np.intp]) -> dict[str, Any]:
        """Give what `_learn` shall know of the documents, in this order, beside their words, by name."""
        return {}

    def fit(self, X: Texts, y: object = None, *, progress: Progress = silent) -> Self:
        """Learn from unlabelled documents.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents: texts from anywhere, such as a column of pandas or polars, or a frame with one
            column of texts. The columns of a matrix are named by `vocabulary`.
        y : sequence of labels, optional
            The labels of documents for which they are known, None or -1 for the others. Only
            `SeedTopicClassifier` learns from them; other models do not look at them.
        progress : callable, optional
            Told the stage, the steps done and the steps in all.
        """
        X = without_frame(X)
        if isinstance(X, Iterator) and self._reads_again():
            X = list(X)
        seeds = self._checked_seeds(X)
        counts = self._count(X, seeds.counted, progress)
        category, seed = self._confirmed(y, counts, seeds)
        sample = Sample.of(counts, category, seed, MOST_KEPT)
        self._label_fitted(self._fit_counts(counts, seeds, X, category, progress))
        self.sample_: Sample | None = sample
        self.saves_sample_ = False
        return self

    def partial_fit(
        self,
        X: Texts,
        y: object = None,
        classes: object = None,
        *,
        most_kept: int = MOST_KEPT,
        progress: Progress = silent,
    ) -> Self:
        """Learn on from further documents, keeping the categories and taking new words in.

        The model keeps a fair sample of all documents it has seen, as counts of their words, and learns anew
        from these and the new ones: memory is bounded however many come. Afterwards `transduction_` and
        `label_distributions_` are those of the documents just given. `fit` keeps a sample, too, but it is
        saved with a model only after `partial_fit`: the folder then holds the word counts of documents.

        Parameters
        ----------
        X, y, progress
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
        seeds = self._checked_seeds(X)
        check_number("most_kept", most_kept, least=2, whole=True)
        before = self._sample_before(seeds)
        new = self._count(X, seeds.counted, progress, min_df=1, reset=before is None)
        sample = (before or Sample.empty()).joined(new, *self._confirmed(y, new, seeds))
        least = resolve_min_df(self.min_df, len(sample.priority))
        known = () if before is None else self.vocabulary_
        counts = sample.learnable(least, {*seeds.counted, *known})
        places = self._fit_counts(counts, seeds, X, sample.category, progress)
        self._label_fitted(places[-new.matrix.shape[0] :])
        self.sample_ = sample.trimmed(most_kept)
        self.saves_sample_ = True
        return self

    def _beside_learned(self) -> dict[str, NDArray[Any]]:
        return {} if self.sample_ is None or not self.saves_sample_ else self.sample_.to_arrays()

    def _sample_before(self, seeds: Seeds) -> Sample | None:
        """Give what was kept of earlier documents, None at the beginning."""
        before: Sample | None = getattr(self, "sample_", None)
        if before is None and hasattr(self, "classes_"):
            raise InputError(
                "this model was saved without documents to learn on from: use partial_fit before saving."
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

    def _checked_seeds(self, X: Texts) -> Seeds:
        """Check what can be checked before any work is done, and give the seeds."""
        self._check_parameters()
        if self.seeds is None:
            raise InputError("no seeds are given: pass seeds={'category': ['word', ...], ...}.")
        seeds = Seeds.of(self.seeds)
        if not is_matrix(X):
            self._warn_of_unreadable(seeds)
        self._warn_of_unused(seeds)
        return seeds

    def _fit_counts(
        self, counts: Counts, seeds: Seeds, X: Texts, category: NDArray[np.intp], progress: Progress
    ) -> NDArray[np.intp]:
        """Learn from counts; give the row of each document in what was learned."""
        bound = seeds.bind(counts.vocabulary)
        bound.require(strict=self.strict)
        report = bound.report()
        if report:
            warnings.warn(report, SeedWarning, stacklevel=3)
        self.seeds_ = seeds
        self.classes_ = np.array(seeds.names)
        self.vocabulary_ = counts.vocabulary
        order = canonical_order(counts.matrix)
        beside = self._beside_counts(X, category, order)
        ordered = in_order(counts.matrix, order)
        del counts  # which may be as large as all that learning needs
        distributions = self._learn(ordered, bound, progress, **beside)
        self.label_distributions_ = shares(distributions.astype(np.float64))
        return np.argsort(order)

    def _label_fitted(self, places: NDArray[np.intp]) -> None:
        """Put what was learned of documents in their own order, and label them."""
        self.label_distributions_ = self.label_distributions_[places]
        self.transduction_ = self.classes_[self.label_distributions_.argmax(axis=1)]

    @property
    def tree_(self) -> Tree:
        """The category tree of the seeds; false where no category has a parent."""
        tree: Tree = self.seeds_.tree
        return tree

    def predict_path(self, X: Texts) -> list[tuple[Name, ...]]:
        """Give the categories of other documents from the root of the tree down to the label.

        Examples
        --------
        >>> from seedtopic import SeedTopicClassifier
        >>> seeds = {name: {"words": [name], "parent": "oils"} for name in ("olive", "crude")}
        >>> texts = ["olive salad", "fine olive", "crude price", "crude rose", "gold mine", "old mine"]
        >>> model = SeedTopicClassifier({**seeds, "gold": ["mine"]}, random_state=0).fit(texts)
        >>> model.predict_path(["crude", "mine"])
        [('oils', 'crude'), ('gold',)]
        """
        return [self.tree_.path(label) for label in self.predict(X).tolist()]

    def node_probabilities(self, X: Texts) -> NDArray[np.float64]:
        """Give the probability of every category of the tree for other documents.

        That of a parent is the sum of its children's; for the fitted documents see
        ``tree_.node_sums(label_distributions_)``.

        Returns
        -------
        ndarray, shape (n_documents, n_nodes)
            In the order of ``tree_.nodes``.
        """
        return self.tree_.node_sums(self.predict_proba(X))

    def paths(self) -> dict[Any, str] | None:
        if not self.tree_:
            return None
        return {leaf: " > ".join(map(str, self.tree_.path(leaf))) for leaf in self.tree_.leaves}

    def _fitted_distributions(self, n_documents: int) -> NDArray[np.float64]:
        """Give the label distributions of the fit to whoever has that many documents."""
        if n_documents != len(self.label_distributions_):
            raise InputError(
                f"there are {n_documents:,} documents, but the model was fitted to "
                f"{len(self.label_distributions_):,}: give the documents of the fit, or ask for predictions."
            )
        distributions: NDArray[np.float64] = self.label_distributions_
        return distributions

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
        check_is_fitted(self)
        if not isinstance(text, str):
            raise InputError(f"the document to explain is {type(text).__name__}: give one text.")
        known = None
        if fitted is not None:
            n_fitted = len(self.label_distributions_)
            if not -n_fitted <= fitted < n_fitted:
                raise InputError(
                    f"fitted is {fitted}, but {n_fitted} documents were fitted: give a position from 0 to "
                    f"{n_fitted - 1}."
                )
            known = self.label_distributions_[fitted]
        return explain(
            text,
            self._count_known([text]),
            self.classes_.tolist(),
            self.vocabulary_,
            self.seeds_.bind(self.vocabulary_).membership,
            lambda counts: shares(self._infer(counts).astype(np.float64)),
            self._evidence,
            lambda words: word_spans(text, words, self.tokenizer),
            known,
        )

    def _evidence(self, counts: sp.csr_array, label: int, rival: int) -> Evidence:
        """Part the log-odds that `_infer` gives one document into its words and the rest."""
        raise InputError(
            f"{type(self).__name__} cannot explain its labels by words: use SeedTopicClassifier, WSPTM or "
            "LapSWTM."
        )

    def _warn_of_unreadable(self, seeds: Seeds) -> None:
        """Name the seeds that can never match, because documents are cut into words in another way."""
        sought = tokenize(seeds.counted, self.tokenizer, seeds.counted)
        otherwise = [
            f"{word!r} as {' and '.join(map(repr, tokens)) or 'nothing'}"
            for word, tokens in zip(seeds.counted, sought, strict=True)
            if word not in tokens
        ]
        if otherwise:
            sentence = (
                f"these seed words never match, because they are read otherwise: {', '.join(otherwise)}; "
                "what is read as several words matches when they are given with spaces between."
            )
            warnings.warn(sentence, SeedWarning, stacklevel=3)

    def _warn_of_unused(self, seeds: Seeds) -> None:
        given = {"weights": seeds.weights, "exclude": seeds.exclude}
        unused = [key for key in self._unused_in_seeds if any(given[key].values())]
        if unused:
            sentence = f"{type(self).__name__} makes no use of {' and '.join(unused)} in the seeds."
            warnings.warn(sentence, SeedWarning, stacklevel=3)

    def _sought(self) -> Collection[str]:
        return self.seeds_.counted

    @classmethod
    def _restore(cls, folder: ModelFolder, tokenizer: Tokenizer | None) -> Self:
        model = super()._restore(folder, tokenizer)
        if folder.seeds is None:
            raise InputError(f"the {folder.model} model has no seeds: its folder is damaged.")
        model.seeds = model.seeds_ = folder.seeds
        model.sample_ = Sample.from_arrays(folder.arrays)
        model.saves_sample_ = True
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
