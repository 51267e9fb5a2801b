"""The ledger: what people have said of texts, one row an answer, in a CSV file that is only ever added to."""

from __future__ import annotations

import codecs
import csv
import getpass
import io
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from glob import has_magic
from pathlib import Path
from typing import NamedTuple, Self

from seedtopic.answers.resolved import Documents, Resolved, resolved, verdicts
from seedtopic.base.errors import InputError
from seedtopic.base.files import is_ours, read_regular
from seedtopic.io.formats.delimited import huge_cells
from seedtopic.io.source import ANSWERS_ENDING, as_before, is_folder, safe, split_ending
from seedtopic.seeds.names import Label, Names
from seedtopic.text.identity import identity, identity_of_cell, normal

BLIND = "audit "  # begins how an answer came that was given to a document of a random sample
MOST_BYTES = 1 << 32
PATIENCE = 10.0  # seconds to wait for another program that is adding answers
_SPREADSHEET = "cp1252"
_DELIMITERS = ",;\t"
_AS_IT_IS = getattr(os, "O_BINARY", 0)  # without it, Windows writes other line ends
_TORN = "(torn row)"  # ends such a row, so that its last cells are not taken for empty ones


class Answer(NamedTuple):
    """What somebody said of one text.

    Attributes
    ----------
    text : str
        The text, in one line; a long one by its beginning and checksum, see `identity`. Empty where only the
        id is known.
    id : str
        The id of the document, if it has one.
    answer : str
        A category, several joined by ``"; "``, or ``(none of these)``, ``(skipped)`` or ``(withdrawn)``.
    by : str
        The person, or ``model:NAME``.
    at : str
        When, as in ``2024-03-05T14:07:31Z``.
    how : str
        The way by which it came, such as ``studio`` or ``checked.xlsx``.
    predicted : str
        What the model said of the text at that time, if that is known.

    Examples
    --------
    >>> Answer("A late goal", answer="sports", by="Ada").by
    'Ada'
    """

    text: str
    id: str = ""
    answer: str = ""
    by: str = ""
    at: str = ""
    how: str = ""
    predicted: str = ""


COLUMNS = Answer._fields
_NEEDED = ("text", "answer")


@dataclass
class _Style:
    """How a file is written that a spreadsheet program may have saved since."""

    columns: Sequence[str] = COLUMNS
    delimiter: str = ","
    line_end: str = "\n"
    # What to write before the next row: at first the mark by which spreadsheet programs know UTF-8, and the
    # names of the columns; later nothing, but where the last row has no end.
    before: str = "\ufeff" + ",".join(COLUMNS) + "\n"


@dataclass
class Answers(Sequence[Answer]):
    """All answers about a collection, in the order in which they came.

    Attributes
    ----------
    path : Path, optional
        The file; without one, answers are only kept in memory.
    problems : list of str
        Rows of the file that cannot be used, one sentence each.
    n_readings : int
        How often the file was read.

    Examples
    --------
    >>> answers = Answers()
    >>> answers.add([Answer("A late  goal", answer="sports"), Answer("Tea", answer="none")])
    2
    >>> found = answers.matching(["Rates rise", "A late goal"], names=Names.listed(["sports", "money"]))
    >>> found.labels, found.sentence()
    ({1: 'sports'}, '2 answers: 1 is used, 1 is about a text that is not here')
    """

    path: Path | None = None
    problems: list[str] = field(default_factory=list)
    _rows: list[Answer] = field(init=False, default_factory=list, repr=False)
    # About a text, or an id without one.
    _about: dict[str, list[Answer]] = field(init=False, default_factory=dict, repr=False)
    # Of the file when it was read.
    _state: tuple[int, ...] | None = field(init=False, default=None, repr=False)
    _style: _Style = field(init=False, default_factory=_Style, repr=False)
    n_readings: int = field(init=False, default=0, repr=False)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a file of answers; where there is none yet, there are no answers.

        Parameters
        ----------
        path : path
        """
        answers = cls(Path(path))
        answers.refresh()
        return answers

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self._rows)

    def __getitem__(self, place):  # type: ignore[no-untyped-def]
        return self._rows[place]

    def refresh(self) -> bool:
        """Read the file again if it has changed since, as by Excel or a colleague; return whether it had."""
        if self.path is None or (state := _state_of(self.path)) == self._state:
            return False
        content = b"" if state is None else _content(self.path)
        rows, problems, style = _parsed(content, self.path)
        about: dict[str, list[Answer]] = {}
        for answer in rows:
            about.setdefault(_about(answer), []).append(answer)
        # At once: another thread, as that of a server, may be looking for answers.
        self._rows, self._about, self.problems = rows, about, problems
        self._style, self._state = style, state
        self.n_readings += 1
        return True

    def matching(
        self, texts: Iterable[str], ids: Iterable[str] | None = None, names: Names | None = None
    ) -> Resolved:
        """Find which answers are about documents, and what they come to.

        An answer belongs to all documents with its text; an id counts only where an answer has no text and
        one document has that id. Of one person the newest answer about a text counts, of several people the
        majority, and a person before a model.

        Parameters
        ----------
        texts : iterable of str
            The documents.
        ids : iterable of str, optional
            Their ids.
        names : Names, optional
            The categories; without them, an answer is taken as it stands.
        """
        return resolved(self._rows, Documents.of(self._rows, texts, ids), names)

    def verdicts(self, names: Names | None = None, texts: Iterable[str] | None = None) -> dict[str, Label]:
        """Return what the answers about each text come to, by `identity`, where no documents are known yet.

        Parameters
        ----------
        names : Names, optional
            The categories, as for `matching`.
        texts : iterable of str, optional
            The only texts that are asked for, which takes no longer the more answers there are.
        """
        if texts is None:
            return verdicts(self._rows, names)
        about = self._about
        return verdicts(
            [row for text in dict.fromkeys(map(identity, texts)) for row in about.get(text, ())], names
        )

    def add(self, answers: Iterable[Answer], *, once: bool = False) -> int:
        """Add answers in one write, and return how many are new.

        What somebody has said last is not added again, except of a document of a random sample. Where `by` or
        `at` is empty, it is the user of this machine, now.

        Parameters
        ----------
        answers : iterable of Answer
        once : bool
            Whether to leave out, too, what the same person has ever said of a text (at that time, where `at`
            is given), as in a sheet that is given a second time: a later answer stays the newest.
        """
        new = []
        for answer in answers:
            line = Answer(*map(normal, answer))
            line = line._replace(
                text=identity_of_cell(answer.text), by=line.by or user(), at=line.at or now()
            )
            new.append((line, answer.at if once else None))
        if not new:
            return 0
        if self.path is None:
            return self._take(new)
        with _locked(self.path) as descriptor:
            self.refresh()
            before = len(self._rows)
            if count := self._take(new):
                try:
                    _append(descriptor, self.path, self._rows[before:], self._style)
                except BaseException as error:
                    for answer in self._rows[before:]:
                        self._about[_about(answer)].pop()
                    del self._rows[before:]
                    if not isinstance(error, OSError):
                        raise
                    raise InputError(
                        f"{self.path} could not be added to ({error.strerror or error}): free space, or name "
                        "another file with --answers."
                    ) from error
                self._style.before = ""
                self._state = _state_of(descriptor)  # not of what may have been put in its place meanwhile
        return count

    def _take(self, new: list[tuple[Answer, str | None]]) -> int:
        """Take answers, each with the time at which it may have been taken before; None if it was not."""
        before = len(self._rows)
        for answer, at in new:
            own = [row for row in self._about.get(_about(answer), ()) if row.by == answer.by]
            # Given once more in a blind sample, it counts for that, too; and after one, not for that alone.
            is_blind = answer.how.startswith(BLIND)
            same = [row for row in own if row.answer == answer.answer]
            times = [row.at for row in same if row.how == answer.how or not is_blind]
            is_last = bool(same) and own[-1] is same[-1]
            if is_last and (is_blind or own[-1].how.startswith(BLIND)):
                is_last = own[-1].how == answer.how
            is_known = at is not None and (at in times if at else bool(times))
            if not is_last and not is_known:
                self._rows.append(answer)
                self._about.setdefault(_about(answer), []).append(answer)
        return len(self._rows) - before


def _about(answer: Answer) -> str:
    return answer.text or f"\n{answer.id}"  # no text has a line end


def ledger_of(documents: str | Path, named: str | None = None) -> Answers | None:
    """Return the answers in the file named, or beside the documents; None for ``none`` and standard input."""
    if named is not None:
        return None if named == "none" else Answers.read(named)
    if str(documents) == "-":
        return None
    return Answers.read(place_beside(Path(documents)))


def place_beside(documents: Path) -> Path:
    """Return where the answers about a file, a folder or the files of a pattern are."""
    if has_magic(str(documents)) and not documents.exists():
        fixed = documents.parent
        while has_magic(str(fixed)):
            fixed = fixed.parent
        return fixed / f"all{ANSWERS_ENDING}"
    documents = Path(os.path.abspath(documents))
    if is_folder(documents):
        return documents.with_name(documents.name + ANSWERS_ENDING)
    ending, gzipped = split_ending(documents)
    stem = documents.name.removesuffix(documents.suffix) if gzipped else documents.name
    if ending:
        stem = stem.removesuffix(Path(stem).suffix)
    return documents.with_name(stem + ANSWERS_ENDING)


def now() -> str:
    """Return the time as answers state it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def user() -> str:
    """Return who is answering on this machine: SEEDTOPIC_USER in the environment, or the login name."""
    try:
        return os.environ.get("SEEDTOPIC_USER") or getpass.getuser()
    except (OSError, KeyError):  # a container may have no name for its user
        return "me"


def _state_of(file: Path | int) -> tuple[int, ...] | None:
    try:
        about = os.stat(file)
    except FileNotFoundError:
        return None
    return about.st_ino, about.st_size, about.st_mtime_ns


def _content(path: Path) -> bytes:
    try:
        return read_regular(path, MOST_BYTES)
    except InputError as error:
        raise InputError(f"{path} {error}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error}): name another file.") from error


def _parsed(content: bytes, path: Path) -> tuple[list[Answer], list[str], _Style]:
    """Read the rows of a file, which Excel may have saved in its own way, and what is wrong with some."""
    style, text = _Style(), _decoded(content).lstrip("\ufeff \r\n")
    if not text.strip():
        return [], [], style
    first = text.partition("\n")[0]
    style.line_end = "\r\n" if first.endswith("\r") else "\n"
    style.delimiter = max(_DELIMITERS, key=first.count)
    is_ended = text.endswith(("\n", "\r"))
    lines = io.StringIO(text if is_ended else f"{text}\n{_TORN}", newline="")
    with huge_cells():
        # Not list(...), in which no other thread of a server would have its turn.
        records = [record for record in csv.reader(lines, delimiter=style.delimiter)]  # noqa: C416
    in_quotes = not is_ended and records[-1] != [_TORN]  # which have swallowed the line after them
    if not is_ended and not in_quotes:
        records.pop()
    header = [name.strip().casefold() for name in records[0]]
    if missing := [name for name in _NEEDED if name not in header]:
        raise InputError(
            f"{path} is no file of answers, it has no column {missing[0]!r}: name another file with "
            f"--answers, or give it the columns {', '.join(COLUMNS)}."
        )
    style.columns = header
    place = {name: header.index(name) for name in COLUMNS if name in header}
    # A last answer without an end may be the beginning of another; a time or a comment does no harm.
    n_cells = len(header) + (place["answer"] == len(header) - 1)
    is_torn = in_quotes or not (is_ended or len(records[-1]) >= n_cells or len(records) == 1)
    style.before = '"' * in_quotes + (style.delimiter + _TORN) * is_torn + style.line_end * (not is_ended)
    rows, problems = [], []
    for number, cells in enumerate(records[1:], 2):  # as spreadsheet programs count them
        if not any(cells):
            continue
        values = {name: as_before(cells[k].strip()) for name, k in place.items() if k < len(cells)}
        answer = Answer(**{"text": "", **values})
        answer = answer._replace(text=identity_of_cell(answer.text))
        lack = "has neither text nor id" * (not answer.text and not answer.id)
        lack = lack if answer.answer else "has no answer"
        # A loss of power or a full disk may have torn it.
        if lack := "is torn" if _TORN in cells or (is_torn and number == len(records)) else lack:
            problems.append(f"row {number} of {path} {lack} and is not used: complete it, or remove it")
        else:
            rows.append(answer)
    return rows, problems, style


def _decoded(content: bytes) -> str:
    """Decode a file: programs may have saved it in an older encoding, to which rows were added since."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        parts = []
        for line in content.removeprefix(codecs.BOM_UTF8).splitlines(keepends=True):
            try:
                parts.append(line.decode())
            except UnicodeDecodeError:
                parts.append(line.decode(_SPREADSHEET, "replace"))
        return "".join(parts)


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Open a file to add to it, while nobody else does."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _AS_IT_IS, 0o666)
        except OSError as error:
            raise InputError(
                f"{path} cannot be written ({error.strerror or error}): close it in other programs, or name "
                "another file with --answers."
            ) from error
        try:
            if is_ours(descriptor, path):
                yield descriptor
                return
        finally:
            os.close(descriptor)
        if time.monotonic() > until:
            raise InputError(f"{path} is being written by another program: close that, and try again.")
        time.sleep(0.005)


def _append(descriptor: int, path: Path, rows: list[Answer], style: _Style) -> None:
    """Write rows at the end of a file at once; a row that was torn there is closed first."""
    for name, is_needed in (("by", True), ("id", not all(row.text for row in rows))):
        if is_needed and name not in style.columns:
            raise InputError(
                f"{path} has no column {name!r}, which new answers need: add this name to its first row."
            )
    text = io.StringIO(newline="")
    text.write(style.before)
    table = csv.DictWriter(
        text, style.columns, restval="", extrasaction="ignore",
        delimiter=style.delimiter, lineterminator=style.line_end,
    )  # fmt: skip
    table.writerows({name: safe(value) for name, value in row._asdict().items()} for row in rows)
    content, size = text.getvalue().encode(), os.fstat(descriptor).st_size
    try:
        for begin in range(0, len(content), 1 << 30):
            part = memoryview(content)[begin : begin + (1 << 30)]
            while part:
                part = part[os.write(descriptor, part) :]
        os.fsync(descriptor)
    except BaseException:
        os.ftruncate(descriptor, size)
        raise
