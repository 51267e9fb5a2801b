"""Words in scripts that are written without spaces: Chinese, Japanese, Thai, Lao, Khmer and Burmese.

No dictionary is needed. What a text is split into was chosen by the labels that came out of it:

- Chinese characters: each one and each two that are side by side;
- katakana: each run is a word, as it mostly is a loan word or a name;
- hiragana: nothing, as it mostly is grammar;
- Thai, Lao, Khmer and Burmese: each four characters that are side by side.

Seeds do not depend on these choices: a phrase is found among single characters, see `units`.

Every function expects a text that `normalize` has folded. Worker processes read this file, so it needs the
standard library only.
"""

from __future__ import annotations

import re
from codecs import utf_16_le_encode

Token = tuple[str, int, int]  # and where it starts and ends

_HAN = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = r"\u3041-\u309a\u309d-\u309f"
_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
# Letters and the signs that belong to them, but no digits and no punctuation.
_THAI_AND_LAO = r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"
_BURMESE = r"\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa76\uaa7a-\uaa7f"
_KHMER = r"\u1780-\u17d3\u17d7\u17dc\u17dd"
_SOUTH_EAST = _THAI_AND_LAO + _BURMESE + _KHMER
_UNSPACED = _HAN + _HIRAGANA + _KATAKANA + _SOUTH_EAST

_ANY = re.compile(f"[{_UNSPACED}]")
_UNSPACED_BLOCKS = {0x0E, 0x10, 0x17, 0x30, 0x31, *range(0x34, 0xA0), 0xA9, 0xAA, 0xD8, 0xF9, 0xFA}
_SPACED_BLOCKS = bytes(sorted(set(range(256)) - _UNSPACED_BLOCKS))
_RUN = re.compile(
    rf"(?P<han>[{_HAN}]+)|(?P<katakana>[{_KATAKANA}]+)|(?P<hiragana>[{_HIRAGANA}][{_HIRAGANA}\u30fc]*)"
    rf"|(?P<south_east>[{_SOUTH_EAST}]+)|(?P<spaced>[^\W_{_UNSPACED}]+)"
)
_UNIT = re.compile(
    rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+"
    # Punctuation between two such characters: a phrase does not reach across it.
    rf"|(?<=[{_UNSPACED}])\s*(?:[^\w\s{_UNSPACED}]|_)(?:[^\w{_UNSPACED}]|_)*(?=[{_UNSPACED}])"
)
_WHOLE = re.compile(rf"[^{_HAN}{_HIRAGANA}{_SOUTH_EAST}]+")
_SIDE_BY_SIDE = 4


def is_unspaced(text: str) -> bool:
    """Tell whether a text contains a character of a script without spaces."""
    # Most texts contain none, so the upper bytes are looked at first, which is three times as fast.
    upper_bytes = utf_16_le_encode(text, "surrogatepass")[0][1::2]
    return bool(upper_bytes.translate(None, _SPACED_BLOCKS)) and _ANY.search(text) is not None


def is_whole_word(word: str) -> bool:
    """Tell whether a word is one that people write, and not some characters that are side by side.

    Examples
    --------
    >>> is_whole_word("サッカー"), is_whole_word("goal"), is_whole_word("野球")
    (True, True, False)
    """
    return _WHOLE.fullmatch(word) is not None


def segmented(text: str) -> list[str]:
    """Split a text of any scripts into words."""
    found: list[str] = []
    for match in _RUN.finditer(text):
        run = match[0]
        for size in _sizes(run, match.lastgroup):
            found += [run[start : start + size] for start in range(len(run) - size + 1)]
    return found


def placed_segments(text: str) -> list[Token]:
    """Split a text of any scripts into words, and tell where they are."""
    return [
        (text[start : start + size], start, start + size)
        for match in _RUN.finditer(text)
        for size in _sizes(match[0], match.lastgroup)
        for start in range(match.start(), match.end() - size + 1)
    ]


def _sizes(run: str, script: str | None) -> tuple[int, ...]:
    """Return how many characters side by side make a word of a run, for each kind of word."""
    if script == "han":
        return (1, 2)
    if script == "hiragana" or len(run) == 1:
        return ()
    return (min(len(run), _SIDE_BY_SIDE),) if script == "south_east" else (len(run),)


def units(text: str) -> list[str]:
    """Split a text into what phrases consist of: characters of scripts without spaces, words of others.

    Punctuation between two such characters is a unit as well, because a phrase does not reach across it;
    it does reach across a space or the end of a line.
    """
    return _UNIT.findall(text)


def placed_units(text: str) -> list[Token]:
    """Return the units of a text, and where they are."""
    return [(match[0], *match.span()) for match in _UNIT.finditer(text)]
