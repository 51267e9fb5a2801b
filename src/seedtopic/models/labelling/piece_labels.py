"""One piece of a source, read and labelled in one process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from seedtopic.documents.columns import Table, has_text
from seedtopic.documents.label_columns import Extras, label_values
from seedtopic.documents.labelled_files import ending_of, text_of
from seedtopic.documents.pieces import Piece
from seedtopic.documents.problems import SHOWN, Problems
from seedtopic.documents.reread import ColumnStrings
from seedtopic.models.base import TextClassifier
from seedtopic.models.drift import Seen
from seedtopic.models.labelling.layout import Layout
from seedtopic.models.labelling.totals import Totals


@dataclass
class Read:
    """What was noticed of some rows, added up.

    Attributes
    ----------
    table : Table
    problems : Problems
    n_without_text : int
    lines_without_text : list of int
        The first few of them.
    totals : Totals
    seen : Seen
    """

    table: Table
    problems: Problems
    totals: Totals
    seen: Seen
    n_without_text: int = 0
    lines_without_text: list[int] = field(default_factory=list)

    @classmethod
    def nothing(cls, name: str, n_categories: int, *, strict: bool) -> Read:
        """Begin to count."""
        problems = Problems(strict=strict)
        return cls(Table(name), problems, Totals.nothing(n_categories), Seen.nothing(n_categories))

    def add(self, other: Read) -> None:
        """Add what was noticed of further rows of the same source."""
        self.table.add(other.table)
        self.problems.add(other.problems)
        self.totals.add(other.totals)
        self.seen.add(other.seen)
        self.n_without_text += other.n_without_text
        self.lines_without_text = (self.lines_without_text + other.lines_without_text)[:SHOWN]


@dataclass(frozen=True)
class Labelled:
    """A labelled piece.

    Attributes
    ----------
    content : bytes, or list
        The rows as text, ready to be written; for other formats the rows themselves or, if they are in a
        batch, the values that are added to each.
    columns : list of str
        The columns of the source that were known, and those that were found.
    read : Read
    """

    content: Any
    columns: list[str]
    read: Read


@dataclass(frozen=True)
class Labeller:
    """Labels pieces with a model.

    Attributes
    ----------
    model : TextClassifier
        Needs no more than `TextClassifier.slim` gives.
    multi : bool
        Whether all labels of a document are wanted.
    min_probability : float
        A label that is less likely is left empty.
    strict : bool
        Whether the first row that cannot be used is an error.
    """

    model: TextClassifier
    multi: bool = False
    min_probability: float = 0.0
    strict: bool = False

    @property
    def extra_columns(self) -> list[str]:
        """The columns that are added after the standard ones."""
        return Extras(self.model.paths(), self.model.none_of_these(), [] if self.multi else None).columns

    def __call__(self, piece: Piece, layout: Layout, output: str, in_batches: bool) -> Labelled:
        """Label a piece.

        Parameters
        ----------
        piece : Piece
        layout : Layout
        output : str
            The file to be written.
        in_batches : bool
            Whether only the added values are wanted.
        """
        read = Read.nothing("", len(self.model.classes_), strict=self.strict)
        read.problems.add(piece.noticed)
        numbered = list(piece.content.numbered(read.problems))
        rows = [row for _, row in numbered]
        read.table.add(Table("", numbered))
        columns = list(dict.fromkeys((*layout.columns, *read.table.columns)))
        values: list[tuple[Any, ...]] = []
        if rows:
            text = layout.fields.text_column
            texts = list(ColumnStrings(rows, text, layout.fields.others))
            found = np.fromiter((has_text(row.get(text)) for row in rows), bool, len(rows))
            without = np.flatnonzero(~found).tolist()
            read.n_without_text = len(without)
            read.lines_without_text = [numbered[place][0] for place in without[:SHOWN]]
            probabilities, extras = self.model.predict_all(texts, several=self.multi)
            extras = extras.with_texts(found)
            read.totals.add(Totals.of(probabilities, extras, self.min_probability))
            read.seen.add(Seen.of(probabilities, extras))
            extras = extras.fit_for(output)
            classes = self.model.classes_.tolist()
            values = list(label_values(classes, probabilities, self.min_probability, extras))
        if in_batches:
            return Labelled(values, columns, read)
        labelled = [
            {**row, **dict(zip(layout.added, added, strict=True))}
            for row, added in zip(rows, values, strict=True)
        ]
        if ending_of(output) in ("xlsx", "parquet"):
            return Labelled(labelled, columns, read)
        written = (*columns, *layout.added) if ending_of(output) == "jsonl" else layout.all_columns
        return Labelled(text_of(output, labelled, written, layout.style), columns, read)
