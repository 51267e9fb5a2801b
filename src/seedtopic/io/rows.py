"""From files to documents: open bytes, decode lines, parse rows, choose the text column."""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError, UnusableDocuments
from seedtopic.base.memory import MaxMemory
from seedtopic.base.wording import number_of
from seedtopic.io.columns import Table, as_string, has_text
from seedtopic.io.formats import DELIMITERS, TEXT_FORMATS, WORKBOOKS
from seedtopic.io.formats.delimited import huge_cells
from seedtopic.io.formats.text import Source, source_rows
from seedtopic.io.source import (
    PLAIN,
    SHOWN,
    UTF8,
    Limits,
    NumberedRow,
    Problems,
    Row,
    TableStyle,
    check_encoding,
    explained,
    is_folder,
    listed,
    matched_files,
    row_size,
    short,
    split_ending,
)
from seedtopic.text.rules import TextWithColumns
from seedtopic.text.spelling import near_spellings

State = tuple[Any, ...]
KEPT = 64 << 20  # bytes of rows that are kept in memory although they could be read again


def file_state(path: Path) -> State | None:
    """Return a value that changes when a file, or a file of a pattern, changes; None if it is kept."""
    if files := matched_files(path):
        states = [(str(file), file_state(file)) for file in files]
        return None if any(state is None for _, state in states) else tuple(states)
    with explained(str(path)):
        if not path.is_file() or split_ending(path)[0] in WORKBOOKS:
            return None
        about = path.stat()
        return about.st_size, about.st_mtime_ns


def check_unchanged(source: Source, state: State | None) -> None:
    """Raise an error if a file has changed since its state was asked for."""
    if file_state(source.path) != state:
        raise InputError(f"{source.name} was changed while it was being used: start again")


class RereadRows(Collection[Row]):
    """The rows of a file, which must not change meanwhile."""

    def __init__(self, source: Source, state: State, n_rows: int, columns: list[str]) -> None:
        self._source, self._state = source, state
        self._n_rows, self.columns = n_rows, columns

    def __len__(self) -> int:
        return self._n_rows

    def __iter__(self) -> Iterator[Row]:
        return (row for _, row in self.numbered())

    def __contains__(self, row: object) -> bool:
        return any(own == row for own in self)

    def numbered(self) -> Iterator[NumberedRow]:
        """Yield the rows with their line numbers."""
        check_unchanged(self._source, self._state)
        with huge_cells():
            yield from source_rows(self._source, Problems())  # reported the first time
        check_unchanged(self._source, self._state)


class ColumnStrings(Collection[str]):
    """One column of rows as strings, made when they are needed; each may know other columns of its row."""

    def __init__(self, rows: Collection[Row], column: str, others: Sequence[str] = ()) -> None:
        self._rows, self._column, self._others = rows, column, others

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[str]:
        strings = (as_string(row.get(self._column)) for row in self._rows)
        if not self._others:
            return strings
        others = ({name: as_string(row.get(name)) for name in self._others} for row in self._rows)
        return map(TextWithColumns.of, strings, others)

    def __contains__(self, text: object) -> bool:
        return any(own == text for own in self)


@dataclass(frozen=True)
class Rows:
    """Documents with the rows they came from.

    Parameters
    ----------
    texts, labels, ids : collection of str
        One per document; `labels` are None if none were asked for, and `ids` if the input has none.
    rows : collection of dict
        The input's own columns, in order; the text column, `text_field`, is among them.
    text_field : str
    notes, problems : list of str
        Remarks on how the input was read, and its problems, one sentence each.
    unusable : int
        Number of rows that were left out, have no text, or are damaged.
    without_text : frozenset of int
        The positions of documents without a text: it is missing, empty or blank.
    style : TableStyle
        How the input was written, so that a labelled copy is written likewise.
    numbers : sequence of int
        The number of each row as a spreadsheet program or an editor shows it.

    Examples
    --------
    >>> rows = Rows(texts=["a goal"], rows=[{"text": "a goal", "stars": 5}])
    >>> len(rows), rows.columns, list(rows.column("stars"))
    (1, ['text', 'stars'], ['5'])
    """

    texts: Collection[str]
    rows: Collection[Row]
    text_field: str = "text"
    labels: Collection[str] | None = None
    ids: Collection[str] | None = None
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unusable: int = 0
    without_text: frozenset[int] = frozenset()
    style: TableStyle = PLAIN
    numbers: Sequence[int] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.texts)

    def number_of(self, place: int) -> int:
        """Return the number of a row in the program in which a person opens the source.

        Parameters
        ----------
        place : int
        """
        return self.numbers[place] if self.numbers else place + 1

    @property
    def has_text(self) -> NDArray[np.bool_]:
        """Whether each document has a text."""
        has_text = np.ones(len(self), dtype=bool)
        has_text[list(self.without_text)] = False
        return has_text

    @cached_property
    def columns(self) -> list[str]:
        """Every column that occurs in a row, in the order of first appearance."""
        if isinstance(self.rows, RereadRows):
            return self.rows.columns
        return list(dict.fromkeys(chain.from_iterable(self.rows)))

    def column(self, name: str) -> Collection[str]:
        """Return one column as strings, empty where a row has no value.

        Parameters
        ----------
        name : str
        """
        if name not in self.columns:
            near = near_spellings(name, dict.fromkeys(self.columns, 1))
            known = listed(list(dict.fromkeys([*near, *self.columns])))
            raise InputError(f"the documents have no column {name!r}: use one of {known}")
        return ColumnStrings(self.rows, name)


class NoDocumentsError(InputError):
    """A source has no row at all."""


@dataclass(frozen=True)
class Fields:
    """Which columns of a source are read, and as what."""

    text: str | None = None  # None where nobody has named the column
    label: str | None = None
    id: str | None = None
    others: Sequence[str] = ()  # columns that rules of seeds ask for

    @property
    def text_column(self) -> str:
        """The column of the texts, once it was chosen."""
        assert self.text is not None
        return self.text


def read_documents(
    source: str | Path,
    *,
    text_field: str | None = None,
    label_field: str | None = None,
    id_field: str | None = None,
    format: str | None = None,
    sheet: str | None = None,
    on_row: Callable[[int], None] | None = None,
    keep_rows: bool = True,
    encoding: str = UTF8,
    strict: bool = False,
    columns: Sequence[str] = (),
    max_memory: MaxMemory = None,
) -> Rows:
    """Read documents from a file, a folder of text files or standard input.

    A row that cannot be used (no JSON object, more cells than columns, ...) is left out, a row without a text
    (missing, empty or blank) is kept, and invalid bytes become replacement characters. All of these are
    counted, and the first few listed, in a warning and in `Rows.problems`.

    Parameters
    ----------
    source
        A ``.jsonl``, ``.csv``, ``.tsv``, ``.txt`` (one document per line) or ``.parquet`` file, each also
        with ``.gz`` appended; an ``.xlsx`` spreadsheet; a pattern such as ``news/*.csv``, whose files are
        read one after another in the order of their names; a folder of Parquet files, read likewise; a
        folder, with one document per file and a sub-folder per label; or ``"-"`` for standard input, read as
        JSON lines if it starts with ``{`` and as one document per line otherwise.
    text_field
        Column of the texts. By default ``text``, or else the one column that clearly contains the longest
        strings.
    label_field
        Column of the true labels. By default none are read, except from the sub-folders of a folder.
    id_field
        Column of the ids. By default ``id``, if there is one.
    format
        ``"jsonl"``, ``"csv"``, ``"tsv"`` or ``"txt"``; overrides the file's ending.
    sheet
        The sheet of a spreadsheet: its name, or its number from 1. By default the first one with a table.
    on_row
        Called after each row with the number of rows read so far.
    keep_rows
        Whether to keep the rows in memory, as lists, however many they are. Otherwise a file whose rows take
        more than 64 MB is read again each time its texts or rows are needed; a folder, a spreadsheet, and a
        source that can be read only once, such as standard input, are always kept.
    encoding
        Encoding of the source, by its Python name. A byte order mark at the beginning overrides it.
    strict
        Whether the first row that cannot be used as it is raises an error.
    columns
        Other columns that rules of seeds ask for; each text knows what its row has there.
    max_memory
        Bytes, or an amount such as ``"4GB"``. It is an error if a source that can only be kept in memory
        takes more, or a row more than an eighth of it.

    Returns
    -------
    Rows
        Its `texts`, `labels`, `ids` and `rows` have one value per document; see the how-to "Files".

    Raises
    ------
    InputError
        When the source cannot be read, or none of its rows can be used; the message says where, and
        how to fix it.

    Warns
    -----
    UnusableDocuments
        When some rows could not be used as they are.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "news.csv")
    ...     _ = path.write_text("id,text\\n7,A late goal\\n8,Rates rise\\n", encoding="utf-8")
    ...     documents = read_documents(path)
    >>> documents.texts, documents.ids
    (['A late goal', 'Rates rise'], ['7', '8'])
    """
    place, limits = checked_source(source, format, encoding, sheet), Limits.of(max_memory)
    name, problems, size = place.name, Problems(strict=strict, limits=limits), 0
    in_memory: list[Row] | None = []
    numbers = array("q")
    state = None if keep_rows else file_state(place.path)

    def passing() -> Iterator[NumberedRow]:
        nonlocal size, in_memory
        for count, (number, row) in enumerate(source_rows(place, problems), 1):
            if in_memory is not None:
                numbers.append(number)
                in_memory.append(row)
                size += row_size(row)
                if state is None:
                    limits.check_kept(name, size)
                elif size > KEPT:
                    in_memory = None
            if on_row is not None:
                on_row(count)
            yield number, row

    with huge_cells():
        table = Table(name, passing())
    require_rows(table, problems)
    again = RereadRows(place, state, table.n_rows, table.columns) if in_memory is None and state else None
    rows: Collection[Row] = again or in_memory or ()

    def strings(column: str, *, of_texts: bool = False) -> Collection[str]:
        values = ColumnStrings(rows, column, columns if of_texts else ())
        return list(values) if again is None else values

    if label_field is None and is_folder(place.path) and "label" in table.columns:
        label_field = "label"
    fields = chosen_fields(table, Fields(text_field, label_field, id_field, columns))
    texts = strings(fields.text_column, of_texts=True)
    labels = None if fields.label is None else strings(fields.label)
    ids = None if fields.id is None else strings(fields.id)
    without: dict[int, int] = {}  # positions of rows without a text, each with its line number
    sentences = problems.sentences(name)
    if table.n_without_text(fields.text_column):
        numbered = again.numbered() if again else zip(numbers, rows, strict=True)
        without = {
            place: number
            for place, (number, row) in enumerate(numbered)
            if not has_text(row.get(fields.text_column))
        }
        first = list(without.values())[:SHOWN]
        sentences.append(about_missing(name, fields.text_column, len(without), first, strict))
    shown: Sequence[int] = numbers if len(numbers) == table.n_rows else ()  # as its program shows them
    if (place.format or split_ending(place.path)[0]) in DELIMITERS and not matched_files(place.path):
        shown = range(2, table.n_rows + 2)  # not the line, since a cell may have several
    if unusable := problems.count + len(without):
        warnings.warn("; ".join(sentences), UnusableDocuments, stacklevel=2)
    return Rows(
        texts=texts,
        rows=rows,
        text_field=fields.text_column,
        labels=labels,
        ids=ids,
        notes=[*table.notes, *problems.remarks],
        problems=sentences,
        unusable=unusable,
        without_text=frozenset(without),
        style=TableStyle(**problems.style),
        numbers=shown,
    )


def checked_source(
    source: str | Path, format: str | None = None, encoding: str = UTF8, sheet: str | None = None
) -> Source:
    """Name a source of documents, after a check of what does not need to read it."""
    if not str(source):
        raise InputError("the path of the documents is empty: name a file, a folder, or - for standard input")
    if format is not None and format not in TEXT_FORMATS:
        raise InputError(f"the format {format!r} is not known: use one of {', '.join(TEXT_FORMATS)}")
    check_encoding(encoding)
    return Source(Path(source), format, encoding, sheet)


def chosen_fields(table: Table, asked: Fields) -> Fields:
    """Choose the columns that nobody has named; note what was chosen, and what is missing, in the table."""
    text = table.text_column(asked.text, {"label", "id", asked.label, asked.id})
    own_id = "id" in table.columns and table.is_plain("id")
    chosen = replace(asked, text=text, id="id" if asked.id is None and own_id else asked.id)
    for column in (*chosen.others, text):
        table.require(column, of_texts=True)
    for named in (chosen.label, chosen.id):
        if named is not None:
            table.require(named)
    return chosen


def require_rows(table: Table, problems: Problems) -> None:
    """Raise an error if no row of a source can be used."""
    if table.n_rows:
        return
    if problems.n_left_out:
        raise problems.nothing_left(table.name)
    raise NoDocumentsError(f"{table.name} contains no documents: give a source with at least one")


def about_missing(name: str, column: str, count: int, first: list[int], strict: bool) -> str:
    """Return how many rows have no text, and the lines of the first few; an error if `strict`."""
    if strict:
        place = f"{name}:{first[0]}" if first else f"a row of {name}"
        raise InputError(f"{place} has no text in the column {column!r}: add one, or remove the row")
    have = "has" if count == 1 else "have"
    where = f" (first: line {', '.join(map(str, first))})" if first else ""
    return (
        f"{number_of(count, 'row')} of {name} {have} no text in the column {short(column)} and {have} no "
        f"label{where}"
    )


def find_document(documents: Rows, name: str) -> tuple[int, str, int]:
    """Return the place and the text of the document with an id, and how many others have the same id.

    Parameters
    ----------
    documents : Rows
    name : str
        The id, or the number of the row, as `Rows.number_of` gives it, if the documents have no ids.

    Examples
    --------
    >>> find_document(Rows(texts=["a goal", "a bank"], rows=[{}, {}], ids=["x", "y"]), "y")
    (1, 'a bank', 0)
    """
    if documents.ids is not None:
        ids = list(documents.ids)
        if name not in ids:
            near = near_spellings(name, dict.fromkeys(ids, 1)) or ids[:3]
            shown = ", ".join(map(repr, near))
            raise InputError(f"no document has the id {name!r}: the ids are {shown}, ...")
        position, like_it = ids.index(name), ids.count(name) - 1
    else:
        numbers = [documents.number_of(place) for place in range(len(documents))]
        if not (name.isascii() and name.isdigit() and int(name) in numbers):
            raise InputError(
                f"the documents have no ids, and {name!r} is not the number of a row: give one from "
                f"{numbers[0]} to {numbers[-1]}, or name the column of the ids with --id-field."
            )
        position, like_it = numbers.index(int(name)), 0
    return position, next(islice(documents.texts, position, None)), like_it
