"""What makes two texts the same: all their words, in whatever white space and Unicode form."""

from __future__ import annotations

import hashlib
import re
import unicodedata

LONGEST = 30_000  # characters of a text that is written whole; a cell of a spreadsheet holds 32,767
BEGINNING = 1_000  # characters that are written of a longer one, before its checksum
_HALVES = re.compile("[\ud800-\udfff]")  # of characters, which no file can hold alone
_CUT = re.compile(r" … \[sha256:[0-9a-f]{64}\]\Z")


def normal(text: str) -> str:
    """Return a text in Unicode's composed form, in one line with single spaces.

    Examples
    --------
    >>> normal("A late\\r\\n  goal ")
    'A late goal'
    """
    if not text.isascii():
        text = _HALVES.sub("\ufffd", unicodedata.normalize("NFC", text))
    if text.isprintable() and "  " not in text:  # no white space but single spaces, as most texts
        return text.strip(" ")
    return " ".join(text.split())


def identity(text: str) -> str:
    """Return what stands for a text wherever an answer about it is written: all of it, or its checksum.

    A text that is too long for a cell is cut, and so is one that looks as if it were.

    Examples
    --------
    >>> identity("A  goal"), len(identity("goal " * 10_000))
    ('A goal', 1075)
    """
    whole = normal(text)
    if len(whole) <= LONGEST and not _CUT.search(whole):
        return whole
    checksum = hashlib.sha256(whole.encode()).hexdigest()
    return f"{whole[:BEGINNING].rstrip()} … [sha256:{checksum}]"


def identity_of_cell(cell: str) -> str:
    """Return which text a cell stands for that `identity` or a person may have written."""
    whole = normal(cell)
    return whole if _CUT.search(whole) else identity(cell)
