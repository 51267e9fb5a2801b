"""How a table was written, so that its labelled copy is written likewise."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from seedtopic.documents.encodings import UTF8, UTF8_MARKED

Quoting = Literal["minimal", "texts", "all"]

# What a program that quotes all texts leaves without quotes. A number with a leading zero is a text.
BARE = re.compile(r"|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|NA|NaN|-?Inf|NULL|TRUE|FALSE|true|false", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)*|[.,]\d+)([eE][+-]?\d+)?\s*%?", re.ASCII)
# Encodings that Excel recognizes and that are recognized when the file is read again.
_KEPT = (UTF8, UTF8_MARKED, "utf-16", "cp1252", "iso8859-1")


@dataclass(frozen=True)
class TableStyle:
    """How to write a table."""

    delimiter: str = ","  # what separates the cells of a ``.csv`` file; a ``.tsv`` file always has tabs
    quoting: Quoting = "minimal"  # which cells are in quotes
    line_end: str = "\n"
    encoding: str = UTF8
    sheet: str | None = None  # the name of the sheet of a spreadsheet
    safe_cells: bool = False  # whether texts like formulas get an apostrophe
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)


PLAIN = TableStyle()


def kept_encoding(codec: str) -> str:
    """Return the encoding to write what was read in another: the same, or UTF-8 with a byte order mark.

    Examples
    --------
    >>> kept_encoding("utf-16"), kept_encoding("cp1252"), kept_encoding("big5")
    ('utf-16', 'cp1252', 'utf-8-sig')
    """
    return codec if codec in _KEPT else UTF8_MARKED


def like_formula(text: str) -> bool:
    """Return whether a spreadsheet program would take a text for a formula.

    Examples
    --------
    >>> [like_formula(text) for text in ("=1+1", "@SUM(A1)", "- milk", "-5", "+1.5 %", "a=b")]
    [True, True, True, False, False, False]
    """
    return text.startswith(("=", "+", "-", "@", "\t", "\r")) and _NUMBER.fullmatch(text) is None


def safe(text: str) -> str:
    """Write an apostrophe before a text that looks like a formula."""
    return "'" + text if like_formula(text) else text


def as_before(text: str) -> str:
    """Remove the apostrophe that `safe` writes.

    Examples
    --------
    >>> as_before("'=1+1"), as_before("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and like_formula(text[1:]) else text


class SeenQuotes:
    r"""Which cells of a table are in quotes, from some of its rows.

    Examples
    --------
    >>> seen = SeenQuotes()
    >>> seen.add('"id","text"\n', ["id", "text"])
    >>> seen.add('7,"A goal"\n', ["7", "A goal"])
    >>> seen.quoting
    'texts'
    """

    def __init__(self) -> None:
        self._quoted: set[bool] = set()  # whether a cell in quotes is a value that needs none
        self._bare: set[bool] = set()  # whether a cell without quotes is such a value
        self._bare_nothing = False

    def add(self, line: str, cells: list[str]) -> None:
        """Look at a row: its text in the file, and its cells."""
        place = 0
        for cell in cells:
            quoted = line.startswith('"', place)
            place += len(cell) + 1 + (cell.count('"') + 2 if quoted else 0)
            if cell:
                (self._quoted if quoted else self._bare).add(BARE.fullmatch(cell) is not None)
            else:
                self._bare_nothing |= not quoted

    @property
    def quoting(self) -> Quoting:
        """The rule that these rows follow."""
        if False in self._bare or not self._quoted:
            return "minimal"
        if self._bare or (self._bare_nothing and True not in self._quoted):
            return "texts"
        return "all"


def line_end(line: str) -> str:
    r"""Return how a line ends."""
    ends = ("\r\n", "\n", "\r")
    return next((end for end in ends if line.endswith(end)), "\n")
