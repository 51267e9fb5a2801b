"""What must be known of a source before its first piece is labelled, so that all pieces fit together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from seedtopic.base.errors import InputError
from seedtopic.documents.columns import Table
from seedtopic.documents.label_columns import added_columns
from seedtopic.documents.labelled_files import ending_of
from seedtopic.documents.pieces import Pieces
from seedtopic.documents.reader import Fields, chosen_fields, require_rows
from seedtopic.documents.table_style import TableStyle


@dataclass(frozen=True)
class Layout:
    """How the rows of a source are read and written.

    Attributes
    ----------
    fields : Fields
        The columns of texts and ids, and those that rules ask for.
    columns : tuple of str
        The columns of the source.
    added : tuple of str
        The names of the columns that labelling adds.
    style : TableStyle
        How a table is written.
    """

    fields: Fields
    columns: tuple[str, ...]
    added: tuple[str, ...]
    style: TableStyle

    @classmethod
    def of(cls, table: Table, asked: Fields, extra_columns: Sequence[str], style: TableStyle) -> Layout:
        """Choose columns by what was seen of them.

        Raises
        ------
        InputError
            When a column is missing, or the text is not clearly in one of them.
        """
        columns = tuple(table.columns)
        return cls(chosen_fields(table, asked), columns, tuple(added_columns(columns, extra_columns)), style)

    @property
    def all_columns(self) -> tuple[str, ...]:
        """The columns of the labelled file."""
        return (*self.columns, *self.added)

    def with_columns(self, columns: Iterable[str]) -> Layout:
        """Add columns of the source that were seen later."""
        return replace(self, columns=tuple(dict.fromkeys((*self.columns, *columns))))

    def fits(self, final: Layout, output: str) -> bool:
        """Tell whether what was written by this layout is what another would have written.

        In JSON lines each row names its own columns, so that further ones do no harm.
        """
        if ending_of(output) == "jsonl":
            final = replace(final, columns=self.columns, style=self.style)
        return self == final


def first_layout(
    pieces: Pieces,
    asked: Fields,
    extra_columns: Sequence[str],
    check: Callable[[Table], None],
    *,
    sure: bool = False,
) -> Layout:
    """Find the layout from the first piece or, where that does not tell enough, from all of them.

    Parameters
    ----------
    pieces : Pieces
    asked : Fields
    extra_columns : sequence of str
        See `seedtopic.documents.label_columns.Extras`.
    check : callable
        Refuses what does not fit into the output, once all is known.
    sure : bool
        Whether to read all pieces in any case.
    """
    name = pieces.source.name
    if not sure and pieces.can_be_read_again:
        for piece in pieces:
            table = Table(name, piece.content.numbered(piece.noticed))
            try:
                return Layout.of(table, asked, extra_columns, TableStyle(**pieces.style))
            except InputError:
                break
    table, problems = pieces.table()
    require_rows(table, problems)
    check(table)
    return Layout.of(table, asked, extra_columns, TableStyle(**pieces.style))
