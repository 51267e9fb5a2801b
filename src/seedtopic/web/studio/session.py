"""A session: the draft, its labels, and everything the page asks for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Condition, Event, Lock, RLock, Thread
from time import monotonic
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seedtopic.answers.ledger import Answers
from seedtopic.answers.moves import Moves
from seedtopic.base import json as strict_json
from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file
from seedtopic.base.threads import checked
from seedtopic.base.wording import number_of
from seedtopic.io.predictions import Predictions
from seedtopic.model.estimates import accuracy_sentence
from seedtopic.seeds import Seeds
from seedtopic.seeds.names import NONE_OF_THESE, SKIPPED, WITHDRAWN, Names
from seedtopic.web.studio import refit
from seedtopic.web.studio.advice import Advice, Suggestions, advise
from seedtopic.web.studio.answered import Answered
from seedtopic.web.studio.documents import Collection, reach
from seedtopic.web.studio.draft import Draft, History
from seedtopic.web.studio.edits import Request, answer_to, category_to_confirm, edited
from seedtopic.web.studio.labels import Changes, Labels
from seedtopic.web.studio.listing import Queue
from seedtopic.web.studio.map import DocumentMap
from seedtopic.web.studio.quality import Quality, compared_with, judged
from seedtopic.web.studio.workspace import WorkspaceLock, read_workspace, write_workspace


@dataclass(frozen=True)
class FitStatus:
    """The progress of the fit, with a message if it failed or cannot start."""

    status: Literal["idle", "waiting", "running", "failed"] = "idle"
    stage: str = ""
    done: int = 0
    total: int = 0
    message: str | None = None


def _categories(
    collection: Collection,
    draft: Draft,
    labels: Labels | None,
    advice: Advice,
    audit: Mapping[str, Any] | None,
) -> list[dict[str, Any]]:
    result = None if audit is None else audit["result"]
    of_result = {} if result is None else {one["category"]: one["precision"] for one in result["categories"]}
    measured = {name: share for name, share in of_result.items() if share["value"] is not None}
    documents_of, reached = reach(collection, draft)
    sizes, right = ({}, {}) if labels is None else (labels.sizes, labels.precisions)
    doubts = {} if labels is None else labels.doubts
    parents = {category.parent for category in draft.categories}
    return [
        {
            "name": category.name,
            "size": sizes.get(category.key, 0),
            "right": right.get(category.key),
            "measured": measured.get(category.name),
            "reached": reached[place],
            "words": [
                {
                    **vars(word),
                    "documents": documents_of[word.word],
                    "warnings": advice.of_word(category, word, documents_of[word.word]),
                }
                for word in category.words
            ],
            "warnings": [
                *advice.of_category(category, is_parent=category.name in parents),
                *([doubts[category.key]] if category.key in doubts else []),
            ],
        }
        for place, category in enumerate(draft.categories)
    ]


HEARTBEAT = 15.0  # seconds after which a silent stream says that it is alive
MOST_WAITING = 100  # events that a tab may lag behind before the oldest are dropped
_Stream = tuple[asyncio.AbstractEventLoop, asyncio.Queue[str | None]]


class Events:
    """Passes events from worker threads to the streams that tabs have opened."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.streams: set[_Stream] = set()
        self._closed = False

    def send(self, name: str, data: Any) -> None:
        """Tell all tabs; from any thread, without waiting."""
        self._put(f"event: {name}\ndata: {strict_json.written(data, ensure_ascii=True)}\n\n")

    def close(self) -> None:
        """End all open streams; later ones end at once."""
        with self._lock:
            self._closed = True
        self._put(None)

    def _put(self, text: str | None) -> None:
        with self._lock:
            streams = list(self.streams)
        for loop, queue in streams:
            with suppress(RuntimeError):  # the event loop has ended, and with it the listeners
                loop.call_soon_threadsafe(_put, queue, text)

    async def listen(self) -> AsyncIterator[str]:
        """Yield events as they arrive, and a comment if none arrives for a long time."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        stream = asyncio.get_running_loop(), queue
        with self._lock:
            if self._closed:
                return
            self.streams.add(stream)
        try:
            yield ": welcome\n\n"
            while True:
                try:
                    text = await asyncio.wait_for(queue.get(), HEARTBEAT)
                except TimeoutError:
                    text = ": still here\n\n"
                if text is None:
                    return
                yield text
        finally:
            with self._lock:
                self.streams.discard(stream)


def _put(queue: asyncio.Queue[str | None], text: str | None) -> None:
    while queue.qsize() >= MOST_WAITING:
        queue.get_nowait()
    queue.put_nowait(text)


# Edits that would take back, or replace, what another tab has done; all others are added to it.
OF_THE_WHOLE = ("undo", "redo", "replace_seeds")
LOOKS = 2.0  # seconds after which it is looked whether others have added answers


class Session:
    """The state of a studio; every method may be called from any thread."""

    def __init__(
        self,
        collection: Collection,
        seeds: Seeds | None = None,
        workspace: Path | None = None,
        *,
        answers: Answers | None = None,
        pause: float = refit.PAUSE,
        most_previewed: int = refit.MOST_PREVIEWED,
        compared: str | None = None,
    ) -> None:
        self.collection, self.workspace, self.events = collection, workspace, Events()
        self.queue = Queue(collection)
        self.reopened = workspace is not None and workspace.exists()
        self._workspace_lock = None if workspace is None else WorkspaceLock(workspace)
        quality = Quality()
        if self._workspace_lock is not None and self.reopened:
            self._workspace_lock.acquire()
            try:
                self._history, quality = read_workspace(self._workspace_lock.path)
            except BaseException:
                self._workspace_lock.release()
                raise
        else:
            self._history = History(Draft() if seeds is None else Draft.of(seeds))
        self.answers = Answers() if answers is None else answers
        self._answered = Answered(self.answers, collection, Names.of(self._history.present), quality.ways)
        self._quality = quality.known(collection.columns, self._answered)
        if compared is not None:
            self._quality = compared_with(self._quality, compared, collection.columns)
        self.draft = self._answered.draft(self._history.present)
        self._lock = RLock()
        self._settled = Condition(self._lock)
        self.labels: Labels | None = None  # those on screen
        self._before: NDArray[np.intp] | None = None  # the labels on screen at the last edit
        self._changes: Changes | None = None
        self._advice = Advice()
        self._fitting = refit.Fitting(collection, most_previewed)
        self._fit = FitStatus()
        self._since = monotonic()
        self.saved = True  # whether the workspace, if there is one, contains the last edit
        self._closed = Event()
        self._suggestions, self._map = Suggestions(collection), DocumentMap(collection)
        self._refit_thread = refit.RefitThread(self._refit, pause)
        self._look_thread = Thread(target=self._look, name="seedtopic-studio-answers", daemon=True)

    def start(self) -> None:
        self._save()
        self._refit_thread.start()
        self._refit_thread.request(self._history.revision, at_once=True)
        self._look_thread.start()

    def close(self) -> None:
        """Stop fitting, end the event streams, and wake everything that waits for labels."""
        with self._settled:
            self._closed.set()
            self._settled.notify_all()
        self.events.close()
        self._refit_thread.stop()
        if self._workspace_lock is not None:
            self._workspace_lock.release()

    # --- edits ---

    def edit(self, request: Request) -> dict[str, Any]:
        """Apply an edit, undo or redo, write the workspace and request a fit; return the new state."""
        action = request.get("action")

        def next_history() -> History:
            history = self._history
            if action in OF_THE_WHOLE and request.get("revision", history.revision) != history.revision:
                raise InputError("another tab has made an edit since: look at it, and try again.")
            if action in ("undo", "redo"):
                back = action == "undo"
                after = history.turned(back=back)
                self._answered.turn((history.past if back else history.future)[-1].changes, back=back)
                return after
            if action == "confirm":
                document, answer, done = answer_to(self.draft, request, len(self.collection))
                if answer == WITHDRAWN and self._answered.mine(document) is None:
                    raise InputError(f"you have not answered document {document}: give another answer.")
                return self._said({document: answer}, f"{done}{self._answered.and_copies(document)}")
            return history.edited(*edited(history.present, request))

        return self._change(next_history)

    def confirm_many(self, answers: Mapping[int, str]) -> dict[str, Any]:
        """Confirm many documents in one step; `answers` gives the category of each."""
        return self._change(lambda: self._said(answers, f"confirm {number_of(len(answers), 'document')}"))

    def skip(self, document: int) -> None:
        """Take a document out of the queue, also of later sessions; what was said of it stays."""
        with self._lock:
            if self._answered.mine(document) is None and document not in self.draft.confirmed:
                self._answered.say({document: SKIPPED}, self._shown([document]))
                self.draft = self._answered.draft(self._history.present)

    def _said(self, answers: Mapping[int, str], done: str) -> History:
        """Add answers to the ledger, and a step to the history."""
        changes = self._answered.say(answers, self._shown(answers))
        return self._history.edited(self._history.present, done, changes)

    def _shown(self, documents: Iterable[int]) -> dict[int, str]:
        """Return the labels that some documents have on the screen."""
        if self.labels is None:
            return {}
        names = {category.key: category.name for category in self.draft.categories}
        return {row: names.get(int(self.labels.key[row]), "") for row in documents}

    def _change(self, next_history: Callable[[], History]) -> dict[str, Any]:
        with self._lock:
            self._notice()
            before, self._history = self._history, next_history()
            self._changed(before)
        return self.state()  # without the lock: a new phrase may have to be counted

    def _changed(self, before: History) -> None:
        """Take in new seeds or answers: what the answers mean, the workspace and the fit follow."""
        history = self._history
        if (names := Names.of(history.present)) != Names.of(before.present):
            self._answered.update(names)
        self.draft = self._answered.draft(history.present)
        self._save()
        if self.labels is not None:
            self._before = self.labels.key
        self._since = monotonic()
        self._set_status(FitStatus("waiting"))
        self._refit_thread.request(history.revision)
        self.events.send("state", {"revision": history.revision})

    def _notice(self) -> None:
        """Take in answers that others have added, or a program has changed."""
        with self._lock:
            problem = self._answered.problem
            if self._answered.refresh():
                before = self._history
                self._history = replace(before, revision=before.revision + 1)
                self._changed(before)
            elif self._answered.problem != problem:
                self.events.send("state", {"revision": self._history.revision})

    def _look(self) -> None:
        while not self._closed.wait(LOOKS):
            self._notice()

    @property
    def answer_problems(self) -> list[str]:
        """What is wrong with the ledger, and what became of its answers if some do not count."""
        answers = self._answered.as_dict()
        return [*answers["problems"], *([answers["sentence"]] if answers["unused"] else [])]

    def answers_about(self, document: int) -> str | None:
        """Return what is special about the answers to a document: copies of its text, or a disagreement."""
        with self._lock:
            return self._answered.remark(document)

    def moves(self, request: Request) -> dict[str, Any]:
        """Return what would become of answers if categories were changed."""
        with self._lock:
            present = self._history.present
        after, done = edited(present, request)
        moves = Moves.of(self.answers, Names.of(present), Names.of(after))
        return {"done": done, "sentence": moves.sentence(), **moves.as_dict()}

    def judge(self, request: Request) -> dict[str, Any]:
        """Compare labels with a column, or check a blind sample; return the new state."""
        with self._lock:
            self._notice()
            draft, labels, quality = self.draft, self.labels, self._quality
            if request.get("action") in ("answer", "forget"):
                answer, category = WITHDRAWN, request.get("category")
                if request["action"] == "answer":
                    answer = NONE_OF_THESE if category is None else category_to_confirm(draft, category).name
                if quality.audit is None:
                    raise InputError("there is no audit: draw a sample first.")
                check = quality.audit.check_of(request.get("document"))
                document = check.document or 0
                self._answered.say({document: answer}, {document: check.label}, check.how)
            else:
                current = labels is not None and labels.revision == self._history.revision
                self._quality = judged(
                    quality, request, self.collection, self._answered, draft, labels if current else None
                )
                if self._quality.ways != quality.ways:
                    self._answered.update(apart=self._quality.ways)
            if self._answered.draft(self._history.present) != draft:
                before = self._history
                self._history = replace(before, revision=before.revision + 1)
                self._changed(before)
            self._save()
            self.events.send("state", {"revision": self._history.revision})
        return self.state()

    def _save(self) -> None:
        if self._workspace_lock is None:
            return
        try:
            with self._workspace_lock.replacing() as file:
                write_workspace(file, self._history, self._quality)
            self.saved = True
        except InputError:
            self.saved = False  # the page shows this, and the next edit tries again

    def save_workspace_as(self, path: Path) -> None:
        """Also write the workspace to another file."""
        with self._lock:
            history, quality = self._history, self._quality
        with atomic_file(path, "w") as file:
            write_workspace(file, history, quality)

    # --- the state ---

    def state(self) -> dict[str, Any]:
        """Return everything the page shows except the documents."""
        with self._lock:  # all of one moment
            self._notice()
            draft, answered = self.draft, self._answered
            history, labels, changes, advice = self._history, self.labels, self._changes, self._advice
            quality = self._quality.as_dict(self.collection, answered, draft, labels)
            saved, fit = self.saved, self.fit()
            answers, measured = answered.as_dict(), answered.measured
        collection = self.collection
        names = {category.key: category.name for category in draft.categories}
        known = collection.without_labels if labels is None else labels.predictions
        # How many labels are right, as it was measured or else as it can be told without.
        estimate = None if labels is None else measured or labels.estimate
        moved = None
        if changes is not None and labels is not None:
            moved = changes.as_dict(labels.key, names, list(names), collection.name_of)
        return {
            "revision": history.revision,
            "documents": {
                "name": collection.name,
                "total": len(collection),
                "without_text": known.without_text,
                "without_known_word": known.without_known_word,
            },
            "categories": _categories(collection, draft, labels, advice, quality["audit"]),
            "estimate": estimate
            and {
                "accuracy": estimate.accuracy,
                "sentence": accuracy_sentence(measured or estimate.accuracy),
                "measured": measured and measured.as_dict(),
            },
            "quality": quality,
            "warnings": [*advice.general, *([] if labels is None else labels.advice(measured))],
            "undo": history.past[-1].done if history.past else None,
            "redo": history.future[-1].done if history.future else None,
            "fit": fit,
            "changes": moved,
            "confirmed": len(draft.confirmed),
            "answers": answers,
            "workspace": None if self.workspace is None else self.workspace.name,
            "saved": saved,
        }

    def fit(self) -> dict[str, Any]:
        """Return the progress of the fit, and the revision of the labels on screen."""
        with self._lock:
            labels, revision = self.labels, self._history.revision
            return {
                **asdict(self._fit),
                "revision": -1 if labels is None else labels.revision,
                "on": "all" if labels is None else labels.on,
                "settled": labels is not None and labels.settled and labels.revision == revision,
                "seconds": 0.0 if labels is None else round(labels.seconds, 2),
            }

    # --- what the page reads ---

    def snapshot(self) -> tuple[Draft, Labels | None, Changes | None]:
        """Return the draft, its labels and their changes, read at the same time."""
        with self._lock:
            return self.draft, self.labels, self._changes

    def suggestions(self, category: str) -> dict[str, Any]:
        """Return suggested words for a category: from the labels on screen, or by meaning without them."""
        draft, labels, _ = self.snapshot()
        return self._suggestions.of(category, draft, labels)

    def map(self) -> dict[str, Any]:
        """Return the positions of the documents, which never change, with their labels."""
        draft, labels, _ = self.snapshot()
        return self._map.labelled(draft, labels)

    def wait_until_settled(self, timeout: float) -> Labels:
        """Wait for the final labels of the present draft, from a fit from scratch."""
        end = monotonic() + timeout
        with self._settled:
            while True:
                labels, fit = self.labels, self._fit
                if labels is not None and labels.settled and labels.revision == self._history.revision:
                    return labels
                if fit.status == "failed" or (fit.status == "idle" and fit.message):
                    raise InputError(fit.message or "the fit failed.")
                left = end - monotonic()
                if left <= 0 or self._closed.is_set():
                    raise InputError("the labels are not ready yet: try again when the fit is done.")
                self._settled.wait(left)

    # --- fits ---

    def _refit(self, revision: int, check: refit.Check) -> None:
        with self._lock:
            draft = self.draft
        self._answered.count()
        try:
            seeds = draft.seeds()
            if seeds is None:
                with self._settled:
                    check()  # an edit since then waits for its own fit
                    self.labels, self._changes, self._before, self._advice = None, None, None, Advice()
                    self._set_status(FitStatus("idle", message=draft.needed()))
                    self.events.send("state", {"revision": self._history.revision})
                    self._settled.notify_all()
                return

            def progress(stage: str, done: int, total: int) -> None:
                check()
                self._set_status(FitStatus("running", stage, done, total))

            shown, keys = self.labels, refit.keys_of(draft, seeds)
            if self._fitting.wants_preview(keys, None if shown is None else shown.keys):
                preview = self._fitting.preview(draft, seeds, progress, check)
                self._show(revision, draft, seeds, preview, check)
            with checked(check):
                advice = advise(self.collection, draft, seeds)
            check()
            with self._lock:
                self._advice = advice
                self.events.send("state", {"revision": self._history.revision})
            settled = self._fitting.from_scratch(draft, seeds, progress, check)
            self._show(revision, draft, seeds, settled, check, settled=True)
        except refit.Superseded:
            raise
        except Exception as error:
            unexpected = "" if isinstance(error, InputError) else f"unexpected {type(error).__name__}: "
            with self._settled:
                check()
                self._set_status(FitStatus("failed", message=f"{unexpected}{error}"))

    def _show(
        self,
        revision: int,
        draft: Draft,
        seeds: Seeds,
        fitted: refit.FittedLabels,
        check: refit.Check,
        *,
        settled: bool = False,
    ) -> None:
        """Show labels; unless they are settled, the fit continues."""
        model, probabilities, has_words, on = fitted
        has_text = self.collection.without_labels.has_text
        classes = model.classes_.tolist()
        predictions = Predictions.of(classes, probabilities, has_text=has_text, has_words=has_words)
        keys = refit.keys_of(draft, seeds)
        none = np.zeros(len(self.collection), bool)
        none[[document for document, categories in draft.confirmed.items() if not categories]] = True
        with self._settled:
            check()
            seconds = monotonic() - self._since
            self.labels = Labels(revision, seeds, keys, predictions, model, on, settled, seconds, none)
            if self._before is not None:
                self._changes = Changes.between(self._before, self.labels.key)
            self._set_status(FitStatus() if settled else FitStatus("running", "refining"))
            self.events.send("state", {"revision": self._history.revision})

    def _set_status(self, status: FitStatus) -> None:
        with self._settled:
            self._fit = status
            self._settled.notify_all()
            fit = self.fit()
        self.events.send("fit", fit)
