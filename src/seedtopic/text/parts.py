r"""Parts of a text: its paragraphs and its sentences, by simple rules for languages with punctuation.

- A paragraph ends at a blank line.
- A sentence ends with its paragraph, after ``。 ！ ？ ।`` and the like, and after ``. ! ? …`` (with quotation
  marks and brackets behind them) where white space follows and the next letter is not a small one.
- A full stop does not end a sentence after a single letter, a number of one or two digits, or an abbreviation
  of the list below.

The time is proportional to the length of the text. Where a rule errs, a part is longer than a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, get_args

Per = Literal["sentence", "paragraph"]
PER: tuple[Per, ...] = get_args(Per)
Span = tuple[int, int]

# In small letters, without the last full stop; in English, German, French, Spanish and Dutch.
_WRITTEN = """
mr mrs ms dr prof st jr sr vs etc e.g i.e cf al fig figs vol pp eds inc ltd co corp dept
gov rep sen rev hon capt col lt sgt approx jan feb mar apr jun jul aug sep sept oct nov dec z.b bzw
d.h u.a usw ca nr abb vgl evtl ggf inkl str tel hr fr frl bspw o.ä s.o s.u m mm mme mlle p.ex env av bd
sra srta dña ud uds pág núm ej p.ej dhr mevr bijv o.a d.w.z blz enz
"""
ABBREVIATIONS = frozenset(_WRITTEN.split())

_BLANK = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+|\u2029")
_CLOSING = "\"'”’»›)\\]}」』）】"
_ENDS = re.compile(rf"[.!?…]+[{_CLOSING}]*|[。！？｡．]+[{_CLOSING}]*|[।॥؟۔።។၊။]+[{_CLOSING}]*")
_SPACED = frozenset(".!?…")  # these end a sentence only where white space follows
_LONGEST = 12  # characters of an abbreviation
_WORD_BEFORE = re.compile(r"[^\s(\"'“‘«]*\Z")


def paragraphs(text: str) -> list[Span]:
    r"""Find the paragraphs of a text: where each begins, and where it ends."""
    return list(_trimmed(text, (match.span() for match in _BLANK.finditer(text))))


def sentences(text: str) -> list[Span]:
    """Find the sentences of a text: where each begins, and where it ends."""
    found: list[Span] = []
    for start, end in paragraphs(text):
        ends = (match.end() for match in _ENDS.finditer(text, start, end) if _ends(text, match))
        found += _trimmed(text, ((cut, cut) for cut in ends), start, end)
    return found


SPLITTERS: dict[Per, Callable[[str], list[Span]]] = {"sentence": sentences, "paragraph": paragraphs}


def _trimmed(text: str, cuts: Iterator[Span], start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Yield what is between the cuts, without white space around it, and leave out what is empty."""
    end = len(text) if end is None else end
    for first, behind in (*cuts, (end, end)):
        part = text[start:first]
        if stripped := part.strip():
            begin = start + len(part) - len(part.lstrip())
            yield begin, begin + len(stripped)
        start = behind


def _ends(text: str, match: re.Match[str]) -> bool:
    """Tell whether punctuation ends a sentence."""
    if text[match.start()] not in _SPACED:
        return True
    behind = text[match.end() : match.end() + 1]
    if behind and not behind.isspace():
        return False
    following = text[match.end() : match.end() + _LONGEST].lstrip()
    if following[:1].islower():
        return False
    if match.group() != ".":
        return True
    before = _WORD_BEFORE.search(text, max(match.start() - _LONGEST, 0), match.start())
    word = "" if before is None else before.group().casefold()
    short_number = word.isdecimal() and len(word) <= 2
    return not (short_number or (len(word) == 1 and word.isalpha()) or word in ABBREVIATIONS)
