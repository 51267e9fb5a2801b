"""What makes two texts the same: all their words, in whatever white space and Unicode form."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator

CELL = 32_767  # characters that a cell of a spreadsheet holds, of which some count twice
LONGEST = 30_000  # characters of a text that is written whole
BEGINNING = 1_000  # characters that are written of a longer one, before its checksum
_HALVES = re.compile("[\ud800-\udfff]")  # of characters, which no file can hold alone
_CUT = re.compile(r" … \[sha256:[0-9a-f]{64}\]\Z")


def normal(text: str) -> str:
    """Return a text in Unicode's composed form, in one line with single spaces."""
    if not text.isascii():
        text = _HALVES.sub("\ufffd", unicodedata.normalize("NFC", text))
    if text.isprintable() and "  " not in text:  # no white space but single spaces, as most texts
        return text.strip(" ")
    return " ".join(text.split())


def identity(text: str) -> str:
    """Return what stands for a text wherever an answer about it is written: all of it, or its checksum."""
    whole = normal(text)
    if _fits(whole, LONGEST) and not _CUT.search(whole):  # nor looks as if it had been cut
        return whole
    return f"{whole[:BEGINNING].rstrip()}{_mark(whole)}"


def for_cell(text: str) -> str:
    """Return a text as it fits into a cell: all of it, or its beginning and checksum."""
    if _fits(text, CELL):
        return text
    whole = normal(text)
    if _fits(whole, CELL):
        return whole
    mark = _mark(whole)
    begin = whole.encode("utf-16-le")[: 2 * (CELL - len(mark))]
    return begin.decode("utf-16-le", "ignore").rstrip() + mark


def identity_of_cell(cell: str) -> str:
    """Return which text a cell stands for that `identity`, `for_cell` or a person may have written."""
    whole = normal(cell)
    if (mark := _CUT.search(whole)) is None:
        return identity(cell)
    return f"{whole[: mark.start()][:BEGINNING].rstrip()}{mark[0]}"


class Fingerprint:
    """A checksum of texts in their order, whatever their white space and Unicode form."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    @classmethod
    def of(cls, texts: Iterable[str]) -> str:
        """Return the checksum of texts."""
        fingerprint = cls()
        for _ in fingerprint.passing(texts):
            pass
        return str(fingerprint)

    def passing(self, texts: Iterable[str]) -> Iterator[str]:
        """Pass texts on, and add them to the checksum."""
        for text in texts:
            if isinstance(text, str):  # others are refused where they are read
                self._digest.update(normal(text).encode() + b"\n")
            yield text

    def __str__(self) -> str:
        return self._digest.hexdigest()


def _mark(whole: str) -> str:
    return f" … [sha256:{hashlib.sha256(whole.encode()).hexdigest()}]"


def _fits(text: str, most: int) -> bool:
    return len(text) <= most // 2 or len(text.encode("utf-16-le", "surrogatepass")) <= 2 * most
