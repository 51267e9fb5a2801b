"""Runs of combining marks, kept short: putting a long run into its normal order takes quadratic time.

The limit is that of the Stream-Safe Text Format of Unicode (UAX #15), which no text in any language reaches.
Worker processes read this file, so it needs the standard library only.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MOST_MARKS = 30
# What may be a mark: beyond Latin letters, and neither a letter, a digit nor a space.
_MAYBE = r"[^\w\s\0-\u02ff]"
_LONG = re.compile(rf"{_MAYBE}{{{MOST_MARKS + 1},}}")
# Such a run is also one in every 15th and in every third character, which are looked through sooner.
_SAMPLED = [(stride, re.compile(rf"{_MAYBE}{{{MOST_MARKS // stride}}}")) for stride in (15, 3)]
# The only marks that count as letters, and what they are normalized to.
_VOICED, _SEMI_VOICED = ("\uff9e", "\u3099"), ("\uff9f", "\u309a")


def with_few_marks(text: str) -> str:
    r"""Return a text without the marks that follow thirty others on one letter."""
    if len(text) <= MOST_MARKS:
        return text
    text = text.replace(*_VOICED).replace(*_SEMI_VOICED)
    if all(run.search(text[::stride]) for stride, run in _SAMPLED):
        text = _LONG.sub(_shortened, text)
    return text


def _shortened(run: re.Match[str]) -> str:
    kept, marks = [], 0
    for character in run[0]:
        marks = marks + 1 if is_mark(character) else 0
        if marks <= MOST_MARKS:
            kept.append(character)
    return "".join(kept)


@lru_cache(maxsize=4096)
def is_mark(character: str) -> bool:
    r"""Tell whether a character is put in order with the marks beside it when a text is normalized."""
    return unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) > 0
