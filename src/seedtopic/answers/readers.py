"""Answers in the files that people edit: a filled-in sheet, corrected labels, a column of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from seedtopic.answers.ledger import BLIND, Answer, Answers, place_beside, user
from seedtopic.answers.sheet import HOW
from seedtopic.base.errors import InputError
from seedtopic.io.columns import as_string
from seedtopic.io.formats import DELIMITERS, WORKBOOKS, WRITTEN_TEXTS
from seedtopic.io.formats.delimited import huge_cells
from seedtopic.io.formats.text import Source, source_rows
from seedtopic.io.predictions import ADDED, CHECKED, CONFIRMED, WAS_PREDICTED, written_with
from seedtopic.io.rows import Rows
from seedtopic.io.source import NumberedRow, Problems, Row, as_before, split_ending
from seedtopic.io.write import check_output
from seedtopic.seeds.names import NONE_OF_THESE, Names, written
from seedtopic.text.identity import identity, identity_of_cell

SPREADSHEET = "cp1252"
TABLES = (*WRITTEN_TEXTS, "parquet", *WORKBOOKS)
_PREDICTED, _SOURCE = ADDED[0], ADDED[-1]


@dataclass
class Brought:
    """The answers that a file or column brings."""

    answers: list[Answer] = field(default_factory=list)
    # Those that change a confirmed label, which is in `predicted`: as long as that stands, they are new.
    changes: list[Answer] = field(default_factory=list)
    # Labels that were confirmed when the file was written: they count where nothing else is known of a text.
    earlier: list[Answer] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # one sentence each
    left_empty: int = 0  # rows of a random sample that nobody has answered


@dataclass(frozen=True)
class EditedTable:
    """Where the answers of a person stand in a table that they have edited."""

    text: str | None
    id: str | None
    by: str | None
    how: str | None  # which a sheet of `audit` says of each row
    checked: str | None
    predicted: str | None  # with what was predicted when the file was written
    was: str | None
    source: str | None

    @classmethod
    def of(
        cls,
        columns: Collection[str],
        text_field: str = "text",
        own: str | None = None,
        others: Collection[str] = (),
    ) -> EditedTable | None:
        """Find the columns; `own` was named by the user, and one in `others` does not say who answered."""
        prefix = written_with(columns)
        predicted = None if prefix is None else prefix + _PREDICTED
        was = f"{prefix}{WAS_PREDICTED}"
        is_ours = own is None or own == predicted
        checked = (CHECKED if CHECKED in columns else None) if is_ours else own
        if checked is None and prefix is None:
            return None
        return cls(
            next((name for name in (text_field, "text") if name in columns), None),
            "id" if "id" in columns else None,
            "by" if "by" in columns and "by" not in others else None,
            next((name for name in columns if name.replace("seedtopic_", "") == HOW), None),
            checked,
            predicted if is_ours else None,
            was if is_ours and was in columns else None,
            f"{prefix}{_SOURCE}" if is_ours and prefix is not None else None,
        )

    def answer(self, row: Row) -> tuple[str, bool]:
        """Return what a person says in a row, and whether that was known when the file was written."""
        if self.checked is not None and (checked := _cell(row, self.checked)):
            return checked, False
        if self.predicted is None:
            return "", False
        predicted = _cell(row, self.predicted)
        if self.was is not None and predicted and predicted != _cell(row, self.was):
            return predicted, False
        if _cell(row, self.source) != CONFIRMED:
            return "", False
        return predicted or NONE_OF_THESE, True

    def before(self, row: Row) -> tuple[str, bool]:
        """Return what was predicted when the table was written, and whether a person had said so."""
        column = self.predicted if self.was is None else self.was
        return _cell(row, column), _cell(row, self.source) == CONFIRMED


def answers_of_file(path: str | Path, documents: Rows, names: Names, *, by: str = "") -> Brought:
    """Read the answers about documents in a file."""
    if not (rows := numbered_rows(path)):
        raise InputError(f"{path} contains no documents: give the file that you have filled in.")
    columns = list(dict.fromkeys(name for _, row in rows for name in row))
    if CHECKED not in columns and {"text", "answer"} <= {name.casefold() for name in columns}:
        ledger = Answers.read(path)
        return Brought(list(ledger), problems=ledger.problems)
    table = EditedTable.of(columns, documents.text_field, others=documents.columns)
    if table is None:
        raise InputError(
            f"{path} has no column {CHECKED!r}, and none of the columns of labelled files: give a file that "
            "label, next or audit has written, or one with your answers in a column 'checked'."
        )
    if table.text is None and table.id is None:
        raise InputError(
            f"{path} has no column {documents.text_field!r}, by which the documents could be found: add it."
        )
    is_numbered = split_ending(Path(path))[0] in DELIMITERS  # whose cells may have several lines
    numbered = ((place if is_numbered else number, row) for place, (number, row) in enumerate(rows, 2))
    brought = _brought(numbered, table, names, Path(path).name, by)
    if not (brought.answers or brought.changes or brought.earlier or brought.problems):
        raise InputError(f"{path} has no answer: write some into the column {CHECKED!r}.")
    return brought


def answers_of_people(paths: Sequence[str]) -> Brought:
    """Read the answers in ledgers, in those beside documents, and in sheets, each filled in by one person."""
    ledgers = [place_beside(Path(path)) for path in paths]
    sheets = [
        Path(path).with_suffix("") for path, ledger in zip(paths, ledgers, strict=True) if not ledger.exists()
    ]
    stems = Counter(sheet.name for sheet in sheets)
    everything = Brought()
    for path, ledger in zip(paths, ledgers, strict=True):
        stem = Path(path).with_suffix("")
        if ledger.exists():
            answers = Answers.read(ledger)
            brought = Brought(list(answers), problems=answers.problems)
        else:
            brought = answers_of_file(path, Rows([], []), Names.listed([]))
        by = str(stem) if stems[stem.name] > 1 else stem.name
        everything.answers += [answer._replace(by=answer.by or by) for answer in brought.answers]
        everything.problems += brought.problems
    return everything


def answers_of_column(documents: Rows, column: str, names: Names, *, name: str) -> Brought:
    """Read the answers in a column of the documents."""
    table = EditedTable.of(documents.columns, documents.text_field, column)
    assert table is not None
    return _brought(_numbered(documents), table, names, f"column {column} of {name}", "", documents)


def answers_beside(documents: Rows, names: Names, *, name: str) -> Brought:
    """Read the answers in the documents' own table."""
    table = EditedTable.of(documents.columns, documents.text_field)
    if table is None:
        return Brought()
    # Where labelling has not written it, `checked` may be about something else, and not name a category.
    known_only = table.predicted is None
    return _brought(_numbered(documents), table, names, name, "", documents, known_only=known_only)


def _numbered(documents: Rows) -> Iterator[NumberedRow]:
    return ((documents.number_of(place), row) for place, row in enumerate(documents.rows))


def numbered_rows(path: str | Path) -> list[NumberedRow]:
    """Read all rows of a file that a spreadsheet program may have saved, not always as UTF-8."""
    problems = Problems()
    with huge_cells():
        rows = list(source_rows(Source(Path(path)), problems))
        if problems.count > problems.n_left_out:
            problems = Problems()
            rows = list(source_rows(Source(Path(path), encoding=SPREADSHEET), problems))
    if problems.n_left_out:
        raise InputError(f"{problems.sentences(str(path))[-1]}: correct it.")
    return rows


def unread_answers(path: str | Path, ledger: Answers) -> int:
    """Count the answers in a table that are not in the ledger."""
    try:
        check_output(path)
        brought = answers_of_file(path, Rows([], []), Names.listed([]))
    except InputError:
        return 0  # it is no table of ours
    me, name = user(), Path(path).name
    ever = {_statement(answer) for answer in ledger if answer.by == me}
    newest = {(answer.text or answer.id, answer.by): answer for answer in ledger}
    # What a colleague has said last in this file is known, too.
    last = {_statement(answer) for answer in newest.values() if answer.by == me or answer.how == name}
    return sum(_statement(answer) not in ever | last for answer in brought.answers) + sum(
        _statement(answer) not in last for answer in brought.changes
    )


def _statement(answer: Answer) -> tuple[str, str]:
    return answer.text or answer.id, answer.answer.casefold()


def column_of(confirmed: str | None) -> str | None:
    """Return the column of the documents that holds answers; None where they are in a file."""
    return None if confirmed is None or split_ending(Path(confirmed))[0] in TABLES else confirmed


def _brought(
    rows: Iterable[NumberedRow],
    table: EditedTable,
    names: Names,
    how: str,
    by: str,
    documents: Rows | None = None,
    *,
    known_only: bool = False,
) -> Brought:
    """Read the answers of a table; of the documents' own, texts are taken as they are."""
    brought = Brought()
    first_answers: dict[str, tuple[int, str]] = {}
    contradicted: set[str] = set()
    statements: list[tuple[str, Answer, bool]] = []  # with the text, and whether a confirmed label changes
    ids = None if documents is None or documents.ids is None else iter(documents.ids)
    for number, row in rows:
        id = next(ids) if ids is not None else _cell(row, table.id)
        word, is_earlier = table.answer(row)
        way = _cell(row, table.how)
        is_blind = way.startswith(BLIND)
        if not word:
            brought.left_empty += is_blind
            continue
        label = names.label(word)
        if label is None and known_only:
            continue
        answer = word if label is None else written(label)
        text = "" if table.text is None else as_string(row.get(table.text))
        text = identity_of_cell(as_before(text)) if documents is None else identity(text)
        who, (was, was_confirmed) = _cell(row, table.by) or by, table.before(row)
        if was_confirmed:
            was = written(names.label(was or NONE_OF_THESE) or was)
        known = Answer(text, id, answer, who, "", way if is_blind else how, was)
        if is_earlier:
            brought.earlier.append(known)
            continue
        if not (about := text or (id and f"id {id}")):
            brought.problems.append(f"row {number} of {how} has neither text nor id and is not used: add one")
            continue
        first = first_answers.setdefault(f"{about}\n{known.by}", (number, answer))
        if first[1] != answer:
            if about not in contradicted:
                brought.problems.append(
                    f"rows {first[0]} and {number} of {how} say {first[1]!r} and {answer!r} of the same "
                    "text, and neither is used: correct one"
                )
            contradicted.add(about)
        statements.append((about, known, was_confirmed and was != answer))
    for about, known, is_change in statements:
        if about not in contradicted:
            (brought.changes if is_change else brought.answers).append(known)
    return brought


def _cell(row: Row, column: str | None) -> str:
    return "" if column is None else as_before(as_string(row.get(column))).strip()
