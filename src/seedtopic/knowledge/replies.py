"""Seeds in the answer of a language model: the TOML or JSON in it, between prose, with its usual slips."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.seeds.category import KEYS
from seedtopic.seeds.files import parsed
from seedtopic.seeds.seeds import Seeds

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_QUOTES = str.maketrans("“”„‟″«»‘’‚‛′\u00a0", '"""""""\'\'\'\'\' ')
# The first key of TOML, or the brace of JSON; what is above it is prose.
_BEGIN = re.compile(r"""^[ \t]*(?:\[[^\]\n,]+\][ \t]*$|[^=\n\[{]{1,80}=[ \t]*[\[{]|[{\[])""", re.MULTILINE)
_BARE_NAME = re.compile(r"""^([ \t]*)([^\s"'=\[\]{}#][^"'=\[\]{}#\n]*)(=[ \t]*[\[{])""", re.MULTILINE)
_BARE_TABLE = re.compile(r"""^([ \t]*\[)([^\]"'\n]+)(\][ \t]*)$""", re.MULTILINE)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_WRAPPERS = ("categories", "seeds", "seed_words")
_NAMES = ("name", "category", "label")


def seeds_of_answer(answer: str) -> Seeds:
    """Find the seeds in the answer of a language model, and check them like those of a file."""
    first: InputError | None = None
    candidates = list(_candidates(answer.replace("\r\n", "\n").lstrip("\ufeff")))
    for text in candidates:
        for table in _tables(text):
            try:
                return Seeds(_unwrapped(table))
            except InputError as error:
                first = first or error
    if first is not None:
        raise first
    for text in candidates:  # which says what is wrong with it
        parsed(text.translate(_QUOTES), ".json" if text.lstrip().startswith("{") else ".toml")
    raise InputError(
        'no seeds are in it: give the whole answer, which must have lines such as  money = ["bank", "rate"].'
    )


def _candidates(answer: str) -> Iterator[str]:
    """Yield the parts of an answer that may be seeds, the likeliest first: blocks of code, then all of it."""
    yield from sorted(_blocks(answer), key=len, reverse=True)
    begin = _BEGIN.search(answer)
    if begin is not None:
        text = answer[begin.start() :]
        yield text
        lines = text.split("\n")
        ends = [place for place, line in enumerate(lines) if line.rstrip().endswith(("]", "}"))]
        if ends:
            yield "\n".join(lines[: ends[-1] + 1])


def _blocks(answer: str) -> list[str]:
    """Return the blocks of code; the first one if it was cut off before it was closed."""
    blocks: list[str] = []
    fence, opened, place = "", 0, 0
    for line in answer.split("\n"):
        match, behind = _FENCE.match(line), place + len(line) + 1
        if match and not fence:
            fence, opened = match[1], behind
        elif match and not line.strip(f"{fence[0]} \t"):
            blocks.append(answer[opened:place])
            fence = ""
        place = behind
    return blocks if blocks or not fence else [answer[opened:]]


def _tables(text: str) -> Iterator[Any]:
    """Read a text as TOML and as JSON, as it is and with the usual slips corrected."""
    straight = text.translate(_QUOTES)
    toml = ((spelling, ".toml") for spelling in (text, straight, _named(straight)))
    json = ((spelling, ".json") for spelling in (straight, _TRAILING_COMMA.sub(r"\1", straight)))
    for spelling, ending in dict.fromkeys((*toml, *json)):
        with suppress(InputError):
            if table := parsed(spelling, ending):
                yield table


def _named(text: str) -> str:
    """Put names with spaces or other letters into quotes."""

    def quoted(match: re.Match[str]) -> str:
        before, name, after = match.groups()
        name, space = name.rstrip(" \t"), name[len(name.rstrip(" \t")) :]
        return before + (name if _PLAIN.fullmatch(name) else f'"{name.strip()}"') + space + after

    return _BARE_TABLE.sub(quoted, _BARE_NAME.sub(quoted, text))


def _unwrapped(table: Any) -> Any:
    """Take categories out of a table around them, or out of a list of objects."""
    if isinstance(table, Mapping) and len(table) == 1 and next(iter(table)).casefold() in _WRAPPERS:
        table = next(iter(table.values()))
    if not isinstance(table, list):
        return table
    categories = {}
    for entry in table:
        if not isinstance(entry, Mapping):
            return table
        name = next((entry[key] for key in _NAMES if key in entry), None)
        categories[name] = {key: value for key, value in entry.items() if key in KEYS}
    return categories
