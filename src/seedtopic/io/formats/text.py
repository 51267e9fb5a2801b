"""From lines to rows: one parser per format, every row with its line number."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import IO, Any

from seedtopic.base.errors import InputError
from seedtopic.io.formats import DELIMITERS, OTHER_WORKBOOKS, WORKBOOKS, import_parquet
from seedtopic.io.formats.delimited import delimited, table_rows
from seedtopic.io.formats.xlsx import OLE, SAVE_AGAIN, ZIP, column_letter, opened_sheet, under_title
from seedtopic.io.source import (
    ANSWERS_ENDING,
    UTF8,
    UTF8_MARKED,
    NumberedRow,
    Place,
    Problems,
    Row,
    checked_header,
    decoded_lines,
    explained,
    is_folder,
    is_piped,
    listed,
    matched_files,
    opened,
    padded,
    split_ending,
)

BATCH = 4096  # rows of a Parquet file that are in memory at a time
READABLE = "change its permissions"
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Source:
    """Where the documents are, and how to read them; with `format` None the file's ending decides."""

    path: Path
    format: str | None = None
    encoding: str = UTF8
    sheet: str | None = None  # of a spreadsheet: its name or number; by default, the first with a table
    row_groups: tuple[int, ...] | None = None  # of a Parquet file; by default, all of them
    first_row: int = 1  # the number of the first row in these groups

    @property
    def name(self) -> str:
        """The name of the source for messages."""
        return "standard input" if is_piped(self.path) else str(self.path)


def source_rows(source: Source, problems: Problems) -> Iterator[NumberedRow]:
    path, name, format = source.path, source.name, source.format
    if files := matched_files(path):
        for file in files:
            yield from source_rows(replace(source, path=file), problems)
        return
    if is_folder(path):
        if format is not None:
            raise InputError(f"{name} is a folder, not a {format!r} file: leave the format out")
        yield from _folder_rows(source, problems)
        return
    kind = format or split_ending(path)[0]
    if kind in OTHER_WORKBOOKS:
        raise InputError(f"{name} is in another format than .xlsx, which cannot be read: {SAVE_AGAIN}")
    if source.sheet is not None and kind not in WORKBOOKS:
        raise InputError(f"{name} is not a spreadsheet and has no sheets: leave the sheet out")
    if kind == "parquet":
        with opened_parquet(source, problems) as file:
            batches = file.iter_batches(batch_size=BATCH, row_groups=source.row_groups)
            rows = chain.from_iterable(batch.to_pylist() for batch in batches)
            yield from enumerate(rows, source.first_row)
        return
    with opened(path, name, problems) as stream:
        if kind in WORKBOOKS:
            yield from _workbook_rows(stream, source, problems)
            return
        if stream.peek(len(OLE)).startswith((ZIP, OLE)):
            raise InputError(
                f"{name} is a spreadsheet or another binary file, not text: {SAVE_AGAIN}, and name that file"
            )
        lines = decoded_lines(stream, name, problems, source.encoding)
        if is_piped(path) and format is None:
            kind, lines = _sniffed(lines)
            if kind == "txt":
                problems.remarks.append(
                    f"{name} was read as plain text, one document per line; for a table, give the format "
                    "csv or tsv"
                )
        if kind == "jsonl":
            yield from json_rows(lines, name, problems)
        elif kind == "txt":
            yield from _text_rows(lines)
        elif kind in DELIMITERS:
            lines, delimiter = delimited(lines, DELIMITERS[kind])
            if kind == "csv":
                problems.style.setdefault("delimiter", delimiter)
            yield from table_rows(lines, delimiter, name, problems)
        else:
            raise InputError(
                f"{name} has the ending {path.suffix!r}, which is unknown: rename it to end in .jsonl, "
                ".csv, .tsv, .txt, .parquet (each also with .gz) or .xlsx, or name its format"
            )


def _folder_rows(source: Source, problems: Problems) -> Iterator[NumberedRow]:
    folder = source.path
    files = sorted(_visible_files(folder, problems), key=lambda file: file.relative_to(folder).as_posix())
    if not files and not problems.n_left_out:
        raise InputError(f"{folder} is a folder without files: add one text file per document")
    in_folders = any(file.parent != folder for file in files)
    for number, file in enumerate(files, 1):
        # A file name may contain bytes that are not UTF-8; such an id could not be written again.
        identity = os.fsencode(file.relative_to(folder).as_posix()).decode(errors="replace")
        try:
            file.open("rb").close()
        except PermissionError:
            problems.leave_out(Place(str(file)), "cannot be read (permission denied)", READABLE)
            continue
        with opened(file, str(file), problems) as stream:
            parts, length = [], 0
            for line in decoded_lines(stream, str(file), problems, source.encoding):
                parts.append(line)
                length += len(line)
                if length > problems.limits.row:
                    problems.limits.refuse_row(str(file))
        row: Row = {"id": identity, "text": "".join(parts)}
        if in_folders:
            row["label"] = None if file.parent == folder else Path(identity).parent.name
        yield number, row


def _visible_files(folder: Path, problems: Problems) -> Iterator[Path]:
    def fail(error: OSError) -> None:
        if error.filename == str(folder):
            raise error
        problems.leave_out(Place(error.filename), f"cannot be read ({error.strerror})", READABLE)

    with explained(str(folder)):
        for parent, subfolders, names in os.walk(folder, onerror=fail):
            subfolders[:] = [name for name in subfolders if not name.startswith(".")]
            shown = (name for name in names if name[0] != "." and not name.endswith(ANSWERS_ENDING))
            yield from (file for name in shown if (file := Path(parent, name)).is_file())


def json_rows(lines: Iterable[str], name: str, problems: Problems, first: int = 1) -> Iterator[NumberedRow]:
    """Parse lines of which the first has this number."""
    for number, line in enumerate(lines, first):
        if not line.strip():
            continue
        if len(line) > problems.limits.cells and has_more_values(line, problems.limits.cells):
            problems.limits.refuse_cells(f"line {number} of {name}")
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            got = line.strip()
            got = got if len(got) <= 40 else got[:40] + "…"
            reason = f"is not a JSON object, got {got!r}"
            problems.leave_out(Place(name, number), reason, "put one object on each line")
            continue
        if "\\ud" in line or "\\uD" in line:  # an escaped unpaired surrogate cannot be written again
            repaired, lone = _LONE_SURROGATE.subn("\ufffd", json.dumps(row, ensure_ascii=False))
            if lone:
                problems.damaged(Place(name, number), "Unicode")
                row = json.loads(repaired)
        yield number, row


def has_more_values(text: str, most: int) -> bool:
    """Return whether JSON has more names and values than these; what is in quotes does not count."""
    signs = (",", "[", "{")
    if sum(map(text.count, signs)) <= most:
        return False
    bare = _QUOTED.sub("", text)
    return sum(map(bare.count, signs)) > most


def _text_rows(lines: Iterable[str]) -> Iterator[NumberedRow]:
    blanks: list[NumberedRow] = []  # held back: they count only if a document follows
    for number, line in enumerate(lines, 1):
        text = line.removesuffix("\n").removesuffix("\r")
        blanks.append((number, {"text": text}))
        if text.strip():
            yield from blanks
            blanks.clear()


def _workbook_rows(stream: IO[bytes], source: Source, problems: Problems) -> Iterator[NumberedRow]:
    with opened_sheet(stream, source.name, source.sheet) as (title, others, all_rows):
        problems.style.setdefault("sheet", title)
        problems.style.setdefault("encoding", UTF8_MARKED)  # for a .csv file that a spreadsheet program opens
        where = f"{source.name}, sheet {title!r}"
        n_titles, rows = under_title(all_rows)
        number, cells = next(rows, (1, []))
        if n_titles:
            problems.remarks.append(
                f"the column names of {where}, were read from row {number}, and what is above it taken for a "
                "title"
            )
        if others and source.sheet is None:
            shown = listed(others)
            problems.remarks.append(f"{source.name} was read from the sheet {title!r}; others: {shown}")
        while cells and cells[-1] is None:
            cells.pop()
        header = [
            f"column {column_letter(place)}" if cell is None else str(cell)
            for place, cell in enumerate(cells)
        ]
        checked_header(header, f"{where}, row {number}")
        first = True
        for number, values in rows:
            row = padded(header, values[: len(header)], first=first)
            first = False
            for place in range(len(header), len(values)):  # a remark beside the table
                if values[place] is not None:
                    row.setdefault(f"column {column_letter(place)}", values[place])
            yield number, row


@contextmanager
def opened_parquet(source: Source, problems: Problems) -> Iterator[Any]:
    """Open a Parquet file, to be read a few rows at a time."""
    name, limits = source.name, problems.limits
    with opened(source.path, name, problems) as stream, explained(name):
        pyarrow, parquet = import_parquet("reading .parquet files")
        try:
            # Parquet needs random access, which a pipe and gzip do not have: these are read into memory.
            whole: IO[bytes] = stream
            if not (isinstance(stream.raw, io.FileIO) and stream.seekable()):
                whole = io.BytesIO(stream.read(limits.memory + 1))
                limits.check_kept(name, whole.getbuffer().nbytes)
            size = whole.seek(0, os.SEEK_END)
            file = parquet.ParquetFile(whole)
            groups = (file.metadata.row_group(number) for number in range(file.metadata.num_row_groups))
            limits.check_expansion(name, size, sum(group.total_byte_size for group in groups))
            checked_header(file.schema_arrow.names, name)
            yield file
        except pyarrow.ArrowException as error:
            reason = str(error).splitlines()[0].rstrip(".")
            raise InputError(
                f"{name} is not a complete Parquet file ({reason}): download or write it again"
            ) from None


def _sniffed(lines: Iterator[str]) -> tuple[str, Iterator[str]]:
    """Return whether lines are JSON or plain text, by the first character that is not blank."""
    seen: list[str] = []
    for line in lines:
        seen.append(line)
        if line.strip():
            break
    return ("jsonl" if seen and seen[-1].lstrip().startswith("{") else "txt"), chain(seen, lines)
