"""The files of a source, labelled in their order; pieces of the next begin before one is finished."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.base.progress import Progress, silent
from seedtopic.base.threads import resolve_threads
from seedtopic.documents.encodings import UTF8
from seedtopic.documents.label_columns import check_min_probability
from seedtopic.documents.labelled_files import check_output
from seedtopic.documents.lines import explained, is_folder, is_piped, matched_files
from seedtopic.documents.pieces import Piece, Pieces
from seedtopic.documents.reader import Fields, NoDocumentsError, checked_source
from seedtopic.documents.rows import Source
from seedtopic.models.base import TextClassifier
from seedtopic.models.labelling.folder import LabelledFolder, command_of, output_names
from seedtopic.models.labelling.job import Job, Noticed, Task
from seedtopic.models.labelling.layout import Layout
from seedtopic.models.labelling.piece_labels import Labelled, Labeller
from seedtopic.models.labelling.workers import in_order, opened_workers


@dataclass(frozen=True)
class LabelledFiles:
    """What came of labelling files.

    Attributes
    ----------
    noticed : Noticed
        Of all files together.
    n_files : int
    n_kept : int
        Files that an earlier run had finished.
    """

    noticed: Noticed
    n_files: int
    n_kept: int


def label_files(
    model: TextClassifier,
    source: str | Path,
    output: str | Path,
    *,
    text_field: str | None = None,
    id_field: str | None = None,
    format: str | None = None,
    sheet: str | None = None,
    encoding: str = UTF8,
    strict: bool = False,
    multi: bool = False,
    min_probability: float = 0.0,
    safe_cells: bool = False,
    n_workers: int | None = None,
    scheduler: Any = None,
    progress: Progress = silent,
) -> LabelledFiles:
    """Label files of any size with a fitted model, in several processes and in little memory.

    Parameters
    ----------
    model : TextClassifier
    source : path
        See ``seedtopic.read_documents``.
    output : path
        A file, see `seedtopic.documents.labelled_files.write_rows`; or a folder, in which a labelled file of
        the same name and format is written for each file of the source. Files that are finished are kept if
        the same is called again.
    text_field, id_field, format, sheet, encoding, strict
        See ``seedtopic.read_documents``.
    multi, min_probability
        See `TextClassifier.label_frame`.
    safe_cells : bool
        Whether texts that a spreadsheet program would take for a formula get an apostrophe.
    n_workers : int, optional
        Processes; as many as there are cores when left out. The result does not depend on it.
    scheduler : str or dask.distributed.Client, optional
        A Dask cluster whose workers label the documents instead, or the address of its scheduler.
    progress : callable, optional
        Called with the name of the stage, and the kilobytes labelled and in all.

    Examples
    --------
    >>> import tempfile
    >>> from seedtopic import SeedTopicClassifier
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0).fit(texts)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "new.txt")
    ...     _ = path.write_text("a goal\\nwhich rate?\\n", encoding="utf-8")
    ...     done = label_files(model, path, Path(folder, "labelled.csv"), n_workers=1)
    ...     [line.split(",")[1] for line in Path(folder, "labelled.csv").read_text().splitlines()]
    ['predicted', 'sports', 'money']
    """
    check_min_probability(min_probability)
    place, target = checked_source(source, format, encoding, sheet), Path(output)
    asked = Fields(text_field, None, id_field, _rule_columns(model))
    slim = model.slim().set_params(n_threads=1)
    labeller = Labeller(slim, multi, min_probability, strict)
    options = {
        "text_field": text_field, "id_field": id_field, "format": format, "sheet": sheet, "strict": strict,
        "encoding": encoding, "multi": multi, "min_probability": min_probability, "safe_cells": safe_cells,
    }  # fmt: skip
    folder = None
    places = [(place, str(output))]
    if is_folder_of_files(output, source):
        places = _places(place, target)
        folder = LabelledFolder(target, command_of(slim, options))
    for _, path in places:
        check_output(path)
    total = Noticed.nothing(len(model.classes_))
    waiting = []
    for one, path in places:
        kept = None if folder is None else folder.noticed(one.path, Path(path))
        if kept is None:
            waiting.append((one, path))
        else:
            total.add(kept)
    n_bytes, n_done = sum(_size(one) for one, _ in waiting), 0

    def report(more: int) -> None:
        nonlocal n_done
        n_done += more
        progress("labelling, kB", min(n_done, n_bytes) // 1000, n_bytes // 1000)

    def tasks() -> Iterator[tuple[tuple[Job, Layout | None, Piece | None], Task]]:
        for one, path in waiting:
            job = Job(Pieces(one, strict=strict), path, asked, labeller, safe_cells)
            try:
                layout = job.layout()
            except NoDocumentsError:
                if folder is None:
                    raise
                yield (job, None, None), ()  # as some programs write for a part without rows
                continue
            for piece, task in job.tasks(layout):
                yield (job, layout, piece), task
            yield (job, layout, None), ()  # so that the file is finished before the next one can fail

    with opened_workers(labeller, resolve_threads(n_workers), scheduler) as workers:
        results = in_order(tasks(), workers)
        for first in results:
            job, layout, _ = first[0]
            if layout is None:
                noticed = job.write_nothing()
            else:
                noticed = job.write(layout, _until_end(chain([first], results)), workers, report)
            total.add(noticed)
            if folder is not None:
                folder.finish(job.pieces.source.path, Path(job.output), noticed)
    return LabelledFiles(total, len(places), len(places) - len(waiting))


def _until_end(results: Iterable[tuple[Any, Task, Any]]) -> Iterator[tuple[Piece, Task, Labelled]]:
    """Give the pieces of one file."""
    for (_, _, piece), task, labelled in results:
        if piece is None:
            return
        yield piece, task, labelled


def is_folder_of_files(output: str | Path, source: str | Path) -> bool:
    """Return whether a labelled file is written for each file of a source.

    Examples
    --------
    >>> is_folder_of_files("labelled/", "news/*.csv"), is_folder_of_files("labelled.csv", "news/*.csv")
    (True, False)
    """
    is_named = str(output).endswith(("/", os.sep)) or (str(output) != "-" and Path(output).is_dir())
    return is_named and not is_piped(Path(source)) and not is_folder(Path(source))


def _places(source: Source, folder: Path) -> list[tuple[Source, str]]:
    """Name the files of a source, each with its output; folders for these are made."""
    files = matched_files(source.path) or [source.path]
    with explained(str(source.path)):  # before anything is written
        for file in files:
            file.stat()
    outputs = [folder / name for name in output_names(files)]
    if len(set(outputs)) < len(outputs):
        twice = next(path for path in outputs if outputs.count(path) > 1)
        raise InputError(f"two files would be written to {twice}: rename one, or label them one by one")
    for file, path in zip(files, outputs, strict=True):
        if path.exists() and file.exists() and path.samefile(file):
            raise InputError(f"{path} contains the documents and would be overwritten: name another folder")
    try:
        for path in outputs:
            path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be made ({error.strerror}): name another") from None
    return [(replace(source, path=file), str(path)) for file, path in zip(files, outputs, strict=True)]


def _size(source: Source) -> int:
    files = matched_files(source.path) or [source.path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _rule_columns(model: TextClassifier) -> list[str]:
    """Name the columns that documents must have, because rules of the seeds ask for them."""
    return list(dict.fromkeys(rule.column for rule in model._rules() if rule.column is not None))
