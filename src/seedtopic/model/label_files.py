"""The files of a source, labelled in their order; pieces of the next begin before one is finished."""

from __future__ import annotations

import hashlib
import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import chain, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seedtopic.base import json as strict_json
from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file
from seedtopic.base.progress import Progress, silent
from seedtopic.base.threads import resolve_threads
from seedtopic.io.columns import Table
from seedtopic.io.formats import PACKED, WRITTEN_TEXTS
from seedtopic.io.formats.parquet import write_batches
from seedtopic.io.formats.text import Source, opened_parquet
from seedtopic.io.formats.xlsx import check_shape
from seedtopic.io.pieces import Batch, Piece, Pieces
from seedtopic.io.predictions import Summary, added_columns, check_min_probability
from seedtopic.io.rows import (
    Fields,
    NoDocumentsError,
    about_missing,
    checked_source,
    chosen_fields,
    file_state,
    require_rows,
)
from seedtopic.io.source import (
    UTF8,
    Problems,
    TableStyle,
    explained,
    is_folder,
    is_piped,
    matched_files,
    split_ending,
)
from seedtopic.io.write import check_output, ending_of, for_people, holds_lists, write_rows, write_text_pieces
from seedtopic.model.drift import LabelStatistics
from seedtopic.model.folder import folder_of
from seedtopic.model.label_pieces import (
    LabelledPiece,
    Labeller,
    Layout,
    PieceReport,
    Workers,
    in_order,
    opened_workers,
)
from seedtopic.seeds.names import Label

if TYPE_CHECKING:
    from seedtopic.model.estimator import SeedClassifier

Task = tuple[Any, ...]


class UnforeseenError(Exception):
    """A later piece shows that the layout found in the first one is not that of the source."""


@dataclass
class ReadReport:
    """What a person should know of files that were labelled."""

    summary: Summary
    statistics: LabelStatistics
    unusable: int = 0  # rows that were left out, have no text, or are damaged
    notes: list[str] = field(default_factory=list)  # one sentence each
    problems: list[str] = field(default_factory=list)  # one sentence each

    @classmethod
    def nothing(cls, n_categories: int) -> ReadReport:
        """Begin to count."""
        return cls(Summary.nothing(n_categories), LabelStatistics.nothing(n_categories))

    def add(self, other: ReadReport) -> None:
        """Add another file."""
        self.summary += other.summary
        self.statistics.add(other.statistics)
        self.unusable += other.unusable
        self.notes += other.notes
        self.problems += other.problems

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> ReadReport:
        """Take what `asdict` gave, of which JSON has made lists of the arrays."""
        made: dict[str, Any] = {}
        for part, kind in (("summary", Summary), ("statistics", LabelStatistics)):
            counts: dict[str, Any] = dict(values[part])
            lists = {name: np.array(value) for name, value in counts.items() if isinstance(value, list)}
            made[part] = kind(**{**counts, **lists})
        return cls(**{**values, **made})


@dataclass(frozen=True, eq=False)
class Job:
    """A source of documents that is labelled, and the file to write."""

    pieces: Pieces
    output: str
    asked: Fields  # the columns that the user named
    labeller: Labeller
    safe_cells: bool = False

    @cached_property
    def schema(self) -> Any:
        """The schema of the source, if rows can go from one Parquet file to another as they are."""
        files = matched_files(self.pieces.source.path) or [self.pieces.source.path]
        if any(split_ending(file)[0] != "parquet" for file in [*files, Path(self.output)]):
            return None
        schemas = []
        for file in files:
            with opened_parquet(Source(file), Problems()) as parquet:
                schemas.append(parquet.schema_arrow.remove_metadata())
        return schemas[0] if all(schema.equals(schemas[0]) for schema in schemas) else None

    @cached_property
    def added(self) -> list[str]:
        """The columns that labelling adds."""
        return self.labeller.form.columns_in(cells=not holds_lists(self.output))

    def layout(self, *, sure: bool = False) -> Layout:
        """Find the layout; what was written to standard output cannot be taken back, so there it is sure."""
        known_later = self.output == "-" or ending_of(self.output) == "xlsx"
        untyped = ending_of(self.output) == "parquet" and self.schema is None
        name = self.pieces.source.name
        if not (sure or known_later or untyped) and self.pieces.can_be_read_again:
            for piece in self.pieces:
                table = Table(name, piece.content.numbered(piece.noticed))
                try:
                    return self._layout_of(table)
                except InputError:  # the first piece does not tell enough
                    break
        table, problems = self.pieces.table()
        require_rows(table, problems)
        if ending_of(self.output) == "xlsx":
            check_shape(table.n_rows, len(table.columns) + len(added_columns(table.columns)))
        return self._layout_of(table)

    def _layout_of(self, table: Table) -> Layout:
        columns = tuple(table.columns)
        added = tuple(added_columns(columns, self.added))
        style = TableStyle(**{**self.pieces.style, "safe_cells": self.safe_cells})
        return Layout(chosen_fields(table, self.asked), columns, added, style)

    def tasks(self, layout: Layout) -> Iterator[tuple[Piece, Task]]:
        """Yield the pieces, each with the arguments of `Labeller.__call__`."""
        # A column that was chosen by its contents is chosen by those of all columns.
        named = self.asked.text is not None or "text" in layout.columns
        needed = {layout.fields.text_column, layout.fields.id or "", *layout.fields.others}
        for piece in self.pieces:
            if self.schema is None:
                yield piece, (piece, layout, self.output, False)
            else:
                sent = replace(piece, content=_of(piece).only(needed)) if named else piece
                yield piece, (sent, layout, self.output, True)

    def write_nothing(self) -> ReadReport:
        """Write a file without rows."""
        classes, added = self.labeller.form.classes, self.added
        if self.schema is not None:
            names = added_columns(self.schema.names, added)
            write_batches(self.output, [], self.schema, names, classes)
        else:
            write_rows(self.output, [], added_columns([], added))
        noticed = ReadReport.nothing(len(classes))
        noticed.notes.append(f"{self.pieces.source.name} contains no documents")
        return noticed

    def write(
        self,
        layout: Layout,
        done: Iterable[tuple[Piece, Task, LabelledPiece]],
        workers: Workers,
        progress: Callable[[int], None] = lambda n_bytes: None,
    ) -> ReadReport:
        """Write the file as its pieces are labelled."""
        name, strict = self.pieces.source.name, self.labeller.strict
        read = PieceReport.nothing(name, len(self.labeller.model.classes_), strict=strict)
        read.table = Table(name, columns=layout.columns)
        reports: list[ReadReport] = []

        def passing() -> Iterator[tuple[Piece, Any]]:
            for piece, task, labelled in done:
                labelled = self._fitting(labelled, task, read, layout, workers)
                read.add(labelled.read)
                progress(piece.n_bytes)
                yield piece, labelled.content
            reports.append(self._noticed(layout, read))

        if self.schema is not None:
            batches = ((_of(piece).batch, values) for piece, values in passing())
            write_batches(self.output, batches, self.schema, layout.added, self.labeller.form.names)
        elif ending_of(self.output) in PACKED:
            rows = chain.from_iterable(content for _, content in passing())
            form = self.labeller.form
            style = for_people(layout.style, layout.added, form.names, none=form.none_label is None)
            write_rows(self.output, rows, layout.all_columns, style)
        else:
            texts = (content for _, content in passing())
            write_text_pieces(self.output, texts, layout.all_columns, layout.style)
        return reports[0]

    def _fitting(
        self, labelled: LabelledPiece, task: Task, read: PieceReport, layout: Layout, workers: Workers
    ) -> LabelledPiece:
        """Label a piece again if it did not know in which order earlier pieces have their columns."""
        if ending_of(self.output) != "jsonl":
            if len(labelled.columns) > len(layout.columns) and self.output != "-":
                raise UnforeseenError
            return labelled
        known = list(dict.fromkeys((*read.table.columns, *labelled.columns)))
        own = set(labelled.columns)
        if [column for column in known if column in own] == labelled.columns:
            return labelled
        piece, _, *rest = task
        again: LabelledPiece = workers.submit(piece, layout.with_columns(read.table.columns), *rest).result()
        return again

    def _noticed(self, layout: Layout, read: PieceReport) -> ReadReport:
        """Look at the whole source, now that it is known."""
        table, name, strict = read.table, self.pieces.source.name, self.labeller.strict
        require_rows(table, read.problems)
        if not layout.fits(self._layout_of(table), self.output):
            raise UnforeseenError
        problems = read.problems.sentences(name)
        text = layout.fields.text_column
        if without := table.n_without_text(text):
            problems.append(about_missing(name, text, without, read.lines_without_text, strict))
        unusable = read.problems.count + without
        notes = [*table.notes, *read.problems.remarks]
        return ReadReport(read.summary, read.statistics, unusable, notes, problems)


def _of(piece: Piece) -> Batch:
    assert isinstance(piece.content, Batch)
    return piece.content


FINISHED = "_seedtopic.finished"  # programs that read a folder of files leave names with _ out


class LabelledFolder:
    """The finished files of a folder, each with what was noticed of it."""

    def __init__(self, folder: Path, command: str) -> None:
        self._path, self._command = folder / FINISHED, command
        self._finished: dict[str, Any] = {}
        if not self._path.exists():
            return
        begun, *lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        if _parsed(begun) != {"command": command}:
            raise InputError(
                f"{folder} contains files that were labelled by another model, with other options or other "
                f"answers: name another folder, or remove {self._path} to label all files again"
            )
        for line in lines:  # of which some may be cut, and some are empty
            entry = _parsed(line)
            if isinstance(entry, dict) and "output" in entry:
                self._finished[entry["output"]] = entry

    def noticed(self, source: Path, output: Path) -> ReadReport | None:
        """Return what was noticed when a file was labelled; None if that is still to be done."""
        entry = self._finished.get(str(output))
        if entry is None or not output.is_file() or entry["state"] != _state(source, output):
            return None
        return ReadReport.from_dict(entry["noticed"])

    def finish(self, source: Path, output: Path, noticed: ReadReport) -> None:
        """Note that a file is finished."""
        entry = {"output": str(output), "state": _state(source, output), "noticed": asdict(noticed)}
        if not self._path.exists():
            with atomic_file(self._path, "w") as file:
                file.write(strict_json.written({"command": self._command}) + "\n")
        try:
            with self._path.open("a", encoding="utf-8") as file:
                written = strict_json.written(entry, default=np.ndarray.tolist)
                file.write(f"\n{written}\n")  # the line before it may be cut
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(
                f"{self._path} could not be written ({error.strerror or error}): free some space, then run "
                "the same command to continue"
            ) from error


def command_of(model: SeedClassifier, options: Mapping[str, Any]) -> str:
    """Return a checksum of what labels depend on: the model and the options."""
    saved = folder_of(model)
    seeds = None if saved.seeds is None else list(saved.seeds.table().items())
    parameters = {name: value for name, value in saved.parameters.items() if name != "n_threads"}
    about = [dict(options), saved.model, saved.classes, parameters, seeds]
    digest = hashlib.sha256(strict_json.written(about).encode("utf-8", "surrogatepass"))
    digest.update("\n".join(saved.vocabulary).encode("utf-8", "surrogatepass"))
    for name, array in sorted(saved.arrays.items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _state(source: Path, output: Path) -> list[Any]:
    return [*(file_state(source) or ()), output.stat().st_size]


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


@dataclass(frozen=True)
class LabelledFiles:
    """What came of labelling files."""

    noticed: ReadReport  # of all files together
    n_files: int
    n_kept: int  # files that an earlier run had finished


def label_files(
    model: SeedClassifier,
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
    answers: Mapping[str, Label] | None = None,
    n_workers: int | None = None,
    scheduler: Any = None,
    progress: Progress = silent,
) -> LabelledFiles:
    """Label files of any size with a fitted model, in several processes and in little memory."""
    check_min_probability(min_probability)
    place, target = checked_source(source, format, encoding, sheet), Path(output)
    columns = (rule.column for rule in model.fitted_.rules if rule.column is not None)
    asked = Fields(text_field, None, id_field, list(dict.fromkeys(columns)))
    slim = model.slim().set_params(n_threads=1)
    labeller = Labeller(slim, multi, min_probability, strict, answers or {})
    options = {
        "text_field": text_field, "id_field": id_field, "format": format, "sheet": sheet, "strict": strict,
        "encoding": encoding, "multi": multi, "min_probability": min_probability, "safe_cells": safe_cells,
        "answers": sorted((answers or {}).items()),
    }  # fmt: skip
    folder = None
    places = [(place, str(output))]
    if is_folder_of_files(output, source):
        places = _places(place, target)
        folder = LabelledFolder(target, command_of(slim, options))
    for _, path in places:
        check_output(path)
    total = ReadReport.nothing(len(model.classes_))
    waiting = []
    for one, path in places:
        finished = None if folder is None else folder.noticed(one.path, Path(path))
        if finished is None:
            waiting.append((one, path))
        else:
            total.add(finished)
    files = (file for one, _ in waiting for file in matched_files(one.path) or [one.path])
    n_bytes, n_done = sum(file.stat().st_size for file in files if file.is_file()), 0

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
                of_file = takewhile(lambda result: result[0][2] is not None, chain([first], results))
                done = ((piece, task, labelled) for (_, _, piece), task, labelled in of_file if piece)
                try:
                    noticed = job.write(layout, done, workers, report)
                except UnforeseenError:
                    deque(done, maxlen=0)  # those under way, in a layout that was wrong
                    layout = job.layout(sure=True)
                    noticed = job.write(layout, in_order(job.tasks(layout), workers), workers)
            total.add(noticed)
            if folder is not None:
                folder.finish(job.pieces.source.path, Path(job.output), noticed)
    return LabelledFiles(total, len(places), len(places) - len(waiting))


def is_folder_of_files(output: str | Path, source: str | Path) -> bool:
    """Return whether a labelled file is written for each file of a source."""
    is_named = str(output).endswith(("/", os.sep)) or (str(output) != "-" and Path(output).is_dir())
    return is_named and not is_piped(Path(source)) and not is_folder(Path(source))


def _places(source: Source, folder: Path) -> list[tuple[Source, str]]:
    """Name the files of a source, each with its output; folders for these are made."""
    files = matched_files(source.path) or [source.path]
    with explained(str(source.path)):  # before anything is written
        for file in files:
            file.stat()
    above = os.path.commonpath([file.absolute().parent for file in files])
    outputs = []
    for file in files:
        path = folder / os.path.relpath(file.absolute(), above)
        ending, gzipped = split_ending(path)
        if ending not in WRITTEN_TEXTS:  # with the ending of a format that can be written
            stem = Path(path.name.removesuffix(path.suffix) if gzipped else path.name).stem
            other = {"parquet": "parquet", "xlsx": "xlsx", "xlsm": "xlsx"}.get(ending, "csv")
            path = path.with_name(f"{stem}.{other}")
        outputs.append(path)
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
