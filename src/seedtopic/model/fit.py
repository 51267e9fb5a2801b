"""All stages learned in one pass over blocks of documents, wherever these are."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checkpoint import NO_CHECKPOINT, Checkpoint, CheckpointFolder, RandomState
from seedtopic.base.checks import random_generator
from seedtopic.base.engine import Blocks, Engine
from seedtopic.base.errors import InputError, SeedWarning
from seedtopic.base.memory import require_memory
from seedtopic.base.progress import Progress, silent
from seedtopic.base.threads import threads_here
from seedtopic.learning.classify.naive_bayes import edge_weights, fit_mixture, mixture_helps
from seedtopic.learning.classify.self_training import SoftTargets, self_train
from seedtopic.learning.classify.trust import contradictions
from seedtopic.learning.graph.neighbours import GraphSource, WordGraph
from seedtopic.learning.signals.words import shares
from seedtopic.learning.topics import em
from seedtopic.model.fitted import SEVERAL_LEVEL, Stages
from seedtopic.model.reading import uneven
from seedtopic.model.run import NOT_YET, Block, Options
from seedtopic.model.stages.documents import DocumentView, WordSpace
from seedtopic.model.stages.first_guess import learn_first_guess
from seedtopic.model.stages.meaning import Meaning
from seedtopic.model.stages.mixture import MixtureStage
from seedtopic.model.stages.outsiders import learn_outsiders
from seedtopic.model.stages.regression import RegressionStage, Uncalibrated
from seedtopic.model.stages.reliability import Calibration, ReliabilityStage, learn_reliability
from seedtopic.model.stages.topics import Topics, learn_topics
from seedtopic.model.training import TrainingSet
from seedtopic.seeds import Seeds
from seedtopic.text.tokens import Tokenizer, tokenize

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Array = NDArray[np.float64]

SMALL = 100  # documents: in more, their meaning has less to say once words have been learned
SAY_IN_SMALL = 1.5  # of the standardised cosine, in log-odds


class DocumentResults(NamedTuple):
    """What a fit says of documents that it was learned from, a row each."""

    posterior: Array  # (n_documents, n_categories), in which neighbours have a say, too
    several: NDArray[np.bool_]  # (n_documents, n_categories), further labels
    none_probability: Array  # (n_documents,)
    instead: NDArray[np.intp]  # (n_documents,), contradicts a confirmed label; -1: none
    log_odds_against: Array  # (n_documents,), of that category against the label
    has_words: NDArray[np.bool_]  # (n_documents,), whether the fit knew anything of a document

    @classmethod
    def nothing(cls, n_categories: int) -> DocumentResults:
        """Say something of no document."""
        no_row = (0, n_categories)
        numbers, marks = np.zeros(0), np.zeros(0, dtype=bool)
        return cls(
            np.zeros(no_row), np.zeros(no_row, dtype=bool), numbers, np.zeros(0, np.intp), numbers, marks
        )


@dataclass(frozen=True)
class FitResult:
    """The stages, and the blocks, which hold what is said of the documents."""

    stages: Stages
    engine: Engine
    blocks: Blocks

    def of_documents(self) -> DocumentResults:
        """Bring what is said of all documents here, in the order of the training set."""
        parts = list(self.engine.gather(results_of, self.blocks))
        return DocumentResults(*map(np.concatenate, zip(*parts, strict=True)))


def learn(
    training_set: TrainingSet,
    options: Options,
    engine: Engine,
    *,
    random_state: RandomState = None,
    progress: Progress = silent,
    checkpoint: Checkpoint = NO_CHECKPOINT,
) -> FitResult:
    """Learn all stages from documents and seeds; nothing else is read, and nothing is changed."""
    rng = random_generator(checkpoint.random_state(random_state))
    totals, confirmed = training_set.totals, training_set.confirmed
    space = WordSpace.of(totals)
    counted, said = training_set.counted(engine), training_set.said_of_blocks()
    blocks = engine.map(Block.of, counted, engine.broadcast(space), each=said)
    meaning = None
    if training_set.vectors is not None:
        meaning, blocks = training_set.vectors.learn(engine, blocks, totals, training_set.vocabulary)
        blocks = engine.map(_with_meaning, blocks, engine.broadcast(meaning))
    blocks = _with_graphs(training_set.graph or WordGraph(0), engine, blocks, progress, checkpoint)

    guess, relevance = learn_first_guess(
        engine, blocks, totals, meaning, training_set.seeds, confirmed, options
    )
    n_categories, n_words = guess.prototype.shape
    words = em.start_words(n_words, n_categories, options.n_background, rng)
    topics, blocks = learn_topics(
        engine, blocks, totals.n_documents, guess, relevance, options, words, progress, checkpoint
    )
    regression: RegressionStage | None = None
    if options.refine:
        say = SAY_IN_SMALL * min(1.0, SMALL / totals.n_documents)
        taught = engine.map(_taught_with_say, blocks, say)
        fitted = self_train(
            engine, taught, options.self_training_rounds, partial(progress, "refining"), checkpoint
        )
        del taught
        regression = RegressionStage(fitted)
    learned = regression or topics
    blocks = engine.map(_refined, blocks, engine.broadcast(regression))
    mixture = None
    if _mixture_wanted(options, topics.label_frequency, engine, blocks):
        mixed, taught = fit_mixture(engine, engine.map(_taught, blocks), topics.label_frequency)
        mixture = MixtureStage(mixed)
        blocks = engine.map(_mixed, blocks, each=taught)
    calibration: Calibration = Uncalibrated()
    if options.calibrate:
        progress("calibrating", 0, 1)
        calibration = learn_reliability(engine, blocks, meaning, guess, learned)
        blocks = engine.map(_calibrated, blocks, engine.broadcast(calibration))
        progress("calibrating", 1, 1)
    blocks = engine.map(_held, blocks)
    if len(confirmed):
        named = contradictions(engine, engine.map(_taught, blocks))
        blocks = engine.map(_contradicted, blocks, engine.broadcast(named))
    outsiders = None
    if options.none_label is not None:  # last, so that it changes nothing above
        outsiders, blocks = learn_outsiders(engine, blocks, guess, options.none_label, rng)
    stages = Stages(space, meaning, guess, topics, regression, mixture, calibration, outsiders)
    return FitResult(stages, engine, blocks)


def _with_meaning(block: Block, meaning: Meaning) -> Block:
    """Find out what the meaning says of documents; their directions are kept for an encoder's graph alone."""
    documents = replace(block.documents, meaning=meaning)
    return replace(block, documents=documents if meaning.n_encoded else documents.without_directions())


def _with_graphs(
    source: GraphSource, engine: Engine, blocks: Blocks, progress: Progress, checkpoint: Checkpoint
) -> Blocks:
    """Find the neighbours of each document in its block, or recall them."""
    progress("finding neighbours", 0, 1)
    kept = checkpoint.recall_parts("neighbours")
    if kept is not None:
        blocks = engine.map(_with_known_graph, blocks, each=kept[1])
    else:
        blocks = engine.map(_with_graph, blocks, engine.broadcast(source))
        checkpoint.keep_parts("neighbours", {}, partial(_graphs, engine, blocks), done=1, last=True)
    progress("finding neighbours", 1, 1)
    return blocks


def _with_graph(block: Block, source: GraphSource) -> Block:
    documents = block.documents
    encoded = documents.directions if documents.meaning is not None and documents.meaning.n_encoded else None
    joined = block.with_graph(source.similarity(documents.vectors, threads_here(), encoded))
    return joined if encoded is None else replace(joined, documents=documents.without_directions())


def _with_known_graph(block: Block, kept: Mapping[str, NDArray[Any]]) -> Block:
    parts = kept["data"], kept["indices"], kept["indptr"]
    return block.with_graph(sp.csr_array(parts, shape=(len(block), len(block))))


def _graphs(engine: Engine, blocks: Blocks) -> Iterator[dict[str, NDArray[Any]]]:
    for found in engine.gather(_graph, blocks):
        yield {"data": found.data, "indices": found.indices, "indptr": found.indptr}


def _graph(block: Block) -> sp.csr_array:
    return block.similarity


def _taught_with_say(block: Block, say: float) -> SoftTargets:
    """Let the meaning of documents speak once more, the less the more documents have taught the topics."""
    theta, scores = block.labels, block.documents.scores
    if scores is not None:
        theta = shares(theta * np.exp(say * scores))
    return _taught(replace(block, labels=block.confirmed.hold(theta)))


def _taught(block: Block) -> SoftTargets:
    return SoftTargets.of(block.documents.vectors, block.averaging, block.labels, block.confirmed)


def _refined(block: Block, regression: RegressionStage | None) -> Block:
    """Let the regression label documents; all their labels are given before the mixture, see there."""
    documents = block.documents
    posterior = block.labels if regression is None else regression.posterior(documents)
    several = (posterior >= SEVERAL_LEVEL) & documents.has_words[:, None]
    return replace(block, labels=posterior, learned=posterior, several=several)


def _mixture_wanted(options: Options, marginals: Array, engine: Engine, blocks: Blocks) -> bool:
    if options.mixture != "auto":
        return bool(options.mixture)
    same, total = engine.tree(_edge_weights, blocks)
    return mixture_helps(marginals, float(same / total) if total else 0.0)


def _edge_weights(block: Block) -> tuple[np.float64, np.float64]:
    return edge_weights(block.similarity, block.labels)


def _mixed(block: Block, taught: SoftTargets) -> Block:
    return replace(block, labels=shares(taught.labels * np.exp(block.documents.by_meaning)))


def _calibrated(block: Block, reliability: ReliabilityStage) -> Block:
    learned = block.learned
    if isinstance(reliability.learned, Topics):
        learned = reliability.learned.posterior(block.documents)
    return replace(block, labels=reliability.fitted_posterior(block.documents, block.labels, learned))


def _held(block: Block) -> Block:
    """Hold what was confirmed; nothing is said of a document without words."""
    return replace(block, labels=block.confirmed.hold(block.documents.even_without_words(block.labels)))


def _contradicted(block: Block, named: Callable[[SoftTargets], tuple[NDArray[np.intp], Array]]) -> Block:
    instead, log_odds = named(_taught(block))
    return replace(block, instead=instead, log_odds_against=log_odds)


def results_of(block: Block) -> DocumentResults:
    """Return what the fit says of the documents of a block."""
    n_documents, documents = len(block), block.documents
    known = uneven(block.labels)
    # Even probabilities may also be those of a document between categories.
    rest = np.flatnonzero(~known)
    if len(rest):
        counts = sp.csr_array(documents.counts[rest])
        known[rest] = DocumentView(counts, documents.space, documents.meaning).has_words
    return DocumentResults(
        block.labels,
        block.several,
        np.zeros(n_documents) if block.none_probability is NOT_YET else block.none_probability,
        np.full(n_documents, -1, np.intp) if block.instead is NOT_YET else block.instead,
        np.zeros(n_documents) if block.log_odds_against is NOT_YET else block.log_odds_against,
        known,
    )


CheckpointLike = Checkpoint | str | Path

# Parameters that do not change what is learned, or that the counts and the seeds already stand for.
_NOT_IDENTITY = (
    "seeds", "vocabulary", "tokenizer", "stop_words", "min_df", "strict", "vectors", "runner",
    "n_threads", "max_memory",
)  # fmt: skip


NO_PROBABILITIES = (
    "its parameters are too large or too small, or its folder is damaged; fit it again with others."
)


@dataclass(frozen=True)
class Fit:
    """What a model has learned, before anything of it is set on the estimator."""

    posterior: NDArray[np.floating[Any]]  # (n_documents, n_categories)
    attributes: Mapping[str, Any]  # the fitted attributes, by name
    of_documents: Mapping[str, NDArray[Any]] = field(default_factory=dict)


def opened(checkpoint: CheckpointLike | None, random_state: object) -> Checkpoint:
    """Turn what `fit` was given into a checkpoint, and refuse one that cannot be, before any work."""
    if checkpoint is None:
        return NO_CHECKPOINT
    if isinstance(random_state, np.random.RandomState):
        raise InputError("random_state is a generator: with a checkpoint, give a whole number or None.")
    found = checkpoint if isinstance(checkpoint, Checkpoint) else CheckpointFolder(checkpoint)
    found.check_place()
    return found


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
    sought = tokenize(seeds.counted, tokenizer, seeds.counted)
    nothing = [repr(word) for word, tokens in zip(seeds.counted, sought, strict=True) if word not in tokens]
    if nothing:
        remedy = "use words of two or more letters or digits" if tokenizer is None else "change the tokenizer"
        sentence = f"because no word is read from them: {', '.join(nothing)}; {remedy}."
        warnings.warn(f"these seed words never match, {sentence}", SeedWarning, stacklevel=4)


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
    n_documents, n_words = (
        training_set.counts.shape
    )  # here: those on a cluster take no memory of this machine
    require_memory(n_documents, len(bound.seeds.names), n_words=n_words, arrays=tables)
    report = bound.report(known or (), taught)
    if report:
        warnings.warn(report, SeedWarning, stacklevel=4)


def checked_distributions(values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Scale rows to probabilities, and refuse what cannot be: no result holds NaN."""
    distributions = shares(values.astype(np.float64))
    if not (np.abs(distributions.sum(axis=1) - 1.0) < 1e-6).all() or distributions.min(initial=0.0) < 0:
        raise InputError(f"no probabilities come of this model: {NO_PROBABILITIES}")
    return distributions
