"""From lines to rows: one parser per format, every row with its line number."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from seedtopic.documents.delimited_rows import delimited, table_rows
from seedtopic.documents.encodings import UTF8
from seedtopic.documents.formats import DELIMITERS, import_parquet, split_ending
from seedtopic.documents.header import NumberedRow, Row, checked_header
from seedtopic.documents.lines import (
    decoded_lines,
    explained,
    is_folder,
    is_piped,
    matched_files,
    opened,
)
from seedtopic.documents.problems import Place, Problems
from seedtopic.errors import InputError

READABLE = "change its permissions"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Source:
    """Where the documents are, and how to read them; with `format` None the file's ending decides."""

    path: Path
    format: str | None = None
    encoding: str = UTF8

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
    with opened(path, name, problems) as stream:
        kind = format or split_ending(path)[0]
        if kind == "parquet":
            yield from _parquet_rows(stream, name)
            return
        lines = decoded_lines(stream, name, problems, source.encoding)
        if is_piped(path) and format is None:
            kind, lines = _sniffed(lines)
            if kind == "txt":
                problems.remarks.append(
                    f"{name} was read as plain text, one document per line; for a table, give the format "
                    "csv or tsv"
                )
        if kind == "jsonl":
            yield from _json_rows(lines, name, problems)
        elif kind == "txt":
            yield from _text_rows(lines)
        elif kind in DELIMITERS:
            yield from table_rows(*delimited(lines, DELIMITERS[kind]), name, problems)
        else:
            raise InputError(
                f"{name} has the ending {path.suffix!r}, which is unknown: rename it to end in .jsonl, "
                ".csv, .tsv, .txt or .parquet (each also with .gz), or name its format"
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
            text = "".join(decoded_lines(stream, str(file), problems, source.encoding))
        row: Row = {"id": identity, "text": text}
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
            files = (Path(parent, name) for name in names if not name.startswith("."))
            yield from (file for file in files if file.is_file())


def _json_rows(lines: Iterable[str], name: str, problems: Problems) -> Iterator[NumberedRow]:
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
            reason = f"is not a JSON object, got {got!r}"
            problems.leave_out(Place(name, number), reason, "put one object on each line")
            continue
        if "\\ud" in line.lower():  # an escaped unpaired surrogate cannot be written again
            repaired, lone = _LONE_SURROGATE.subn("\ufffd", json.dumps(row, ensure_ascii=False))
            if lone:
                problems.damaged(Place(name, number), "Unicode")
                row = json.loads(repaired)
        yield number, row


def _text_rows(lines: Iterable[str]) -> Iterator[NumberedRow]:
    blanks: list[NumberedRow] = []  # held back: they count only if a document follows
    for number, line in enumerate(lines, 1):
        text = line.removesuffix("\n").removesuffix("\r")
        blanks.append((number, {"text": text}))
        if text.strip():
            yield from blanks
            blanks.clear()


def _parquet_rows(stream: io.BufferedReader[Any], name: str) -> Iterator[NumberedRow]:
    pyarrow, parquet = import_parquet("reading .parquet files")
    with explained(name):
        try:
            # In memory, because Parquet needs random access, which gzip does not have.
            file = parquet.ParquetFile(io.BytesIO(stream.read()))
            checked_header(file.schema_arrow.names, name)
            batches = (batch.to_pylist() for batch in file.iter_batches())
            yield from enumerate(chain.from_iterable(batches), 1)
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
