"""One labelled file: its pieces in, its rows out, and what was noticed on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from seedtopic.documents.batch_writer import write_batches
from seedtopic.documents.columns import Table
from seedtopic.documents.formats import split_ending
from seedtopic.documents.label_columns import added_columns
from seedtopic.documents.labelled_files import ending_of, write_rows, write_text_pieces
from seedtopic.documents.lines import matched_files, opened
from seedtopic.documents.pieces import Batch, Piece, Pieces
from seedtopic.documents.problems import Problems
from seedtopic.documents.reader import Fields, about_missing, require_rows
from seedtopic.documents.rows import opened_parquet
from seedtopic.documents.workbook_writer import check_shape
from seedtopic.models.drift import Seen
from seedtopic.models.labelling.layout import Layout, first_layout
from seedtopic.models.labelling.piece_labels import Labelled, Labeller, Read
from seedtopic.models.labelling.totals import Totals
from seedtopic.models.labelling.workers import Workers, in_order

Task = tuple[Any, ...]


class UnforeseenError(Exception):
    """A later piece shows that the layout found in the first one is not that of the source."""


@dataclass
class Noticed:
    """What a person should know of files that were labelled.

    Attributes
    ----------
    totals : Totals
    seen : Seen
    unusable : int
        Rows that were left out, have no text, or are damaged.
    notes, problems : list of str
        One sentence each.
    """

    totals: Totals
    seen: Seen
    unusable: int = 0
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @classmethod
    def nothing(cls, n_categories: int) -> Noticed:
        """Begin to count."""
        return cls(Totals.nothing(n_categories), Seen.nothing(n_categories))

    def add(self, other: Noticed) -> None:
        """Add another file."""
        self.totals.add(other.totals)
        self.seen.add(other.seen)
        self.unusable += other.unusable
        self.notes += other.notes
        self.problems += other.problems

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        seen = {name: value.tolist() for name, value in vars(self.seen).items()}
        return {**vars(self), "totals": self.totals.as_dict(), "seen": seen}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Noticed:
        """Take what `as_dict` gave."""
        seen = Seen(**{name: np.array(value) for name, value in values["seen"].items()})
        return cls(**{**values, "totals": Totals.from_dict(values["totals"]), "seen": seen})


@dataclass(frozen=True, eq=False)
class Job:
    """A source of documents that is labelled, and the file to write.

    Attributes
    ----------
    pieces : Pieces
    output : str
    asked : Fields
        The columns that the user named.
    labeller : Labeller
    safe_cells : bool
    """

    pieces: Pieces
    output: str
    asked: Fields
    labeller: Labeller
    safe_cells: bool = False

    @cached_property
    def schema(self) -> Any:
        """The schema of the source, if rows can go from one Parquet file to another as they are."""
        files = matched_files(self.pieces.source.path) or [self.pieces.source.path]
        if any(split_ending(file)[0] != "parquet" for file in [*files, Path(self.output)]):
            return None
        schemas = [_schema(file) for file in files]
        return schemas[0] if all(schema.equals(schemas[0]) for schema in schemas) else None

    def layout(self, *, sure: bool = False) -> Layout:
        """Find the layout; what was written to standard output cannot be taken back, so there it is sure."""
        known_later = self.output == "-" or ending_of(self.output) == "xlsx"
        untyped = ending_of(self.output) == "parquet" and self.schema is None
        sure = sure or known_later or untyped
        found = first_layout(self.pieces, self.asked, self.labeller.extra_columns, self._check, sure=sure)
        return replace(found, style=replace(found.style, safe_cells=self.safe_cells))

    def _check(self, table: Table) -> None:
        if ending_of(self.output) == "xlsx":
            check_shape(table.n_rows, len(table.columns) + len(added_columns(table.columns)))

    def tasks(self, layout: Layout) -> Iterator[tuple[Piece, Task]]:
        """Give the pieces, each with the arguments of `Labeller.__call__`."""
        # A column that was chosen by its contents is chosen by those of all columns.
        named = self.asked.text is not None or "text" in layout.columns
        needed = {layout.fields.text_column, layout.fields.id or "", *layout.fields.others}
        for piece in self.pieces:
            if self.schema is None:
                yield piece, (piece, layout, self.output, False)
            else:
                sent = replace(piece, content=_of(piece).only(needed)) if named else piece
                yield piece, (sent, layout, self.output, True)

    def write(
        self,
        layout: Layout,
        done: Iterable[tuple[Piece, Task, Labelled]],
        workers: Workers,
        progress: Callable[[int], None],
    ) -> Noticed:
        """Write the file as its pieces are labelled; if the layout was wrong, begin again.

        Parameters
        ----------
        layout : Layout
        done : iterable
            The pieces, the tasks and what came of them, in their order.
        workers : Workers
            Who labels again.
        progress : callable
            Given the bytes that were labelled.
        """
        try:
            return self._write(layout, done, workers, progress)
        except UnforeseenError:
            for _ in done:  # which are under way
                pass
            layout = self.layout(sure=True)
            again = in_order(self.tasks(layout), workers)
            return self._write(layout, again, workers, lambda n_bytes: None)

    def write_nothing(self) -> Noticed:
        """Write a file without rows."""
        classes, added = self.labeller.model.classes_, self.labeller.extra_columns
        if self.schema is not None:
            names = added_columns(self.schema.names, added)
            write_batches(self.output, [], self.schema, names, classes.tolist())
        elif ending_of(self.output) in ("xlsx", "parquet"):
            write_rows(self.output, [], added_columns([], added))
        else:
            write_text_pieces(self.output, [], added_columns([], added))
        noticed = Noticed.nothing(len(classes))
        noticed.notes.append(f"{self.pieces.source.name} contains no documents")
        return noticed

    def _write(
        self,
        layout: Layout,
        done: Iterable[tuple[Piece, Task, Labelled]],
        workers: Workers,
        progress: Callable[[int], None],
    ) -> Noticed:
        name, strict = self.pieces.source.name, self.labeller.strict
        read = Read.nothing(name, len(self.labeller.model.classes_), strict=strict)
        read.table = Table(name, columns=layout.columns)
        found: list[Noticed] = []

        def passing() -> Iterator[tuple[Piece, Any]]:
            for piece, task, labelled in done:
                labelled = self._fitting(labelled, task, read, layout, workers)
                read.add(labelled.read)
                progress(piece.n_bytes)
                yield piece, labelled.content
            found.append(self._noticed(layout, read))

        if self.schema is not None:
            batches = ((_of(piece).batch, values) for piece, values in passing())
            none = self.labeller.model.none_of_these()
            labels = [*self.labeller.model.classes_.tolist(), *([] if none is None else [none.label])]
            write_batches(self.output, batches, self.schema, layout.added, labels)
        elif ending_of(self.output) in ("xlsx", "parquet"):
            rows = chain.from_iterable(content for _, content in passing())
            write_rows(self.output, rows, layout.all_columns, layout.style)
        else:
            texts = (content for _, content in passing())
            write_text_pieces(self.output, texts, layout.all_columns, layout.style)
        return found[0]

    def _fitting(
        self, labelled: Labelled, task: Task, read: Read, layout: Layout, workers: Workers
    ) -> Labelled:
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
        again: Labelled = workers.submit(piece, layout.with_columns(read.table.columns), *rest).result()
        return again

    def _noticed(self, layout: Layout, read: Read) -> Noticed:
        """Look at the whole source, now that it is known."""
        table, name, strict = read.table, self.pieces.source.name, self.labeller.strict
        require_rows(table, read.problems)
        style = replace(layout.style, **self.pieces.style)
        final = Layout.of(table, self.asked, self.labeller.extra_columns, style)
        if not layout.fits(final, self.output):
            raise UnforeseenError
        problems = read.problems.sentences(name)
        if read.n_without_text:
            text = layout.fields.text_column
            problems.append(about_missing(name, text, read.n_without_text, read.lines_without_text, strict))
        unusable = read.problems.count + read.n_without_text
        notes = [*table.notes, *read.problems.remarks]
        return Noticed(read.totals, read.seen, unusable, notes, problems)


def _of(piece: Piece) -> Batch:
    assert isinstance(piece.content, Batch)
    return piece.content


def _schema(file: Path) -> Any:
    problems = Problems()
    with (
        opened(file, str(file), problems) as stream,
        opened_parquet(stream, str(file), problems.limits) as parquet,
    ):
        return parquet.schema_arrow.remove_metadata()
