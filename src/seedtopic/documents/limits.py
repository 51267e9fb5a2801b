"""How large the parts of a source of documents may be, so that no file takes memory without bound."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import NoReturn

from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory, memory, parse_memory

ROW, CELLS, EXPANSION = "SEEDTOPIC_MAX_ROW", "SEEDTOPIC_MAX_CELLS", "SEEDTOPIC_MAX_EXPANSION"
_DEFAULT_ROW, _DEFAULT_CELLS, _DEFAULT_EXPANSION = "32MB", 100_000, 200
MORE_ROW = f"allow more ({ROW}=1GB in the environment, and --max-memory)"
MORE_CELLS = f"allow more ({CELLS}=1000000 in the environment)"
UNPACKED_IN_ANY_CASE = 1 << 28  # bytes of a packed file, however small it is
_PARTS = 8  # of `max_memory`, of which a row may be one: its bytes, its text, its words, ...


@dataclass(frozen=True)
class Limits:
    """The largest parts of a source that are read."""

    row: int  # bytes or characters of a line, of a row, of a cell, and of a text file in a folder
    cells: int  # cells of a row, values of a JSON object, and columns of a source
    expansion: int  # how many times larger the content of a packed file may be than the file
    kept: int  # bytes of all rows of a source that can be read only once, such as standard input

    @classmethod
    def given(cls, max_memory: MaxMemory = None) -> Limits:
        """Return what the environment says, and less where `max_memory` is less."""
        most = parse_memory(max_memory) or memory()
        row = parse_memory(os.environ.get(ROW) or _DEFAULT_ROW, ROW) or 0
        return cls(
            row=min(row, max(most // _PARTS, 1)),
            cells=_number(CELLS, _DEFAULT_CELLS),
            expansion=_number(EXPANSION, _DEFAULT_EXPANSION),
            kept=min(most, memory() // 2),
        )

    def refuse_row(self, where: str) -> NoReturn:
        """Raise the error that a row is too long."""
        raise InputError(
            f"{where} is longer than {self.row:,} bytes: split it into several documents, or {MORE_ROW}"
        )

    def refuse_cells(self, where: str) -> NoReturn:
        """Raise the error that a row, or a whole source, has too many columns."""
        raise InputError(f"{where} has more than {self.cells:,} columns: leave some out, or {MORE_CELLS}")

    def check_expansion(self, name: str, packed: int, unpacked: int) -> None:
        """Raise an error if far more comes out of a packed file than is in it."""
        if unpacked > max(UNPACKED_IN_ANY_CASE, self.expansion * packed):
            raise InputError(
                f"{name} unpacks to more than {self.expansion:,} times its size: unpack it first, or allow "
                f"more ({EXPANSION}=2000 in the environment)"
            )

    def check_kept(self, name: str, size: int) -> None:
        """Raise an error if the rows of a source take too much memory."""
        if size > self.kept:
            raise InputError(
                f"{name} takes more than {self.kept:,} bytes, and can only be kept in memory: write it to a "
                "file, such as documents.jsonl, and name that file"
            )


def _number(name: str, default: int) -> int:
    given = os.environ.get(name) or str(default)
    if not (given.isascii() and given.isdigit() and int(given) > 0):
        raise InputError(f"{name} in the environment is {given!r:.40}: give a whole number from 1 on")
    return int(given)
