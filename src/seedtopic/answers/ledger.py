"""The ledger: what people have said of texts, one row an answer, in a CSV file that is only ever added to."""

from __future__ import annotations

import csv
import getpass
import io
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Self

from seedtopic.answers.identity import identity_of_cell
from seedtopic.answers.resolved import Documents, Resolved, resolved, verdicts
from seedtopic.base.errors import InputError
from seedtopic.base.files import lock, read_regular
from seedtopic.io.formats.delimited import huge_cells
from seedtopic.io.source import as_before, is_folder, safe, split_ending
from seedtopic.seeds.names import Label, Names

ENDING = ".answers.csv"
MOST_BYTES = 1 << 32
PATIENCE = 10.0  # seconds to wait for another program that is adding answers
_SPREADSHEET = "cp1252"
_DELIMITERS = ",;\t"


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
    encoding: str = "utf-8"
    line_end: str = "\n"


@dataclass
class Answers(Sequence[Answer]):
    """All answers about a collection, in the order in which they came.

    Attributes
    ----------
    path : Path, optional
        The file; without one, answers are only kept in memory.
    problems : list of str
        Rows of the file that cannot be used, one sentence each.

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
    _rows: list[Answer] = field(default_factory=list, repr=False)
    _memory: _Memory | None = field(default=None, repr=False)
    _state: tuple[int, int] | None = field(default=None, repr=False)  # of the file when it was read
    _style: _Style = field(default_factory=_Style, repr=False)

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

    def __getitem__(self, place):  # type: ignore[no-untyped-def]
        return self._rows[place]

    def refresh(self) -> bool:
        """Read the file again if it has changed since, as by Excel or a colleague; return whether it had."""
        if self.path is None or (state := _state_of(self.path)) == self._state:
            return False
        content = b"" if state is None else _content(self.path)
        self._rows, self.problems, self._style = _parsed(content, self.path)
        self._memory, self._state = None, state
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

    def verdicts(self, names: Names | None = None) -> dict[str, Label]:
        """Return what the answers about each text come to, by `identity`, where no documents are known yet.

        Parameters
        ----------
        names : Names, optional
            The categories, as for `matching`.
        """
        return verdicts(self._rows, names)

    def add(self, answers: Iterable[Answer], *, once: bool = False) -> int:
        """Add answers in one write, and return how many are new.

        What somebody has said last is not added again. Where `by` or `at` is empty, it is the user of this
        machine, now.

        Parameters
        ----------
        answers : iterable of Answer
        once : bool
            Whether to leave out, too, what the same person has ever said in the same way (`how`), as in a
            sheet that is given a second time: a later answer that came in another way stays the newest.
        """
        new = [_completed(answer) for answer in answers]
        if not new:
            return 0
        if self.path is None:
            return self._take(new, once)
        with _locked(self.path) as descriptor:
            self.refresh()
            before = len(self._rows)
            if count := self._take(new, once):
                try:
                    _append(descriptor, self._rows[before:], self._style)
                except BaseException as error:
                    del self._rows[before:]
                    self._memory = None
                    if not isinstance(error, OSError):
                        raise
                    raise InputError(
                        f"{self.path} could not be added to ({error.strerror or error}): free space, or name "
                        "another file with --answers."
                    ) from error
                self._state = _state_of(self.path)
        return count

    def _take(self, new: list[Answer], once: bool) -> int:
        if self._memory is None:
            self._memory = _Memory(self._rows)
        before = len(self._rows)
        for answer in new:
            if not self._memory.has(answer, once):
                self._memory.add(answer)
                self._rows.append(answer)
        return len(self._rows) - before


class _Memory:
    """What was ever said in which way, and what each person has said last."""

    def __init__(self, rows: Iterable[Answer]) -> None:
        self._ever: set[tuple[str, ...]] = set()
        self._last: dict[tuple[str, ...], str] = {}
        for answer in rows:
            self.add(answer)

    def add(self, answer: Answer) -> None:
        self._ever.add((*self._about(answer), answer.answer, answer.how))
        self._last[self._about(answer)] = answer.answer

    def has(self, answer: Answer, once: bool) -> bool:
        ever = (*self._about(answer), answer.answer, answer.how) in self._ever
        return (once and ever) or self._last.get(self._about(answer)) == answer.answer

    @staticmethod
    def _about(answer: Answer) -> tuple[str, ...]:
        return answer.text, "" if answer.text else answer.id, answer.by


def ledger_of(documents: str | Path, named: str | None = None) -> Answers | None:
    """Return the answers about documents: in the file that is named, or beside the documents.

    There are none where the name is ``none``, and for standard input, beside which there is no place.
    """
    if named is not None:
        return None if named == "none" else Answers.read(named)
    if str(documents) == "-":
        return None
    return Answers.read(place_beside(Path(documents)))


def place_beside(documents: Path) -> Path:
    """Return where the answers about a file, a folder or the files of a pattern are."""
    if any(character in str(documents) for character in "*?[") and not documents.exists():
        fixed = documents.parent
        while any(character in str(fixed) for character in "*?["):
            fixed = fixed.parent
        return fixed / f"all{ENDING}"
    documents = Path(os.path.abspath(documents))
    if is_folder(documents):
        return documents.with_name(documents.name + ENDING)
    ending, gzipped = split_ending(documents)
    stem = documents.name.removesuffix(documents.suffix) if gzipped else documents.name
    if ending:
        stem = stem.removesuffix(Path(stem).suffix)
    return documents.with_name(stem + ENDING)


def now() -> str:
    """Return the time as answers state it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def user() -> str:
    """Return who is answering on this machine: SEEDTOPIC_USER in the environment, or the login name."""
    try:
        return os.environ.get("SEEDTOPIC_USER") or getpass.getuser()
    except (OSError, KeyError):  # a container may have no name for its user
        return "me"


def _completed(answer: Answer) -> Answer:
    in_line = Answer(*(" ".join(value.split()) for value in answer))
    text = identity_of_cell(answer.text)
    return in_line._replace(text=text, by=in_line.by or user(), at=in_line.at or now())


def _state_of(path: Path) -> tuple[int, int] | None:
    try:
        about = path.stat()
    except FileNotFoundError:
        return None
    return about.st_size, about.st_mtime_ns


def _content(path: Path) -> bytes:
    try:
        return read_regular(path, MOST_BYTES)
    except InputError as error:
        raise InputError(f"{path} {error}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error}): name another file.") from error


def _parsed(content: bytes, path: Path) -> tuple[list[Answer], list[str], _Style]:
    """Read the rows of a file, which Excel may have saved in its own way, and what is wrong with some."""
    style = _Style()
    if not content.strip():
        return [], [], style
    try:
        text = content.decode("utf-8-sig")
        style.encoding = "utf-8"
    except UnicodeDecodeError:
        text = content.decode(_SPREADSHEET, "replace")
        style.encoding = _SPREADSHEET
    first = text.partition("\n")[0]
    style.line_end = "\r\n" if first.endswith("\r") else "\n"
    style.delimiter = max(_DELIMITERS, key=first.count)
    with huge_cells():
        records = csv.reader(io.StringIO(text, newline=""), delimiter=style.delimiter)
        header = [name.strip().casefold() for name in next(records)]
        if missing := [name for name in _NEEDED if name not in header]:
            raise InputError(
                f"{path} is no file of answers, it has no column {missing[0]!r}: name another file with "
                f"--answers, or give it the columns {', '.join(COLUMNS)}."
            )
        style.columns = header
        place = {name: header.index(name) for name in COLUMNS if name in header}
        rows, problems = [], []
        for number, cells in enumerate(records, 2):  # as spreadsheet programs count them
            if not any(cells):
                continue
            values = {name: as_before(cells[k].strip()) for name, k in place.items() if k < len(cells)}
            answer = Answer(**{"text": "", **values})
            answer = answer._replace(text=identity_of_cell(answer.text))
            lack = _lack(answer, torn=len(cells) < len(header))
            if lack:
                problems.append(f"row {number} of {path} {lack} and is not used: complete it, or remove it")
            else:
                rows.append(answer)
    return rows, problems, style


def _lack(answer: Answer, *, torn: bool) -> str:
    """Return what is wrong with a row, if anything; a loss of power or a full disk may have torn it."""
    if torn:
        return "is torn"
    if not answer.answer:
        return "has no answer"
    return "" if answer.text or answer.id else "has neither text nor id"


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Open a file to add to it, while nobody else does."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        except OSError as error:
            raise InputError(
                f"{path} cannot be written ({error.strerror or error}): close it in other programs, or name "
                "another file with --answers."
            ) from error
        try:
            if _mine(descriptor, path):
                yield descriptor
                return
        finally:
            os.close(descriptor)
        if time.monotonic() > until:
            raise InputError(f"{path} is being written by another program: close that, and try again.")
        time.sleep(0.005)


def _mine(descriptor: int, path: Path) -> bool:
    """Lock an open file; False where another has it, or has put another file in its place."""
    try:
        lock(descriptor)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a system without locks
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _append(descriptor: int, rows: list[Answer], style: _Style) -> None:
    """Write rows at the end of a file at once; a row that was torn there is closed first."""
    size = os.fstat(descriptor).st_size
    text = io.StringIO(newline="")
    table = csv.DictWriter(
        text, style.columns, restval="", extrasaction="ignore",
        delimiter=style.delimiter, lineterminator=style.line_end,
    )  # fmt: skip
    if not size:
        text.write("\ufeff")  # by which spreadsheet programs know UTF-8
        table.writeheader()
    else:
        os.lseek(descriptor, max(0, size - (1 << 20)), os.SEEK_SET)
        last = os.read(descriptor, 1 << 20).rpartition(b"\n")[2]
        if last:
            text.write(('"' if last.count(b'"') % 2 else "") + style.line_end)
    table.writerows({name: safe(value) for name, value in row._asdict().items()} for row in rows)
    unknown = "strict" if style.encoding == "utf-8" else "xmlcharrefreplace"
    content = text.getvalue().encode(style.encoding, unknown)
    try:
        for begin in range(0, len(content), 1 << 30):
            part = memoryview(content)[begin : begin + (1 << 30)]
            while part:
                part = part[os.write(descriptor, part) :]
        os.fsync(descriptor)
    except BaseException:
        os.ftruncate(descriptor, size)
        raise
