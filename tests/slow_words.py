"""Words as they are defined, found in the slowest and most obvious way: character by character."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

SCRIPTS = {
    "CJK UNIFIED": "han",
    "CJK COMPATIBILITY IDEOGRAPH": "han",
    "IDEOGRAPHIC": "han",
    "HIRAGANA": "hiragana",
    "COMBINING KATAKANA-HIRAGANA": "hiragana",
    "KATAKANA": "katakana",
    "THAI": "south east",
    "LAO": "south east",
    "KHMER": "south east",
    "MYANMAR": "south east",
}


def script(character: str) -> str:
    """Return the script of a character, "spaced" for a letter or digit of another, "" for what is none."""
    name, kind = unicodedata.name(character, ""), unicodedata.category(character)
    for start, found in SCRIPTS.items() if ord(character) < 0x10000 or name.startswith("CJK") else ():
        if name.startswith(start) and (kind[0] in ("L" if found == "han" else "LM") or character == "〇"):
            return found
    return "spaced" if character.isalnum() else ""


def folded(text: str) -> str:
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).lower()


def words_one_by_one(text: str) -> list[str]:
    text = folded(text)
    if not any(script(character) not in ("", "spaced") for character in text):
        return [word for word in re.findall(r"[^\W_]+", text) if len(word) > 1]
    found = []
    kinds = [script(character) for character in text]
    for place, character in enumerate(text):
        if character == "ー" and place and kinds[place - 1] == "hiragana":
            kinds[place] = "hiragana"
    for kind, pairs in groupby(zip(kinds, text, strict=True), lambda pair: pair[0]):
        run = "".join(character for _, character in pairs)
        if kind == "han":
            found += [*run, *(run[i : i + 2] for i in range(len(run) - 1))]
        elif kind == "south east" and len(run) > 4:
            found += [run[i : i + 4] for i in range(len(run) - 3)]
        elif kind not in ("", "hiragana") and len(run) > 1:
            found.append(run)
    return found
