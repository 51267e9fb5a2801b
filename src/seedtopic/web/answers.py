"""The answers that a server knows: read again when their file has changed, and added to by requests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock

from seedtopic.answers.ledger import Answer, Answers
from seedtopic.base.errors import InputError
from seedtopic.seeds.names import Names, written
from seedtopic.web.errors import Log, json_bytes, shortened
from seedtopic.web.limits import Limits, parse_json
from seedtopic.web.schemas import AnswersRequest, read, within
from seedtopic.web.work import Done

BETWEEN_LOOKS = 1.0  # seconds in which a change of the file may go unnoticed
LONGEST_LOOK = 1.0  # seconds that a request waits until changed answers have been read
BY, HOW = "api", "api"  # of an answer: who, if the request does not say it, and by which way
MOST_NEAR = 100  # unknown names for which near spellings are looked for: 500 categories take half a ms


class AnswersFile:
    """A file of answers that this server and other programs add to.

    `version` grows with each change, so that processes, which have a copy, are known to be of before.
    """

    def __init__(self, path: str | Path) -> None:
        self.answers = Answers.read(path)
        self.version = 0
        self._alone = Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="answers")
        self._next_look = 0.0
        self._reading: asyncio.Future[None] | None = None
        self._failure = ""

    def add(self, answers: Sequence[Answer]) -> int:
        """Add answers, and return how many are new."""
        with self._alone:
            try:
                return self.answers.add(answers)
            finally:  # it may have read, too, what others have added
                self.version += 1

    async def look(self, log: Log) -> None:
        """Read the file again if it has changed; beyond a moment, the answers of before are used."""
        loop = asyncio.get_running_loop()
        if loop.time() >= self._next_look and (self._reading is None or self._reading.done()):
            self._next_look = loop.time() + BETWEEN_LOOKS
            self._reading = loop.run_in_executor(self._thread, self._read, log)
            await asyncio.wait([self._reading], timeout=LONGEST_LOOK)

    def _read(self, log: Log) -> None:
        if not self._alone.acquire(blocking=False):
            return  # who is adding answers reads the file, too
        try:
            if self.answers.refresh():
                self.version += 1
                log("answers", self.summary())
            self._failure = ""
        except (InputError, OSError) as error:  # those of before stay
            if str(error) != self._failure:
                log("answers", {"error": shortened(str(error))})
            self._failure = str(error)
        finally:
            self._alone.release()

    def summary(self) -> dict[str, object]:
        """Return what the log says of the answers."""
        problems = self.answers.problems
        return {"answers": len(self.answers), "unusable": len(problems), "problems": problems[:3]}

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, eq=False)
class Recording:
    """Adds the answers of a request to a file."""

    file: AnswersFile
    names: Names | None  # of the categories, as far as they are known
    limits: Limits

    def __call__(self, body: bytes, stop: Event) -> Done:
        request = read(within(AnswersRequest, self.limits), parse_json(body))
        unknown: dict[str, None] = {}
        answers = []
        for one in request.answers:
            label = None if self.names is None else self.names.label(one.answer)
            if label is None and self.names is not None:
                unknown[one.answer] = None
            answer = one.answer if label is None else written(label)
            answers.append(Answer(one.text, one.id, answer, one.by or BY, how=HOW))
        if stop.is_set():  # nobody waits any more
            return Done(b"", 0)
        unnamed = [
            {"answer": answer, "near": self.names.near(answer) if self.names and place < MOST_NEAR else []}
            for place, answer in enumerate(unknown)
        ]
        return Done(json_bytes({"new": self.file.add(answers), "unnamed": unnamed}), len(answers))
