"""What is done with the body of a request: bytes in, the response out, in whichever thread or process.

Reading JSON, too, takes long for a large body, and holds the interpreter lock. So a job takes the body as it
came, and a process that runs a job needs nothing of the request but these bytes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import NamedTuple

from seedtopic.answers.ledger import Answers
from seedtopic.io.predictions import texts_there
from seedtopic.model import SeedClassifier, SeedTopicClassifier
from seedtopic.model.drift import LabelStatistics
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.vectors import VectorsLike
from seedtopic.seeds.names import Names
from seedtopic.web.errors import json_bytes
from seedtopic.web.limits import Limits, parse_json
from seedtopic.web.schemas import LabelRequest, PredictRequest, read, within

# What is labelled in one turn of the event loop: a few milliseconds, in which nothing else happens.
SMALL = 4000
# A batch waits as long as others arrive: this many rounds of the loop without one, and these seconds in all.
ROUNDS, LONGEST_WAIT = 2, 0.002
PER_TEXT = 40  # a text costs as much as this many characters, beside its own


class Stopped(Exception):
    """Raised in work that no client waits for any more."""


@dataclass(frozen=True)
class Done:
    """The response to a request as JSON, how many texts it labels, and what is counted of them."""

    content: bytes
    n_texts: int
    seen: LabelStatistics | None = None  # of all that were labelled together; only one of them has it


@dataclass(frozen=True, eq=False)
class Prediction:
    """Labels texts with a model, but for those that somebody has answered."""

    model: SeedClassifier
    limits: Limits
    names: Names | None = None  # of the categories, as answers may write them
    answers: Answers | None = None  # they go before what the model says
    version: int = 0  # of these answers

    def __call__(self, body: bytes, stop: Event | None = None) -> Done:
        return self.replies([self.read(body)])[0]

    def read(self, body: bytes) -> PredictRequest:
        request: PredictRequest = read(within(PredictRequest, self.limits), parse_json(body))
        return request

    def replies(self, requests: Sequence[PredictRequest]) -> list[Done]:
        """Label the texts of several requests together, all of which want all labels, or none does."""
        texts = [text for request in requests for text in request.texts]
        predictions = self.model.predict_all(texts, several=requests[0].all_labels)
        predictions = predictions.with_texts(texts_there(texts))
        seen, first = LabelStatistics.of(predictions), 0
        if self.answers is not None:
            predictions = predictions.with_answers_to(texts, self.answers.verdicts(self.names, texts))
        with_all = any(request.all_probabilities for request in requests)
        lists = predictions.lists(all_probabilities=with_all)
        done: list[Done] = []
        for request in requests:
            last = first + len(request.texts)
            part = {name: values[first:last] for name, values in lists.items()}
            if request.all_probabilities:
                part["categories"] = lists["categories"]  # one for each category, not for each document
            elif with_all:
                del part["categories"], part["all_probabilities"]
            done.append(Done(json_bytes(part), last - first, None if done else seen))
            first = last
        return done


@dataclass(frozen=True, eq=False)
class Labelling:
    """Fits a model to texts and labels them."""

    limits: Limits
    vectors: VectorsLike = "auto"
    n_threads: int | None = None

    def __call__(self, body: bytes, stop: Event | None = None) -> Done:
        """Label the texts of one body; the event ends the fit early."""
        raw = parse_json(body)
        request = read(within(LabelRequest, self.limits), raw)

        def progress(stage: str, done: int, total: int) -> None:
            if stop is not None and stop.is_set():
                raise Stopped

        model = SeedTopicClassifier(
            raw["seeds"],
            vectors=self.vectors,
            random_state=0,
            n_threads=self.n_threads,
            none_label=request.none_label or None,
            stop_words=request.stop_words,
        ).fit(request.texts, progress=progress)
        predictions = model.fitted_predictions(several=request.all_labels)
        predictions = predictions.with_texts(texts_there(request.texts))
        lists = predictions.lists(all_probabilities=request.all_probabilities)
        by_meaning = model.classes_[model.fitted_[FirstGuess].known].tolist()
        missing = model.seeds_.bind(model.vocabulary_).report(by_meaning)
        lists["warnings"] = [] if missing is None else [missing]
        return Done(json_bytes(lists), len(request.texts))


class Batches:
    """Labels the texts of short requests in the event loop, a batch in each of its turns.

    One call of the model takes hardly longer for several texts. A batch has the requests that arrived while
    the one before was labelled, and those on their way. Between two batches the loop looks after everything
    else, so that a thousand requests delay no other.
    """

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()

    async def label(self, job: Prediction, request: PredictRequest) -> Done:
        """Label the texts of a request, when it is its turn."""
        loop = asyncio.get_running_loop()
        one = _Waiting(job, request, loop.create_future())
        self._waiting.append(one)
        if len(self._waiting) == 1:
            loop.call_soon(self._gather, loop, loop.time() + LONGEST_WAIT, 1, ROUNDS)
        return await one.done

    def _gather(self, loop: asyncio.AbstractEventLoop, until: float, before: int, rounds: int) -> None:
        """Wait while others arrive, then label a batch."""
        n_waiting = len(self._waiting)
        if n_waiting > before:
            rounds = ROUNDS
        if rounds and loop.time() < until:
            loop.call_soon(self._gather, loop, until, n_waiting, rounds - 1)
        else:
            self._turn(loop)

    def _turn(self, loop: asyncio.AbstractEventLoop) -> None:
        batch, size = [self._waiting[0]], cost(self._waiting[0].request)
        for one in list(self._waiting)[1:]:
            size += cost(one.request)
            alike = one.request.all_labels == batch[0].request.all_labels and one.job is batch[0].job
            if size > SMALL or not alike:
                break
            batch.append(one)
        try:
            _label_batch(batch)
        finally:
            for _ in batch:  # only now: whoever comes first to an empty line calls for the next turn
                self._waiting.popleft()
            if self._waiting:
                loop.call_soon(self._gather, loop, loop.time() + LONGEST_WAIT, 0, ROUNDS)


class _Waiting(NamedTuple):
    job: Prediction
    request: PredictRequest
    done: asyncio.Future[Done]


def cost(request: PredictRequest) -> int:
    """Estimate how long a request takes, in characters."""
    return sum(map(len, request.texts)) + len(request.texts) * PER_TEXT


def _label_batch(batch: list[_Waiting]) -> None:
    try:
        answers = batch[0].job.replies([one.request for one in batch])
    except Exception as failure:
        if len(batch) > 1:  # the fault of one of them
            for one in batch:
                _label_batch([one])
        elif not batch[0].done.done():
            batch[0].done.set_exception(failure)
        return
    for one, done in zip(batch, answers, strict=True):
        if not one.done.done():  # its request may have been cancelled
            one.done.set_result(done)
