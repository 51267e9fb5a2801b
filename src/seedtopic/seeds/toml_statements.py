"""The statements of a TOML file, each with the text that the user wrote, in time linear in the text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

LINES = re.compile(r"[^\n]*\n")
# What opens or closes something that may go on in the next line, with strings and comments that do not.
_MARKS = re.compile(r"\"{3}|'{3}|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|#[^\n]*|[\[\]{}]")
_ENDS = {'"""': re.compile(r"\\.|\"{3,5}"), "'''": re.compile(r"'{3,5}")}  # of the strings that do


def statements(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield each statement with the first part of its key, and each comment or blank line with None."""
    lines: list[str] = []
    depth, quotes = 0, ""
    for line in LINES.findall(text):
        lines.append(line)
        depth, quotes = _open_behind(line, depth, quotes)
        if depth or quotes:
            continue
        statement = "".join(lines)
        try:
            found = tomllib.loads(statement)
        except ValueError:  # the file is not TOML
            return
        yield statement, next(iter(found), None)
        lines.clear()


def _open_behind(line: str, depth: int, quotes: str) -> tuple[int, str]:
    """Tell how many brackets are open behind a line, and which string is, from what is open before it."""
    place = 0
    while found := (_ENDS[quotes] if quotes else _MARKS).search(line, place):
        mark, place = found[0], found.end()
        if quotes:
            quotes = quotes if mark.startswith("\\") else ""
        elif mark in _ENDS:
            quotes = mark
        elif mark in ("[", "{"):
            depth += 1
        elif mark in ("]", "}"):
            depth -= 1
    return depth, quotes
