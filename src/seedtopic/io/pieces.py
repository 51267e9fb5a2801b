"""A source of documents, cut into pieces that other processes can read and label apart from each other."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from seedtopic.io.columns import Table
from seedtopic.io.formats.delimited import ROWS_TO_SEE, huge_cells
from seedtopic.io.formats.text import BATCH, Source, json_rows, opened_parquet, source_rows
from seedtopic.io.formats.xlsx import OLE, ZIP
from seedtopic.io.rows import State, check_unchanged, file_state
from seedtopic.io.source import (
    UTF8,
    UTF8_MARKED,
    Limits,
    NumberedRow,
    Problems,
    codec_of,
    ends_by_returns,
    explained,
    is_folder,
    is_piped,
    kept_encoding,
    matched_files,
    opened,
    row_size,
    split_ending,
    utf8_lines,
    whole_lines,
)

SIZE = 1 << 20  # bytes or characters of a piece; labelling them takes about a tenth of a second
_MOST = SIZE << 5  # of a piece with few rows


@dataclass(frozen=True)
class Rows:
    """Rows that were read already."""

    rows: list[NumberedRow]

    def numbered(self, problems: Problems) -> Iterable[NumberedRow]:
        """Return the rows with their line numbers; there is nothing to note any more."""
        return self.rows


@dataclass(frozen=True)
class JsonLines:
    """Whole lines of a file in UTF-8, of which the first has this number."""

    name: str
    data: bytes
    first: int

    def numbered(self, problems: Problems) -> Iterable[NumberedRow]:
        """Parse the lines, and note what is wrong with them."""
        lines = utf8_lines(io.BytesIO(self.data), self.name, problems, self.first)
        return json_rows(lines, self.name, problems, self.first)


@dataclass(frozen=True)
class Batch:
    """Rows of a Parquet file, of which the first has this number, as a record batch of pyarrow."""

    batch: Any
    first: int

    def numbered(self, problems: Problems) -> Iterable[NumberedRow]:
        """Make rows of the columns."""
        return enumerate(self.batch.to_pylist(), self.first)

    def only(self, columns: Collection[str]) -> Batch:
        """Leave out other columns."""
        names = [name for name in self.batch.schema.names if name in columns]
        return replace(self, batch=self.batch.select(names))


@dataclass(frozen=True)
class Piece:
    """Some rows of a source."""

    content: Rows | JsonLines | Batch
    noticed: Problems = field(default_factory=Problems)  # what was noticed when the piece was cut
    n_bytes: int = 0  # how much of the file it is, for the progress


class Pieces(Iterable[Piece]):
    """The pieces of a source, cut anew each time; those of one that can be read only once are kept."""

    def __init__(self, source: Source, *, strict: bool = False) -> None:
        self.source, self.strict = source, strict
        self.style: dict[str, Any] = {}  # of the first table, known once its first piece was cut
        self._state: State | None = file_state(source.path)
        self._kept = None if self.can_be_read_again else list(self._kept_pieces())

    @property
    def can_be_read_again(self) -> bool:
        """Whether the source is a file, or several."""
        return self._state is not None

    def __iter__(self) -> Iterator[Piece]:
        if self._kept is not None:
            yield from self._kept
            return
        check_unchanged(self.source, self._state)
        yield from self._cut()
        check_unchanged(self.source, self._state)

    def table(self) -> tuple[Table, Problems]:
        """Read everything once: the statistics of all columns, and all problems."""
        table, problems = Table(self.source.name), Problems(strict=self.strict)
        for piece in self:
            problems.add(piece.noticed)
            table.add(Table(table.name, piece.content.numbered(problems)))
        return table, problems

    def _kept_pieces(self) -> Iterator[Piece]:
        limits, n_bytes = Limits.of(), 0
        for piece in self._cut():
            n_bytes += piece.n_bytes
            limits.check_kept(self.source.name, n_bytes)
            yield piece

    def _cut(self) -> Iterator[Piece]:
        noticed = Problems(strict=self.strict)
        with huge_cells():
            for file in matched_files(self.source.path) or [self.source.path]:
                for piece in _pieces(replace(self.source, path=file), noticed):
                    self.style = dict(noticed.style)
                    yield piece


def _pieces(source: Source, noticed: Problems) -> Iterator[Piece]:
    kind = source.format or split_ending(source.path)[0]
    is_file = not is_piped(source.path) and not is_folder(source.path) and source.sheet is None
    if is_file and kind == "parquet":
        with opened_parquet(source, noticed) as file:
            first, n_rows, n_bytes = 1, max(file.metadata.num_rows, 1), source.path.stat().st_size
            for batch in file.iter_batches(batch_size=BATCH):
                yield Piece(Batch(batch, first), noticed.taken(), n_bytes * batch.num_rows // n_rows)
                first += batch.num_rows
    elif is_file and kind == "jsonl" and (codec := _plain_codec(source)) is not None:
        noticed.style.setdefault("encoding", kept_encoding(codec))
        first = 1
        with opened(source.path, source.name, noticed) as stream:
            for data in whole_lines(stream, source.name, noticed, SIZE):
                yield Piece(JsonLines(source.name, data, first), noticed.taken(), len(data))
                first += data.count(b"\n")
        if noticed.count:
            yield Piece(JsonLines(source.name, b"", first), noticed.taken())
    else:
        rows: list[NumberedRow] = []
        filled, least = 0, ROWS_TO_SEE  # in the first piece, which shows how the table was written
        for numbered in source_rows(source, noticed):
            rows.append(numbered)
            filled += row_size(numbered[1])
            if filled >= SIZE and (len(rows) >= least or filled >= _MOST):
                yield Piece(Rows(rows), noticed.taken(), filled)
                rows, filled, least = [], 0, 0
        if rows or noticed.count:
            yield Piece(Rows(rows), noticed.taken(), filled)


def _plain_codec(source: Source) -> str | None:
    """Return the codec of a file that can be cut after any line feed and read as UTF-8; None for others."""
    with opened(source.path, source.name, Problems()) as stream, explained(source.name):
        head = stream.peek(len(OLE))
    if head.startswith((ZIP, OLE)):
        return None
    codec, _ = codec_of(head, source.encoding, source.name)
    return codec if codec in (UTF8, UTF8_MARKED) and not ends_by_returns(head, codec) else None
