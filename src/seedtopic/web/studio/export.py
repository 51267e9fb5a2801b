"""What can be taken away: seeds, labels, the model and a report, each as a file that is written whole."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from seedtopic.answers.readers import unread_answers
from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file
from seedtopic.base.wording import number_of
from seedtopic.io.formats import PACKED, WRITTEN_TEXTS
from seedtopic.io.predictions import Predictions
from seedtopic.io.write import write_predictions
from seedtopic.show.report import Report
from seedtopic.web.studio.draft import Draft
from seedtopic.web.studio.labels import Labels
from seedtopic.web.studio.session import Session

FORMATS = {
    "seeds": ("toml", "json"),
    "labels": (*WRITTEN_TEXTS, *PACKED),
    "model": ("zip",),
    "report": ("html", "md", "json"),
}
PATIENCE = 600.0  # seconds to wait for labels that are under way
_NAME = re.compile(r"[^/\\:\x00-\x1f]+")
_LONGEST = 200  # bytes of a name


def export_name(what: str, format: str) -> str:
    """Return a name for the file of an export, if it can be written; the format may be left empty."""
    if what not in FORMATS:
        raise InputError(f"{what!r:.60} cannot be exported: use one of {', '.join(FORMATS)}.")
    known = FORMATS[what]
    if (format or known[0]) not in known:
        raise InputError(f"{what} cannot be written as {format!r:.60}: use {' or '.join(known)}.")
    return f"{what}.{format or known[0]}"


def write_export(session: Session, what: str, path: Path) -> None:
    """Write what is wanted to a file; labels, model and report are those of a fit from scratch."""
    if what == "seeds":
        if (seeds := session.draft.seeds()) is None:
            raise InputError(f"there are no seeds to write yet. {session.draft.needed()}")
        seeds.write(path)
        return
    labels = session.wait_until_settled(PATIENCE)
    model, collection = labels.model, session.collection
    if what == "labels":
        write_predictions(path, collection.documents, _predictions(session.draft, labels))
    elif what == "report":
        texts, ids, title = collection.texts, collection.ids, f"Labels of {collection.name}"
        Report.of(model, texts, ids=ids, answers=session.answers, fitted=True, title=title).write(path)
    else:
        with TemporaryDirectory(prefix="seedtopic-") as place:
            folder = Path(place, "model")
            model.save(folder)
            with atomic_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
                for part in sorted(folder.iterdir()):
                    packed.write(part, part.name)


def _predictions(draft: Draft, labels: Labels) -> Predictions:
    """Add what a person has said: who gave each label, all labels of documents with several, and none."""
    predictions, several = labels.predictions, None
    if any(len(keys) > 1 for keys in draft.confirmed.values()):
        names = {category.key: category.name for category in draft.categories}
        several = np.empty(len(labels.key), object)
        for row, label in enumerate(labels.key.tolist()):
            several[row] = [names[key] for key in draft.confirmed.get(row, (label,)) if key in names]
    return replace(
        predictions,
        classes=tuple(map(str, predictions.classes)),
        has_words=predictions.has_words & labels.known,
        confirmed=labels.model.confirmed_,
        several=several,
        paths=labels.model.paths(),
    )


class ExistsError(InputError):
    """There is a file of this name, which is only replaced if that was asked for."""


def save_into(
    session: Session,
    what: str,
    name: object,
    folder: Path,
    protected: Collection[Path] = (),
    *,
    replace_file: bool = False,
) -> Path:
    """Write a file into the output folder, under a name that leads neither out of it nor to what stays."""
    if not isinstance(name, str) or not _is_plain(name):
        raise InputError(f"the file name {name!r:.60} cannot be used: give a plain name such as labels.csv.")
    path = folder / name
    if path.is_symlink() or path.is_dir():
        raise InputError(f"{name} is a link or a folder: choose another name.")
    ledger = session.answers
    untouchable = [*protected, *([] if ledger.path is None else [ledger.path])]
    if any(
        file.resolve() == path.resolve() or (file.exists() and path.exists() and file.samefile(path))
        for file in untouchable
    ):
        raise InputError(f"{name} holds documents, answers or the workspace, and stays: choose another name.")
    if path.exists() and (unread := unread_answers(path, ledger)):
        raise InputError(
            f"{name} holds {number_of(unread, 'answer')} that would be overwritten: give it to seedtopic "
            "label with --confirmed, or choose another name."
        )
    if path.exists() and not replace_file:
        raise ExistsError(f"{name} exists in the folder: confirm that it may be replaced.")
    if what == "workspace":
        session.save_workspace_as(path)
        return path
    suffix = Path(name).suffix.lower().lstrip(".")
    export_name(what, suffix or "(none)")  # or it says why not
    write_export(session, what, path)
    return path


def _is_plain(name: str) -> bool:
    """Return whether a name stands for a file in whatever folder it is put into."""
    if _NAME.fullmatch(name) is None or ".." in name or name.startswith("."):
        return False
    try:
        return len(os.fsencode(name)) <= _LONGEST
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
