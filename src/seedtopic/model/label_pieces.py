"""What must be known of a source before its first piece is labelled, so that all pieces fit together."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from operator import call
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from seedtopic.base.errors import InputError
from seedtopic.cluster.client import connected
from seedtopic.io.columns import Table, has_text
from seedtopic.io.formats import PACKED
from seedtopic.io.pieces import Piece
from seedtopic.io.predictions import DECIMALS, Predictions, Summary, with_labels
from seedtopic.io.rows import ColumnStrings, Fields, Rows
from seedtopic.io.source import SHOWN, Problems, TableStyle
from seedtopic.io.write import ending_of, holds_lists, text_of
from seedtopic.model.drift import LabelStatistics
from seedtopic.model.fitted import checked_distributions
from seedtopic.model.placed import Placed
from seedtopic.model.run import DocumentBlock, results_of
from seedtopic.seeds.names import Label
from seedtopic.text.parts import SPLITTERS, Per
from seedtopic.text.rules import TextWithColumns

if TYPE_CHECKING:
    from seedtopic.model.classifier import SeedTopicClassifier
    from seedtopic.model.estimator import SeedClassifier


@dataclass(frozen=True)
class Layout:
    """How the rows of a source are read and written."""

    fields: Fields  # the columns of texts and ids, and those that rules ask for
    columns: tuple[str, ...]  # the columns of the source
    added: tuple[str, ...]  # the names of the columns that labelling adds
    style: TableStyle  # how a table is written

    @property
    def all_columns(self) -> tuple[str, ...]:
        """The columns of the labelled file."""
        return tuple(dict.fromkeys((*self.columns, *self.added)))

    def with_columns(self, columns: Iterable[str]) -> Layout:
        """Add columns of the source that were seen later."""
        return replace(self, columns=tuple(dict.fromkeys((*self.columns, *columns))))

    def fits(self, final: Layout, output: str) -> bool:
        """Return whether what was written by this layout is what another would have written."""
        if ending_of(output) == "jsonl":  # in which each row names its own columns
            final = replace(final, columns=self.columns, style=self.style)
        return self == final


@dataclass
class PieceReport:
    """What was noticed of some rows, added up."""

    table: Table
    problems: Problems
    summary: Summary
    statistics: LabelStatistics
    lines_without_text: list[int] = field(default_factory=list)  # the first few of them

    @classmethod
    def nothing(cls, name: str, n_categories: int, *, strict: bool) -> PieceReport:
        """Begin to count."""
        problems = Problems(strict=strict)
        return cls(
            Table(name), problems, Summary.nothing(n_categories), LabelStatistics.nothing(n_categories)
        )

    def add(self, other: PieceReport) -> None:
        """Add what was noticed of further rows of the same source."""
        self.table.add(other.table)
        self.problems.add(other.problems)
        self.summary += other.summary
        self.statistics.add(other.statistics)
        self.lines_without_text = (self.lines_without_text + other.lines_without_text)[:SHOWN]


@dataclass(frozen=True)
class LabelledPiece:
    """A labelled piece."""

    content: Any  # the rows as text, ready to be written
    columns: list[str]  # the columns of the source that were known, and those that were found
    read: PieceReport


@dataclass(frozen=True)
class Labeller:
    """Labels pieces with a model."""

    model: SeedClassifier  # needs no more than `SeedClassifier.slim` gives
    multi: bool = False  # whether all labels of a document are wanted
    min_probability: float = 0.0  # A label that is less likely is left empty
    strict: bool = False  # whether the first row that cannot be used is an error
    answers: Mapping[str, Label] = field(default_factory=dict)  # what people say of texts, by `identity`

    @cached_property
    def form(self) -> Predictions:
        """What is said of no document: its columns and labels are those of any."""
        return self.model.predict_all([], several=self.multi)

    def __call__(self, piece: Piece, layout: Layout, output: str, in_batches: bool) -> LabelledPiece:
        """Label a piece."""
        read = PieceReport.nothing("", len(self.model.classes_), strict=self.strict)
        read.problems.add(piece.noticed)
        numbered = list(piece.content.numbered(read.problems))
        rows = [row for _, row in numbered]
        read.table.add(Table("", numbered))
        columns = list(dict.fromkeys((*layout.columns, *read.table.columns)))
        values: list[tuple[Any, ...]] = []
        if rows:
            text = layout.fields.text_column
            texts = list(ColumnStrings(rows, text, layout.fields.others))
            there = np.fromiter((has_text(row.get(text)) for row in rows), bool, len(rows))
            read.lines_without_text = [numbered[place][0] for place in np.flatnonzero(~there)[:SHOWN]]
            predictions = self.model.predict_all(texts, several=self.multi).with_texts(there)
            read.statistics.add(LabelStatistics.of(predictions))
            predictions = predictions.with_answers_to(texts, self.answers)
            read.summary += predictions.summary(self.min_probability)
            values = list(predictions.rows(self.min_probability, cells=not holds_lists(output)))
        if in_batches:
            return LabelledPiece(values, columns, read)
        labelled = [with_labels(row, layout.added, added) for row, added in zip(rows, values, strict=True)]
        if ending_of(output) in PACKED:
            return LabelledPiece(labelled, columns, read)
        if ending_of(output) == "jsonl":
            layout = layout.with_columns(columns)
        return LabelledPiece(text_of(output, labelled, layout.all_columns, layout.style), columns, read)


Job = TypeVar("Job")

ALONE = 2  # pieces that are labelled here first, so that few documents need no processes
AHEAD = 2  # pieces for each worker that are under way, so that none waits for its next one
LOOK = 1.0  # seconds after which a worker looks whether its parent is still there

_here: list[Labeller] = []  # in a worker process: its labeller


class Workers(NamedTuple):
    """Where pieces are labelled; the model is sent there once."""

    submit: Callable[..., Any]  # begins to label a piece, and returns its future
    n_ahead: int = 1  # pieces that may be under way


def _labelled_here(labeller: Labeller, *task: Any) -> Future[LabelledPiece]:
    """Label a piece now, in this process."""
    done: Future[LabelledPiece] = Future()
    try:
        done.set_result(labeller(*task))
    except Exception as error:  # said when it is this piece's turn
        done.set_exception(error)
    return done


class Processes:
    """Labels the first pieces here, and the next ones in processes."""

    def __init__(self, labeller: Labeller, n_workers: int) -> None:
        self._alone, self._labeller, self._n_workers = ALONE, labeller, n_workers
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, *task: Any) -> Any:
        """Begin to label."""
        if self._alone:
            self._alone -= 1
            return _labelled_here(self._labeller, *task)
        if self._pool is None:
            # A copy of this process has the model and all modules at once. Elsewhere it is not safe.
            context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
            self._pool = ProcessPoolExecutor(self._n_workers, context, _begin, (self._labeller,))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which do nothing now
            try:
                return self._pool.submit(_label, *task)
            except BrokenProcessPool:
                raise _lost() from None

    def close(self) -> None:
        """End the processes, once they have labelled what they began."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


@contextmanager
def opened_workers(labeller: Labeller, n_workers: int, scheduler: Any = None) -> Iterator[Workers]:
    """Start workers, and end them with the block."""
    if scheduler is not None:
        with connected(scheduler) as client:
            if not client.nthreads():
                raise InputError(f"the Dask cluster at {client.scheduler.address} has no workers: start some")
            sent = client.scatter(labeller, broadcast=True, hash=False)
            n_threads = max(1, sum(client.nthreads().values()))
            yield Workers(partial(client.submit, call, sent, pure=False), AHEAD * n_threads)
    elif n_workers == 1:
        yield Workers(partial(_labelled_here, labeller))
    else:
        with closing(Processes(labeller, n_workers)) as processes:
            yield Workers(processes.submit, AHEAD * n_workers)


def in_order(
    jobs: Iterator[tuple[Job, tuple[Any, ...]]], workers: Workers
) -> Iterator[tuple[Job, tuple[Any, ...], Any]]:
    """Label pieces, some at the same time, and give them in their order."""
    waiting: deque[tuple[Job, tuple[Any, ...], Any]] = deque()
    failed: Exception | None = None
    try:
        for job, task in jobs:
            waiting.append((job, task, workers.submit(*task) if task else None))
            if len(waiting) >= workers.n_ahead:
                yield _done(*waiting.popleft())
    except Exception as error:  # what comes before it is given first
        failed = error
    while waiting:
        yield _done(*waiting.popleft())
    if failed is not None:
        raise failed


def _done(job: Job, task: tuple[Any, ...], future: Any) -> tuple[Job, tuple[Any, ...], Any]:
    try:
        return job, task, None if future is None else future.result()
    except BrokenProcessPool:
        raise _lost() from None
    except Exception as error:
        if not type(error).__module__.startswith("distributed"):
            raise
        reason = " ".join(str(error).split()).rstrip(".")
        raise InputError(
            f"the Dask cluster could not label the documents ({reason:.200}): look at its workers, and run "
            "the same command again"
        ) from None


def _lost() -> InputError:
    return InputError(
        "a worker process ended before it had labelled its documents, perhaps because there was not enough "
        "memory: run the same command again, with fewer workers."
    )


def _begin(labeller: Labeller) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process decides when to stop
    parent = os.getppid()

    def end_with_parent() -> None:  # once that was killed, which nothing else would tell this process
        while os.getppid() == parent:
            time.sleep(LOOK)
        os._exit(1)

    Thread(target=end_with_parent, daemon=True).start()
    _here.append(labeller)


def _label(*task: Any) -> LabelledPiece:
    return _here[0](*task)


def summary_on_cluster(model: SeedTopicClassifier, n_without_text: int = 0) -> Summary:
    """Count the labels that a fit gave to documents that stayed on a cluster."""
    placed = model.fitted_.documents
    assert isinstance(placed, Placed)
    run = placed.run
    parts = run.engine.gather(_summary, run.blocks, model.none_label)
    summary = sum(parts, Summary.nothing(len(model.classes_)))
    if model.none_label is not None:  # which only a document with a text can have
        summary.sizes[-1] -= n_without_text
    return replace(
        summary,
        labelable=summary.labelable - (n_without_text if model.none_label is not None else 0),
        without_text=summary.without_text + n_without_text,
        without_known_word=summary.without_known_word - n_without_text,
    )


def _summary(block: DocumentBlock, none_label: str | None) -> Summary:
    """Count the documents of a block; runs on a worker."""
    predictions = results_of(block, none_label)
    return replace(predictions, probabilities=checked_distributions(predictions.probabilities)).summary()


COLUMNS = ("document", "part", "start", "end", "text", "predicted", "probability", "share")
TOGETHER = 5_000  # parts that are labelled at a time, and the rest of the document of the last

_Part = tuple[int, int, int, str]  # its number, where it begins and ends, and its text


def part_rows(
    documents: Rows,
    per: Per,
    label: Callable[[list[str]], Predictions],
    min_probability: float = 0.0,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each part of each document."""
    divided: list[tuple[Any, list[_Part]]] = []  # documents with their parts
    texts: list[str] = []
    ids = range(len(documents)) if documents.ids is None else documents.ids
    for name, text in zip(ids, documents.texts, strict=True):
        spans = SPLITTERS[per](text)
        divided.append((name, [(n, start, end, text[start:end]) for n, (start, end) in enumerate(spans, 1)]))
        texts += (_with_columns(text[start:end], text) for start, end in spans)
        if len(texts) >= TOGETHER:
            yield from _labelled(divided, label(texts).rows(min_probability))
            divided, texts = [], []
    if texts:
        yield from _labelled(divided, label(texts).rows(min_probability))


def _labelled(
    documents: Sequence[tuple[Any, list[_Part]]], values: Iterator[tuple[Any, ...]]
) -> Iterator[dict[str, Any]]:
    for name, parts in documents:
        labels = [row[:2] for row in islice(values, len(parts))]
        lengths: Counter[Any] = Counter()
        for (_, start, end, _), (label, _) in zip(parts, labels, strict=True):
            lengths[label] += end - start
        for part, (label, probability) in zip(parts, labels, strict=True):
            share = None if label is None else round(lengths[label] / lengths.total(), DECIMALS)
            yield dict(zip(COLUMNS, (name, *part, label, probability, share), strict=True))


def _with_columns(part: str, text: str) -> str:
    return TextWithColumns.of(part, text.columns) if isinstance(text, TextWithColumns) else part
