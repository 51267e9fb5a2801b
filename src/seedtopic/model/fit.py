"""A fit: documents are read, and the stages learn from them one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checkpoint import NO_CHECKPOINT, Checkpoint, CheckpointFolder
from seedtopic.base.checks import check_number, random_generator
from seedtopic.base.engine import Engine
from seedtopic.base.errors import ConfirmedWarning, InputError, SeedWarning, warn_caller
from seedtopic.base.memory import require_memory
from seedtopic.base.progress import Progress, silent
from seedtopic.base.threads import resolve_threads, thread_limit
from seedtopic.cluster.client import client_of
from seedtopic.cluster.engine import DaskEngine, check_runner, engine_for
from seedtopic.io.frames import Texts, is_dask, is_matrix
from seedtopic.io.predictions import check_none_label
from seedtopic.learning.graph.neighbours import GivenGraph, GraphSource, WordGraph, given_graph
from seedtopic.learning.signals.answers import NOTHING_CONFIRMED, Confirmed
from seedtopic.model.doubts import doubts_sentence, label_issues, label_issues_sentence
from seedtopic.model.fitted import FittedModel, fitted_predictions
from seedtopic.model.placed import Placed, stays_on_cluster, training_set_on_cluster
from seedtopic.model.reading import CountedTexts, TextReader, expected_unknown
from seedtopic.model.run import DocumentBlock, ModelOptions, Run
from seedtopic.model.stages.stage import Context, Stage
from seedtopic.model.training import (
    MOST_KEPT,
    UNKNOWN,
    Sample,
    TrainingSet,
    texts_with_examples,
    with_examples,
)
from seedtopic.model.vectors import VectorsLike, belong_to_documents, check_vectors, vector_source
from seedtopic.seeds import Seeds
from seedtopic.text.counts import NO_COUNTS, Counts, KnownWords, resolve_min_df
from seedtopic.text.tokens import Tokenizer, stop_word_set, tokenize

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from seedtopic.model.estimator import SeedClassifier

_ALL_CONFIRMED = (
    "all {:,} documents have a confirmed label, from which the model learns: to score what the seed words "
    "alone achieve, fit without labels and compare the result with them."
)


@dataclass(frozen=True, kw_only=True)
class Learner:
    """How a model learns from documents and seed words: what its class makes of its parameters."""

    options: ModelOptions  # the parameters that decide how the stages learn and label
    pipeline: tuple[type[Stage], ...]  # the stages in their order; those that may be left out say so
    vectors: VectorsLike = None  # see `SeedTopicClassifier`
    graph: Any = "words"  # see `SeedTopicClassifier`
    runner: Any = "local"  # see `SeedTopicClassifier`
    learns_from_labels: bool = False  # whether confirmed labels are learned from
    unused_in_seeds: tuple[str, ...] = ()  # keys of `Seeds` that the model has no use for
    reader: type[TextReader] = TextReader  # what reads the documents
    reads_order: bool = False  # whether it reads words in their order, so that a matrix is of no use
    tables: int = 4  # of documents, or words, and categories that learning holds at once, at the least

    needs_labels: ClassVar[bool] = False  # whether it learns from labelled documents, without seeds

    def check(self) -> None:
        """Refuse parameters out of range, before any work is done."""
        self.options.check()
        check_runner(self.runner)
        check_vectors(self.vectors)
        if not sp.issparse(self.graph) and not (isinstance(self.graph, str) and self.graph == "words"):
            given = repr(self.graph) if isinstance(self.graph, str) else type(self.graph).__name__
            raise InputError(f"graph is {given}: use 'words', or a sparse matrix of similarities.")

    def check_seeds(self, seeds: Seeds) -> None:
        """Refuse parameters that do not go with the seeds."""
        check_none_label(getattr(self.options, "none_label", None), seeds)

    def fit(
        self, model: SeedClassifier, X: Texts, y: object, progress: Progress, checkpoint: CheckpointLike
    ) -> FittedModel:
        """Learn from documents, with the parameters of a model, which is not changed."""
        on_its_own = belong_to_documents(self.vectors)
        if model.seeds is not None and stays_on_cluster(
            X, y, self.runner, self.graph, on_its_own, Seeds.of(model.seeds)
        ):
            return self._fitted_on_cluster(model, X, progress, checkpoint)
        if isinstance(X, Iterator) and on_its_own:
            X = list(X)
        steps = opened(checkpoint, model.random_state)
        seeds = self._checked_seeds(model, X)
        read = self.reader.of(model).count(X, seeds.counted_words, progress, rules=seeds.all_rules)
        category, draw = _confirmed(model, y, read.counts, seeds)
        if self.learns_from_labels and (category != UNKNOWN).all():
            warn_caller(_ALL_CONFIRMED.format(len(category)), SeedWarning)
        sample = Sample.of(read.counts, category, draw, MOST_KEPT)
        least = resolve_min_df(model.min_df, len(category))
        known_words = {*seeds.counted_words, *(rule.word for rule in seeds.all_rules)}
        unknown = expected_unknown(read.counts, least, known_words)
        training = self._training_set(model, read.counts, seeds, category)
        read = replace(read, counts=NO_COUNTS)  # which may take as much memory as all that learning needs
        training = self._with_sources(training, X, progress)
        rows = training.places[: len(category)]
        fitted = self._fitted(model, training, read, rows, progress, steps)
        return replace(fitted, sample=sample, unknown_words=unknown)

    def fit_on(
        self,
        model: SeedClassifier,
        X: Texts,
        y: object,
        most_kept: int,
        progress: Progress,
        checkpoint: CheckpointLike,
    ) -> FittedModel:
        """Learn from documents and from a sample of those before, with the parameters of a model."""
        steps = opened(checkpoint, model.random_state)
        seeds = self._checked_seeds(model, X)
        check_number("most_kept", most_kept, least=2, whole=True)
        before = self._sample_before(model, seeds)
        rules = seeds.all_rules
        read = self.reader.of(model).count(
            X, seeds.counted_words, progress, rules=rules, min_df=1, reset=before is None
        )
        n_new = read.counts.matrix.shape[0]
        category, draw = _confirmed(model, y, read.counts, seeds)
        sample = (before or Sample.empty()).joined(read.counts, category, draw, read.columns)
        known = () if before is None else model.vocabulary_
        least = resolve_min_df(model.min_df, len(sample.priority))
        kept_words = {*seeds.counted_words, *(rule.word for rule in rules), *known, *(read.columns or ())}
        counts = sample.learnable(least, kept_words)
        unknown = None if read.counts.left_out is None else expected_unknown(counts, least, kept_words)
        training = self._training_set(model, counts, seeds, sample.category)
        read = replace(read, counts=NO_COUNTS)
        del counts
        training = self._with_sources(training, X, progress)
        rows = training.places[len(sample.category) - n_new : len(sample.category)]
        fitted = self._fitted(model, training, read, rows, progress, steps)
        return replace(fitted, sample=sample.trimmed(most_kept), saves_sample=True, unknown_words=unknown)

    def fit_training_set(
        self, model: SeedClassifier, training: TrainingSet, progress: Progress
    ) -> FittedModel:
        """Learn from documents that are counted and in order already."""
        if training.vectors is None:
            training = replace(training, vectors=vector_source(self.vectors, training, _no_texts, progress))
        run = self._learned(model, training, progress)
        return model_of(run, type(model).__name__, None, training.places)

    def _fitted(
        self,
        model: SeedClassifier,
        training: TrainingSet,
        read: CountedTexts,
        rows: NDArray[np.intp],
        progress: Progress,
        checkpoint: Checkpoint,
    ) -> FittedModel:
        """Return what is learned, of documents that are here; those of these rows are labelled."""
        run = self._learned(model, training, progress, checkpoint)
        fitted = model_of(run, type(model).__name__, read.columns, rows)
        fitted = replace(fitted, inputs=read.inputs, fingerprint=read.fingerprint)
        if fitted.has_estimates and (sentence := doubts_sentence(fitted.doubts)) is not None:
            warn_caller(sentence, SeedWarning)
        if (sentence := label_issues_sentence(fitted.suspect_confirmed)) is not None:
            warn_caller(sentence, ConfirmedWarning)
        return fitted

    def _with_sources(self, training: TrainingSet, X: Texts, progress: Progress) -> TrainingSet:
        """Add where the graph and the vectors of the documents come from."""

        def texts() -> Iterable[str]:
            return _no_texts() if is_matrix(X) or is_dask(X) else texts_with_examples(X, training.seeds.seeds)

        vectors = vector_source(self.vectors, training, texts, progress)
        return replace(training, graph=self._graph_source(training), vectors=vectors)

    def _learned(
        self,
        model: SeedClassifier,
        training: TrainingSet,
        progress: Progress,
        checkpoint: Checkpoint = NO_CHECKPOINT,
        engine: Engine | None = None,
    ) -> Run:
        check_seeds_occur(training, strict=model.strict, tables=self.tables)
        checkpoint.begin(identity(model, training.seeds.seeds, training.vocabulary), training.data())
        n_threads = resolve_threads(model.n_threads)
        with thread_limit(n_threads):
            return learn(
                training,
                self,
                engine or engine_for(self.runner, n_threads),
                random_state=model.random_state,
                stop_words=stop_word_set(model.stop_words),
                progress=progress,
                checkpoint=checkpoint,
            )

    def _fitted_on_cluster(
        self, model: SeedClassifier, X: Texts, progress: Progress, checkpoint: CheckpointLike
    ) -> FittedModel:
        """Learn from documents of a Dask collection where they are.

        What the fit says of them, such as `label_distributions_`, is brought here when it is asked for.
        """
        steps = opened(checkpoint, model.random_state)
        seeds = self._checked_seeds(model, X)
        engine = DaskEngine(client_of(self.runner))
        progress("reading words", 0, 1)
        training = training_set_on_cluster(engine, X, seeds, model.tokenizer, model.min_df, model.stop_words)
        progress("reading words", 1, 1)
        training = self._with_sources(training, X, progress)
        run = self._learned(model, training, progress, steps, engine)
        return replace(model_of(run, type(model).__name__), documents=Placed(run))

    def _graph_source(self, training: TrainingSet) -> GraphSource:
        n_neighbors = getattr(self.options, "n_neighbors", 0)
        if not sp.issparse(self.graph):
            return WordGraph(n_neighbors)
        order = training.order
        given: Any = given_graph(self.graph, len(order) - len(training.seeds.seeds.examples))
        given.resize((len(order), len(order)))  # the examples have no neighbours
        return GivenGraph(given[order][:, order]) if n_neighbors else WordGraph(0)

    def _training_set(
        self, model: SeedClassifier, counts: Counts, seeds: Seeds, category: NDArray[np.intp]
    ) -> TrainingSet:
        """Return what is learned from: the documents and, if the model learns from labels, the examples."""
        if self.learns_from_labels:
            counts, category = with_examples(counts, category, seeds, model.tokenizer)
        return TrainingSet.of(counts, seeds, category)

    def _sample_before(self, model: SeedClassifier, seeds: Seeds) -> Sample | None:
        """Return what was kept of earlier documents, None at the beginning."""
        if self.reads_order:
            name = type(model).__name__
            raise InputError(
                f"{name} reads words in their order, which is not kept: fit it to all documents."
            )
        if sp.issparse(self.graph) or belong_to_documents(self.vectors):
            raise InputError(
                "partial_fit needs graph='words' and vectors of words, such as 'auto': a graph of yours is "
                "of one collection, and an encoder needs texts, which are not kept."
            )
        if "fitted_" not in vars(model):
            return None
        before: Sample | None = model.fitted_.sample
        if before is None:
            raise InputError(
                "this model was saved without documents to continue from: "
                "fit it again with --learn-on, or with partial_fit in Python."
            )
        if model.classes_.tolist() != seeds.names:
            raise InputError("the seeds have other categories than before: fit a new model.")
        return before

    def _checked_seeds(self, model: SeedClassifier, X: Texts) -> Seeds:
        """Check what can be checked before any work is done, and give the seeds."""
        self.check()
        if model.seeds is None:
            raise InputError("no seeds are given: pass seeds={'category': ['word', ...], ...}.")
        seeds = Seeds.of(model.seeds)
        self.check_seeds(seeds)
        if not is_matrix(X):
            warn_of_unreadable(seeds, model.tokenizer)
        unused = [key for key in self.unused_in_seeds if any(getattr(seeds, key).values())]
        if seeds.examples and not self.learns_from_labels:
            unused.append("examples")
        if unused:
            sentence = f"{type(model).__name__} makes no use of {' and '.join(unused)} in the seeds."
            warn_caller(sentence, SeedWarning)
        return seeds


def learn(
    training: TrainingSet,
    learner: Learner,
    engine: Engine,
    *,
    random_state: int | np.random.RandomState | None = None,
    stop_words: frozenset[str] = frozenset(),
    progress: Progress = silent,
    checkpoint: Checkpoint = NO_CHECKPOINT,
) -> Run:
    """Learn all stages, one after the other, from documents and seeds; nothing else is read."""
    names = training.seeds.seeds.names
    confirmed = training.confirmed if learner.learns_from_labels else NOTHING_CONFIRMED
    answers = training.answers_of_blocks(confirmed)
    run = Run(
        classes=np.array(names),
        seeds=training.seeds,
        vocabulary=KnownWords(training.vocabulary),
        stop_words=stop_words,
        options=learner.options,
        training=training,
        confirmed=confirmed,
        engine=engine,
        blocks=engine.map(DocumentBlock.of, training.blocks(engine), len(names), each=answers),
        rng=random_generator(checkpoint.random_state(random_state)),
        progress=progress,
        checkpoint=checkpoint,
    )
    for kind in learner.pipeline:
        run = run.learned(kind)
    return run


def model_of(
    run: Run, name: str, columns: Sequence[str] | None = None, rows: NDArray[np.intp] | None = None
) -> FittedModel:
    """Return a fitted model, and what it says of documents of these rows; None leaves them where they are."""
    documents, issues = None, []
    if rows is not None:
        contradictions = run.contradictions()
        documents = fitted_predictions(run)[rows]
        if contradictions is not None:
            label = documents.probabilities.argmax(axis=1)
            contradicting, log_odds = contradictions
            issues = label_issues(run.classes, label, contradicting[rows], log_odds[rows])
    return FittedModel(
        **{one.name: getattr(run, one.name) for one in fields(Context)},
        name=name,
        columns=None if columns is None or list(columns) == list(run.vocabulary) else columns,
        documents=documents,
        suspect_confirmed=issues,
    )


def _confirmed(
    model: SeedClassifier, y: object, counts: Counts, seeds: Seeds
) -> tuple[NDArray[np.intp], int]:
    """Return the confirmed category of each document, and a number to draw priorities with."""
    confirmed = Confirmed.of(y, seeds.names, counts.matrix.shape[0])
    category = np.full(counts.matrix.shape[0], UNKNOWN, np.intp)
    category[confirmed.documents] = confirmed.categories
    return category, int(random_generator(model.random_state).randint(2**31 - 1))


def _no_texts() -> Iterable[str]:
    raise InputError("an encoder reads texts: give a list or a column of texts, or vectors='auto'.")


CheckpointLike = Checkpoint | str | Path | None

# Parameters that do not change what is learned, or that the counts and the seeds already stand for.
_NOT_IDENTITY = (
    "seeds", "vocabulary", "tokenizer", "stop_words", "min_df", "strict", "vectors", "runner",
    "n_threads", "max_memory",
)  # fmt: skip


def opened(checkpoint: CheckpointLike, random_state: object) -> Checkpoint:
    """Turn what `fit` was given into a checkpoint, and refuse one that cannot be, before any work."""
    if checkpoint is None:
        return NO_CHECKPOINT
    if isinstance(random_state, np.random.RandomState):
        raise InputError("random_state is a generator: with a checkpoint, give a whole number or None.")
    checkpoint = checkpoint if isinstance(checkpoint, Checkpoint) else CheckpointFolder(checkpoint)
    checkpoint.check_place()
    return checkpoint


def identity(model: BaseEstimator, seeds: Seeds, vocabulary: list[str]) -> dict[str, Any]:
    """Name everything that the result of a fit depends on, beside the documents."""
    parameters = model.get_params(deep=False)
    for name in _NOT_IDENTITY:
        parameters.pop(name, None)
    return {
        "seedtopic": version("seedtopic"),
        "model": type(model).__name__,
        "parameters": {name: value for name, value in parameters.items() if not sp.issparse(value)},
        "seeds": list(seeds.table().items()),  # a list: the order of the categories counts
        "vocabulary": vocabulary,
    }


def warn_of_unreadable(seeds: Seeds, tokenizer: Tokenizer | None) -> None:
    """Name the seeds that can never match, because no word can be read from them."""
    words = seeds.counted_words
    sought = zip(words, tokenize(words, tokenizer, words), strict=True)
    nothing = [repr(word) for word, tokens in sought if word not in tokens]
    if nothing:
        remedy = "use words of two or more letters or digits" if tokenizer is None else "change the tokenizer"
        sentence = f"because no word is read from them: {', '.join(nothing)}; {remedy}."
        warn_caller(f"these seed words never match, {sentence}", SeedWarning)


def check_seeds_occur(training_set: TrainingSet, *, strict: bool, tables: int) -> None:
    """Refuse seeds that do not occur, and sizes beyond the memory; warn of seeds that are missing.

    A category none of whose seeds occurs is left in where its meaning is known, or some of its documents.
    """
    bound, totals, known = training_set.seeds, training_set.totals, training_set.known_meanings
    taught = training_set.taught
    bound.require(strict=strict, known=known, taught=taught)
    occurs = (bound.membership @ totals.occurrences).any()  # a column may be empty
    if not occurs and len({*(known or ()), *taught}) < 2:
        raise InputError("no seed word occurs in the documents: add words that do.")
    n_documents, n_words = training_set.counts.shape  # here: those on a cluster take no memory of it
    require_memory(n_documents, len(bound.seeds.names), n_words=n_words, arrays=tables)
    report = bound.report(known or (), taught)
    if report:
        warn_caller(report, SeedWarning)
