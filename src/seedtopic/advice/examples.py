"""The line around a word: an example of how documents use it."""

from __future__ import annotations

import re

from seedtopic.text.tokens import normalize

AROUND = 40  # characters on either side of the word


def line_around(text: str, word: str) -> str:
    """Return the text around the first occurrence of a word in one line, shortened at spaces."""
    line = " ".join(text.split())
    folded = normalize(line)
    line = line if len(line) == len(folded) else folded  # otherwise the positions differ
    alone = re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", folded)
    start = alone.start() if alone else max(folded.find(word), 0)
    first, last = max(start - AROUND, 0), start + len(word) + AROUND
    before, after = line[first:start], line[start + len(word) : last]
    if first > 0:
        before = "... " + (before.partition(" ")[2] or before)  # some scripts have no spaces
    if last < len(line):
        after = (after.rpartition(" ")[0] or after) + " ..."
    return before + line[start : start + len(word)] + after
