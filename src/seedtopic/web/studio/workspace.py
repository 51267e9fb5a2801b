"""The workspace file: the seeds and their history, in one JSON file that is never half written.

Answers are not in it but in their ledger, so that it goes with whatever documents are given.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from seedtopic.base import json as strict_json
from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file, is_ours, lock, read_regular
from seedtopic.seeds.names import Names
from seedtopic.web.studio.draft import MOST_STEPS, Change, Draft, DraftCategory, DraftWord, History, Step
from seedtopic.web.studio.edits import MOST_CATEGORIES, MOST_WORDS
from seedtopic.web.studio.quality import Quality

NOTHING_ASKED = Quality()
MOST_BYTES = 1 << 28  # of a file
FORMAT = 3


def write_workspace(file: IO[Any], history: History, quality: Quality = NOTHING_ASKED) -> None:
    about = {"format": FORMAT, "revision": history.revision, "quality": quality.data()}
    file.write(
        f'{_json(about)[:-1]},"present":{_json(_draft_data(history.present))},'
        f'"past":{_steps_text(history.past, history.present)},'
        f'"future":{_steps_text(history.future, history.present)}}}\n'
    )


def read_workspace(path: Path) -> tuple[History, Quality]:
    try:
        content = strict_json.parsed(_content(path).decode())
        if content["format"] != FORMAT:
            raise InputError(
                f"the workspace {path} was written by another version of seedtopic: install it, or name "
                "another file with --workspace."
            )
        present = _checked(_draft(content["present"], Draft()))
        past, future = (_steps(content[name], present) for name in ("past", "future"))
        return History(present, past, future, int(content["revision"])), Quality.from_data(content["quality"])
    except (
        OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError,
        OverflowError,
    ) as error:  # fmt: skip
        if isinstance(error, InputError):
            raise
        in_one_line = " ".join(str(error).split())  # it may quote anything
        raise InputError(
            f"the workspace {path} cannot be read ({type(error).__name__}: {in_one_line:.200}): name another "
            "file with --workspace."
        ) from None


def _draft_data(draft: Draft, base: Draft | None = None) -> dict[str, Any]:
    """Return a draft as plain values; if `base` is given, only the differences from it."""
    data: dict[str, Any] = {}
    if base is None or draft.categories != base.categories:
        data["categories"] = []
        for own in draft.categories:
            words = [[word.word, word.weight, word.excluded] for word in own.words]
            data["categories"].append([own.key, own.name, own.parent, words, dict(own.rest)])
    if draft.source != (None if base is None else base.source):
        data["source"] = draft.source
    return data


def _draft(data: Mapping[str, Any], base: Draft) -> Draft:
    categories = list(base.categories)
    if "categories" in data:
        categories.clear()
        for key, name, parent, words, rest in data["categories"]:
            own = tuple(DraftWord(str(w), float(x), bool(e)) for w, x, e in words)
            categories.append(DraftCategory(int(key), str(name), own, parent, _table(rest)))
    source = data.get("source", base.source)
    return Draft(tuple(categories), None if source is None else str(source))


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"the rules of a category are {value!r:.60}")
    return value


def _steps_text(steps: tuple[Step, ...], present: Draft) -> str:
    """Return steps as JSON, nearest first, each as its differences from the one before it."""
    texts, near = [], present
    for step in reversed(steps):
        of, text = step.written.get("text", (None, ""))
        if of is not near:
            changes = [list(change) for change in step.changes]
            text = _json({"done": step.done, "answers": changes, **_draft_data(step.draft, near)})
            step.written["text"] = near, text
        texts.append(text)
        near = step.draft
    return f"[{','.join(texts)}]"


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=True, separators=(",", ":"))


def _checked(draft: Draft) -> Draft:
    """Refuse what the studio cannot have written: the file may come from somebody else."""
    keys, names = {category.key for category in draft.categories}, set(draft.names)
    if min(len(keys), len(names)) < len(draft.categories) or len(keys) > MOST_CATEGORIES:
        raise ValueError("a category is there twice, or there are too many")
    for category in draft.categories:
        if len(category.words) > MOST_WORDS or not isinstance(category.parent, str | None):
            raise ValueError(f"the category {category.name!r:.60} is damaged")
        if not all(math.isfinite(word.weight) and word.weight > 0 for word in category.words):
            raise ValueError(f"a weight in {category.name!r:.60} is not a number above 0")
    Names.of(draft)  # reads all categories
    return draft


def _content(path: Path) -> bytes:
    try:
        return read_regular(path, MOST_BYTES)
    except InputError as error:
        raise ValueError(f"it {str(error).rstrip('.')}") from None


def _steps(data: list[dict[str, Any]], present: Draft) -> tuple[Step, ...]:
    if len(data) > MOST_STEPS:
        raise ValueError(f"it has more than {MOST_STEPS} steps")
    steps, near = [], present
    for step in data:
        near = _checked(_draft(step, near))
        changes = (Change(str(text), str(a), str(b), str(way)) for text, a, b, way in step["answers"])
        steps.append(Step(near, str(step["done"]), tuple(changes)))
    return tuple(reversed(steps))


class WorkspaceLock:
    """The lock on a workspace file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: int | None = None  # descriptor of the locked file

    def acquire(self) -> None:
        """Lock the file, if it exists."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            return  # reading it will raise the error
        if not is_ours(descriptor, self.path):  # if it was replaced meanwhile, another studio did that
            _close(descriptor)
            raise InputError(
                f"the workspace {self.path} is open in another studio: close that one, or name another file "
                "with --workspace."
            )
        self._hold(descriptor)

    @contextmanager
    def replacing(self) -> Iterator[IO[Any]]:
        """Replace the file, see `atomic_file`; it stays locked throughout."""
        following = None
        try:
            with atomic_file(self.path, "w") as file:
                following = os.dup(file.fileno())  # keeps the lock after the file is closed
                with suppress(OSError):  # a system without locks
                    lock(following)
                yield file
        except BaseException:
            if following is not None:
                _close(following)
            raise
        self._hold(following)

    def release(self) -> None:
        self._hold(None)

    def _hold(self, descriptor: int | None) -> None:
        before, self._held = self._held, descriptor
        if before is not None:
            _close(before)


def _close(descriptor: int) -> None:
    with suppress(OSError):  # it is closed even then
        os.close(descriptor)
