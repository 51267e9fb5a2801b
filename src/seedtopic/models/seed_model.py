"""What models that learn from seeds share: seeds checked, documents in one order, classes in the user's."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from seedtopic.documents.inputs import Texts, is_matrix, without_frame
from seedtopic.errors import InputError, SeedWarning
from seedtopic.explain import Evidence, Explanation, explain
from seedtopic.learning.signals.confirmed import Confirmed
from seedtopic.memory import MaxMemory, require_room
from seedtopic.models.base import NO_PROBABILITIES, checked_distributions
from seedtopic.models.learned import Learned, probability, weight
from seedtopic.models.parameters import check_choice, check_number
from seedtopic.models.sample import MOST_KEPT, UNKNOWN, Sample
from seedtopic.models.tree_labels import TreeLabels
from seedtopic.progress import Progress, silent
from seedtopic.seeds import BoundSeeds, Seeds
from seedtopic.storage.arrays import Described
from seedtopic.storage.checkpoint import NO_CHECKPOINT, Checkpoint, CheckpointFolder
from seedtopic.storage.model_folder import ModelFolder
from seedtopic.text.counts import (
    Counts,
    KnownWords,
    MinDf,
    canonical_order,
    in_order,
    resolve_min_df,
)
from seedtopic.text.phrases import Phrases
from seedtopic.text.positions import word_spans
from seedtopic.text.tokens import StopWords, Tokenizer, tokenize

SeedsLike = Seeds | Mapping[Any, Sequence[str]] | str | Path
CheckpointLike = Checkpoint | str | Path

# Parameters that do not change what is learned, or that the counts and the seeds tell of.
_NOT_IDENTITY = (
    "seeds", "vocabulary", "tokenizer", "stop_words", "min_df", "strict", "embeddings", "runner",
    "n_threads", "max_memory",
)  # fmt: skip


class SeedModel(TreeLabels):
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

    _learned: ClassVar[Mapping[str, Learned]] = {"label_distributions_": probability("documents classes")}
    # A sample of the documents, which a model may keep.
    _sampled: ClassVar[Mapping[str, Learned]] = {
        "sample_data": weight("entries"),
        "sample_indices": Learned("entries", "i", least=0),
        "sample_indptr": Learned("ends", "i", least=0),
        "sample_priority": Learned("kept", least=-1.0, most=1.0),
        "sample_category": Learned("kept", "i", least=-1),
        "sample_words": Learned("letters", "u", least=0),
    }
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
    def _learn(
        self, counts: sp.csr_array, seeds: BoundSeeds, progress: Progress, checkpoint: Checkpoint
    ) -> NDArray[np.floating[Any]]:
        """Learn from counts and seeds; return the label distributions of the documents."""

    def _reads_again(self) -> bool:
        """Tell whether `_beside_counts` reads the documents after they were counted."""
        return False

    def _beside_counts(self, X: Texts, category: NDArray[np.intp], order: NDArray[np.intp]) -> dict[str, Any]:
        """Give what `_learn` shall know of the documents, in this order, beside their words, by name."""
        return {}

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
            The documents: texts from anywhere, such as a column of pandas or polars, or a frame with one
            column of texts. The columns of a matrix are named by `vocabulary`.
        y : sequence of labels, optional
            The labels of documents for which they are known, None or -1 for the others. Only
            `SeedTopicClassifier` learns from them; other models do not look at them.
        progress : callable, optional
            Told the stage, the steps done and the steps in all.
        checkpoint : path, optional
            A folder where the work done is kept. However the process ends, the same call goes on from there
            and ends as if nothing had happened: the documents are counted anew, and steps that are done are
            not done again. A folder of another fit is refused. It stays after the fit: delete it when the
            model is saved.
        """
        X = without_frame(X)
        if isinstance(X, Iterator) and self._reads_again():
            X = list(X)
        kept = self._opened(checkpoint)
        seeds = self._checked_seeds(X)
        counts = self._count(X, seeds.counted, progress)
        category, seed = self._confirmed(y, counts, seeds)
        sample = Sample.of(counts, category, seed, MOST_KEPT)
        self._label_fitted(self._fit_counts(counts, seeds, X, category, progress, kept))
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
        checkpoint: CheckpointLike | None = None,
    ) -> Self:
        """Learn on from further documents, keeping the categories and taking new words in.

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
        kept = self._opened(checkpoint)
        seeds = self._checked_seeds(X)
        check_number("most_kept", most_kept, least=2, whole=True)
        before = self._sample_before(seeds)
        new = self._count(X, seeds.counted, progress, min_df=1, reset=before is None)
        sample = (before or Sample.empty()).joined(new, *self._confirmed(y, new, seeds))
        least = resolve_min_df(self.min_df, len(sample.priority))
        known = () if before is None else self.vocabulary_
        counts = sample.learnable(least, {*seeds.counted, *known})
        places = self._fit_counts(counts, seeds, X, sample.category, progress, kept)
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
                "this model was saved without documents to learn on from: "
                "fit it with --learn-on, or by partial_fit."
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
        self,
        counts: Counts,
        seeds: Seeds,
        X: Texts,
        category: NDArray[np.intp],
        progress: Progress,
        checkpoint: Checkpoint,
    ) -> NDArray[np.intp]:
        """Learn from counts; give the row of each document in what was learned."""
        bound = seeds.bind(counts.vocabulary)
        bound.require(strict=self.strict)
        if not (bound.membership @ np.asarray(counts.matrix.sum(axis=0))).any():  # a column may be empty
            raise InputError("no seed word occurs in the documents: add words that do.")
        n_documents, n_words = counts.matrix.shape
        require_room(n_documents, len(seeds.names), n_words=n_words, arrays=self._tables)
        report = bound.report()
        if report:
            warnings.warn(report, SeedWarning, stacklevel=3)
        self.seeds_ = seeds
        self.classes_ = np.array(seeds.names)
        self.vocabulary_ = KnownWords(counts.vocabulary)
        order = canonical_order(counts.matrix)
        beside = self._beside_counts(X, category, order)
        ordered = in_order(counts.matrix, order)
        del counts  # which may be as large as all that learning needs
        checkpoint.begin(self._identity(), _parts(ordered, category[order], *beside.values()))
        distributions = self._learn(ordered, bound, progress, checkpoint, **beside)
        self.label_distributions_ = checked_distributions(distributions)
        return np.argsort(order)

    def _opened(self, checkpoint: CheckpointLike | None) -> Checkpoint:
        """Turn what `fit` was given into a checkpoint, and refuse one that cannot be, before any work."""
        if checkpoint is None:
            return NO_CHECKPOINT
        if isinstance(self.random_state, np.random.RandomState):
            raise InputError("random_state is a generator: with a checkpoint, give a whole number or None.")
        opened = checkpoint if isinstance(checkpoint, Checkpoint) else CheckpointFolder(checkpoint)
        opened.check_place()
        return opened

    def _identity(self) -> dict[str, Any]:
        """Name all that the result of a fit depends on, beside the documents."""
        parameters = self.get_params(deep=False)
        for told_otherwise in _NOT_IDENTITY:
            parameters.pop(told_otherwise, None)
        return {
            "seedtopic": version("seedtopic"),
            "model": type(self).__name__,
            "parameters": {name: value for name, value in parameters.items() if not sp.issparse(value)},
            "seeds": self.seeds_.table(),
            "vocabulary": self.vocabulary_,
        }

    def _label_fitted(self, places: NDArray[np.intp]) -> None:
        """Put what was learned of documents in their own order, and label them."""
        self.label_distributions_ = self.label_distributions_[places]
        self.transduction_ = self.classes_[self.label_distributions_.argmax(axis=1)]

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
        none = self.none_of_these(None if fitted is not None else [text])
        with np.errstate(all="ignore"):  # what comes of it is looked at
            told = explain(
                text,
                self._count_known([text]),
                self.classes_.tolist(),
                self.vocabulary_,
                self.seeds_.bind(self.vocabulary_).membership,
                self._distributions,
                self._evidence,
                lambda words: word_spans(text, words, self.tokenizer),
                known,
            )
        if not np.isfinite([told.log_odds, *told.terms.values()]).all():
            raise InputError(f"the label of this text cannot be explained: {NO_PROBABILITIES}")
        if none is None:
            return told
        outside = float(none.probability[0 if fitted is None else fitted])
        return replace(told, none_label=none.label, none_probability=outside)

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

    def _sought(self) -> Phrases:
        return self.seeds_.phrases(self.tokenizer)

    @classmethod
    def _outlined(cls, folder: ModelFolder, tokenizer: Tokenizer | None) -> Self:
        if folder.seeds is None:
            raise InputError(f"it is damaged: the {folder.model} model has no seeds.")
        model = super()._outlined(folder, tokenizer)
        model.seeds = model.seeds_ = folder.seeds
        model._check_parameters()  # again: some must fit the seeds
        check_choice("strict", model.strict, (True, False))
        return model

    def _sizes(self) -> dict[str, int]:
        return {**super()._sizes(), "seeds": self.seeds_.bind(self.vocabulary_).membership.nnz}

    def _forms(self, described: Mapping[str, Described]) -> Mapping[str, Learned]:
        return {**self._learned, **(self._sampled if "sample_words" in described else {})}

    @classmethod
    def _restore(cls, folder: ModelFolder, tokenizer: Tokenizer | None) -> Self:
        model = super()._restore(folder, tokenizer)
        model.sample_ = Sample.from_arrays(folder.arrays, len(model.classes_))
        model.saves_sample_ = True
        model._label_fitted(np.arange(len(model.label_distributions_)))
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


def _parts(*values: Any) -> Iterator[NDArray[Any]]:
    """Give the arrays of which matrices and arrays are made."""
    for value in values:
        if isinstance(value, sp.csr_array):
            yield from (value.data, value.indices, value.indptr)
        elif isinstance(value, np.ndarray):
            yield value
