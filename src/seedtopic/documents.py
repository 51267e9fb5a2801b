"""Files into documents: open bytes, decode lines, parse rows, pick the text column."""

from __future__ import annotations

import codecs
import csv
import difflib
import gzip
import io
import json
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from seedtopic.errors import InputError, MissingExtraError

Row = dict[str, Any]
NumberedRow = tuple[int, Row]

TEXT_FORMATS = ("jsonl", "csv", "tsv", "txt")
DELIMITERS = {"csv": ",", "tsv": "\t"}
_SHOWN = 3  # undecodable lines named in a note; the others are only counted
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class DecodingProblem:
    """A line whose bytes were not valid in its encoding and were read with replacement characters."""

    source: str
    line: int
    encoding: str = "UTF-8"


@dataclass(frozen=True)
class Documents:
    """Documents with the rows they came from.

    Parameters
    ----------
    texts
        One text per document.
    rows
        The input's own columns, in order, one dict per document; the text column is among them.
    text_field
        The column the texts were read from.
    labels
        One label per document (empty where the input has none), or None when none were asked for.
    ids
        One id per document, or None when the input has no column for them.
    notes
        What the user should know about the reading, one sentence each.

    Examples
    --------
    >>> documents = Documents(texts=["a goal"], rows=[{"text": "a goal", "stars": 5}])
    >>> len(documents), documents.columns
    (1, ['text', 'stars'])
    """

    texts: list[str]
    rows: list[Row]
    text_field: str = "text"
    labels: list[str] | None = None
    ids: list[str] | None = None
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def columns(self) -> list[str]:
        """Every column that occurs in a row, in the order of first appearance."""
        return list(dict.fromkeys(chain.from_iterable(self.rows)))


def read_documents(
    source: str | Path,
    *,
    text_field: str | None = None,
    label_field: str | None = None,
    id_field: str | None = None,
    format: str | None = None,
    on_row: Callable[[int], None] | None = None,
) -> Documents:
    """Read documents from a file, a folder of text files or standard input.

    Parameters
    ----------
    source
        A ``.jsonl``, ``.csv``, ``.tsv``, ``.txt`` (a document a line) or ``.parquet`` file, each also with
        ``.gz`` appended; a folder, whose files are a document each and whose sub-folders name the labels;
        or ``"-"`` for standard input, read as JSON lines when it begins with ``{`` and as a document a
        line otherwise.
    text_field
        Column of the texts. By default ``text``, or else the one column that clearly holds the longest
        strings.
    label_field
        Column of the true labels. By default none are read, except from the sub-folders of a folder.
    id_field
        Column of the ids. By default ``id``, where there is one.
    format
        ``"jsonl"``, ``"csv"``, ``"tsv"`` or ``"txt"``, whatever the file's ending says.
    on_row
        Called after each row with the number of rows read so far.

    Returns
    -------
    Documents

    Raises
    ------
    InputError
        When the source cannot be read; the message says where and how to mend it.

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
    path, name = Path(source), "standard input" if str(source) == "-" else str(source)
    if format is not None and format not in TEXT_FORMATS:
        raise InputError(f"the format {format!r} is not known: use one of {', '.join(TEXT_FORMATS)}")
    problems = _Problems()
    numbers: list[int] = []
    rows: list[Row] = []
    with _huge_cells():
        for number, row in _source_rows(path, name, format, problems):
            numbers.append(number)
            rows.append(row)
            if on_row is not None:
                on_row(len(rows))
    if not rows:
        raise InputError(f"{name} holds no documents: give a source with at least one")

    if label_field is None and _is_folder(path) and "label" in rows[0]:
        label_field = "label"
    table = _Table(name, numbers, rows, notes=problems.notes(name))
    text_field = table.text_column(text_field, {"label", "id", label_field, id_field})
    if id_field is None and "id" in table.columns and table.is_plain("id"):
        id_field = "id"
    return Documents(
        texts=table.strings(text_field),
        rows=rows,
        text_field=text_field,
        labels=None if label_field is None else table.strings(label_field),
        ids=None if id_field is None else table.strings(id_field),
        notes=table.notes,
    )


def split_ending(path: str | Path) -> tuple[str, bool]:
    """Split a file name's ending into its format and whether it is gzipped.

    Examples
    --------
    >>> split_ending("news.CSV.gz"), split_ending("news.jsonl"), split_ending("news")
    (('csv', True), ('jsonl', False), ('', False))
    """
    name = Path(path).name.lower()
    stem = name.removesuffix(".gz")
    return Path(stem).suffix.removeprefix("."), stem != name


def import_parquet(feature: str) -> tuple[Any, Any]:
    """Import ``pyarrow`` and ``pyarrow.parquet``, or say which extra `feature` needs."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError(feature, "pyarrow", "parquet") from None
    return pyarrow, pyarrow.parquet


# ---- sources -> numbered rows ------------------------------------------------------------------------


def _source_rows(path: Path, name: str, format: str | None, problems: _Problems) -> Iterator[NumberedRow]:
    if _is_folder(path):
        if format is not None:
            raise InputError(f"{name} is a folder, which has no format {format!r}: leave the format out")
        yield from _folder_rows(path, problems)
        return
    with _opened(path, name) as stream:
        kind = format or split_ending(path)[0]
        if kind == "parquet":
            yield from _parquet_rows(stream, name)
            return
        lines = _lines(stream, name, problems)
        if _is_piped(path) and format is None:
            kind, lines = _sniffed(lines)
        if kind == "jsonl":
            yield from _json_rows(lines, name, problems)
        elif kind == "txt":
            yield from _text_rows(lines)
        elif kind in DELIMITERS:
            yield from _table_rows(lines, name, DELIMITERS[kind])
        else:
            raise InputError(
                f"{name} has the ending {path.suffix!r}, which is not known: rename it to end in .jsonl, "
                ".csv, .tsv, .txt or .parquet (each also with .gz), or name its format"
            )


def _is_piped(path: Path) -> bool:
    return str(path) == "-"


def _is_folder(path: Path) -> bool:
    with _explained(str(path)):
        return not _is_piped(path) and path.is_dir()


def _folder_rows(folder: Path, problems: _Problems) -> Iterator[NumberedRow]:
    files = sorted(_visible_files(folder), key=lambda file: file.relative_to(folder).as_posix())
    if not files:
        raise InputError(f"{folder} is a folder without files: put one text file per document into it")
    in_folders = any(file.parent != folder for file in files)
    for number, file in enumerate(files, 1):
        # A file name may hold bytes that are not UTF-8; such an id could not be written out again.
        identity = os.fsencode(file.relative_to(folder).as_posix()).decode(errors="replace")
        with _opened(file, str(file)) as stream:
            row: Row = {"id": identity, "text": "".join(_lines(stream, str(file), problems))}
        if in_folders:
            row["label"] = None if file.parent == folder else Path(identity).parent.name
        yield number, row


def _visible_files(folder: Path) -> Iterator[Path]:
    def fail(error: OSError) -> None:
        raise error

    with _explained(str(folder)):
        for parent, subfolders, names in os.walk(folder, onerror=fail):
            subfolders[:] = [name for name in subfolders if not name.startswith(".")]
            files = (Path(parent, name) for name in names if not name.startswith("."))
            yield from (file for file in files if file.is_file())


def _json_rows(lines: Iterable[str], name: str, problems: _Problems) -> Iterator[NumberedRow]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            got = line.strip()
            got = got if len(got) <= 40 else got[:40] + "…"
            raise InputError(
                f"{name}:{number} is not a JSON object, got {got!r}: put one object on each line"
            )
        if "\\ud" in line.lower():  # an escaped half of a character pair cannot be written out again
            mended, lone = _LONE_SURROGATE.subn("\ufffd", json.dumps(row, ensure_ascii=False))
            if lone:
                problems.add(DecodingProblem(name, number, "Unicode"))
                row = json.loads(mended)
        yield number, row


def _table_rows(lines: Iterable[str], name: str, delimiter: str) -> Iterator[NumberedRow]:
    # Strict, because otherwise a quote that is never closed swallows all the rows after it.
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header: list[str] | None = None
    while True:
        number = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InputError(
                f"the row at {name}:{number} cannot be read ({error}): close every quote, and write a quote "
                "inside a quoted cell twice"
            ) from None
        if cells is None:
            return
        if header is None:
            header = _checked_header(cells, f"{name}:{number}")
        elif len(cells) > len(header):
            raise InputError(
                f"the row at {name}:{number} has {len(cells)} cells for {len(header)} columns: quote the "
                f"cells that hold a {delimiter!r}"
            )
        elif cells:
            yield number, dict(zip(header, cells + [""] * (len(header) - len(cells)), strict=True))


def _text_rows(lines: Iterable[str]) -> Iterator[NumberedRow]:
    blanks: list[NumberedRow] = []  # held back: they count only when a document follows
    for number, line in enumerate(lines, 1):
        text = line.removesuffix("\n").removesuffix("\r")
        blanks.append((number, {"text": text}))
        if text.strip():
            yield from blanks
            blanks.clear()


def _parquet_rows(stream: io.BufferedReader[Any], name: str) -> Iterator[NumberedRow]:
    pyarrow, parquet = import_parquet("reading .parquet files")
    with _explained(name):
        try:
            # In memory, because Parquet jumps about in the file and gzip cannot.
            file = parquet.ParquetFile(io.BytesIO(stream.read()))
            _checked_header(file.schema_arrow.names, name)
            batches = (batch.to_pylist() for batch in file.iter_batches())
            yield from enumerate(chain.from_iterable(batches), 1)
        except pyarrow.ArrowException as error:
            reason = str(error).splitlines()[0].rstrip(".")
            raise InputError(
                f"{name} is not a whole Parquet file ({reason}): fetch or write it again"
            ) from None


def _checked_header(columns: list[str], where: str) -> list[str]:
    if not any(columns):
        raise InputError(f"the header at {where} is empty: name the columns in the first line")
    twice = [column for column in dict.fromkeys(columns) if columns.count(column) > 1]
    if twice:
        raise InputError(f"the header at {where} holds {_listed(twice)} more than once: rename one of them")
    return columns


# ---- bytes -> decoded lines --------------------------------------------------------------------------


class _Problems:
    """The lines that could not be decoded: the first few, and how many there are."""

    def __init__(self) -> None:
        self.first: list[DecodingProblem] = []
        self.count = 0

    def add(self, problem: DecodingProblem) -> None:
        self.count += 1
        if len(self.first) < _SHOWN:
            self.first.append(problem)

    def notes(self, name: str) -> list[str]:
        if not self.count:
            return []
        if all(problem.source == name for problem in self.first):
            places = "line " + ", ".join(str(problem.line) for problem in self.first)
        else:
            places = ", ".join(f"{problem.source} line {problem.line}" for problem in self.first)
        lines = "1 line" if self.count == 1 else f"{self.count} lines"
        were = "was" if self.count == 1 else "were"
        return [
            f"{lines} of {name} {were} not valid {self.first[0].encoding} and {were} read with replacement "
            f"characters (first: {places})"
        ]


@contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{name} was not found: check the path, seen from {os.getcwd()}") from None
    except PermissionError:
        raise InputError(f"{name} may not be read (permission denied): change its permissions") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        reason = str(error).rstrip(".")
        raise InputError(f"{name} is not a whole gzip file ({reason}): fetch or compress it again") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{name} could not be read ({reason}): copy it to another place") from None


@contextmanager
def _opened(path: Path, name: str) -> Iterator[io.BufferedReader[Any]]:
    if _is_piped(path):
        # Our own buffer can look ahead, which not every stand-in for standard input can.
        stream: io.BufferedReader[Any] = io.BufferedReader(sys.stdin.buffer)
        try:
            yield stream
        finally:
            stream.detach()  # or standard input would be closed together with the buffer
        return
    with _explained(name):
        file = path.open("rb")
    with file:
        yield io.BufferedReader(gzip.GzipFile(fileobj=file)) if split_ending(path)[1] else file


def _lines(stream: io.BufferedReader[Any], name: str, problems: _Problems) -> Iterator[str]:
    """Decode line by line, line ends kept, because a CSV cell may hold some."""
    with _explained(name):
        if stream.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            text = io.TextIOWrapper(stream, "utf-16", errors="replace", newline="\n")
            try:
                for number, line in enumerate(text, 1):
                    if "\ufffd" in line:
                        problems.add(DecodingProblem(name, number, "UTF-16"))
                    yield line
            finally:
                text.detach()  # the stream is closed by whoever opened it
            return
        for number, raw in enumerate(stream, 1):
            if number == 1:
                raw = raw.removeprefix(codecs.BOM_UTF8)
            try:
                line = raw.decode()
            except UnicodeDecodeError:
                problems.add(DecodingProblem(name, number))
                line = raw.decode(errors="replace")
            yield line


def _sniffed(lines: Iterator[str]) -> tuple[str, Iterator[str]]:
    """Tell JSON lines from plain lines by the first character that is not blank."""
    seen: list[str] = []
    for line in lines:
        seen.append(line)
        if line.strip():
            break
    return ("jsonl" if seen and seen[-1].lstrip().startswith("{") else "txt"), chain(seen, lines)


@contextmanager
def _huge_cells() -> Iterator[None]:
    """Lift the limit on a CSV cell's size, which is the whole process's, for the time of reading."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)


# ---- rows -> columns of strings ----------------------------------------------------------------------


class _Table:
    """Rows with their line numbers, from which columns are taken as strings."""

    def __init__(self, name: str, numbers: list[int], rows: list[Row], notes: list[str]) -> None:
        self.name, self.numbers, self.rows, self.notes = name, numbers, rows, notes
        self.columns = list(dict.fromkeys(chain.from_iterable(rows)))

    def text_column(self, asked: str | None, others: set[str | None]) -> str:
        """Name the column of the texts: the one asked for, `text`, or the one with the longest strings."""
        if asked is not None:
            return asked
        if "text" in self.columns:
            return "text"
        found = [column for column in self.columns if column.casefold() == "text"]
        if len(found) != 1:
            sizes = {column: self._mean_length(column) for column in self.columns if column not in others}
            longest = sorted((column for column in sizes if sizes[column]), key=lambda column: -sizes[column])
            # Twice as long as the next one: a guess that a title or a url beside the text does not upset.
            clear = len(longest) == 1 or (len(longest) > 1 and sizes[longest[0]] >= 2 * sizes[longest[1]])
            found = longest[:1] if clear else []
        if not found:
            raise InputError(
                f"{self.name} has no column 'text' and none that is clearly the text: name one of "
                f"{_listed(self.columns)} as the text field"
            )
        self.notes.append(
            f"the texts of {self.name} were taken from the column {found[0]!r}, found by itself"
        )
        return found[0]

    def is_plain(self, column: str) -> bool:
        return not any(isinstance(row.get(column), list | dict | bytes) for row in self.rows)

    def strings(self, column: str) -> list[str]:
        """Take a column as strings; what is missing is empty, and counted in a note."""
        if column not in self.columns:
            close = difflib.get_close_matches(column, self.columns)
            ordered = list(dict.fromkeys([*close, *self.columns]))
            raise InputError(f"{self.name} has no column {column!r}: use one of {_listed(ordered)}")
        values = [row.get(column) for row in self.rows]
        for number, value in zip(self.numbers, values, strict=True):
            if isinstance(value, list | dict | bytes):
                raise InputError(
                    f"the column {column!r} at {self.name}:{number} holds a {type(value).__name__}: make it "
                    "a string, or name another column"
                )
        missing = values.count(None)
        if missing:
            self.notes.append(
                f"{missing} of {len(values)} rows of {self.name} have nothing in the column {column!r}, "
                "which is read as empty"
            )
        return [value if isinstance(value, str) else "" if value is None else str(value) for value in values]

    def _mean_length(self, column: str) -> float:
        """Mean length of a column of strings; 0 when it holds anything else."""
        values = [row.get(column) for row in self.rows]
        if not all(value is None or isinstance(value, str) for value in values):
            return 0.0
        return sum(len(value or "") for value in values) / len(values)


def _listed(columns: list[str]) -> str:
    shown = ", ".join(repr(column) for column in columns[:20])
    return shown if len(columns) <= 20 else f"{shown} and {len(columns) - 20} more"
