"""Short requests that arrive together are labelled together: one call of the model takes hardly longer."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, NamedTuple

from seedtopic.server.work import Done, Prediction

# What is labelled in one turn of the event loop: a few milliseconds, in which nothing else happens.
SMALL = 4000
# A batch waits as long as others arrive: this many rounds of the loop without one, and these seconds in all.
ROUNDS, LONGEST_WAIT = 2, 0.002
PER_TEXT = 40  # a text costs as much as this many characters, beside its own


class Batches:
    """Labels the texts of short requests in the event loop, a batch in each of its turns.

    A batch has the requests that arrived while the one before was labelled, and those on their way. Between
    two batches the loop looks after everything else, so that a thousand requests delay no other.

    Examples
    --------
    >>> from seedtopic import SeedTopicClassifier
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0)
    >>> job, batches = Prediction(model.fit(texts), {}), Batches()
    >>> async def together():
    ...     asked = [{"texts": [text]} for text in texts]
    ...     return await asyncio.gather(*(batches.label(job, one) for one in asked))
    >>> len(asyncio.run(together()))
    4
    """

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()

    async def label(self, job: Prediction, asked: dict[str, Any]) -> Done:
        """Label the texts of a request, when it is its turn."""
        loop = asyncio.get_running_loop()
        one = _Waiting(job, asked, loop.create_future())
        self._waiting.append(one)
        if len(self._waiting) == 1:
            loop.call_soon(self._gather, loop, loop.time() + LONGEST_WAIT, 1, ROUNDS)
        return await one.answer

    def _gather(self, loop: asyncio.AbstractEventLoop, until: float, seen: int, rounds: int) -> None:
        """Wait while others arrive, then label a batch."""
        n_waiting = len(self._waiting)
        if n_waiting > seen:
            rounds = ROUNDS
        if rounds and loop.time() < until:
            loop.call_soon(self._gather, loop, until, n_waiting, rounds - 1)
        else:
            self._turn(loop)

    def _turn(self, loop: asyncio.AbstractEventLoop) -> None:
        batch, size = [self._waiting[0]], cost(self._waiting[0].asked)
        for one in list(self._waiting)[1:]:
            size += cost(one.asked)
            if size > SMALL or not one.fits(batch[0]):
                break
            batch.append(one)
        try:
            _answer(batch)
        finally:
            for _ in batch:  # only now: whoever comes first to an empty line calls for the next turn
                self._waiting.popleft()
            if self._waiting:
                loop.call_soon(self._gather, loop, loop.time() + LONGEST_WAIT, 0, ROUNDS)


class _Waiting(NamedTuple):
    job: Prediction
    asked: dict[str, Any]
    answer: asyncio.Future[Done]

    def fits(self, other: _Waiting) -> bool:
        several = self.asked.get("all_labels", False) == other.asked.get("all_labels", False)
        return several and self.job is other.job


def cost(asked: dict[str, Any]) -> int:
    """Estimate how long a request takes, in characters."""
    texts: list[str] = asked["texts"]
    return sum(map(len, texts)) + len(texts) * PER_TEXT


def _answer(batch: list[_Waiting]) -> None:
    try:
        answers = batch[0].job.answers([one.asked for one in batch])
    except Exception as failure:
        if len(batch) > 1:  # the fault of one of them
            for one in batch:
                _answer([one])
        elif not batch[0].answer.done():
            batch[0].answer.set_exception(failure)
        return
    for one, done in zip(batch, answers, strict=True):
        if not one.answer.done():  # its request may have been cancelled
            one.answer.set_result(done)
