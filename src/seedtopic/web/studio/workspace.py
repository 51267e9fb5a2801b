"""The workspace file: everything a person has done, in one JSON file that is never half written."""

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
from seedtopic.base.files import atomic_file, lock, read_regular
from seedtopic.web.studio.draft import MOST_STEPS, Draft, DraftCategory, DraftWord, History, Step
from seedtopic.web.studio.edits import MOST_CATEGORIES, MOST_WORDS
from seedtopic.web.studio.quality import Quality

NOTHING_ASKED = Quality()
MOST_BYTES = 1 << 28  # of a file
FORMAT = 2


def write_workspace(
    file: IO[Any], history: History, documents: Mapping[str, Any], quality: Quality = NOTHING_ASKED
) -> None:
    """Write a workspace; `documents` says which documents it belongs to, see `read_workspace`."""
    about = {
        "format": FORMAT,
        "documents": dict(documents),
        "revision": history.revision,
        "quality": quality.data(),
    }
    file.write(
        f'{_json(about)[:-1]},"present":{_json(_draft_data(history.present))},'
        f'"past":{_steps_text(history.past, history.present)},'
        f'"future":{_steps_text(history.future, history.present)}}}\n'
    )


def read_workspace(path: Path, documents: Mapping[str, Any]) -> tuple[History, Quality]:
    """Read a workspace and check that it belongs to these documents."""
    try:
        content = strict_json.parsed(_content(path).decode())
        if content["format"] != FORMAT:
            raise InputError(
                f"the workspace {path} was written by another version of seedtopic: install it, or name "
                "another file with --workspace."
            )
        about = content["documents"]
        if about["fingerprint"] != documents["fingerprint"]:
            raise InputError(
                f"the workspace {path} belongs to other documents ({_in_short(about['place'])}, "
                f"{int(about['total']):,} of "
                "them, as they were then): name another file with --workspace, or give those documents."
            )
        total = documents.get("total")
        present = _checked(_draft(content["present"], Draft()), total)
        past, future = (_steps(content[name], present, total) for name in ("past", "future"))
        quality = Quality.from_data(content["quality"])
        if quality.audit is not None:
            quality.audit.check(total)
        return History(present, past, future, int(content["revision"])), quality
    except (
        OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError,
        OverflowError,
    ) as error:  # fmt: skip
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"the workspace {path} cannot be read ({type(error).__name__}: {_in_short(error)}): name "
            "another file with --workspace."
        ) from None


def _draft_data(draft: Draft, base: Draft | None = None) -> dict[str, Any]:
    """Return a draft as plain values; if `base` is given, only the differences from it."""
    data: dict[str, Any] = {}
    if base is None or draft.categories != base.categories:
        data["categories"] = [
            [
                category.key,
                category.name,
                category.parent,
                [[w.word, w.weight, w.excluded] for w in category.words],
                dict(category.rest),
            ]
            for category in draft.categories
        ]
    if draft.source != (None if base is None else base.source):
        data["source"] = draft.source
    near = {} if base is None else base.confirmed
    changed = {place: keys for place, keys in draft.confirmed.items() if near.get(place) != keys}
    gone = {place: None for place in near if place not in draft.confirmed}
    documents: dict[tuple[int, ...] | None, list[int]] = {}
    for place, keys in {**changed, **gone}.items():
        documents.setdefault(keys, []).append(place)
    data["checked"] = [[keys, places] for keys, places in documents.items()]
    return data


def _draft(data: Mapping[str, Any], base: Draft) -> Draft:
    categories = base.categories
    if "categories" in data:
        categories = tuple(
            DraftCategory(
                int(key),
                str(name),
                tuple(DraftWord(str(w), float(x), bool(e)) for w, x, e in words),
                parent,
                _table(rest),
            )
            for key, name, parent, words, rest in data["categories"]
        )
    confirmed = dict(base.confirmed)
    for keys, places in data["checked"]:
        if keys is None:
            for place in places:
                confirmed.pop(place, None)
        else:
            confirmed |= dict.fromkeys(map(int, places), tuple(map(int, keys)))
    source = data.get("source", base.source)
    return Draft(categories, confirmed, None if source is None else str(source))


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"the rules of a category are {value!r:.60}")
    return value


def _in_short(content: object) -> str:
    """Return what a file or an error says in one line: both may quote anything."""
    return f"{' '.join(str(content).split()):.200}"


def _steps_text(steps: tuple[Step, ...], present: Draft) -> str:
    """Return steps as JSON, nearest first, each as its differences from the one before it."""
    texts, near = [], present
    for step in reversed(steps):
        of, text = step.written.get("text", (None, ""))
        if of is not near:
            text = _json({"done": step.done, **_draft_data(step.draft, near)})
            step.written["text"] = near, text
        texts.append(text)
        near = step.draft
    return f"[{','.join(texts)}]"


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=True, separators=(",", ":"))


def _checked(draft: Draft, total: int | None) -> Draft:
    """Refuse what the studio cannot have written: the file may come from somebody else."""
    keys, names = {category.key for category in draft.categories}, set(draft.names)
    if min(len(keys), len(names)) < len(draft.categories) or len(keys) > MOST_CATEGORIES:
        raise ValueError("a category is there twice, or there are too many")
    for category in draft.categories:
        if len(category.words) > MOST_WORDS or not isinstance(category.parent, str | None):
            raise ValueError(f"the category {category.name!r:.60} is damaged")
        if not all(math.isfinite(word.weight) and word.weight > 0 for word in category.words):
            raise ValueError(f"a weight in {category.name!r:.60} is not a number above 0")
    confirmed = set(draft.confirmed.values())
    if not all(keys.issuperset(labels) for labels in confirmed):
        raise ValueError("a document is confirmed as a category that does not exist")
    if any(len(set(labels)) < len(labels) for labels in confirmed):
        raise ValueError("a document is confirmed as a category twice")
    if total is not None and not all(0 <= place < total for place in draft.confirmed):
        raise ValueError("a document is confirmed that does not exist")
    return draft


def _content(path: Path) -> bytes:
    try:
        return read_regular(path, MOST_BYTES)
    except InputError as error:
        raise ValueError(f"it {str(error).rstrip('.')}") from None


def _steps(data: list[dict[str, Any]], present: Draft, total: int | None) -> tuple[Step, ...]:
    if len(data) > MOST_STEPS:
        raise ValueError(f"it has more than {MOST_STEPS} steps")
    steps, near = [], present
    for step in data:
        near = _checked(_draft(step, near), total)
        steps.append(Step(near, str(step["done"])))
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
        ours = False
        try:
            # If the file was replaced meanwhile, another studio replaced it.
            ours = _locked(descriptor) and os.path.samestat(os.fstat(descriptor), os.stat(self.path))
        finally:
            if not ours:
                _close(descriptor)
        if not ours:
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
                _locked(following)
                yield file
        except BaseException:
            if following is not None:
                _close(following)
            raise
        self._hold(following)

    def release(self) -> None:
        """Unlock the file."""
        self._hold(None)

    def _hold(self, descriptor: int | None) -> None:
        before, self._held = self._held, descriptor
        if before is not None:
            _close(before)


def _close(descriptor: int) -> None:
    with suppress(OSError):  # it is closed even then
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    """Lock a file; tell whether nobody else had."""
    try:
        lock(descriptor)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a system without locks
    return True
